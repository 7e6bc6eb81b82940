// Every test vector of tokens, against the files and against the Rust library on this machine; and what
// becomes of them when they are damaged.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import test from "node:test";

import * as token from "klero/token";
import { path, readTokens, rust } from "./support.js";
import { answers, questionsOf } from "./token-vectors.js";

/** What the Rust library says. */
const inRust = (questions) => JSON.parse(rust("token_verdicts", JSON.stringify(questions), "token"));

test("no file of vectors is left out", () => {
  // The scheme of bls.json is one of the studies, and in no package.
  const files = ["aggregate.json", "bls.json", "caveats.json", "chain.json", "passkeys.json"];
  assert.deepEqual(readdirSync(path("../../vectors/tokens")).sort(), files);
});

for (const [name, count] of [["chain", 101], ["aggregate", 99], ["passkeys", 69]]) {
  test(`${name}.json: ${count} tokens`, () => {
    const file = readTokens(`${name}.json`);
    const { scheme } = file;
    assert.equal(file.tokens.length, count);
    for (const { seed, public: bytes, text } of file.keys) {
      const key = token.TokenSecretKey.fromSeed(scheme, Buffer.from(seed, "hex")).publicKey;
      assert.equal(Buffer.from(key.toBytes()).toString("hex"), bytes);
      assert.equal(`${key}`, text);
    }
    const asked = questionsOf(file);
    const questions = asked.map(({ question }) => question);
    const said = answers(token, questions);
    assert.deepEqual(said, inRust(questions));
    for (const [i, { name, valid, begins }] of asked.entries()) {
      if (valid !== undefined) assert.equal(said[i].startsWith("["), valid, `${name}: ${said[i]}`);
      if (begins !== undefined) assert.ok(said[i].startsWith(begins), `${name}: ${said[i]}`);
    }
    // Statements are the same bytes in every language.
    const made = file.tokens.flatMap(({ links = [] }) => links.flatMap(({ statement }) => statement ?? []));
    assert.notEqual(made.length, 0);
    for (const { seed, stated, request, statement, passkey } of made) {
      const bytes = (text) => Buffer.from(text, "hex");
      // By a key of P-256, whose secret the package does not take.
      if (statement[9] !== "3") {
        assertStatement({ stated: bytes(stated), request: bytes(request), made: bytes(statement), passkey });
        continue;
      }
      const key = token.TokenSecretKey.fromSeed("ed25519", bytes(seed));
      const text = token.statement(bytes(request).toString("base64url"), key, bytes(stated));
      assert.equal(text, bytes(statement).toString("base64url"));
    }
  });
}

/** A statement that a device signed, by ES256 or as a passkey, is the same again. */
function assertStatement({ stated, request, made, passkey }) {
  const text = (bytes) => bytes.toString("base64url");
  const key = token.TokenPublicKey.fromBytes(passkey ? "passkey" : "es256", made.subarray(9, 42));
  let signature = made.subarray(42, 106);
  if (passkey !== undefined) {
    const bytes = (text) => Buffer.from(text, "hex");
    assert.deepEqual(Buffer.from(token.stating(text(request), key, stated)), bytes(passkey.challenge));
    const [authenticatorData, clientDataJSON] = [passkey.authenticator_data, passkey.client_data].map(bytes);
    signature = { authenticatorData, clientDataJSON, signature: toDer(signature) };
  }
  assert.equal(token.assembleStatement(text(request), key, stated, signature), text(made));
}

/** r and s as an authenticator returns them. */
function toDer(signature) {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const short = number.subarray(number.findIndex((byte) => byte !== 0));
    const bytes = short[0] < 0x80 ? [...short] : [0, ...short];
    return [2, bytes.length, ...bytes];
  });
  return Uint8Array.from([0x30, integers.flat().length, ...integers.flat()]);
}

test("caveats.json: 126 lines, 80 paths", () => {
  const { lines, paths } = readTokens("caveats.json");
  assert.deepEqual([lines.length, paths.length], [126, 80]);
  const questions = [...lines.map(({ line }) => ({ caveat: line })), ...paths.map(({ path }) => ({ path }))];
  const said = answers(token, questions);
  assert.deepEqual(said, inRust(questions));
  for (const [i, { line, caveat }] of lines.entries()) assert.equal(said[i] === line, caveat, line);
  for (const [i, { path, normal }] of paths.entries()) {
    if (normal === null) assert.throws(() => token.normalPath(path), SyntaxError, path);
    else assert.equal(said[lines.length + i], normal);
  }
});

/** Numbers that look random, and are the same in each run. */
function dice(seed) {
  let count = 0;
  return (below) => createHash("sha256").update(`${seed} ${count++}`).digest().readUInt32LE() % below;
}

test("2000 damaged tokens, caveats, paths and keys: the answers of Rust", () => {
  const roll = dice("damaged");
  const characters = [..."AB-_ab09 /=:;.%\0\n\u00e9\u{1f600}\u2028"];
  const damaged = (text) => {
    const parts = [...text];
    for (let i = roll(3); i >= 0; i--) {
      const at = roll(parts.length + 1);
      const many = [0, 1, 1, 4, 40][roll(5)];
      const insert = Array.from({ length: [0, 1, 1, 4][roll(4)] }, () => characters[roll(characters.length)]);
      parts.splice(at, many, ...insert);
    }
    return parts.join("");
  };
  const files = [readTokens("chain.json"), readTokens("aggregate.json")];
  const asked = files.flatMap(questionsOf).map(({ question }) => question);
  const { lines, paths } = readTokens("caveats.json");
  const keys = files.flatMap(({ keys }) => keys.map(({ text }) => text));
  const questions = Array.from({ length: 2000 }, (_, i) => {
    switch (i % 8) {
      case 0: return { caveat: damaged(lines[roll(lines.length)].line) };
      case 1: return { path: damaged(paths[roll(paths.length)].path) };
      case 2: return { key: keys[roll(keys.length)].replace(/(?<=:).*/, damaged) };
      default: {
        const question = asked[roll(asked.length)];
        const bytes = Buffer.from(question.token, "base64url");
        // A bit, or the text.
        bytes[roll(bytes.length)] ^= 1 << roll(8);
        const text = i % 3 === 0 ? damaged(question.token) : bytes.toString("base64url");
        return i % 16 < 4 ? { token: text } : { ...question, token: text };
      }
    }
  });
  const [said, expected] = [answers(token, questions), inRust(questions)];
  for (const [i, question] of questions.entries()) assert.equal(said[i], expected[i], JSON.stringify(question));
});

test("a token of any length gets the verdict of Rust", () => {
  // Beyond 2^21 characters, only the length goes to WebAssembly.
  const lengths = [87_383, 87_384, 87_388, 2 ** 21, 2 ** 21 + 1, 2 ** 21 + 4, 5_000_001];
  const questions = lengths.flatMap((length) => {
    const text = "A".repeat(length);
    return [{ token: text }, { request: text }, { token: text, limits: { bytes: 2 ** 20 } }];
  });
  assert.deepEqual(answers(token, questions), inRust(questions));
});
