// Standard Webhooks, under its own names and under those of Svix.
import Anthropic from '@anthropic-ai/sdk';
import { verifyWebhook } from '@clerk/backend/webhooks';
import OpenAI from 'openai';
import { validateEvent, WebhookVerificationError } from '@polar-sh/sdk/webhooks.js';
import { validateWebhook } from 'replicate';
import { Resend } from 'resend';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { signed, unlessItThrows } from './signed.mjs';

const anthropic = new Anthropic({ apiKey: 'none' });
const openai = new OpenAI({ apiKey: 'none' });
const resend = new Resend('re_none');

const signedBy = (Package, names) => (request, secret, at) =>
  signed(request, {
    [`${names}-id`]: request.id,
    [`${names}-timestamp`]: String(at),
    [`${names}-signature`]: new Package(secret).sign(request.id, new Date(at * 1000), request.body),
  });

export const standard = [
  {
    package: 'standardwebhooks',
    provider: 'standard-webhooks',
    sign: signedBy(Webhook, 'webhook'),
    verify: ({ body, headers }, secret) => Boolean(new Webhook(secret).verify(body, headers)),
  },
  {
    package: 'svix',
    provider: 'svix',
    sign: signedBy(SvixWebhook, 'svix'),
    verify: ({ body, headers }, secret) => Boolean(new SvixWebhook(secret).verify(body, headers)),
  },
  {
    package: 'openai',
    provider: 'openai',
    verify: async ({ body, headers }, secret) =>
      unlessItThrows(await openai.webhooks.verifySignature(body, headers, secret)),
  },
  {
    package: '@anthropic-ai/sdk',
    provider: 'anthropic',
    verify: ({ body, headers }, key) => Boolean(anthropic.beta.webhooks.unwrap(body, { headers, key })),
  },
  {
    package: 'replicate',
    provider: 'replicate',
    verify: ({ body, headers }, secret) => validateWebhook({ body, headers }, secret),
  },
  {
    package: '@polar-sh/sdk',
    provider: 'polar',
    verify: ({ body, headers }, secret) => {
      try {
        return Boolean(validateEvent(body, headers, secret));
      } catch (error) {
        if (error instanceof WebhookVerificationError) return false;
        // Once the signature is found right, the package wants every field of its own events.
        if (error.name === 'SDKValidationError') return true;
        throw error;
      }
    },
  },
  {
    package: '@clerk/backend',
    provider: 'clerk',
    verify: async ({ method, url, headers, body }, signingSecret) =>
      Boolean(await verifyWebhook(new Request(url, { method, headers, body }), { signingSecret })),
  },
  {
    package: 'resend',
    provider: 'resend',
    verify: ({ body, headers }, webhookSecret) =>
      Boolean(
        resend.webhooks.verify({
          payload: body,
          headers: {
            id: headers['svix-id'],
            timestamp: headers['svix-timestamp'],
            signature: headers['svix-signature'],
          },
          webhookSecret,
        }),
      ),
  },
];
