// An HMAC of a time and the body.
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import Mux from '@mux/mux-node';
import { Paddle } from '@paddle/paddle-node-sdk';
import Retell from 'retell-sdk';
import { encodeSignatureHeader, isValidSignature } from '@sanity/webhook';
import bolt from '@slack/bolt';
import Stripe from 'stripe';
import { WorkOS } from '@workos-inc/node';
import { WebhooksManager } from 'box-node-sdk/managers/webhooks';

import { signed, unlessItThrows } from './signed.mjs';

const stripe = new Stripe('sk_test_of_no_account');
const workos = new WorkOS('sk_test_of_no_account');
const mux = new Mux({ tokenId: 'none', tokenSecret: 'none' });
const paddle = new Paddle('none');
const elevenlabs = new ElevenLabsClient({ apiKey: 'none' });

export const times = [
  {
    package: 'stripe',
    provider: 'stripe',
    sign: (request, secret, timestamp) =>
      signed(request, {
        'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload: request.body, secret, timestamp }),
      }),
    verify: ({ body, headers }, secret) =>
      Boolean(stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret)),
  },
  {
    package: '@slack/bolt',
    provider: 'slack',
    verify: ({ body, headers }, signingSecret) => bolt.isValidSlackRequest({ signingSecret, body, headers }),
  },
  {
    package: '@paddle/paddle-node-sdk',
    provider: 'paddle',
    verify: ({ body, headers }, secret) => paddle.webhooks.isSignatureValid(body, secret, headers['paddle-signature']),
  },
  {
    package: '@workos-inc/node',
    provider: 'workos',
    sign: async (request, secret, at) => {
      const v1 = await workos.webhooks.computeSignature(at * 1000, JSON.parse(request.body), secret);
      return signed(request, { 'workos-signature': `t=${at * 1000}, v1=${v1}` });
    },
    verify: ({ body, headers }, secret) =>
      workos.webhooks.verifyHeader({ payload: JSON.parse(body), sigHeader: headers['workos-signature'], secret }),
  },
  {
    package: '@sanity/webhook',
    provider: 'sanity',
    sign: async (request, secret, at) =>
      signed(request, { 'sanity-webhook-signature': await encodeSignatureHeader(request.body, at * 1000, secret) }),
    verify: ({ body, headers }, secret) => isValidSignature(body, headers['sanity-webhook-signature'], secret),
  },
  {
    package: '@mux/mux-node',
    provider: 'mux',
    verify: async ({ body, headers }, secret) =>
      unlessItThrows(await mux.webhooks.verifySignature(body, headers, secret)),
  },
  {
    package: '@elevenlabs/elevenlabs-js',
    provider: 'elevenlabs',
    verify: async ({ body, headers }, secret) =>
      Boolean(await elevenlabs.webhooks.constructEvent(body, headers['elevenlabs-signature'], secret)),
  },
  {
    package: 'retell-sdk',
    provider: 'retell',
    signsNow: true,
    sign: async (request, key) => signed(request, { 'x-retell-signature': await Retell.sign(request.body, key) }),
    verify: ({ body, headers }, key) => Retell.verify(body, key, headers['x-retell-signature']),
  },
  {
    package: 'box-node-sdk',
    provider: 'box',
    verify: ({ body, headers }, key) => WebhooksManager.validateMessage(body, headers, key),
  },
];
