// Wrong arguments are errors that name the argument; wrong bytes are verdicts.

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import vm from "node:vm";
import { Worker } from "node:worker_threads";

import {
  below,
  fromHex,
  InvalidProof,
  publicKeyFromEncoded,
  publicKeyToEnvelope,
  SecretKey,
  suites,
  toHex,
  verify,
  verifyMany,
} from "klero";
import { writeMessage } from "../dist/message.js";

const suite = "rfc9381-ell2";
const key = SecretKey.fromSeed(suite, new Uint8Array(32).fill(7));
const alpha = new TextEncoder().encode("alpha");
const { proof, output } = key.prove(alpha);
const claim = { publicKey: key.publicKey, alpha, proof };

/** Values that are no `Uint8Array`, and what the errors call them. */
const noBytes = [
  [undefined, "undefined"],
  [null, "null"],
  ["00ff", "string"],
  [7, "number"],
  [[1, 2], "Array"],
  [new Uint16Array(2), "Uint16Array"],
  [new DataView(new ArrayBuffer(2)), "DataView"],
  [{ length: 2, [Symbol.toStringTag]: "Uint8Array" }, "Object"],
  [Object.create(null), "object"],
];

test("wrong types are TypeErrors that name the argument", () => {
  for (const [wrong, kind] of noBytes) {
    const throws = (name, call) =>
      assert.throws(call, { name: "TypeError", message: `${name} must be a Uint8Array, not ${kind}` });
    throws("seed", () => SecretKey.fromSeed(suite, wrong));
    throws("secret", () => SecretKey.fromLibsodium(suite, wrong));
    throws("publicKey", () => publicKeyToEnvelope(wrong, suite));
    throws("alpha", () => key.prove(wrong));
    throws("alpha", () => key.evaluate(wrong));
    throws("alphas[1]", () => key.proveMany([alpha, wrong]));
    throws("alphas[1]", () => key.evaluateMany([alpha, wrong]));
    throws("data", () => toHex(wrong));
    for (const name of ["publicKey", "alpha", "proof", "output"]) {
      if (name === "output" && wrong === undefined) continue;
      throws(name, () => verify({ suite, ...claim, [name]: wrong }));
      const claims = [claim, { ...claim, [name]: wrong }];
      throws(`claims[1].${name}`, () => verifyMany({ suite, claims }));
    }
  }
  for (const [wrong, kind] of noBytes.filter(([wrong]) => typeof wrong !== "string")) {
    const throws = (name, call) =>
      assert.throws(call, { name: "TypeError", message: `${name} must be a string, not ${kind}` });
    throws("suite", () => SecretKey.generate(wrong));
    throws("suite", () => SecretKey.fromSeed(wrong, new Uint8Array(32)));
    throws("suite", () => SecretKey.fromLibsodium(wrong, new Uint8Array(64)));
    throws("suite", () => publicKeyToEnvelope(key.publicKey, wrong));
    throws("encoded", () => SecretKey.fromEncoded(wrong));
    throws("encoded", () => publicKeyFromEncoded(wrong));
    throws("suite", () => verify({ ...claim, suite: wrong }));
    throws("suite", () => verifyMany({ suite: wrong, claims: [] }));
    throws("hex", () => fromHex(wrong));
  }
  const throws = (message, call) => assert.throws(call, { name: "TypeError", message });
  throws("the argument must be an object, not undefined", () => verify());
  throws("the argument must be an object, not undefined", () => verifyMany());
  throws("claims must be an object, not undefined", () => verifyMany({ suite }));
  throws("alphas must be an object, not undefined", () => key.proveMany());
  throws("alphas must be iterable", () => key.evaluateMany({}));
  throws("claims must be iterable", () => verifyMany({ suite, claims: claim }));
  throws("claims[1] must be an object, not null", () => verifyMany({ suite, claims: [claim, null] }));
});

test("an unknown suite is a RangeError that lists the names", () => {
  for (const wrong of ["", "nonsense", "praos\0", "\ud800"]) {
    const expected = { name: "RangeError", message: /^suite: no such suite: expected one of praos, / };
    assert.throws(() => SecretKey.generate(wrong), expected);
    assert.throws(() => verify({ ...claim, suite: wrong }), expected);
    assert.throws(() => verifyMany({ suite: wrong, claims: [] }), expected);
  }
});

