// Where an official package judges otherwise than hookgate, and why hookgate does not follow it. Any other difference fails
// the run, and so does an entry that no longer holds.
const REASONS = {
  'it looks for old times only; a time ahead would keep a recorded request fresh until then, so hookgate looks both ways':
    {
      'accepts from the future': [
        'npm @contentful/node-apps-toolkit',
        'npm @elevenlabs/elevenlabs-js',
        'npm @hubspot/api-client',
        'npm @mux/mux-node',
        'npm @paddle/paddle-node-sdk',
        'npm @slack/bolt',
        'npm @workos-inc/node',
        'npm stripe',
        'PyPI hubspot-api-client',
        'PyPI stripe',
      ],
      'accepts 45 seconds early': ['npm @contentful/node-apps-toolkit'],
    },
  'it compares no time, though one is signed; hookgate refuses a recorded request that is sent again later': {
    'accepts stale': [
      'npm @sanity/webhook',
      'npm @sendgrid/eventwebhook',
      'npm discord-interactions',
      'npm replicate',
      'PyPI sendgrid',
    ],
    'accepts from the future': [
      'npm @sanity/webhook',
      'npm @sendgrid/eventwebhook',
      'npm discord-interactions',
      'npm replicate',
      'PyPI sendgrid',
    ],
  },
  'it verifies the token and leaves the hash of the body that is in it to the caller; hookgate compares it': {
    'accepts tampered': ['npm @vonage/jwt'],
  },
  'it decodes whatever can be decoded; hookgate takes a signature as the provider writes it, in one spelling only': {
    'accepts in upper-case hex': ['npm gocardless-nodejs'],
    'accepts without base64 padding': [
      'npm @line/bot-sdk',
      'npm @sendgrid/eventwebhook',
      'npm box-node-sdk',
      'npm openai',
    ],
  },
  'Paddle suggests 5 seconds, which an honest clock and a slow network miss now and then; hookgate allows five minutes':
    {
      'refuses 45 seconds late': ['npm @paddle/paddle-node-sdk', 'PyPI paddle-python-sdk'],
      'refuses 45 seconds early': ['PyPI paddle-python-sdk'],
    },
  'it looks at the last signature only, and so refuses honest requests while a secret is rotated; hookgate takes any': {
    'refuses before a signature of another secret': ['npm @paddle/paddle-node-sdk'],
  },
  "it wants a clock that is never behind the sender's; hookgate allows as much behind as ahead": {
    'refuses 3 seconds early': ['npm box-node-sdk', 'PyPI box-sdk-gen'],
    'refuses 45 seconds early': ['npm box-node-sdk', 'PyPI box-sdk-gen'],
  },
  'its libraries in two languages allow clocks to differ by a different time; hookgate takes the shorter': {
    'accepts 45 seconds early': ['PyPI livekit-api'],
    'accepts 3 seconds early': ['npm messagebird'],
  },
};

const TABLE = Object.entries(REASONS).flatMap(([because, differences]) =>
  Object.entries(differences).flatMap(([difference, sdks]) => sdks.map((sdk) => ({ sdk, difference, because }))),
);

const seen = new Set();

export const differences = {
  // Whether the table has it: `explain('npm stripe', 'accepts', 'stale')`.
  explain(sdk, does, what) {
    const entry = TABLE.find((entry) => entry.sdk === sdk && entry.difference === `${does} ${what}`);
    if (entry) seen.add(entry);
    return Boolean(entry);
  },
  // Reason by reason, what was met in this run.
  seen: () => Object.keys(REASONS).map((because) => [because, [...seen].filter((entry) => entry.because === because)]),
  outdated: () => TABLE.filter((entry) => !seen.has(entry)),
};
