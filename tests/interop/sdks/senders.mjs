// What each provider sends, before it is signed: one secret and one request a run, nothing in them real.
//
// `secret()` gives the secret three ways: as the packages take it (`package`), as hookgate verifies with it (`verify`) and
// as hookgate signs with it (`sign`, absent where hookgate cannot sign as this provider).
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';

const URL_OF_SOURCE = 'https://hooks.example.com/in/interop';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

// Every request holds this once where it is signed: changing it is the forgery.
const AMOUNT = '1999';
const FORGED_AMOUNT = '2999';

const iso = (at) => new Date(at * 1000).toISOString();
const token = (bytes) => randomBytes(bytes).toString('hex');
const same = (text) => ({ package: text, verify: text, sign: text });
const request = (body, headers = {}, url = URL_OF_SOURCE) => ({
  method: 'POST',
  url,
  headers: { ...JSON_TYPE, ...headers },
  body,
  id: `msg_${token(9)}`,
});
// Letters beyond ASCII, and no spaces: one of the packages signs what it parsed and printed again.
const event = (fields = {}) =>
  JSON.stringify({ id: `evt_${token(9)}`, type: 'invoice.paid', amount: Number(AMOUNT), note: 'Müller ☕', ...fields });

// How several signatures share the header, where the provider sends several while a secret changes.
const spaced = (names) => ({ header: `${names}-signature`, join: (first, second) => `${first} ${second}` });
const paired = (header, separator, key) => ({
  header,
  join: (first, second) => `${first}${separator}${second.slice(second.indexOf(`${key}=`))}`,
});

const standard = {
  secret: () => same(`whsec_${randomBytes(32).toString('base64')}`),
  isTimed: true,
  list: spaced('webhook'),
};
const svix = { ...standard, list: spaced('svix') };
const sender = (provider, ...parts) =>
  Object.assign({ provider, secret: () => same(token(24)), request: () => request(event()), isTimed: false }, ...parts);

