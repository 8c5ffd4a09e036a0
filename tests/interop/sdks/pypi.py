"""Signs and verifies with the official Python packages.

One JSON question a line on standard input, one JSON answer a line on standard output:

    {"op": "packages"}                                   {"packages": [{"package": "stripe", "provider": "stripe", …}]}
    {"op": "sign", "package", "request", "secret", "at"}  {"headers": {…}}, or {"body": "…"} where the body is signed inside
    {"op": "verify", "package", "request", "secret"}      {} or {"refused": "why"}
"""

import base64
import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from types import SimpleNamespace
from urllib.parse import parse_qs, parse_qsl, urlencode

import Adyen.util
import braintree
import gocardless_pro.webhooks
import openai
import plivo.utils
import pusher
import razorpay
import standardwebhooks
import stripe
import svix.webhooks
import telnyx
from box_sdk_gen import WebhooksManager
from hubspot.utils.signature import Signature
from linebot.v3.webhook import SignatureValidator
from livekit import api as livekit
from paddle_billing.Notifications import Secret, Verifier
from sendgrid.helpers.eventwebhook import EventWebhook
from slack_sdk.signature import SignatureVerifier
from square.utils.webhooks_helper import verify_signature as verify_square_signature
from twilio.request_validator import RequestValidator
from workos import WorkOSClient


class Package:
    """Signs and verifies where the package does. Anything raised in `verify` is a refusal."""

    # Whether it signs at the time of the call only.
    signs_now = False


class Stripe(Package):
    name, provider = "stripe", "stripe"

    def sign(request, secret, at):
        # The package has no public signer; this is what its verifier compares with.
        signature = stripe.WebhookSignature._compute_signature(f"{at}.{request.body}", secret)
        return {"headers": {"stripe-signature": f"t={at},v1={signature}"}}

    def verify(request, secret):
        return stripe.WebhookSignature.verify_header(
            request.body, request.headers["stripe-signature"], secret, stripe.Webhook.DEFAULT_TOLERANCE
        )


class StandardWebhooks(Package):
    name, provider = "standardwebhooks", "standard-webhooks"

    def sign(request, secret, at):
        return {"headers": standard_headers("webhook", standardwebhooks.Webhook(secret), request, at)}

    def verify(request, secret):
        standardwebhooks.Webhook(secret).verify(request.body, request.headers)
        return True


class Svix(Package):
    name, provider = "svix", "svix"

    def sign(request, secret, at):
        return {"headers": standard_headers("svix", svix.webhooks.Webhook(secret), request, at)}

    def verify(request, secret):
        svix.webhooks.Webhook(secret).verify(request.body, request.headers)
        return True


def standard_headers(names, webhook, request, at):
    signature = webhook.sign(request.id, datetime.fromtimestamp(at, timezone.utc), request.body)
    return {f"{names}-id": request.id, f"{names}-timestamp": str(at), f"{names}-signature": signature}


class OpenAI(Package):
    name, provider = "openai", "openai"

    def verify(request, secret):
        openai.OpenAI(api_key="none").webhooks.verify_signature(request.body, request.headers, secret=secret)
        return True


class Slack(Package):
    name, provider = "slack-sdk", "slack"

    def sign(request, secret, at):
        signature = SignatureVerifier(secret).generate_signature(timestamp=str(at), body=request.body)
        return {"headers": {"x-slack-request-timestamp": str(at), "x-slack-signature": signature}}

    def verify(request, secret):
        return SignatureVerifier(secret).is_valid_request(request.body, request.headers)


class WorkOS(Package):
    name, provider = "workos", "workos"

    def verify(request, secret):
        WorkOSClient(api_key="none", client_id="none").webhooks.verify_header(
            event_body=request.body.encode(), event_signature=request.headers["workos-signature"], secret=secret
        )
        return True


class Paddle(Package):
    name, provider = "paddle-python-sdk", "paddle"

    def verify(request, secret):
        headers = {"Paddle-Signature": request.headers.get("paddle-signature")}
        return Verifier().verify(SimpleNamespace(body=request.body.encode(), headers=headers), Secret(secret))


class Box(Package):
    name, provider = "box-sdk-gen", "box"

    def verify(request, secret):
        return WebhooksManager.validate_message(request.body, request.headers, secret)


class GoCardless(Package):
    name, provider = "gocardless-pro", "gocardless"

    def verify(request, secret):
        return gocardless_pro.webhooks.parse(request.body, secret, request.headers["webhook-signature"])


class Razorpay(Package):
    name, provider = "razorpay", "razorpay"

    def verify(request, secret):
        client = razorpay.Client(auth=("none", "none"))
        return client.utility.verify_webhook_signature(request.body, request.headers["x-razorpay-signature"], secret)


class Line(Package):
    name, provider = "line-bot-sdk", "line"

    def verify(request, secret):
        return SignatureValidator(secret).validate(request.body, request.headers["x-line-signature"])


class Pusher(Package):
    name, provider = "pusher", "pusher"

    def verify(request, keys):
        client = pusher.Pusher(app_id="1", key=keys["key"], secret=keys["secret"])
        headers = request.headers
        return client.validate_webhook(headers["x-pusher-key"], headers["x-pusher-signature"], request.body)


