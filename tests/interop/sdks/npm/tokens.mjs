// A signed token (JWT) with claims about the request.
import { createHash, createSecretKey } from 'node:crypto';

import { AccessToken, WebhookReceiver } from 'livekit-server-sdk';
import { verify } from 'messagebird/lib/webhook-signature-jwt.js';
import { verifySignature } from '@vonage/jwt';

import { signed } from './signed.mjs';

export const tokens = [
  {
    package: 'livekit-server-sdk',
    provider: 'livekit',
    signsNow: true,
    sign: async (request, { key, secret }) => {
      const token = new AccessToken(key, secret, { ttl: 300 });
      token.sha256 = createHash('sha256').update(request.body).digest('base64');
      return signed(request, { authorization: await token.toJwt() });
    },
    verify: async ({ body, headers }, { key, secret }) =>
      Boolean(await new WebhookReceiver(key, secret).receive(body, headers.authorization)),
  },
  {
    package: 'messagebird',
    provider: 'messagebird',
    verify: ({ url, body, headers }, secret) =>
      verify(url, Buffer.from(body), headers['messagebird-signature-jwt'], createSecretKey(Buffer.from(secret))),
  },
  {
    package: '@vonage/jwt',
    provider: 'vonage',
    verify: ({ headers }, secret) => verifySignature(headers.authorization.replace('Bearer ', ''), secret),
  },
];
