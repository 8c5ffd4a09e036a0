// What is made of one signed request: forgeries, which both have to refuse, and honest variants, which both have to judge
// alike.
const TWO_DAYS = 2 * 86_400;
const A_WHILE = 45;
// What clocks differ by where nobody has done anything wrong.
const A_MOMENT = 3;

export function forgeries(sender, unsigned, signed, { sign, isTimed }, now) {
  const without = (names) =>
    withHeaders(
      signed,
      Object.entries(signed.headers).filter(([name]) => !names.includes(name)),
    );
  const added = addedTo(unsigned, signed);
  const at = (time) => (secret) => sign(sender.request(time), secret, time);
  return [
    ['tampered', () => sender.tamper(signed)],
    ['another secret', (_, other) => sign(unsigned, other, now)],
    ['unsigned', () => (sender.unsign ? sender.unsign(signed) : without(added))],
    ...(added.length > 1 ? added.map((name) => [`without ${name}`, () => without([name])]) : []),
    ...(isTimed
      ? [
          ['stale', at(now - TWO_DAYS)],
          ['from the future', at(now + TWO_DAYS)],
        ]
      : []),
  ];
}

export function variants(sender, unsigned, signed, { sign, isTimed }, now) {
  // Signatures whose length differs from one message to the next do not all have padding to take away: another second
  // makes another message.
  const attempts = sender.isOfAnyLength ? 20 : 1;
  const rewritten = (rewrite) => async (secret) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const request = await sign(unsigned, secret, now - attempt);
      const added = addedTo(unsigned, request);
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        added.includes(name) ? rewrite(value) : value,
      ]);
      if (headers.some(([name, value]) => value !== request.headers[name])) return withHeaders(request, headers);
    }
    return undefined;
  };
  const beside = (order) => async (_, other) => {
    const { header, join } = sender.list;
    const right = signed.headers[header];
    const wrong = (await sign(unsigned, other, now)).headers[header];
    return withHeaders(signed, [...Object.entries(signed.headers), [header, join(...order(right, wrong))]]);
  };
  const at = (time) => (secret) => sign(sender.request(time), secret, time);
  return [
    ['in upper-case hex', rewritten((value) => value.replace(/\b[0-9a-f]{40,}\b/g, (hex) => hex.toUpperCase()))],
    ['without base64 padding', rewritten((value) => value.replace(/=+$/, ''))],
    ...(isTimed
      ? [
          ['45 seconds late', at(now - A_WHILE)],
          ['45 seconds early', at(now + A_WHILE)],
          ['3 seconds early', at(now + A_MOMENT)],
        ]
      : []),
    ...(sender.list
      ? [
          ['after a signature of another secret', beside((right, wrong) => [wrong, right])],
          ['before a signature of another secret', beside((right, wrong) => [right, wrong])],
        ]
      : []),
  ];
}

function addedTo(unsigned, signed) {
  return Object.keys(signed.headers).filter((name) => !(name in unsigned.headers));
}

function withHeaders(request, headers) {
  return { ...request, headers: Object.fromEntries(headers) };
}
