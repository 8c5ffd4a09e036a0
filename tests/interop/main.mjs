// The whole story: start a destination and a gateway, let each client's requests through, compare what comes out.
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Checks } from './checks.mjs';
import { clients } from './clients.mjs';
import { Destination } from './destination.mjs';
import { Gateway } from './gateway.mjs';
import { python } from './python.mjs';
import { resigned } from './resigned.mjs';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const binary = process.argv[2];
const checks = new Checks();
const folder = mkdtempSync(join(tmpdir(), 'hookgate-interop-'));
// Started as root, the gateway runs its Postgres as another user, who has to get in.
chmodSync(folder, 0o755);

const destination = await Destination.start();
const forwardSecret = `whsec_${randomBytes(32).toString('base64')}`;
let gateway;
try {
  gateway = await Gateway.start({ binary, folder, clients, destination: destination.url, forwardSecret });
  for (const client of clients) {
    for (const request of client.requests()) {
      await through(client, request);
    }
  }
  await resigned(binary, folder, checks);
  await checks.that('nothing reached the destination but what was accepted', () => destination.unclaimed() === 0);
} catch (error) {
  checks.broke('the run', error);
} finally {
  if (gateway) {
    const ended = await gateway.stop();
    await checks.that('the gateway ends in order when told to', () => ended === 0);
  }
  destination.stop();
  if (checks.failed && gateway) {
    console.log(`\n── the gateway's log ──\n${gateway.log()}`);
  }
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = checks.close();

// One request of one client: accepted once, refused in every wrong form, forwarded byte for byte.
async function through(client, { what, body, headers: extra = {} }) {
  const label = `${client.name}: ${what}`;
  const headers = { ...extra, ...(await client.sign(body, client.secret)) };
  const post = (body, headers) => gateway.post(client.source, body, headers);

  await checks.that(`${label} is refused when its body was changed`, async () => {
    const answer = await post(tampered(body), headers);
    return answer.status === 401;
  });
  await checks.that(`${label} is refused when signed with another secret`, async () => {
    const forged = { ...extra, ...(await client.sign(body, client.otherSecret)) };
    return (await post(body, forged)).status === 401;
  });
  await checks.that(`${label} is refused unsigned`, async () => (await post(body, extra)).status === 401);

  let accepted;
  await checks.that(`${label} is accepted`, async () => {
    accepted = await post(body, headers);
    return accepted.status === (client.acknowledgedWith ?? 202) && Boolean(accepted.id);
  });
  await checks.that(`${label} sent again is a copy of the same delivery`, async () => {
    const copy = await post(body, headers);
    return copy.status === accepted.status && copy.id === accepted.id;
  });

  const forwarded = await destination.arrival(accepted?.id);
  await checks.that(`${label} is forwarded byte for byte`, () => digest(forwarded.body) === digest(Buffer.from(body)));
  const text = forwarded.body.toString();
  await checks.that(`${label}: npm standardwebhooks verifies the forward`, () => verified(text, forwarded.headers));
  await checks.that(`${label}: PyPI standardwebhooks verifies the forward`, () =>
    python({ client: 'standardwebhooks', act: 'verify', secret: forwardSecret, body: text, headers: forwarded.headers }));
  await checks.that(`${label}: npm standardwebhooks refuses the forward with another body`, () =>
    !verified(tampered(text), forwarded.headers));
  if (client.verify) {
    await checks.that(`${label}: ${client.name} verifies what was forwarded as its own`, () =>
      client.verify(text, forwarded.headers, client.secret));
    await checks.that(`${label}: ${client.name} refuses it with another secret`, async () =>
      !(await client.verify(text, forwarded.headers, client.otherSecret)));
  }
}

function verified(text, headers) {
  try {
    new Webhook(forwardSecret).verify(text, headers);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    // Once the signature is found right, the package parses the body as JSON. A form is none.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return true;
}

function tampered(body) {
  return `${body.slice(0, -1)} ${body.slice(-1)}`;
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
