// Many calls take no more memory than few, and large inputs are taken or refused.

import assert from "node:assert/strict";
import test from "node:test";

import { klero, memory } from "./memory.js";
import { readVectors } from "./support.js";
import { claimOf } from "./vectors.js";

const { SecretKey, verify, verifyMany } = klero;
const suite = "rfc9381-ell2-bc";
const alpha = Buffer.from("alpha");
const key = SecretKey.fromSeed(suite, new Uint8Array(32).fill(7));
const { proof, output } = key.prove(alpha);
const claim = { publicKey: key.publicKey, alpha, proof };

function everyCall() {
  const own = SecretKey.generate(suite);
  own.evaluate(own.publicKey);
  own.prove(own.publicKey);
  own.proveMany([alpha, own.publicKey]);
  SecretKey.fromEncoded(own.toEnvelope()).free();
  verify({ suite, ...claim });
  assert.throws(() => verify({ suite, ...claim, alpha: new Uint8Array(1000) }));
  assert.throws(() => SecretKey.fromSeed(suite, new Uint8Array(1000)));
  assert.throws(() => SecretKey.generate("nonsense"));
  verifyMany({ suite, claims: [claim, { ...claim, output }, { ...claim, proof: alpha }] });
  own.free();
}

test("memory does not grow with the number of calls, and is bounded, however many claims there are", () => {
  everyCall();
  verifyMany({ suite, claims: Array(2048).fill(claim) });
  key.proveMany(Array(2048).fill(alpha));
  const size = memory.size();
  for (let i = 0; i < 200; i++) everyCall();
  verifyMany({ suite, claims: Array(4100).fill(claim) });
  key.proveMany(Array(4100).fill(alpha));
  key.evaluateMany(Array(4100).fill(alpha));
  assert.equal(memory.size(), size);
  assert.ok(size < 32 * 2 ** 20, `${size} bytes`);
});

test("claims of several calls keep their order", () => {
  const hostile = readVectors("hostile.json").filter((vector) => vector.suite === suite);
  const claims = hostile.map((vector) => claimOf(klero, vector));
  const some = Array.from({ length: 4500 }, (_, i) => (i % 7 === 0 ? claims[i % claims.length] : claim));
  const valid = some.map((one) => (one === claim ? true : hostile[claims.indexOf(one)].valid));
  assert.deepEqual(verifyMany({ suite, claims: some }).map((verdict) => verdict.valid), valid);
});

test("alpha may be large", () => {
  const large = new Uint8Array(20_000_000).fill(1);
  const { proof, output } = key.prove(large);
  const claims = Array(3).fill({ publicKey: key.publicKey, alpha: large, proof });
  assert.deepEqual(verifyMany({ suite, claims }), Array(3).fill({ valid: true, output }));
  large[10_000_000] ^= 1;
  assert.throws(() => verify({ suite, ...claims[0] }), /challenge mismatch|V mismatch|U mismatch/);
});

test("alpha beyond the memory is an error, and the next call works", () => {
  const huge = new Uint8Array(2 ** 30);
  const message = /^inputs of \d+ bytes: more than WebAssembly has memory for$/;
  assert.throws(() => key.prove(huge), { name: "RangeError", message });
  assert.throws(() => verify({ suite, ...claim, alpha: huge }), { name: "RangeError", message });
  everyCall();
});
