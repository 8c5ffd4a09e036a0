// The official packages, and what each of them sends.
import { randomBytes, randomUUID } from 'node:crypto';

import * as octokit from '@octokit/webhooks-methods';
import '@shopify/shopify-api/adapters/node';
import { shopifyApi } from '@shopify/shopify-api';
import { createSHA256HMAC } from '@shopify/shopify-api/runtime';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

import { python } from './python.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

// Spaces and letters beyond ASCII: whoever parses and prints a body again changes its bytes.
const text = (value) => JSON.stringify(value, null, 1).replaceAll('\n', ' \n');
const id = (prefix) => `${prefix}_${randomBytes(9).toString('hex')}`;
const now = () => Math.floor(Date.now() / 1000);

const stripeSecret = () => `whsec_${randomBytes(24).toString('hex')}`;
const standardSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const plainSecret = () => randomBytes(16).toString('hex');

const stripeRequests = () => [
  {
    what: 'an invoice.paid',
    headers: JSON_TYPE,
    body: text({
      id: id('evt'),
      object: 'event',
      type: 'invoice.paid',
      created: now(),
      data: { object: { id: id('in'), object: 'invoice', description: 'Müller & Söhne — 3 × ☕' } },
    }),
  },
];

const standardRequests = () => [
  {
    what: 'a user.updated',
    headers: JSON_TYPE,
    body: text({ type: 'user.updated', timestamp: new Date().toISOString(), data: { id: id('usr'), name: 'Zoë ✓' } }),
  },
];

const stripe = new Stripe('sk_test_of_no_account');

const list = [
  {
    name: 'npm stripe',
    source: 'stripe',
    provider: 'stripe',
    newSecret: stripeSecret,
    requests: stripeRequests,
    sign: (payload, secret) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret }),
    }),
    verify: (body, headers, secret) =>
      refusedBy(Stripe.errors.StripeSignatureVerificationError, () =>
        stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret)),
  },
  {
    name: 'PyPI stripe',
    source: 'stripe',
    provider: 'stripe',
    newSecret: stripeSecret,
    requests: stripeRequests,
    ...throughPython('stripe'),
  },
  {
    name: 'npm @octokit/webhooks-methods',
    source: 'github',
    provider: 'github',
    newSecret: plainSecret,
    requests: () => {
      const event = { action: 'opened', issue: { id: 7, title: 'Straße 😀' }, repository: { id: 42, full_name: 'a/b' } };
      const github = (type) => ({ ...type, 'x-github-event': 'issues', 'x-github-delivery': randomUUID() });
      return [
        { what: 'an issues event as JSON', headers: github(JSON_TYPE), body: text(event) },
        {
          what: 'an issues event as a form',
          headers: github(FORM_TYPE),
          body: new URLSearchParams({ payload: text(event) }).toString(),
        },
      ];
    },
    sign: async (body, secret) => ({ 'x-hub-signature-256': await octokit.sign(secret, body) }),
    verify: (body, headers, secret) => octokit.verify(secret, body, headers['x-hub-signature-256']),
  },
  {
    name: 'npm standardwebhooks',
    source: 'standard',
    provider: 'standard-webhooks',
    newSecret: standardSecret,
    requests: standardRequests,
    // Its own headers are not forwarded: hookgate's take their place, and every forward is verified with this package.
    sign: (body, secret) => {
      const [message, at] = [id('msg'), new Date()];
      return {
        'webhook-id': message,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(message, at, body),
      };
    },
  },
  {
    name: 'PyPI standardwebhooks',
    source: 'standard',
    provider: 'standard-webhooks',
    newSecret: standardSecret,
    requests: standardRequests,
    sign: (body, secret) => python({ client: 'standardwebhooks', act: 'sign', secret, body, id: id('msg') }),
  },
  {
    name: 'npm @shopify/shopify-api',
    source: 'shopify',
    provider: 'shopify',
    newSecret: plainSecret,
    requests: () => [
      {
        what: 'an orders/create',
        headers: {
          ...JSON_TYPE,
          'x-shopify-topic': 'orders/create',
          'x-shopify-shop-domain': 'hookgate-interop.myshopify.com',
          'x-shopify-api-version': '2025-01',
          'x-shopify-event-id': randomUUID(),
          'x-shopify-webhook-id': randomUUID(),
          'x-shopify-triggered-at': new Date().toISOString(),
        },
        body: text({ id: 5823019417842, note: 'Crème brûlée', updated_at: new Date().toISOString() }),
      },
    ],
    sign: async (body, secret) => ({ 'x-shopify-hmac-sha256': await createSHA256HMAC(secret, body) }),
    verify: async (body, headers, secret) => {
      const shopify = shopifyApi({
        apiKey: 'interop',
        apiSecretKey: secret,
        apiVersion: '2025-01',
        hostName: 'interop.invalid',
        isEmbeddedApp: false,
        logger: { log: () => {} },
      });
      const result = await shopify.webhooks.validate({ rawBody: body, rawRequest: { method: 'POST', url: '/', headers } });
      return result.valid;
    },
  },
  {
    name: 'PyPI slack-sdk',
    source: 'slack',
    provider: 'slack',
    newSecret: plainSecret,
    // What Slack gets back is shown to people, so it is an empty 200.
    acknowledgedWith: 200,
    requests: () => [
      {
        what: 'a message event',
        headers: JSON_TYPE,
        body: text({
          type: 'event_callback',
          event_id: id('Ev'),
          team_id: 'T1',
          event: { type: 'message', channel: 'C1', event_ts: `${now()}.000100`, text: 'naïve 🙂' },
        }),
      },
      {
        what: 'a slash command',
        headers: FORM_TYPE,
        body: new URLSearchParams({
          command: '/deploy', team_id: 'T1', channel_id: 'C1', trigger_id: id('1'), text: 'prod – now',
        }).toString(),
      },
    ],
    ...throughPython('slack'),
  },
];

// One secret a source: two clients of one provider sign for the same endpoint.
const secrets = new Map();
export const clients = list.map((client) => {
  if (!secrets.has(client.source)) secrets.set(client.source, client.newSecret());
  return { ...client, secret: secrets.get(client.source), otherSecret: client.newSecret() };
});

function throughPython(client) {
  return {
    sign: (body, secret) => python({ client, act: 'sign', secret, body }),
    verify: (body, headers, secret) => python({ client, act: 'verify', secret, body, headers }),
  };
}

// A verifier that refuses by this error; any other is a fault of the check.
function refusedBy(refusal, verify) {
  try {
    verify();
    return true;
  } catch (error) {
    if (error instanceof refusal) return false;
    throw error;
  }
}
