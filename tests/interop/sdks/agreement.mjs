// One official package and hookgate judge the same requests: one honest one from each of them that can sign, and every
// forgery of it.
import { lenient } from './lenient.mjs';

const TWO_DAYS = 2 * 86_400;

// How a package and hookgate agree, as one line: what held, and what did not.
export async function agreement(sdk, sender, hookgate) {
  const line = new Line(sdk);
  const secret = sender.secret();
  const other = sender.secret();
  const now = Math.floor(Date.now() / 1000);

  const signers = [];
  if (sdk.sign) {
    signers.push({
      who: 'signs',
      isTimed: sender.isTimed && !sdk.signsNow,
      sign: (request, secret, at) => sdk.sign(request, secret.package, at),
    });
  }
  if (secret.sign) {
    signers.push({
      who: 'verifies',
      isTimed: sender.isTimed,
      sign: (request, secret, at) => hookgate.sign(sdk.provider, request, secret.sign, at),
    });
  }
  if (signers.length === 0) line.broke('nobody can sign for it');

  for (const { who, isTimed, sign } of signers) {
    const unsigned = sender.request(now);
    const signed = await sign(unsigned, secret, now);
    line.accepted(who, 'hookgate', await hookgate.verify(sdk.provider, signed, secret.verify));
    if (sdk.verify) line.accepted(who, sdk.name, await verdict(sdk, signed, secret));

    for (const [forgery, forge] of forgeries({ ...sender, isTimed }, unsigned, signed, sign, now)) {
      const forged = await forge(secret, other);
      line.refused(forgery, 'hookgate', await hookgate.verify(sdk.provider, forged, secret.verify));
      if (sdk.verify) line.refused(forgery, sdk.name, await verdict(sdk, forged, secret));
    }
  }
  return line;
}

function forgeries(sender, unsigned, signed, sign, now) {
  const without = (names) => {
    const kept = Object.entries(signed.headers).filter(([name]) => !names.includes(name));
    return { ...signed, headers: Object.fromEntries(kept) };
  };
  const added = Object.keys(signed.headers).filter((name) => !(name in unsigned.headers));
  const at = (time) => (secret) => sign(sender.request(time), secret, time);
  return [
    ['tampered', () => sender.tamper(signed)],
    ['another secret', (_, other) => sign(unsigned, other, now)],
    ['unsigned', () => (sender.unsign ? sender.unsign(signed) : without(added))],
    ...(added.length > 1 ? added.map((name) => [`without ${name}`, () => without([name])]) : []),
    ...(sender.isTimed ? [['stale', at(now - TWO_DAYS)], ['from the future', at(now + TWO_DAYS)]] : []),
  ];
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
  #held = new Set();
  #differs = new Set();
  #faults = new Set();

  constructor(sdk) {
    this.#sdk = sdk;
  }

  accepted(what, by, verdict) {
    if (verdict === 'accepted') this.#held.add(what);
    else this.#faults.add(`${what === 'signs' ? this.#sdk.name : 'hookgate'} signed it, ${by} says: ${verdict}`);
  }

  refused(forgery, by, verdict) {
    if (verdict !== 'accepted') {
      this.#held.add(forgery);
    } else if (by !== 'hookgate' && lenient.explains(by, forgery)) {
      this.#differs.add(forgery);
    } else {
      this.#faults.add(`${by} accepts it ${forgery}`);
    }
  }

  broke(why) {
    this.#faults.add(why);
  }

  get faults() {
    return [...this.#faults];
  }

  toString() {
    const held = (name) => (this.#held.has(name) ? `${name} ✓` : '');
    const forgeries = [...this.#held].filter((name) => !['signs', 'verifies'].includes(name) && !this.#differs.has(name));
    const agreed = [held('signs'), held('verifies'), `refuses ${forgeries.map((name) => `${name} ✓`).join(' ')}`];
    const differs = [...this.#differs].map((name) => `accepts ${name} (known)`);
    const faults = this.faults.map((fault) => `DISAGREES: ${fault}`);
    return [`${this.#sdk.title}:`, ...agreed.filter(Boolean), ...differs, ...faults].join('  ');
  }
}