test("a name in use elsewhere is the same suite", () => {
  assert.equal(SecretKey.generate("Draft10_tai_batchcompat").suite, "draft10-tai-bc");
});

test("a seed has 32 bytes", () => {
  for (const length of [0, 31, 33, 64]) {
    const message = `seed: ${length} bytes, expected 32`;
    assert.throws(() => SecretKey.fromSeed(suite, new Uint8Array(length)), { name: "RangeError", message });
  }
});

test("bytes of any length and content get a verdict, with the reason", () => {
  const reasonFor = (change) => {
    const changed = { ...claim, ...change };
    const [verdict] = verifyMany({ suite, claims: [changed] });
    assert.equal(verdict.valid, false);
    assert.throws(
      () => verify({ suite, ...changed }),
      (error) =>
        error instanceof InvalidProof &&
        error instanceof Error &&
        error.name === "InvalidProof" &&
        error.reason === verdict.reason &&
        error.message === `invalid proof: ${verdict.reason}`,
    );
    return verdict.reason;
  };
  for (const length of [0, 1, 31, 33, 1000]) {
    const publicKey = new Uint8Array(length);
    assert.equal(reasonFor({ publicKey }), `public key has ${length} bytes, expected 32`);
  }
  for (const length of [0, 1, 79, 81, 128, 144, 1000]) {
    assert.equal(reasonFor({ proof: new Uint8Array(length) }), `proof has ${length} bytes, expected 80`);
  }
  for (const length of [0, 63, 65]) {
    const reason = `output has ${length} bytes, expected 64`;
    assert.equal(reasonFor({ output: new Uint8Array(length) }), reason);
  }
  assert.equal(reasonFor({ publicKey: new Uint8Array(32) }), "public key has small order");
  assert.equal(reasonFor({ alpha: new Uint8Array(1) }), "challenge mismatch");
  const other = { output: new Uint8Array(64) };
  assert.equal(reasonFor(other), "output mismatch: the proof is for another output");
  assert.deepEqual(verify({ suite, ...claim, output }), output);
  assert.deepEqual(verify({ suite, ...claim, output: undefined }), output);
});

test("Buffers, views, shared memory and bytes of another realm are bytes", () => {
  const wide = new Uint8Array(proof.length + 20);
  wide.set(proof, 7);
  const shared = new Uint8Array(new SharedArrayBuffer(proof.length));
  shared.set(proof);
  const foreign = vm.runInNewContext("new Uint8Array(bytes)", { bytes: [...proof] });
  assert.ok(!(foreign instanceof Uint8Array));
  for (const same of [Buffer.from(proof), wide.subarray(7, 7 + proof.length), shared, foreign]) {
    assert.deepEqual(verify({ suite, ...claim, proof: same }), output);
  }
});

test("bytes are what an array has, not what it says", () => {
  const long = new Uint8Array(2000).fill(0x41);
  const expected = key.evaluate(long);
  let reads = 0;
  class Liar extends Uint8Array {
    get length() {
      return reads++ === 0 ? 6 : 2000;
    }
    get byteLength() {
      return 3;
    }
    get byteOffset() {
      return 5;
    }
    get buffer() {
      return new ArrayBuffer(7);
    }
    *[Symbol.iterator]() {}
    static get [Symbol.species]() {
      throw new Error("asked for its species");
    }
  }
  const lie = new Liar(2000);
  Uint8Array.prototype.fill.call(lie, 0x41);
  for (let turn = 0; turn < 20; turn++) {
    reads = 0;
    assert.deepEqual(key.evaluate(lie), expected);
  }
  assert.equal(toHex(lie), "41".repeat(2000));
  assert.deepEqual(verify({ suite, ...claim }), output);
});

test("bytes end where an array ends when it is passed, though its memory grows", () => {
  const growing = new SharedArrayBuffer(alpha.length, { maxByteLength: 1 << 20 });
  const view = new Uint8Array(growing);
  view.set(alpha);
  function* claims() {
    yield { ...claim, alpha: view };
    growing.grow(1 << 20);
  }
  assert.deepEqual(verifyMany({ suite, claims: claims() }), [{ valid: true, output }]);
  assert.equal(view.length, 1 << 20);
});