export const senders = Object.fromEntries(
  [
    sender('adyen', {
      secret: () => {
        const key = randomBytes(32).toString('hex').toUpperCase();
        return { package: key, verify: key };
      },
      request: () =>
        request(
          JSON.stringify({
            live: 'false',
            notificationItems: [
              {
                NotificationRequestItem: {
                  pspReference: token(8),
                  originalReference: '',
                  merchantAccountCode: 'Interop',
                  merchantReference: 'Straße 7',
                  amount: { currency: 'EUR', value: Number(AMOUNT) },
                  eventCode: 'AUTHORISATION',
                  eventDate: iso(Date.now() / 1000),
                  success: 'true',
                },
              },
            ],
          }),
        ),
      unsign: (signed) => {
        const body = JSON.parse(signed.body);
        delete body.notificationItems[0].NotificationRequestItem.additionalData;
        return { ...signed, body: JSON.stringify(body) };
      },
    }),
    sender('anthropic', standard, {
      request: () => request(event({ type: 'event', data: { id: 'sesn_1', type: 'session.status_idled' } })),
    }),
    sender('box', { isTimed: true, request: () => request(event({ trigger: 'FILE.UPLOADED', note: 'plain' })) }),
    sender('braintree', {
      // The public key goes with the private one; the packages take both.
      secret: () => {
        const keys = { publicKey: token(8), privateKey: token(16) };
        return { package: keys, verify: `${keys.publicKey}:${keys.privateKey}` };
      },
      request: () => ({ ...request('', FORM_TYPE), headers: FORM_TYPE }),
      tamper: (signed) => {
        const form = new URLSearchParams(signed.body);
        const xml = Buffer.from(form.get('bt_payload'), 'base64').toString();
        form.set('bt_payload', `${Buffer.from(forged(xml)).toString('base64')}\n`);
        return { ...signed, body: form.toString() };
      },
      unsign: (signed) => {
        const form = new URLSearchParams(signed.body);
        form.delete('bt_signature');
        return { ...signed, body: form.toString() };
      },
    }),
    sender('clerk', svix),
    sender('coinbase-commerce', {
      request: () => request(event({ event: { id: randomUUID(), type: 'charge:confirmed' } })),
    }),
    sender('contentful', {
      isTimed: true,
      secret: () => same(token(32)),
      // hookgate signs the headers that this one lists.
      request: () =>
        request(event(), {
          'x-contentful-topic': 'ContentManagement.Entry.publish',
          // There before signing: whether it is signed depends on that list.
          'x-contentful-idempotency-key': token(12),
          'x-contentful-signed-headers': 'x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
        }),
    }),
    sender('discord', {
      isTimed: true,
      secret: () => keysOf('ed25519', (raw) => raw.toString('hex')),
      request: () => request(event({ type: 2 })),
    }),
    sender('elevenlabs', { isTimed: true }),
    sender('github', {
      request: () => request(event(), { 'x-github-event': 'issues', 'x-github-delivery': randomUUID() }),
    }),
    sender('gocardless', {
      request: () =>
        request(JSON.stringify({ events: [{ id: 'EV1', amount: Number(AMOUNT) }], meta: { webhook_id: 'WB1' } })),
    }),
    sender('hubspot', {
      isTimed: true,
      request: () => request(`[${event({ eventId: 1, subscriptionId: 2, objectId: 3 })}]`),
    }),
    sender('line', {
      request: () =>
        request(
          JSON.stringify({
            destination: 'U1',
            events: [{ webhookEventId: token(8), amount: Number(AMOUNT), text: 'はい' }],
          }),
        ),
    }),
    sender('linear', {
      isTimed: true,
      request: (at) =>
        request(event({ webhookTimestamp: at * 1000 }), { 'linear-event': 'Issue', 'linear-delivery': randomUUID() }),
    }),
    sender('livekit', {
      isTimed: true,
      secret: () => {
        const keys = { key: `API${token(6)}`, secret: token(32) };
        return { package: keys, ...both(`${keys.key}:${keys.secret}`) };
      },
      request: () =>
        request(
          JSON.stringify({
            event: 'room_finished',
            id: `EV_${token(6)}`,
            room: { sid: 'RM_1', name: `room ${AMOUNT}` },
          }),
        ),
    }),
    sender('messagebird', { isTimed: true }),
    sender('modern-treasury'),
    sender('mux', { isTimed: true, list: paired('mux-signature', ',', 'v1') }),
    sender('openai', standard),
    sender('paddle', { isTimed: true, list: paired('paddle-signature', ';', 'h1') }),
    sender('plivo-v2', {
      request: () =>
        request(
          'Status=delivered',
          { ...FORM_TYPE, 'x-plivo-signature-v2-nonce': token(10) },
          `${URL_OF_SOURCE}/${AMOUNT}`,
        ),
      // Plivo signs the address and a nonce, never the body.
      tamper: (signed) => ({ ...signed, url: forged(signed.url) }),
    }),
    sender('polar', { isTimed: true, list: spaced('webhook'), secret: () => same(`polar_whs_${token(16)}`) }),
    sender('pusher', {
      secret: () => {
        const keys = { key: token(10), secret: token(10) };
        return { package: keys, ...both(`${keys.key}:${keys.secret}`) };
      },
      request: () =>
        request(
          JSON.stringify({ time_ms: Date.now(), events: [{ name: 'channel_occupied', channel: `room-${AMOUNT}` }] }),
        ),
    }),
    sender('razorpay', { request: () => request(event(), { 'x-razorpay-event-id': token(7) }) }),
    sender('replicate', standard),
    sender('resend', svix),
    sender('retell', { isTimed: true }),
    sender('sanity', { isTimed: true, request: () => request(event(), { 'idempotency-key': token(12) }) }),
    sender('sendgrid', {
      isTimed: true,
      isOfAnyLength: true,
      secret: () => keysOf('ec', (_, der) => der.toString('base64')),
      request: () => request(`[${event()}]`),
    }),
    sender('shopify', {
      request: () =>
        request(event(), {
          'x-shopify-topic': 'orders/create',
          'x-shopify-shop-domain': 'interop.myshopify.com',
          'x-shopify-api-version': '2026-07',
          'x-shopify-event-id': randomUUID(),
          'x-shopify-webhook-id': randomUUID(),
          'x-shopify-triggered-at': new Date().toISOString(),
        }),
    }),
    sender('slack', { isTimed: true, request: () => request(event({ type: 'event_callback' })) }),
    sender('square'),
    sender('standard-webhooks', standard),
    sender('stripe', {
      isTimed: true,
      list: paired('stripe-signature', ',', 'v1'),
      secret: () => same(`whsec_${token(24)}`),
    }),
    sender('svix', svix),
    sender('telnyx', { isTimed: true, secret: () => keysOf('ed25519', (raw) => raw.toString('base64')) }),
    sender('twilio', {
      request: () =>
        request(
          new URLSearchParams({ CallSid: 'CA1', Amount: AMOUNT, Body: 'naïve & 🙂', A: '' }).toString(),
          {
            ...FORM_TYPE,
            'i-twilio-idempotency-token': randomUUID(),
          },
          `${URL_OF_SOURCE}?a=1&b=x%20y`,
        ),
    }),
    sender('vonage', { isTimed: true, secret: () => same(token(32)) }),
    sender('workos', { isTimed: true }),
  ].map((sender) => [sender.provider, { tamper: (signed) => ({ ...signed, body: forged(signed.body) }), ...sender }]),
);

function forged(text) {
  const changed = text.replace(AMOUNT, FORGED_AMOUNT);
  if (changed === text) throw new Error('there is no amount to forge in this request');
  return changed;
}

function both(secret) {
  return { verify: secret, sign: secret };
}

// A key pair: the packages and hookgate verify with its public half, hookgate signs with the other.
function keysOf(kind, shown) {
  const { publicKey, privateKey } = generateKeyPairSync(kind, kind === 'ec' ? { namedCurve: 'P-256' } : {});
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const known = shown(der.subarray(-32), der);
  return { package: known, verify: known, sign: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}
