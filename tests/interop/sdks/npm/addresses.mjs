// The address is signed too, or instead of the body.
import { signRequest, verifyRequest } from '@contentful/node-apps-toolkit';
import hubspot from '@hubspot/api-client';
import plivo from 'plivo';
import { WebhooksHelper } from 'square';
import twilio from 'twilio';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';

import { signed } from './signed.mjs';

const fields = (body) => Object.fromEntries(new URLSearchParams(body));

export const addresses = [
  {
    package: 'twilio',
    provider: 'twilio',
    sign: (request, secret) =>
      signed(request, { 'x-twilio-signature': getExpectedTwilioSignature(secret, request.url, fields(request.body)) }),
    verify: ({ url, body, headers }, secret) =>
      twilio.validateRequest(secret, headers['x-twilio-signature'], url, fields(body)),
  },
  {
    package: 'square',
    provider: 'square',
    verify: ({ url, body, headers }, signatureKey) =>
      WebhooksHelper.verifySignature({
        requestBody: body,
        signatureHeader: headers['x-square-hmacsha256-signature'],
        signatureKey,
        notificationUrl: url,
      }),
  },
  {
    package: '@hubspot/api-client',
    provider: 'hubspot',
    sign: (request, clientSecret, at) =>
      signed(request, {
        'x-hubspot-request-timestamp': String(at * 1000),
        'x-hubspot-signature-v3': hubspot.Signature.getSignature(request.method, 'v3', {
          clientSecret,
          url: request.url,
          requestBody: request.body,
          timestamp: at * 1000,
        }),
      }),
    verify: ({ method, url, body, headers }, clientSecret) =>
      hubspot.Signature.isValid({
        signatureVersion: 'v3',
        signature: headers['x-hubspot-signature-v3'],
        timestamp: headers['x-hubspot-request-timestamp'] && Number(headers['x-hubspot-request-timestamp']),
        method,
        url,
        requestBody: body,
        clientSecret,
      }),
  },
  {
    package: '@contentful/node-apps-toolkit',
    provider: 'contentful',
    sign: (request, secret, at) => {
      // It lists the headers it signs by itself.
      const { 'x-contentful-signed-headers': _, ...headers } = request.headers;
      return signed(request, signRequest(secret, { ...canonical(request), headers }, at * 1000));
    },
    verify: (request, secret) => verifyRequest(secret, { ...canonical(request), headers: request.headers }),
  },
  {
    package: 'plivo',
    provider: 'plivo-v2',
    verify: ({ url, headers }, token) =>
      plivo.validateSignature(url, headers['x-plivo-signature-v2-nonce'], headers['x-plivo-signature-v2'], token),
  },
];

function canonical({ method, url, body }) {
  const { pathname, search } = new URL(url);
  return { method, path: pathname + search, body };
}
