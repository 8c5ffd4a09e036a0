// The packages of npm that sign or verify.
import { readFileSync } from 'node:fs';

import { addresses } from './npm/addresses.mjs';
import { bodies } from './npm/bodies.mjs';
import { insides } from './npm/insides.mjs';
import { keys } from './npm/keys.mjs';
import { standard } from './npm/standard.mjs';
import { times } from './npm/times.mjs';
import { tokens } from './npm/tokens.mjs';

export const npm = [...bodies, ...times, ...standard, ...addresses, ...keys, ...tokens, ...insides].map((sdk) => ({
  ...sdk,
  name: `npm ${sdk.package}`,
  title: `${sdk.package} (npm ${version(sdk.package)})`,
}));

function version(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url))).version;
}
