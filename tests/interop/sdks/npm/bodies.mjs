// An HMAC of the body, in one header.
import * as octokit from '@octokit/webhooks-methods';
import '@shopify/shopify-api/adapters/node';
import { shopifyApi } from '@shopify/shopify-api';
import { createSHA256HMAC } from '@shopify/shopify-api/runtime';
import { validateSignature } from '@line/bot-sdk';
import coinbase from 'coinbase-commerce-node';
import * as gocardless from 'gocardless-nodejs/webhooks';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import ModernTreasury from 'modern-treasury';
import Pusher from 'pusher';
import Razorpay from 'razorpay';

import { signed } from './signed.mjs';

const treasury = new ModernTreasury({ apiKey: 'none', organizationID: 'none' });

export const bodies = [
  {
    package: '@octokit/webhooks-methods',
    provider: 'github',
    sign: async (request, secret) =>
      signed(request, { 'x-hub-signature-256': await octokit.sign(secret, request.body) }),
    verify: ({ body, headers }, secret) => octokit.verify(secret, body, headers['x-hub-signature-256']),
  },
  {
    package: '@shopify/shopify-api',
    provider: 'shopify',
    sign: async (request, secret) =>
      signed(request, { 'x-shopify-hmac-sha256': await createSHA256HMAC(secret, request.body) }),
    verify: async ({ method, url, body, headers }, secret) => {
      const shopify = shopifyApi({
        apiKey: 'interop',
        apiSecretKey: secret,
        apiVersion: '2025-01',
        hostName: 'interop.invalid',
        isEmbeddedApp: false,
        logger: { log: () => {} },
      });
      return (await shopify.webhooks.validate({ rawBody: body, rawRequest: { method, url, headers } })).valid;
    },
  },
  {
    package: '@line/bot-sdk',
    provider: 'line',
    verify: ({ body, headers }, secret) => validateSignature(body, secret, headers['x-line-signature']),
  },
  {
    package: 'gocardless-nodejs',
    provider: 'gocardless',
    verify: ({ body, headers }, secret) => gocardless.parse(body, secret, headers['webhook-signature']).length > 0,
  },
  {
    package: 'razorpay',
    provider: 'razorpay',
    verify: ({ body, headers }, secret) =>
      Razorpay.validateWebhookSignature(body, headers['x-razorpay-signature'], secret),
  },
  {
    package: 'coinbase-commerce-node',
    provider: 'coinbase-commerce',
    sign: (request, secret) =>
      signed(request, { 'x-cc-webhook-signature': coinbase.Webhook.computeSignature(request.body, secret) }),
    verify: ({ body, headers }, secret) =>
      Boolean(coinbase.Webhook.verifyEventBody(body, headers['x-cc-webhook-signature'], secret)),
  },
  {
    package: 'modern-treasury',
    provider: 'modern-treasury',
    sign: (request, key) => signed(request, { 'x-signature': treasury.webhooks.getSignature(request.body, { key }) }),
    verify: ({ body, headers }, key) => treasury.webhooks.validateSignature(body, headers, { key }),
  },
  {
    package: 'pusher',
    provider: 'pusher',
    verify: ({ body, headers }, keys) =>
      new Pusher({ appId: '1', cluster: 'eu', ...keys }).webhook({ rawBody: body, headers }).isValid(),
  },
  {
    package: '@linear/sdk',
    provider: 'linear',
    verify: ({ body, headers }, secret) =>
      new LinearWebhookClient(secret).verify(Buffer.from(body), headers['linear-signature']),
  },
];
