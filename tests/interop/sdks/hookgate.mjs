// hookgate-providers' `sign` and `verify`, through the example program `judge`.
import { Answers } from './answers.mjs';

export class Hookgate {
  #judge;

  constructor(program) {
    this.#judge = new Answers(program);
  }

  // The request with the headers that `provider` would have added, sent at `at` (Unix seconds).
  async sign(provider, request, secret, at) {
    const { headers } = await this.#judge.ask({
      op: 'sign',
      ...this.#asked(provider, request, secret, at),
      id: request.id ?? '',
    });
    return { ...request, headers: { ...request.headers, ...Object.fromEntries(headers) } };
  }

  // "accepted", or the reason for the refusal.
  async verify(provider, request, secret) {
    const now = Math.floor(Date.now() / 1000);
    const answer = await this.#judge.ask({ op: 'verify', ...this.#asked(provider, request, secret, now) });
    return answer.verdict === 'delivery' ? 'accepted' : (answer.reason ?? answer.verdict);
  }

  close() {
    this.#judge.close();
  }

  #asked(provider, { method, url, headers, body }, secret, now) {
    return {
      provider,
      secrets: [secret],
      method,
      url,
      headers: Object.entries(headers),
      body: Buffer.from(body).toString('base64'),
      now,
    };
  }
}
