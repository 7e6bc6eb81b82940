// Whatever is passed to whatever is exported: an error in words or a result, and never a trap, after which
// WebAssembly would be in no state that anyone knows.

import assert from "node:assert/strict";
import test from "node:test";

import * as klero from "klero";
import * as token from "klero/token";

/** There is no challenge, and nothing is revoked. */
const BARE = { challenge: null, revoked: [] };

const { RuntimeError } = WebAssembly;

/** A generator of numbers that look random, and are the same in each run (Marsaglia's xorshift). */
function dice(state) {
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
const roll = dice(0x5eed);
const pick = (list) => list[roll(list.length)];
const randomBytes = () => Uint8Array.from({ length: pick([0, 1, 31, 32, 33, 64, 80, 128, 1000]) }, () => roll(256));
const randomText = () => String.fromCharCode(...Array.from({ length: roll(40) }, () => pick([roll(128), roll(65536)])));

const issuers = ["chain", "aggregate"].map((scheme) => token.TokenSecretKey.generate(scheme));
const registry = token.TokenSecretKey.generate("ed25519");
const challenge = { nonce: new Uint8Array(16), audience: "shop", time: 7 };
const minted = issuers.map((key) => token.mint(key, new Uint8Array(3), { caveats: ["method GET"] }));
const texts = minted.flatMap((one) => {
  const request = token.request(one);
  const statement = token.statement(request, registry, new Uint8Array(3));
  const more = token.append(token.appendStatement(one, statement), new Uint8Array(9));
  return [one, request, statement, more, token.seal(more, challenge)];
});
const roots = issuers.map(({ publicKey }) => [0, publicKey]);
const vrfKey = klero.SecretKey.generate("praos");
const { proof, output } = vrfKey.prove(new Uint8Array(3));
const claim = { publicKey: vrfKey.publicKey, alpha: new Uint8Array(3), proof, output };

const throwing = new Proxy({}, { get() { throw new Error("a proxy"); }, ownKeys() { throw new Error("a proxy"); } });
const VALUES = [
  undefined, null, true, 0, -0, -1, 1.5, NaN, Infinity, 2 ** 32, 2 ** 53, 7n, -1n, 2n ** 64n, "", "x", "\ud800",
  Symbol("symbol"), () => true, () => { throw new Error("a function"); }, async () => true, [], [[]], [["a", "b"]], [[0, 1]], {},
  new Map(), new Set(["method GET"]), new Date(), new URL("https://example.org/a"), throwing, Object.create(null),
  new Uint8Array(0), new Uint16Array(7), new ArrayBuffer(9), new SharedArrayBuffer(9), Buffer.from("buffer"),
  new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 })), "praos", "chain", "aggregate", "ed25519", "rfc9381-ell2",
  challenge, { ...challenge, nonce: new Uint8Array(0) }, claim, [claim], roots, roots[0][1], registry, ...issuers, vrfKey,
  ["method GET"], ["path /a", "user = b"], [`vouched ${registry.publicKey} x`],
  { roots }, { roots, now: 7 }, { roots, now: 7, method: "GET" }, { roots, challenge }, { roots, challenge, now: 7n, accept: () => true },
  { roots, now: 7, method: "GET", path: "/\0", fields: { a: "b" }, accept: () => token.mint(issuers[0], new Uint8Array(3)) !== "" },
  { roots, limits: { bytes: 2 ** 20, signatures: 2 ** 32 - 1, caveats: 2 ** 32 - 1 } }, { limits: { bytes: 0 } },
  { suite: "praos", ...claim }, { suite: "praos", claims: [claim, claim] }, { caveats: ["method GET"], rootId: 7 },
  ...texts,
];

/** A value of any kind. */
function any() {
  switch (roll(8)) {
    case 0: return randomBytes();
    case 1: return randomText();
    case 2: {
      // A text that is nearly one.
      const bytes = Buffer.from(pick(texts), "base64url");
      for (let i = roll(3); i >= 0; i--) bytes[roll(bytes.length)] = roll(256);
      return bytes.subarray(0, roll(4) === 0 ? roll(bytes.length) : bytes.length).toString("base64url");
    }
    case 3: {
      const base = pick(VALUES);
      return typeof base === "object" && base !== throwing ? { ...base, [pick(["now", "roots", "caveats", "path", "nonce", "bytes"])]: pick(VALUES) } : base;
    }
    case 4: return Array.from({ length: roll(4) }, () => pick([randomText(), pick(VALUES), randomBytes()]));
    default: return pick(VALUES);
  }
}

/** Everything that can be called: functions, classes, and their methods, static and not. */
function callables(entry) {
  const found = [];
  for (const [name, value] of Object.entries(entry)) {
    found.push([name, (...args) => value(...args)], [`new ${name}`, (...args) => new value(...args)]);
    if (value.prototype === undefined || !/^class/.test(`${value}`)) continue;
    for (const method of Object.getOwnPropertyNames(value)) {
      if (typeof value[method] === "function") found.push([`${name}.${method}`, (...args) => value[method](...args)]);
    }
    for (const [method, { value: run, get }] of Object.entries(Object.getOwnPropertyDescriptors(value.prototype))) {
      const call = run ?? get;
      // On any object, and on a key. The keys are still needed.
      if (method === "constructor" || method === "free") continue;
      found.push([`${name}#${method}`, (on, ...args) => call.apply(on, args)]);
      found.push([`key.${method}`, (...args) => call.apply(pick([registry, roots[0][1], vrfKey]), args)]);
    }
  }
  return found;
}

/** Both programs still work. */
function works() {
  for (const one of minted) assert.equal(token.check(one, { ...BARE, roots, now: 7, method: "GET" }).length, 3);
  assert.deepEqual(klero.verify({ suite: "praos", ...claim }), output);
}

