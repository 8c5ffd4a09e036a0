// Where an official package accepts what hookgate refuses, and why hookgate does not follow it. Anything else that differs
// fails the run, and so does an entry that no longer holds.
const STALE = 'stale';
const FUTURE = 'from the future';

const REASONS = {
  'it looks for old times only; a time ahead would keep a recorded request fresh until then, so hookgate looks both ways': {
    [FUTURE]: [
      'npm @contentful/node-apps-toolkit', 'npm @elevenlabs/elevenlabs-js', 'npm @hubspot/api-client', 'npm @mux/mux-node',
      'npm @paddle/paddle-node-sdk', 'npm @slack/bolt', 'npm @workos-inc/node', 'npm stripe', 'PyPI hubspot-api-client', 'PyPI stripe',
    ],
  },
  'it compares no time, though one is signed; hookgate refuses a recorded request that is sent again later': {
    [STALE]: ['npm @sanity/webhook', 'npm @sendgrid/eventwebhook', 'npm discord-interactions', 'npm replicate', 'PyPI sendgrid'],
    [FUTURE]: ['npm @sanity/webhook', 'npm @sendgrid/eventwebhook', 'npm discord-interactions', 'npm replicate', 'PyPI sendgrid'],
  },
  'it verifies the token and leaves the hash of the body that is in it to the caller; hookgate compares it': {
    tampered: ['npm @vonage/jwt'],
  },
};

const TABLE = Object.entries(REASONS).flatMap(([because, forgeries]) =>
  Object.entries(forgeries).flatMap(([accepts, sdks]) => sdks.map((sdk) => ({ sdk, accepts, because }))));

const seen = new Set();

export const lenient = {
  explains(sdk, forgery) {
    const entry = TABLE.find((entry) => entry.sdk === sdk && entry.accepts === forgery);
    if (entry) seen.add(entry);
    return Boolean(entry);
  },
  // Reason by reason: which packages accept what.
  seen: () => Object.keys(REASONS).map((because) => [because, [...seen].filter((entry) => entry.because === because)]),
  outdated: () => TABLE.filter((entry) => !seen.has(entry)),
};
