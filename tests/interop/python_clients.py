"""Signs or verifies with an official Python package.

One JSON question on standard input: client, act ("sign" or "verify"), secret, body, headers (for "verify"; names in
lower case), id (for "sign", where the client takes one). One JSON answer on standard output: the headers that were
signed, or whether the signature is right.
"""

import json
import sys
import time
from datetime import datetime, timezone

import stripe
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook, WebhookVerificationError


def sign_stripe(secret, body, **_):
    timestamp = int(time.time())
    # The package has no public signer; this is what its verifier compares with.
    signature = stripe.WebhookSignature._compute_signature(f"{timestamp}.{body}", secret)
    return {"stripe-signature": f"t={timestamp},v1={signature}"}


def verify_stripe(secret, body, headers):
    try:
        stripe.Webhook.construct_event(body, headers["stripe-signature"], secret)
    except stripe.SignatureVerificationError:
        return False
    return True


def sign_standardwebhooks(secret, body, id):
    now = datetime.now(timezone.utc)
    return {
        "webhook-id": id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(id, now, body),
    }


def verify_standardwebhooks(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    except json.JSONDecodeError:
        # Once the signature is found right, the package parses the body as JSON. A form is none.
        return True
    return True


def sign_slack(secret, body, **_):
    timestamp = str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return {"x-slack-request-timestamp": timestamp, "x-slack-signature": signature}


def verify_slack(secret, body, headers):
    return SignatureVerifier(secret).is_valid_request(body, headers)


ACTS = {
    ("stripe", "sign"): sign_stripe,
    ("stripe", "verify"): verify_stripe,
    ("standardwebhooks", "sign"): sign_standardwebhooks,
    ("standardwebhooks", "verify"): verify_standardwebhooks,
    ("slack", "sign"): sign_slack,
    ("slack", "verify"): verify_slack,
}

question = json.load(sys.stdin)
act = ACTS[question.pop("client"), question.pop("act")]
json.dump(act(**question), sys.stdout)