test("an array whose memory is gone is a TypeError that names the argument", () => {
  const transferred = new Uint8Array(5);
  structuredClone(transferred, { transfer: [transferred.buffer] });
  const shrinking = new ArrayBuffer(5, { maxByteLength: 5 });
  const shrunk = new Uint8Array(shrinking, 3, 2);
  shrinking.resize(4);
  for (const gone of [transferred, shrunk]) {
    const message = "claims[1].alpha must be a Uint8Array, not one whose memory is gone";
    const claims = [claim, { ...claim, alpha: gone }];
    assert.throws(() => verifyMany({ suite, claims }), { name: "TypeError", message });
  }
  assert.equal(toHex(new Uint8Array(shrinking, 4)), "");
});

test("memory that another thread grows is written nowhere else", async () => {
  const growing = new SharedArrayBuffer(6, { maxByteLength: 1 << 24 });
  const view = new Uint8Array(growing);
  const code = `
    const { workerData: memory, parentPort } = require("node:worker_threads");
    parentPort.postMessage("ready");
    for (let size = 6; size < memory.maxByteLength - 4096; memory.grow(size)) size += 4096;
  `;
  const worker = new Worker(code, { eval: true, workerData: growing });
  const end = once(worker, "exit");
  await once(worker, "message");
  while (growing.byteLength < growing.maxByteLength - 4096) {
    key.evaluate(view);
  }
  await end;
  assert.deepEqual(verify({ suite, ...claim }), output);
});

test("a message larger than its room is an error, and nothing is written beyond the room", () => {
  const memory = new Uint8Array(100);
  const room = new DataView(memory.buffer, 8, 20);
  for (const fields of [[new Uint8Array(17).fill(1)], [new Uint8Array(15).fill(1), undefined]]) {
    assert.throws(() => writeMessage(room, fields), RangeError);
    assert.ok(memory.subarray(28).every((byte) => byte === 0));
  }
});

test("inputs are copied, and results belong to the caller", () => {
  const seed = new Uint8Array(32).fill(9);
  const own = SecretKey.fromSeed(suite, seed);
  const before = own.prove(alpha);
  seed.fill(0);
  own.publicKey.fill(0);
  before.output.fill(0);
  assert.notDeepEqual(own.prove(alpha).output, before.output);
  assert.deepEqual(own.prove(alpha).proof, before.proof);
  assert.notDeepEqual(own.publicKey, new Uint8Array(32));
});

test("claims may come from any iterable, in any number", () => {
  assert.deepEqual(verifyMany({ suite, claims: [] }), []);
  assert.deepEqual(verifyMany({ suite, claims: new Set([claim]) }), [{ valid: true, output }]);
});

test("hex comes back, and what is not hex is named", () => {
  assert.equal(toHex(fromHex("00fFa0")), "00ffa0");
  assert.deepEqual(fromHex(""), new Uint8Array(0));
  const error = (hex, message) => assert.throws(() => fromHex(hex), { name: "SyntaxError", message });
  error("00f", "not hex: 3 digits, expected two for each byte");
  error("0x00", 'not hex: "x" at position 1, expected 0 to 9 or a to f');
  error("00 ff", 'not hex: " " at position 2, expected 0 to 9 or a to f');
  error("00😀", 'not hex: "😀" at position 2, expected 0 to 9 or a to f');
});

test("the suites have names, users and lengths of proofs", () => {
  const all = suites();
  assert.equal(all.length, 14);
  assert.deepEqual(all[0], { name: "praos", usedBy: "every Cardano header since Shelley", proofLength: 80 });
  assert.deepEqual(new Set(all.map(({ proofLength }) => proofLength)), new Set([80, 128, 144]));
});

test("an integer below n has a range", () => {
  for (const [value, kind] of noBytes) {
    assert.throws(() => below(value, 2), new TypeError(`output must be a Uint8Array, not ${kind}`));
  }
  assert.throws(() => below(output.subarray(1), 2), new RangeError("output has 63 bytes, expected 64"));
  for (const [n, kind] of [["7", "string"], [null, "null"], [undefined, "undefined"], [[7], "Array"]]) {
    assert.throws(() => below(output, n), new TypeError(`n must be a bigint or a number, not ${kind}`));
  }
  for (const n of [0, 0n, -1, -1n, 0.5, NaN, Infinity, 2 ** 53, 2n ** 64n]) {
    assert.throws(() => below(output, n), new RangeError(`n is ${n}, expected an integer from 1 to 2^64 - 1`));
  }
  assert.equal(below(output, 1), 0n);
});
