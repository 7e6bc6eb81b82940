// Keys are written and read, and prove many alphas at once.

import assert from "node:assert/strict";
import test from "node:test";

import { publicKeyFromEncoded, publicKeyToEnvelope, SecretKey, suites, toHex } from "klero";

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
      SecretKey.fromEncoded(key.toEnvelope()),
    ]) {
      assert.equal(again.suite, name);
      assert.deepEqual(again.publicKey, key.publicKey);
      assert.deepEqual(again.prove(alphas[5]), expected);
    }
    const { publicKey } = key;
    const envelope = publicKeyToEnvelope(publicKey, name);
    assert.deepEqual(publicKeyFromEncoded(envelope), { suite: name, publicKey });
  }
  assert.deepEqual(key.toSeed(), seed);
  assert.deepEqual(key.toLibsodium(), new Uint8Array([...seed, ...key.publicKey]));
});

test("keys are read in every form", () => {
  const base64 = (bytes) => Buffer.from(bytes).toString("base64");
  for (const bytes of [seed, key.toLibsodium()]) {
    for (const text of [toHex(bytes), `\ufeff"0x${toHex(bytes)}"\r\n`, base64(bytes)]) {
      assert.deepEqual(SecretKey.fromEncoded(text, suite).publicKey, key.publicKey);
    }
  }
  const { publicKey } = key;
  const envelope = `\ufeff'${publicKeyToEnvelope(publicKey, suite)}'\n`;
  assert.deepEqual(publicKeyFromEncoded(envelope), { suite, publicKey });
  for (const text of [`5820${toHex(publicKey)}`, base64(publicKey)]) {
    assert.deepEqual(publicKeyFromEncoded(text), { suite: undefined, publicKey });
  }
  const cardano = "vrf_vk18d4z00xwk6jz6c4r4rgz5mcdwdjny9thrh3y8f36cpy2rz6emg5s7t2fee";
  const zero = SecretKey.fromSeed("praos", new Uint8Array(32)).publicKey;
  assert.deepEqual(publicKeyFromEncoded(cardano).publicKey, zero);
});

test("what is no text of such a key is a SyntaxError that does not repeat it", () => {
  const error = (text, message, read = SecretKey.fromEncoded) =>
    assert.throws(() => read(text), { name: "SyntaxError", message });
  const envelope = JSON.parse(key.toEnvelope());
  const changed = (change) => JSON.stringify({ ...envelope, ...change });

  error("5", /^an odd number of hex digits: expected 32 or 64 bytes as they are, in hex/);
  error("null", /^character 1 is no hex digit/);
  error("07".repeat(16), /^found 16 bytes: expected/);
  error("null", /^character 1 is 'n'/, publicKeyFromEncoded);
  const none = "not a text envelope: expected a JSON object with type and cborHex";
  for (const text of ["{}", `${key.toEnvelope()}}`, changed({ type: 5 })]) {
    error(text, none);
    error(text, none, publicKeyFromEncoded);
  }

  const expected = 'expected "VrfSigningKey_PraosVRF", or "KleroVrfSigningKey_" and a suite\'s name';
  const types = ["Other", "KleroVrfSigningKey_praos", "KleroVrfSigningKey_nonsense"];
  types.push("KleroVrfVerificationKey_rfc9381-ell2-bc", "KleroVrfSigningKey_RFC9381-ELL2-BC");
  for (const type of types) {
    // Of a file that should be secret, no more is repeated than the name of a known type.
    const named = type.includes("Verification") ? `type "${type}"` : "another type";
    error(changed({ type }), `envelope of ${named}, ${expected}`);
  }
  error(key.toEnvelope(), /^envelope of type .*, expected "VrfVerificationKey_PraosVRF"/, publicKeyFromEncoded);

  const { cborHex } = envelope;
  const contents = [undefined, 5, "", cborHex.slice(2), cborHex.slice(0, -2), `${cborHex}00`];
  contents.push(cborHex.replace("5840", "5841"), cborHex.replace("5840", "5940"), cborHex.replace("7", "g"));
  for (const cborHex of contents) {
    error(changed({ cborHex }), "cborHex: expected the hex of a CBOR byte string of 64 bytes");
  }
  const again = changed({ cborHex: cborHex.toUpperCase(), description: undefined, more: 1 });
  assert.equal(SecretKey.fromEncoded(again).suite, suite);
});

test("keys that cannot be used are RangeErrors", () => {
  const error = (message, call) => assert.throws(call, { name: "RangeError", message });
  const secret = key.toLibsodium();
  error("secret: 63 bytes, expected 64", () => SecretKey.fromLibsodium(suite, secret.subarray(1)));
  const mismatch = "secret: the last 32 bytes are not the public key of the seed in the first 32";
  secret[63] ^= 1;
  error(mismatch, () => SecretKey.fromLibsodium(suite, secret));
  const hex = toHex(key.toLibsodium());
  error(/^it does not say its suite/, () => SecretKey.fromEncoded(toHex(key.toSeed())));
  error(/^the key belongs to suite rfc9381-ell2-bc, not praos/, () => SecretKey.fromEncoded(key.toEnvelope(), "praos"));
  error(mismatch.slice("secret: ".length), () => SecretKey.fromEncoded(key.toEnvelope().replace(hex, toHex(secret))));

  const small = new Uint8Array(32);
  error("public key has small order", () => publicKeyToEnvelope(small, suite));
  error("public key has 31 bytes, expected 32", () => publicKeyToEnvelope(small.subarray(1), suite));
  error(/^suite: no such suite/, () => publicKeyToEnvelope(key.publicKey, "nonsense"));
  const envelope = publicKeyToEnvelope(key.publicKey, suite);
  const other = envelope.replace(toHex(key.publicKey), toHex(small));
  error("public key has small order", () => publicKeyFromEncoded(other));
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
