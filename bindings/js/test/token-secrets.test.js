// What becomes of the secrets of tokens.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import test from "node:test";
import { inspect } from "node:util";

import { isHidden, seen, token, tokenMemory as memory } from "./memory.js";

/** There is no challenge, and nothing is revoked. */
const BARE = { challenge: null, revoked: [] };

const { TokenSecretKey } = token;
const challenge = { nonce: new Uint8Array(16).fill(7), audience: "shop", time: 1_800_000_000 };

/** The secret at the end of a bearer token: the seed of the last key, or the sum of all signatures. */
const endOf = (text) => Buffer.from(text, "base64url").subarray(-32);

/** A seed, and what an Ed25519 key derives from it. */
function secretsOf(seed) {
  const expanded = createHash("sha512").update(seed).digest();
  return { seed, scalar: expanded.subarray(0, 32), prefix: expanded.subarray(32) };
}

for (const scheme of ["chain", "aggregate"]) {
  test(`nothing of a bearer token of ${scheme}, or of the keys that sign it, is left in memory`, () => {
    for (let turn = 0; turn < 10; turn++) {
      const seed = randomBytes(32);
      const issuer = TokenSecretKey.fromSeed(scheme, seed);
      const registry = TokenSecretKey.generate("ed25519");
      const roots = issuer.publicKey;
      const minted = token.mint(issuer, randomBytes(20));
      const narrowed = token.narrow(minted, ["method GET"], { roots });
      const statement = token.statement(token.request(narrowed), registry, randomBytes(5));
      const vouched = token.appendStatement(narrowed, statement);
      const sealed = token.seal(token.append(vouched, randomBytes(9)), challenge);
      token.verify(sealed, { roots, challenge });
      token.inspect(vouched);
      token.check(narrowed, { ...BARE, roots, now: 0, method: "GET" });
      assert.throws(() => token.check(narrowed, { ...BARE, roots, now: 0 }));
      assert.throws(() => token.verify(`${vouched}AA`, { challenge: null, roots }));
      assert.ok(memory.stackIsClean());

      const secrets = secretsOf(seed);
      // The search finds what is there: a key in use.
      assert.ok(memory.found(secrets).includes("seed"));
      for (const text of [minted, narrowed, vouched]) {
        // The whole end, the seed of a key in `chain`, and the text.
        Object.assign(secrets, { [text]: endOf(text), [`text of ${text}`]: Buffer.from(text.slice(-40)) });
        if (scheme === "chain") {
          for (const [name, secret] of Object.entries(secretsOf(endOf(text)))) secrets[`${name} of ${text}`] = secret;
        }
      }
      issuer.free();
      registry.free();
      assert.deepEqual(memory.found(secrets), []);
    }
  });
}

test("nothing of a seed that is refused is left in memory", () => {
  const seed = randomBytes(31);
  assert.throws(() => TokenSecretKey.fromSeed("chain", seed), RangeError);
  assert.equal(memory.find(seed), -1);
});

test("a key that nobody holds is wiped", { timeout: 60_000 }, async () => {
  const seed = randomBytes(32);
  (() => TokenSecretKey.fromSeed("chain", seed))();
  await memory.forgets(seed);
});

test("a freed key is an error, and its place goes to another key", () => {
  const [key, registry] = [TokenSecretKey.generate(), TokenSecretKey.generate("ed25519")];
  const minted = token.mint(key, new Uint8Array(0));
  key.free();
  key.free();
  registry[Symbol.dispose]();
  const freed = { name: "Error", message: "this secret key was freed" };
  assert.throws(() => key.toSeed(), freed);
  assert.throws(() => token.mint(key, new Uint8Array(0)), freed);
  assert.throws(() => token.statement(token.request(minted), registry, new Uint8Array(0)), freed);
  const next = TokenSecretKey.generate();
  key.free();
  assert.ok(token.mint(next, new Uint8Array(0)));
  assert.ok(key.publicKey.equals(token.TokenPublicKey.fromText(`${key.publicKey}`)));
});

test("nothing shows a key", () => {
  for (const scheme of ["chain", "aggregate", "ed25519"]) {
    const key = TokenSecretKey.fromSeed(scheme, seen);
    isHidden(key);
    assert.equal(inspect(key), "TokenSecretKey {}");
  }
  // A secret in the place of a public key is not shown by the error.
  assert.throws(() => token.TokenPublicKey.fromText(seen.toString("hex")), (error) => !error.message.includes("6120"));
});

test("without random bytes there is no token, and later there is", () => {
  const issuer = TokenSecretKey.generate("aggregate");
  const minted = token.mint(issuer, new Uint8Array(0));
  const value = () => {
    throw new Error("none");
  };
  Object.defineProperty(crypto, "getRandomValues", { value, configurable: true });
  try {
    for (const call of [
      () => token.mint(issuer, new Uint8Array(0)),
      () => token.narrow(minted, []),
      () => token.seal(minted, challenge),
    ]) {
      assert.throws(call, { name: "Error", message: /^no randomness: / });
    }
  } finally {
    delete crypto.getRandomValues;
  }
  assert.notEqual(token.narrow(minted, []), token.narrow(minted, []));
});

test("no two tokens and no two keys are the same", () => {
  const issuer = TokenSecretKey.generate();
  const texts = Array.from({ length: 100 }, () => token.mint(issuer, new Uint8Array(0)));
  const keys = Array.from({ length: 100 }, () => `${TokenSecretKey.generate().publicKey}`);
  assert.equal(new Set([...texts, ...keys]).size, 200);
});

test("memory does not grow with the number of calls", () => {
  const issuer = TokenSecretKey.generate("aggregate");
  const every = () => {
    const key = TokenSecretKey.generate();
    const narrowed = token.narrow(token.mint(issuer, new Uint8Array(0)), ["method GET"]);
    token.verify(token.seal(narrowed, challenge), { roots: issuer.publicKey, challenge });
    assert.throws(() => token.verify(narrowed, { challenge: null, roots: key.publicKey }));
    key.free();
  };
  every();
  const size = memory.size();
  for (let i = 0; i < 300; i++) every();
  assert.equal(memory.size(), size);
  // What a stranger sends is read only if the limits allow its length.
  for (const hostile of ["A".repeat(2 ** 21), "A".repeat(20_000_000), "\0".repeat(2 ** 21)]) {
    assert.throws(() => token.inspect(hostile), { name: "InvalidToken", reason: /^the token has \d+ bytes, the limit is 65536$/ });
    assert.throws(() => token.check(hostile, { ...BARE, roots: issuer.publicKey, now: 0, limits: { bytes: 4096 } }), token.InvalidToken);
    assert.throws(() => token.statement(hostile, TokenSecretKey.generate("ed25519"), new Uint8Array(0)), token.InvalidToken);
    assert.throws(() => token.appendStatement(token.mint(issuer, new Uint8Array(0)), hostile), token.InvalidToken);
  }
  assert.equal(memory.size(), size);
  assert.ok(size < 16 * 2 ** 20, `${size} bytes`);
});
