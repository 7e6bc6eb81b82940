// Where memory runs out. A file of its own, since no memory comes back.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";

import { klero, memory, token, tokenMemory } from "./memory.js";

const { SecretKey } = klero;
const suite = "rfc9381-ell2";

test("a call is refused before it begins, or answered", () => {
  const keys = [SecretKey.generate(suite)];
  memory.exhaust();
  for (let refused = 0; refused < 10; ) {
    const seed = randomBytes(32);
    try {
      keys.push(SecretKey.fromSeed(suite, seed));
    } catch (error) {
      assert.match(error.message, /^inputs of [1-9]\d* bytes: more than WebAssembly has memory for$/);
      assert.equal(memory.find(seed), -1);
      refused++;
    }
    assert.ok(keys.length < 10_000, "the memory has run out");
  }
  assert.ok(keys.length > 1);
});

test("so is a call about a token", () => {
  const keys = [token.TokenSecretKey.generate()];
  const text = token.mint(keys[0], randomBytes(1000));
  const roots = keys[0].publicKey;
  tokenMemory.exhaust();
  for (let refused = 0; refused < 10; ) {
    const payload = randomBytes(5000);
    try {
      token.inspect(token.append(text, payload, { roots }));
      keys.push(token.TokenSecretKey.generate());
    } catch (error) {
      assert.match(error.message, /^inputs of [1-9]\d* bytes: more than WebAssembly has memory for$/);
      assert.equal(tokenMemory.find(payload), -1);
      refused++;
    }
    assert.ok(keys.length < 10_000, "the memory has run out");
  }
});