class Twilio(Package):
    name, provider = "twilio", "twilio"

    def sign(request, secret, at):
        fields = dict(parse_qsl(request.body, keep_blank_values=True))
        return {"headers": {"x-twilio-signature": RequestValidator(secret).compute_signature(request.url, fields)}}

    def verify(request, secret):
        fields = dict(parse_qsl(request.body, keep_blank_values=True))
        return RequestValidator(secret).validate(request.url, fields, request.headers["x-twilio-signature"])


class Square(Package):
    name, provider = "squareup", "square"

    def verify(request, secret):
        return verify_square_signature(
            request_body=request.body,
            signature_header=request.headers["x-square-hmacsha256-signature"],
            signature_key=secret,
            notification_url=request.url,
        )


class HubSpot(Package):
    name, provider = "hubspot-api-client", "hubspot"

    def sign(request, secret, at):
        timestamp = str(at * 1000)
        signature = Signature.get_signature(secret, request.body, "v3", request.url, request.method, timestamp)
        return {"headers": {"x-hubspot-request-timestamp": timestamp, "x-hubspot-signature-v3": signature}}

    def verify(request, secret):
        return Signature.is_valid(
            signature=request.headers["x-hubspot-signature-v3"],
            client_secret=secret,
            request_body=request.body,
            http_uri=request.url,
            http_method=request.method,
            signature_version="v3",
            timestamp=request.headers.get("x-hubspot-request-timestamp"),
        )


class Plivo(Package):
    name, provider = "plivo", "plivo-v2"

    def verify(request, token):
        headers = request.headers
        nonce, signature = headers["x-plivo-signature-v2-nonce"], headers["x-plivo-signature-v2"]
        return plivo.utils.validate_signature(request.url, nonce, signature, token)


class SendGrid(Package):
    name, provider = "sendgrid", "sendgrid"

    def verify(request, key):
        return EventWebhook(key).verify_signature(
            request.body,
            request.headers["x-twilio-email-event-webhook-signature"],
            request.headers["x-twilio-email-event-webhook-timestamp"],
        )


class Telnyx(Package):
    name, provider = "telnyx", "telnyx"

    def verify(request, key):
        telnyx.Telnyx(api_key="none").webhooks.unwrap(request.body, headers=request.headers, key=key)
        return True


class LiveKit(Package):
    name, provider = "livekit-api", "livekit"
    signs_now = True

    def sign(request, keys, at):
        token = livekit.AccessToken(keys["key"], keys["secret"]).with_ttl(timedelta(minutes=5))
        token.with_sha256(base64.b64encode(hashlib.sha256(request.body.encode()).digest()).decode())
        return {"headers": {"authorization": token.to_jwt()}}

    def verify(request, keys):
        receiver = livekit.WebhookReceiver(livekit.TokenVerifier(keys["key"], keys["secret"]))
        return receiver.receive(request.body, request.headers["authorization"])


class AdyenLibrary(Package):
    name, provider = "Adyen", "adyen"

    def sign(request, key, at):
        body = json.loads(request.body)
        item = body["notificationItems"][0]["NotificationRequestItem"]
        item["additionalData"] = {"hmacSignature": Adyen.util.generate_notification_sig(item, key).decode()}
        return {"body": json.dumps(body)}

    def verify(request, key):
        return Adyen.util.is_valid_hmac_notification(json.loads(request.body), key)


class Braintree(Package):
    name, provider = "braintree", "braintree"

    def sign(request, keys, at):
        kind = braintree.WebhookNotification.Kind.SubscriptionChargedSuccessfully
        return {"body": urlencode(Braintree.gateway(keys).webhook_testing.sample_notification(kind, "amount-1999"))}

    def verify(request, keys):
        form = {name: values[0] for name, values in parse_qs(request.body).items()}
        return Braintree.gateway(keys).webhook_notification.parse(form.get("bt_signature"), form.get("bt_payload"))

    def gateway(keys):
        return braintree.BraintreeGateway(
            braintree.Configuration(
                braintree.Environment.Sandbox,
                merchant_id="none",
                public_key=keys["publicKey"],
                private_key=keys["privateKey"],
            )
        )


PACKAGES = {package.name: package for package in Package.__subclasses__()}


def answer(question):
    if question["op"] == "packages":
        return {
            "packages": [
                {
                    "package": package.name,
                    "provider": package.provider,
                    "version": version(package.name),
                    "signs": hasattr(package, "sign"),
                    "signsNow": package.signs_now,
                    "verifies": hasattr(package, "verify"),
                }
                for package in PACKAGES.values()
            ]
        }
    package, request = PACKAGES[question["package"]], SimpleNamespace(**question["request"])
    if question["op"] == "sign":
        return package.sign(request, question["secret"], question["at"])
    try:
        return {} if package.verify(request, question["secret"]) else {"refused": "it is not valid"}
    except Exception as refusal:
        return {"refused": f"{type(refusal).__name__}: {refusal}"}


for line in sys.stdin:
    try:
        answered = answer(json.loads(line))
    except Exception as error:
        answered = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answered), flush=True)
