// Keys are written and read, and prove many alphas at once.

import assert from "node:assert/strict";
import test from "node:test";

import { publicKeyFromEnvelope, publicKeyToEnvelope, SecretKey, suites, toHex } from "klero";
import { rust } from "./support.js";

const suite = "rfc9381-ell2-bc";
const seed = new Uint8Array(32).fill(7);
const key = SecretKey.fromSeed(suite, seed);
const alphas = Array.from({ length: 40 }, (_, i) => new Uint8Array(i).fill(i));

test("a key that was generated comes back from each of its forms", () => {
  for (const { name } of suites()) {
    const key = SecretKey.generate(name);
    const expected = key.prove(alphas[5]);
    for (const again of [
      SecretKey.fromSeed(name, key.toSeed()),
      SecretKey.fromLibsodium(name, key.toLibsodium()),
      SecretKey.fromEnvelope(key.toEnvelope()),
    ]) {
      assert.equal(again.suite, name);
      assert.deepEqual(again.publicKey, key.publicKey);
      assert.deepEqual(again.prove(alphas[5]), expected);
    }
    const { publicKey } = key;
    const envelope = publicKeyToEnvelope(publicKey, name);
    assert.deepEqual(publicKeyFromEnvelope(envelope), { suite: name, publicKey });
  }
  assert.deepEqual(key.toSeed(), seed);
  assert.deepEqual(key.toLibsodium(), new Uint8Array([...seed, ...key.publicKey]));
});

test("text envelopes are those of Rust, byte for byte", () => {
  const own = suites().map(({ name }) => {
    const key = SecretKey.fromSeed(name, seed);
    return [key.toEnvelope(), publicKeyToEnvelope(key.publicKey, name)];
  });
  assert.deepEqual(own, JSON.parse(rust("envelopes")));
});

test("a suite's other names give the same public envelope", () => {
  const { publicKey } = key;
  assert.equal(publicKeyToEnvelope(publicKey, "Draft03"), publicKeyToEnvelope(publicKey, "praos"));
});

test("what is no envelope of such a key is a SyntaxError that does not repeat it", () => {
  const error = (text, message, read = SecretKey.fromEnvelope) =>
    assert.throws(() => read(text), { name: "SyntaxError", message });
  const envelope = JSON.parse(key.toEnvelope());
  const changed = (change) => JSON.stringify({ ...envelope, ...change });

  const none = "not a text envelope: expected a JSON object with type, description and cborHex";
  for (const text of ["", "5", "null", "[]", "{}", `${key.toEnvelope()}}`, toHex(key.toSeed())]) {
    error(text, none);
    error(text, none, publicKeyFromEnvelope);
  }
  error(changed({ type: 5 }), none);
  error(changed({ description: undefined }), none);

  const expected = 'expected "VrfSigningKey_PraosVRF", or "KleroVrfSigningKey_" and a suite\'s name';
  const types = ["Other", "KleroVrfSigningKey_praos", "KleroVrfSigningKey_nonsense"];
  types.push("KleroVrfVerificationKey_rfc9381-ell2-bc", "KleroVrfSigningKey_RFC9381-ELL2-BC");
  for (const type of types) {
    error(changed({ type }), `envelope of type "${type}", ${expected}`);
  }
  error(key.toEnvelope(), /^envelope of type .*, expected "VrfVerificationKey_PraosVRF"/, publicKeyFromEnvelope);

  const { cborHex } = envelope;
  const contents = [undefined, 5, "", cborHex.slice(2), cborHex.slice(0, -2), `${cborHex}00`];
  contents.push(cborHex.replace("5840", "5841"), cborHex.replace("5840", "5940"), cborHex.replace("7", "g"));
  for (const cborHex of contents) {
    error(changed({ cborHex }), "cborHex: expected the hex of a CBOR byte string of 64 bytes");
  }
  assert.equal(SecretKey.fromEnvelope(changed({ cborHex: cborHex.toUpperCase(), more: 1 })).suite, suite);
});

test("keys that cannot be used are RangeErrors", () => {
  const error = (message, call) => assert.throws(call, { name: "RangeError", message });
  const secret = key.toLibsodium();
  error("secret: 63 bytes, expected 64", () => SecretKey.fromLibsodium(suite, secret.subarray(1)));
  const mismatch = "secret: the last 32 bytes are not the public key of the seed in the first 32";
  secret[63] ^= 1;
  error(mismatch, () => SecretKey.fromLibsodium(suite, secret));
  const hex = toHex(key.toLibsodium());
  error(mismatch, () => SecretKey.fromEnvelope(key.toEnvelope().replace(hex, toHex(secret))));

  const small = new Uint8Array(32);
  error("public key has small order", () => publicKeyToEnvelope(small, suite));
  error("public key has 31 bytes, expected 32", () => publicKeyToEnvelope(small.subarray(1), suite));
  error(/^suite: no such suite/, () => publicKeyToEnvelope(key.publicKey, "nonsense"));
  const envelope = publicKeyToEnvelope(key.publicKey, suite);
  const other = envelope.replace(toHex(key.publicKey), toHex(small));
  error("public key has small order", () => publicKeyFromEnvelope(other));
});

test("many proofs and outputs are those of one alpha at a time, in order", () => {
  for (const { name } of suites()) {
    const key = SecretKey.fromSeed(name, seed);
    assert.deepEqual(key.proveMany(alphas), alphas.map((alpha) => key.prove(alpha)));
    assert.deepEqual(key.evaluateMany(new Set(alphas)), alphas.map((alpha) => key.evaluate(alpha)));
    assert.deepEqual([key.proveMany([]), key.evaluateMany([])], [[], []]);
  }
});

test("more alphas than one call takes keep their order", () => {
  const key = SecretKey.fromSeed("praos", seed);
  const many = Array.from({ length: 4100 }, (_, i) => Uint8Array.of(i, i >> 8));
  const proofs = key.proveMany(many);
  const outputs = key.evaluateMany(many);
  assert.equal(proofs.length, many.length);
  assert.deepEqual(outputs, proofs.map(({ output }) => output));
  for (const i of [0, 2047, 2048, 4099]) assert.deepEqual(proofs[i], key.prove(many[i]));
});

test("a key that is freed while its alphas are read proves nothing", () => {
  for (const many of ["proveMany", "evaluateMany"]) {
    const key = SecretKey.fromSeed(suite, seed);
    let next;
    function* alphas() {
      yield new Uint8Array(1);
      key.free();
      // It gets the place of the freed key.
      next = SecretKey.generate(suite);
    }
    assert.throws(() => key[many](alphas()), { name: "Error", message: "this secret key was freed" });
    next.free();
  }
});

test("key files of cardano-cli are read", () => {
  const { publicKey } = SecretKey.fromSeed("praos", seed);
  const file = (type, description, cborHex) =>
    `{\n    "type": "${type}",\n    "description": "${description}",\n    "cborHex": "${cborHex}"\n}\n`;
  const content = `5840${toHex(seed)}${toHex(publicKey)}`;
  const read = SecretKey.fromEnvelope(file("VrfSigningKey_PraosVRF", "VRF Signing Key", content));
  assert.deepEqual([read.suite, read.toSeed()], ["praos", seed]);
  const text = file("VrfVerificationKey_PraosVRF", "VRF Verification Key", `5820${toHex(publicKey)}`);
  assert.deepEqual(publicKeyFromEnvelope(text), { suite: "praos", publicKey });
});
