// The packages of PyPI that sign or verify, all in one Python process.
import { fileURLToPath } from 'node:url';

import { Answers } from './answers.mjs';

export async function pypi(interpreter) {
  const python = new Answers(interpreter, fileURLToPath(new URL('pypi.py', import.meta.url)));
  const { packages } = await python.ask({ op: 'packages' });
  const sdks = packages.map(({ signs, verifies, ...sdk }) => ({
    ...sdk,
    name: `PyPI ${sdk.package}`,
    title: `${sdk.package} (PyPI ${sdk.version})`,
    sign:
      signs &&
      (async (request, secret, at) => {
        const { headers = {}, body = request.body } = await python.ask({
          op: 'sign',
          package: sdk.package,
          request,
          secret,
          at,
        });
        return { ...request, headers: { ...request.headers, ...headers }, body };
      }),
    verify:
      verifies &&
      (async (request, secret) => {
        const { refused } = await python.ask({ op: 'verify', package: sdk.package, request, secret });
        if (refused !== undefined) throw new Error(refused);
        return true;
      }),
  }));
  return { sdks, close: () => python.close() };
}
