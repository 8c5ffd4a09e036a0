// Official packages of npm and PyPI, and hookgate-providers: each verifies what the other signs, both refuse what is forged.
import { agreement } from './agreement.mjs';
import { differences } from './differences.mjs';
import { Hookgate } from './hookgate.mjs';
import { npm } from './npm.mjs';
import { pypi } from './pypi.mjs';
import { senders } from './senders.mjs';

const hookgate = new Hookgate(process.argv[2]);
const python = await pypi(process.argv[3]);
const sdks = [...npm, ...python.sdks];
let disagreeing = 0;
for (const sdk of sdks) {
  const line = await agreement(sdk, senders[sdk.provider], hookgate).catch((error) => ({
    faults: [error],
    toString: () => `${sdk.title}: ${error.stack}`,
  }));
  console.log(String(line));
  disagreeing += Number(line.faults.length > 0);
}
hookgate.close();
python.close();

console.log('\nKnown to differ, and why hookgate does not follow:');
for (const [because, entries] of differences.seen()) {
  console.log(`  ${because}:`);
  entries.forEach(({ sdk, difference }) => console.log(`    ${sdk} ${difference}`));
}
differences
  .outdated()
  .forEach(({ sdk, difference }) => console.log(`OUTDATED: ${sdk} no longer ${difference}: take it off the list`));

const providers = new Set(sdks.map((sdk) => sdk.provider));
const packages = `${npm.length} packages of npm, ${python.sdks.length} of PyPI`;
console.log(`\n${packages}, ${providers.size} providers: ${sdks.length - disagreeing} agree, ${disagreeing} do not`);
process.exitCode = disagreeing === 0 && differences.outdated().length === 0 ? 0 : 1;
