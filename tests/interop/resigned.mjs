// A forward that signs as Stripe, with a secret of its own: the official package takes it for Stripe's, now and in a replay
// of what was signed long ago, while what was received is too old for it.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import Stripe from 'stripe';

import { Destination } from './destination.mjs';
import { Gateway } from './gateway.mjs';

const LONG_AGO_S = 20 * 3600;
const secret = () => `whsec_${randomBytes(24).toString('hex')}`;

export async function resigned(binary, folder, checks) {
  const stripe = new Stripe('sk_test_of_no_account');
  const [ours, theirs] = [secret(), secret()];
  const destination = await Destination.start();
  const home = join(folder, 'resigned');
  mkdirSync(home, { mode: 0o755 });
  const client = { source: 'stripe', provider: 'stripe', secret: ours };
  const settings = { source: 'tolerance = "1d"', forward: 'sign = "provider"' };
  const gateway = await Gateway.start({
    binary, folder: home, clients: [client], destination: destination.url, forwardSecret: theirs, settings,
  });
  try {
    const timestamp = Math.floor(Date.now() / 1000) - LONG_AGO_S;
    const object = { id: `in_${randomUUID()}`, object: 'invoice', description: 'Müller & Söhne ☕' };
    const event = { id: `evt_${randomUUID()}`, object: 'event', type: 'invoice.paid', created: timestamp, data: { object } };
    const body = JSON.stringify(event, null, 2);
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload: body, secret: ours, timestamp }),
    };
    const verifies = (body, headers, secret) => {
      try {
        return stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret).id === event.id;
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
        throw error;
      }
    };
    await checks.that('re-signed: npm stripe refuses what was received, which is too old', () => !verifies(body, headers, ours));
    const { id } = await gateway.post('stripe', body, headers);
    const first = await destination.arrival(id);
    await checks.that('re-signed: npm stripe takes the forward for Stripe, with the secret of the destination', () =>
      verifies(first.body, first.headers, theirs));
    await checks.that('re-signed: not with the secret of the source', () => !verifies(first.body, first.headers, ours));
    await checks.that('re-signed: no second signature goes with it', () => !first.headers['webhook-signature']);
    await gateway.replay(id);
    const again = await destination.arrival(id);
    await checks.that('re-signed: a replay is fresh for npm stripe', () =>
      again.headers['hookgate-replay'] === 'true' && verifies(again.body, again.headers, theirs));
  } finally {
    await gateway.stop();
    destination.stop();
  }
}
