// What becomes of secrets.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import test from "node:test";

import { isHidden, klero, memory, seen } from "./memory.js";

const { SecretKey, toHex, verify } = klero;
const suite = "rfc9381-tai";
const alpha = Buffer.from("alpha");
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const integer = (littleEndian) => BigInt(`0x${Buffer.from(littleEndian).reverse().toString("hex")}`);
const bytesOf = (integer) => Buffer.from(integer.toString(16).padStart(64, "0"), "hex").reverse();

/** A seed, and everything secret that is derived from it; the nonce is that of this proof. */
function secretsOf(seed, proof) {
  const expanded = createHash("sha512").update(seed).digest();
  const [scalar, prefix] = [expanded.subarray(0, 32), expanded.subarray(32)];
  const clamped = Buffer.from(scalar);
  clamped[0] &= 0xf8;
  clamped[31] = (clamped[31] & 0x7f) | 0x40;
  const x = integer(clamped) % L;
  // s = k + c·x
  const [c, s] = [integer(proof.subarray(32, 48)), integer(proof.subarray(48))];
  const k = (((s - c * x) % L) + L) % L;
  return { seed, scalar, clamped, prefix, x: bytesOf(x), k: bytesOf(k) };
}

test("nothing of a freed key is left in memory", () => {
  for (let turn = 0; turn < 20; turn++) {
    const seed = randomBytes(32);
    const key = SecretKey.fromSeed(suite, seed);
    const { proof } = key.prove(alpha);
    key.evaluate(alpha);
    const secrets = secretsOf(seed, proof);
    // The search finds what is there: a key in use, but no nonce.
    assert.deepEqual(memory.found(secrets), ["seed", "prefix", "x"]);
    key.free();
    assert.deepEqual(memory.found(secrets), []);
  }
});

test("nothing of a key that was written and read, and has proved many alphas, is left", () => {
  const seed = randomBytes(32);
  const first = SecretKey.fromSeed(suite, seed);
  const second = SecretKey.fromEncoded(first.toEnvelope());
  const third = SecretKey.fromLibsodium(suite, second.toLibsodium());
  assert.deepEqual(third.toSeed(), new Uint8Array(seed));
  const alphas = Array.from({ length: 70 }, (_, i) => Buffer.from([i]));
  const proofs = third.proveMany(alphas);
  third.evaluateMany(alphas);
  for (const key of [first, second, third]) key.free();
  for (const { proof } of proofs) assert.deepEqual(memory.found(secretsOf(seed, proof)), []);
  assert.ok(memory.stackIsClean());
});

test("nothing at all is left on the stack by calls with secrets", () => {
  const key = SecretKey.generate(suite);
  assert.ok(memory.stackIsClean());
  const { proof } = key.prove(alpha);
  assert.ok(memory.stackIsClean());
  key.evaluate(alpha);
  assert.ok(memory.stackIsClean());
  SecretKey.fromLibsodium(suite, key.toLibsodium());
  assert.ok(memory.stackIsClean());
  SecretKey.fromEncoded(key.toEnvelope());
  assert.ok(memory.stackIsClean());
  SecretKey.fromSeed(suite, key.toSeed());
  assert.ok(memory.stackIsClean());
  // A call without secrets leaves something, so that the test looks at the right place.
  verify({ suite, publicKey: key.publicKey, alpha, proof });
  assert.ok(!memory.stackIsClean());
  key.evaluate(alpha);
  assert.ok(memory.stackIsClean());
});

test("nothing of a seed that is refused is left in memory", () => {
  const seed = randomBytes(31);
  assert.throws(() => SecretKey.fromSeed(suite, seed), RangeError);
  assert.equal(memory.find(seed), -1);
});

test("a key that nobody holds is wiped", { timeout: 60_000 }, async () => {
  const seed = randomBytes(32);
  (() => SecretKey.fromSeed(suite, seed))();
  await memory.forgets(seed);
});

test("a key that is freed, or disposed of at the end of its block, is an error, and freeing it again is none", () => {
  const key = SecretKey.generate(suite);
  const other = SecretKey.generate(suite);
  key.free();
  key.free();
  const freed = { name: "Error", message: "this secret key was freed" };
  assert.throws(() => key.prove(alpha), freed);
  assert.throws(() => key.evaluate(alpha), freed);
  assert.throws(() => key.proveMany([]), freed);
  assert.throws(() => key.evaluateMany([]), freed);
  assert.throws(() => key.toSeed(), freed);
  assert.throws(() => key.toLibsodium(), freed);
  assert.throws(() => key.toEnvelope(), freed);
  // Its place goes to another key, which it does not reach.
  const next = SecretKey.generate(suite);
  key.free();
  for (const key of [other, next]) {
    const { proof, output } = key.prove(alpha);
    assert.deepEqual(verify({ suite, publicKey: key.publicKey, alpha, proof }), output);
  }
  assert.equal(key.suite, suite);
  next[Symbol.dispose]();
  assert.throws(() => next.prove(alpha), freed);
});

test("nothing shows a key", () => isHidden(SecretKey.fromSeed(suite, seen)));

test("new keys differ", () => {
  const keys = Array.from({ length: 100 }, () => toHex(SecretKey.generate(suite).publicKey));
  assert.equal(new Set(keys).size, 100);
});
