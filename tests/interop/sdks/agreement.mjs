// One official package and hookgate judge the same requests: an honest one from each of them that can sign, every forgery of
// it, and every variant.
import { differences } from './differences.mjs';
import { forgeries, variants } from './forgeries.mjs';

// How a package and hookgate agree, as one line: what held, and what did not.
export async function agreement(sdk, sender, hookgate) {
  const line = new Line(sdk);
  const secret = sender.secret();
  const other = sender.secret();
  const judgeBoth = async (request) => [
    await hookgate.verify(sdk.provider, request, secret.verify),
    sdk.verify && (await verdict(sdk, request, secret)),
  ];

  const signers = [
    sdk.sign && {
      who: 'signs',
      isTimed: sender.isTimed && !sdk.signsNow,
      sign: (request, secret, at) => sdk.sign(request, secret.package, at),
    },
    secret.sign && {
      who: 'verifies',
      isTimed: sender.isTimed,
      sign: (request, secret, at) => hookgate.sign(sdk.provider, request, secret.sign, at),
    },
  ].filter(Boolean);
  if (signers.length === 0) line.broke('nobody can sign for it');

  for (const signer of signers) {
    // Anew for each: the shortest tolerance of a package is five seconds.
    const now = Math.floor(Date.now() / 1000);
    const unsigned = sender.request(now);
    const signed = await signer.sign(unsigned, secret, now);
    line.accepted(signer.who, ...(await judgeBoth(signed)));
    for (const [forgery, forge] of forgeries(sender, unsigned, signed, signer, now)) {
      line.refused(forgery, ...(await judgeBoth(await forge(secret, other))));
    }
    for (const [variant, make] of variants(sender, unsigned, signed, signer, now)) {
      const request = await make(secret, other);
      if (request) line.alike(variant, ...(await judgeBoth(request)));
    }
  }
  return line;
}

// Packages refuse with false, with an error of their own, or by stumbling over what is missing: all of these keep the
// request out. That a stumble is no fault of the check shows in the honest request, which has to be accepted.
async function verdict(sdk, request, secret) {
  try {
    return (await sdk.verify(request, secret.package)) ? 'accepted' : 'refused';
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

class Line {
  #sdk;
  #honest = new Set();
  #refused = new Set();
  #alike = new Set();
  #differs = new Set();
  #faults = new Set();

  constructor(sdk) {
    this.#sdk = sdk;
  }

  accepted(who, hookgate, theirs = 'accepted') {
    if (hookgate === 'accepted' && theirs === 'accepted') this.#honest.add(who);
    else this.#faults.add(`honest (${who}): hookgate ${hookgate}, the package ${theirs}`);
  }

  refused(forgery, hookgate, theirs = 'refused') {
    if (hookgate === 'accepted') this.#faults.add(`hookgate accepts it ${forgery}`);
    else if (theirs !== 'accepted') this.#refused.add(forgery);
    else this.#differ(forgery, hookgate, theirs);
  }

  alike(variant, hookgate, theirs = hookgate) {
    if ((hookgate === 'accepted') === (theirs === 'accepted')) this.#alike.add(variant);
    else this.#differ(variant, hookgate, theirs);
  }

  #differ(what, hookgate, theirs) {
    const does = theirs === 'accepted' ? 'accepts' : 'refuses';
    if (differences.explain(this.#sdk.name, does, what)) this.#differs.add(`${does} ${what}`);
    else this.#faults.add(`${what}: hookgate ${hookgate}, the package ${theirs}`);
  }

  broke(why) {
    this.#faults.add(why);
  }

  get faults() {
    return [...this.#faults];
  }

  toString() {
    const ticks = (names) => [...names].map((name) => `${name} ✓`).join(', ');
    const parts = [
      ticks(this.#honest),
      `refuses ${ticks(this.#refused)}`,
      this.#alike.size > 0 && `judges alike ${ticks(this.#alike)}`,
      this.#differs.size > 0 && `known to differ: ${[...this.#differs].join(', ')}`,
      ...this.faults.map((fault) => `DISAGREES: ${fault}`),
    ];
    return `${this.#sdk.title}: ${parts.filter(Boolean).join('; ')}`;
  }
}
