// Public keys: the packages verify, hookgate signs with a private key made for the run.
import { verifyKey } from 'discord-interactions';
import eventwebhook from '@sendgrid/eventwebhook';
import Telnyx from 'telnyx';

const telnyx = new Telnyx({ apiKey: 'none' });
const sendgrid = new eventwebhook.EventWebhook();

export const keys = [
  {
    package: 'discord-interactions',
    provider: 'discord',
    verify: ({ body, headers }, key) =>
      verifyKey(body, headers['x-signature-ed25519'], headers['x-signature-timestamp'], key),
  },
  {
    package: '@sendgrid/eventwebhook',
    provider: 'sendgrid',
    verify: ({ body, headers }, key) =>
      sendgrid.verifySignature(
        sendgrid.convertPublicKeyToECDSA(key),
        body,
        headers['x-twilio-email-event-webhook-signature'],
        headers['x-twilio-email-event-webhook-timestamp'],
      ),
  },
  {
    package: 'telnyx',
    provider: 'telnyx',
    verify: async ({ body, headers }, key) => Boolean(await telnyx.webhooks.unwrap(body, { headers, key })),
  },
];