for (const [name, entry] of [["klero", klero], ["klero/token", token]]) {
  test(`nothing that is passed to anything in ${name} makes it trap`, () => {
    const all = callables(entry);
    const outcomes = { result: 0 };
    for (let turn = 0; turn < 60_000; turn++) {
      const [what, call] = pick(all);
      const args = Array.from({ length: roll(5) }, any);
      // Half of the time the first argument is one that gets far.
      if (roll(2) === 0) args[0] = pick([...texts, ...issuers, registry, "chain", "praos"]);
      try {
        call(...args);
        outcomes.result++;
      } catch (error) {
        assert.ok(!(error instanceof RuntimeError), `${what}: ${error?.stack}`);
        assert.ok(error instanceof Error, `${what}: ${String(error)}`);
        assert.ok(!/already|borrow|malformed/.test(error.message), `${what}: ${error.stack}`);
        outcomes[error.name] = (outcomes[error.name] ?? 0) + 1;
      }
      if (turn % 5000 === 0) works();
    }
    works();
    console.log(name, outcomes);
    assert.ok(outcomes.result > 500 && outcomes.TypeError > 500);
  });
}

test("many and long arguments are taken, or are errors in words", () => {
  const many = [
    () => token.narrow(minted[0], Array(300_000).fill("a = b")),
    () => token.narrow(minted[0], Array(3_000_000).fill("a = b")),
    () => token.mint(issuers[0], new Uint8Array(2 ** 23)),
    () => token.mint(issuers[0], new Uint8Array(2 ** 22)),
    () => token.append(minted[1], new Uint8Array(2 ** 22), { limits: { bytes: 2 ** 20 } }),
    () => token.check(minted[0], { ...BARE, roots, now: 7, method: "GET", path: "/a".repeat(1_000_000) }),
    () => token.check(minted[0], { ...BARE, roots, now: 7, fields: Array(400_000).fill(["", ""]) }),
    () => token.check(minted[0], { ...BARE, roots: Array(100_000).fill(roots[0]), now: 7 }),
    () => token.normalPath("/%41".repeat(1_000_000)),
    () => token.normalPath(`/${"\u{1f600}".repeat(1_500_000)}`),
    () => token.TokenPublicKey.fromText(`chain:${"A".repeat(3_000_000)}`),
    () => token.TokenPublicKey.fromText(`${"\0".repeat(1_000_000)}:`),
    () => token.TokenSecretKey.fromSeed("\x1b".repeat(1_000_000), new Uint8Array(32)),
    () => token.seal(minted[0], { nonce: new Uint8Array(2 ** 22), audience: "x".repeat(2 ** 21), time: 7 }),
    () => token.statement(texts[1], registry, new Uint8Array(2 ** 22)),
    () => token.narrow(minted[0], [`user = ${"\x00".repeat(1_000_000)}`]),
    () => token.narrow(minted[0], [`method ${"A ".repeat(500_000)}B`]),
  ];
  for (const call of many) {
    try {
      call();
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof RuntimeError), error?.stack);
    }
    works();
  }
});

test("a token of as many blocks, lines and bytes as limits allow is read", () => {
  const limits = { bytes: 2 ** 20, signatures: 2 ** 32 - 1, caveats: 2 ** 32 - 1 };
  for (const [i, one] of minted.entries()) {
    // The same block over and over: nothing of it holds.
    const bytes = Buffer.from(token.append(one, new Uint8Array(0)), "base64url");
    const end = bytes.subarray(-32);
    const block = bytes.subarray(Buffer.from(one, "base64url").length - 32, -32);
    const count = Math.floor((2 ** 20 - bytes.length) / block.length);
    const head = Buffer.from(bytes.subarray(0, -32));
    head.writeUInt32LE(2 + count, 9);
    const text = Buffer.concat([head, ...Array(count).fill(block), end]).toString("base64url");
    assert.equal(token.inspect(text, { limits }).blocks.length, 2 + count);
    assert.throws(() => token.verify(text, { challenge: null, roots, limits }), token.InvalidToken);
    assert.throws(() => token.check(text, { ...BARE, roots, now: 7, limits, accept: () => true }), token.InvalidToken);
    const lines = token.append(token.mint(issuers[i], Buffer.alloc(1_000_000, "\n"), { limits }), new Uint8Array(0), { limits });
    assert.equal(token.check(lines, { ...BARE, roots, now: 7, limits, accept: () => true }).length, 1_000_000);
  }
  // As many blocks of bytes as can be, all valid, and each one accepted.
  let deep = minted[1];
  const most = { limits: { ...limits, bytes: 2 ** 18 } };
  for (let i = 0; i < 300; i++) deep = token.append(deep, new Uint8Array(1), most);
  let asked = 0;
  const accept = () => ++asked > 0;
  assert.equal(token.check(deep, { ...BARE, roots, now: 7, method: "GET", accept, ...most }).length, 3);
  assert.equal(asked, 300);
  works();
});

test("what blocks of bytes add to the time of a check does not depend on how long the rest takes", () => {
  const roots = issuers[0].publicKey;
  let one = token.narrow(token.mint(issuers[0], new Uint8Array(3)), Array(200).fill("user = a"));
  const time = () => {
    const start = performance.now();
    assert.throws(() => token.check(one, { ...BARE, roots, now: 7, fields, method: "GET" }), token.Refused);
    return performance.now() - start;
  };
  const fields = Array(10_000).fill(["user", "a"]);
  one = token.append(one, new Uint8Array(1));
  const few = Math.min(time(), time(), time());
  for (let i = 0; i < 50; i++) one = token.append(one, new Uint8Array(1));
  const many = Math.min(time(), time(), time());
  assert.ok(many < 5 * few, `${many} ms, ${few} ms`);
});
