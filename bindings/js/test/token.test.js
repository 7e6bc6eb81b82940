// Tokens as an issuer, holders, a third party and a verifier use them.

import assert from "node:assert/strict";
import test from "node:test";

import * as token from "klero/token";

const { InvalidToken, Refused, TokenPublicKey, TokenSecretKey } = token;
const SCHEMES = ["chain", "aggregate"];
const NOW = 1_800_000_000;
const challenge = { nonce: Uint8Array.from({ length: 16 }, (_, i) => i), audience: "api.example.org", time: NOW };
/** There is no challenge, and nothing is revoked. */
const BARE = { challenge: null, revoked: [] };
const bytes = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
/** An issuer of the default scheme, its root key, and a token. */
const issuer = TokenSecretKey.generate();
const roots = issuer.publicKey;
const minted = token.mint(issuer, bytes("all"));
const invalid = (reason) => (error) => error instanceof InvalidToken && error.reason.includes(reason);

for (const scheme of SCHEMES) {
  test(`a token of ${scheme} is minted, narrowed, vouched for, sealed and checked`, () => {
    const issuer = TokenSecretKey.generate(scheme);
    const registry = TokenSecretKey.generate("ed25519");
    const roots = new Map([[7, issuer.publicKey]]);
    const caveats = ["before 2027-01-15T08:00:01Z", `vouched ${registry.publicKey} of age`];
    const minted = token.mint(issuer, bytes("account 17"), { caveats, rootId: 7 });
    const narrowed = token.narrow(minted, new Set(["method GET HEAD", "user = alice"]));
    const request = token.request(narrowed);
    assert.equal(request.length, 92);
    const statement = token.statement(request, registry, bytes("of age"));
    const vouched = token.appendStatement(narrowed, statement);

    const check = (one, told) =>
      text(token.check(one, { ...BARE, roots, now: NOW, audience: "api.example.org", method: "GET", fields: { user: "alice" }, ...told }));
    assert.equal(check(vouched), "account 17");
    assert.throws(() => check(narrowed), { name: "Refused", block: 0, caveat: caveats[1] });

    const content = token.verify(vouched, { challenge: null, roots });
    const { blocks, ...rest } = content;
    assert.deepEqual(rest, { scheme, rootId: 7, sealed: false, held: false });
    assert.deepEqual(
      blocks.map(({ kind, payload, caveats, thirdParty }) => [kind, text(payload), text(caveats), thirdParty]),
      [
        ["root", "account 17", caveats.join("\n"), undefined],
        ["caveats", "method GET HEAD\nuser = alice", "method GET HEAD\nuser = alice", undefined],
        ["statement", "of age", "", registry.publicKey.toBytes()],
      ],
    );
    assert.equal(new Set(blocks.map(({ revocationId }) => `${revocationId}`)).size, 3);
    assert.deepEqual(token.inspect(minted).blocks[0].revocationId, blocks[0].revocationId);
    assert.deepEqual(token.inspect(vouched), content);

    const sealed = token.seal(vouched, challenge);
    assert.equal(token.verify(sealed, { roots, challenge }).sealed, true);
    assert.equal(check(sealed, { challenge }), "account 17");
    assert.equal(check(sealed, { challenge: { ...challenge, time: BigInt(NOW) } }), "account 17");
    for (const call of [check, (one, known) => token.verify(one, { challenge: null, roots, ...known })]) {
      assert.throws(() => call(sealed), invalid("the token is sealed"));
      assert.throws(() => call(vouched, { challenge }), invalid("not sealed"));
      for (const other of [{ time: NOW + 1 }, { audience: "shop" }, { nonce: new Uint8Array(16) }]) {
        assert.throws(() => call(sealed, { challenge: { ...challenge, ...other } }), InvalidToken);
      }
      assert.throws(() => call(sealed, { challenge: { ...challenge, nonce: bytes("") } }), invalid("is empty"));
    }
    assert.throws(() => token.seal(vouched, { ...challenge, nonce: bytes("") }), invalid("is empty"));
    const silent = { ...BARE, roots, now: NOW, audience: "api.example.org", challenge };
    assert.throws(() => token.check(sealed, silent), { name: "Refused", reason: "the request does not say" });
  });

  test(`holders of ${scheme} need no root key, and may name one`, () => {
    const [issuer, other] = [TokenSecretKey.generate(scheme), TokenSecretKey.generate(scheme)];
    const registry = TokenSecretKey.generate("ed25519");
    const minted = token.mint(issuer, bytes("all"));
    const sealed = token.seal(minted, challenge);
    const statement = token.statement(token.request(minted), registry, bytes("of age"));
    const additions = [
      (one, options) => token.narrow(one, ["method GET"], options),
      (one, options) => token.append(one, bytes("bytes"), options),
      (one, options) => token.appendStatement(one, statement, options),
      (one, options) => token.seal(one, challenge, options),
      (one, options) => token.request(one, options),
    ];
    for (const add of additions) {
      assert.ok(add(minted));
      assert.ok(add(minted, { roots: issuer.publicKey }));
      assert.throws(() => add(minted, { roots: other.publicKey }), InvalidToken);
      assert.throws(() => add(sealed), invalid("the token is sealed"));
      assert.throws(() => add(sealed, { roots: issuer.publicKey }), invalid("the token is sealed"));
    }
    for (const roots of [new Map(), [[1, issuer.publicKey]], registry.publicKey]) {
      assert.throws(() => token.verify(minted, { challenge: null, roots }), invalid("no root key has the number 0"));
    }
    // Keys of both schemes may have one number.
    const both = SCHEMES.map((name) => [0, name === scheme ? issuer.publicKey : TokenSecretKey.generate(name).publicKey]);
    assert.equal(token.verify(minted, { challenge: null, roots: both }).scheme, scheme);
  });

  test(`limits of ${scheme} reach what is read and made`, () => {
    const issuer = TokenSecretKey.generate(scheme);
    const roots = issuer.publicKey;
    const minted = token.mint(issuer, bytes("all"));
    assert.throws(() => token.mint(issuer, new Uint8Array(70_000)), invalid("bytes, the limit is 65536"));
    assert.throws(() => token.append(minted, new Uint8Array(70_000)), invalid("bytes, the limit is 65536"));

    const few = { limits: { signatures: 2, caveats: 1 } };
    const narrowed = token.narrow(minted, ["method GET"], few);
    for (const add of [
      () => token.narrow(narrowed, [], few),
      () => token.seal(narrowed, challenge, few),
      () => token.verify(token.narrow(narrowed, []), { challenge: null, roots, ...few }),
      () => token.check(token.narrow(narrowed, []), { ...BARE, roots, now: NOW, ...few }),
      () => token.inspect(token.narrow(narrowed, []), few),
    ]) {
      assert.throws(add, invalid("3 signatures or more, the limit is 2"));
    }
    const caveats = ["method GET", "method GET"];
    assert.throws(() => token.mint(issuer, bytes(""), { caveats, ...few }), invalid("2 caveats or more, the limit is 1"));
    assert.throws(() => token.narrow(minted, caveats, few), invalid("2 caveats or more, the limit is 1"));
    assert.throws(() => token.inspect(minted, { limits: { bytes: 100 } }), invalid("bytes, the limit is 100"));
    const large = { limits: { bytes: 2 ** 20, signatures: 2 ** 32 - 1, caveats: 0xffffffff } };
    let many = minted;
    for (let i = 1; i < 100; i++) many = token.append(many, bytes(""), large);
    assert.equal(token.verify(many, { challenge: null, roots, ...large }).blocks.length, 100);
  });
}

test("what is told of a request reaches the caveats, and a refusal says why", () => {
  const [missing, unmet] = ["the request does not say", "it does not hold"];
  for (const [caveat, told, refused, reason] of [
    ["after 2027-01-15T08:00:00Z", { now: NOW }, { now: NOW - 1 }, unmet],
    ["before 9999-12-31T23:59:59Z", {}, { now: 2n ** 64n - 1n }, unmet],
    ["user = é", { fields: { user: "é" } }, { fields: { user: "e" } }, unmet],
    ["user = a", { fields: [["user", "a"]] }, { fields: {} }, missing],
    ["user = a", { fields: new Map([["user", "a"]]) }, { fields: [["user", "a"], ["user", "b"]] }, unmet],
    ["user = a", { fields: new URLSearchParams("user=a") }, { fields: new Headers({ user: "b" }) }, unmet],
  ]) {
    const narrowed = token.narrow(token.mint(issuer, bytes("rights")), [caveat]);
    const check = (told) => token.check(narrowed, { ...BARE, roots, now: 0, ...told });
    assert.equal(text(check(told)), "rights");
    const message = `block 1: ${caveat}: ${reason}`;
    assert.throws(() => check(refused), { name: "Refused", block: 1, caveat, reason, message });
  }
});

test("what is no request or statement for a token is invalid, and a key serves one use", () => {
  const [issuer, registry] = [TokenSecretKey.generate("aggregate"), TokenSecretKey.generate("ed25519")];
  const minted = token.mint(issuer, bytes("may buy"));
  const request = token.request(minted);
  const statement = token.statement(request, registry, bytes("of age"));
  const reason = "third party: the signature does not hold";
  assert.throws(() => token.appendStatement(token.narrow(minted, []), statement), invalid(reason));
  assert.throws(() => token.appendStatement(minted, request), invalid("statement: form 2 at byte 4"));
  assert.throws(() => token.statement(statement, registry, bytes("")), invalid("request: form 3 at byte 4"));
  assert.throws(() => token.statement(request, registry, new Uint8Array(65_536)), invalid("65536"));
  assert.throws(() => token.statement(request, issuer, bytes("")), { name: "RangeError", message: /third party's/ });
  assert.throws(() => token.mint(registry, bytes("")), { name: "RangeError", message: /chain or aggregate/ });
});

test("a block of bytes refuses unless it is accepted", () => {
  const opaque = token.append(minted, bytes("read only"));
  const refusal = { name: "Refused", block: 1, caveat: "9 bytes", reason: "not accepted" };
  assert.throws(() => token.check(opaque, { ...BARE, roots, now: NOW }), refusal);
  const seen = [];
  const accept = (payload) => {
    seen.push(text(payload));
    // Another call may run meanwhile.
    assert.equal(token.verify(opaque, { challenge: null, roots }).blocks.length, 2);
    return text(payload) === "read only";
  };
  const check = (one, told) => token.check(one, { ...BARE, roots, now: NOW, accept, ...told });
  assert.equal(text(check(opaque)), "all");
  assert.deepEqual(seen.splice(0), ["read only"]);
  assert.throws(() => check(token.append(opaque, bytes("no"))), { block: 2, caveat: "2 bytes" });
  assert.deepEqual(seen.splice(0), ["read only", "no"]);
  // A refusal before it: the block is not asked about.
  const narrowed = token.append(token.narrow(opaque, ["method GET"]), bytes("no"));
  assert.throws(() => check(narrowed), { block: 2, caveat: "method GET" });
  assert.deepEqual(seen.splice(0), ["read only"]);
  assert.throws(() => check(narrowed, { method: "GET" }), { block: 3, caveat: "2 bytes" });

  const broken = new Error("broken");
  assert.throws(() => check(opaque, { accept: () => { throw broken; } }), broken);
  for (const [answer, kind] of [[async () => true, "Promise"], [() => 1, "number"], [() => undefined, "undefined"]]) {
    const message = `accept must return true or false, not ${kind}`;
    assert.throws(() => check(opaque, { accept: answer }), { name: "TypeError", message });
  }
});

test("what is no caveat is an error that shows it", () => {
  for (const [wrong, advice] of [
    ["user=alice", "write `user = alice`"],
    ["method GET\nmethod PUT", "expected methods such as GET"],
    ["user = a\x1b[2J", "no control character"],
    ["x".repeat(100_000), "expected `before TIME`, "],
  ]) {
    const caveats = ["method GET", wrong];
    for (const make of [() => token.narrow(minted, caveats), () => token.mint(issuer, bytes(""), { caveats })]) {
      assert.throws(make, (error) => {
        assert.equal(error.name, "SyntaxError");
        assert.match(error.message, /^caveats\[1\]: not a caveat: [^\p{Cc}]*$/u);
        return error.message.includes(advice);
      });
    }
  }
});

test("wrong arguments are errors that name the argument", () => {
  const check = (told) => token.check(minted, { ...BARE, roots, now: NOW, ...told });
  for (const [message, call] of [
    ["token must be a string, not null", () => token.check(null, { ...BARE, roots, now: NOW })],
    ["access must be an object, not undefined", () => token.check(minted)],
    ["verifying must be an object, not undefined", () => token.verify(minted)],
    ['access has the member "chalenge", expected ', () => check({ chalenge: challenge })],
    ['verifying has the member "now", expected roots, ', () => token.verify(minted, { challenge: null, roots, now: NOW })],
    ['options has the member "caveat", expected caveats, ', () => token.mint(issuer, bytes(""), { caveat: [] })],
    ['limits has the member "blocks", expected ', () => check({ limits: { blocks: 7 } })],
    ["options must be an object, not string", () => token.mint(issuer, bytes(""), "method GET")],
    ["roots must be a TokenPublicKey or a Map of them by number, not undefined", () => check({ roots: undefined })],
    ["roots must be a TokenPublicKey or a Map of them by number, not Object", () => check({ roots: { 0: roots } })],
    ["roots[0] must be a number and a TokenPublicKey", () => check({ roots: [roots] })],
    ["roots[0] must have a TokenPublicKey, not TokenSecretKey", () => check({ roots: [[0, issuer]] })],
    ["now must be a number or a bigint, not undefined", () => check({ now: undefined })],
    ["path must be a string, not URL", () => check({ path: new URL("https://example.org") })],
    ["fields must be an object, not string", () => check({ fields: "user" })],
    ["fields[1] must be a name and a value", () => check({ fields: [["user", "a"], "user"] })],
    ["fields[0], the value, must be a string, not number", () => check({ fields: { user: 7 } })],
    ["challenge must be an object, not undefined", () => check({ challenge: undefined })],
    ["challenge must be an object, not undefined", () => token.verify(minted, { roots })],
    ["challenge.nonce must be a Uint8Array, not string", () => check({ challenge: { ...challenge, nonce: "7" } })],
    ["challenge.time must be a number or a bigint, not undefined", () => token.seal(minted, { ...challenge, time: undefined })],
    ["accept must be a function, not boolean", () => check({ accept: true })],
    ["caveats must be an array, not string: one caveat is [\"method GET\"]", () => token.narrow(minted, "method GET")],
    ["caveats must be an object, not undefined", () => token.narrow(minted)],
    ["caveats[1] must be a string, not null", () => token.narrow(minted, ["method GET", null])],
    ["rights must be a Uint8Array, not string", () => token.mint(issuer, "all")],
    ["key must be a TokenSecretKey, not TokenPublicKey", () => token.mint(roots, bytes("all"))],
    ["key must be a TokenSecretKey, not object", () => token.mint(Object.create(null), bytes("all"))],
    ["payload must be a Uint8Array, not undefined", () => token.append(minted)],
    ["statement must be a string, not undefined", () => token.appendStatement(minted)],
    ["scheme must be a string, not null", () => TokenSecretKey.generate(null)],
    ["options.rootId must be a number or a bigint, not null", () => token.mint(issuer, bytes(""), { rootId: null })],
    // Members elsewhere than in an object itself are not left out.
    ['options has the member "then", expected ', () => token.mint(issuer, bytes(""), Promise.resolve({ caveats: [] }))],
    ['options has the member "get", expected ', () => token.mint(issuer, bytes(""), new Map([["caveats", []]]))],
    ['options has the member "caveat", expected ', () => token.mint(issuer, bytes(""), Object.create({ caveat: [] }))],
    ['access has the member "chalenge", expected ', () => token.check(minted, Object.defineProperty({ ...BARE, roots, now: NOW }, "chalenge", { value: challenge }))],
    ['access has the member "chalenge", expected ', () => token.check(minted, new (class { challenge = null; revoked = []; roots = roots; now = NOW; get chalenge() { return challenge; } })())],
  ]) {
    assert.throws(call, (error) => error.name === "TypeError" && error.message.startsWith(message), message);
  }
  const tooLarge = (name, value, most) => ({
    name: "RangeError",
    message: `${name} is ${value}, expected an integer from 0 to ${most}`,
  });
  for (const now of [-1, 0.5, NaN, Infinity, 2 ** 53, 2n ** 64n, -1n]) {
    assert.throws(() => check({ now }), tooLarge("now", now, "2^64 - 1"));
  }
  for (const id of [-1, 0.5, 2 ** 32, 2n ** 32n]) {
    assert.throws(() => token.mint(issuer, bytes(""), { rootId: id }), tooLarge("options.rootId", id, "2^32 - 1"));
    assert.throws(() => check({ roots: [[id, roots]] }), tooLarge("roots[0], the number,", id, "2^32 - 1"));
  }
  const limit = tooLarge("limits.bytes", 2 ** 20 + 1, "2^20");
  assert.throws(() => check({ limits: { bytes: 2 ** 20 + 1 } }), limit);
  // Half of a pair would be another text as UTF-8.
  for (const [name, told] of [["path", { path: "/a\ud800" }], ["audience", { audience: "\udc00" }]]) {
    assert.throws(() => check(told), { name: "RangeError", message: new RegExp(`^${name} is not Unicode: half`) });
  }
  assert.throws(() => token.narrow(minted, ["user = \ud800"]), /^RangeError: caveats\[0\] is not Unicode/);
  assert.equal(text(check({ path: "/\u{1f600}" })), "all");
});

test("hostile texts are invalid, whoever reads them", () => {
  const registry = TokenSecretKey.generate("ed25519");
  const texts = ["", "x", "é", "\ud800", "AAAA", "S1QD", "S1QDAQAA", "S1QDCQAA", "\0", `${minted}=`, ` ${minted}`];
  for (const hostile of [...texts, "A".repeat(1_000_000), "é".repeat(2_000_000)]) {
    for (const call of [
      () => token.inspect(hostile),
      () => token.verify(hostile, { challenge: null, roots }),
      () => token.check(hostile, { ...BARE, roots, now: NOW }),
      () => token.narrow(hostile, []),
      () => token.append(hostile, bytes("")),
      () => token.seal(hostile, challenge),
      () => token.request(hostile),
      () => token.statement(hostile, registry, bytes("of age")),
      () => token.appendStatement(minted, hostile),
    ]) {
      assert.throws(call, (error) => error instanceof InvalidToken && /^[ -~]{1,200}$/.test(error.reason));
    }
  }
});

test("keys", () => {
  for (const scheme of [...SCHEMES, "ed25519"]) {
    const key = TokenSecretKey.generate(scheme);
    const { publicKey } = key;
    assert.deepEqual([key.scheme, publicKey.scheme], [scheme, scheme]);
    assert.ok(TokenSecretKey.fromSeed(scheme, key.toSeed()).publicKey.equals(publicKey));
    assert.ok(!TokenSecretKey.generate(scheme).publicKey.equals(publicKey));
    assert.ok(TokenPublicKey.fromBytes(scheme, publicKey.toBytes()).equals(publicKey));
    assert.ok(TokenPublicKey.fromText(`${publicKey}`).equals(publicKey));
    assert.ok(!publicKey.equals(`${publicKey}`) && !publicKey.equals(null));
    assert.equal(publicKey.toBytes().length, 32);
    assert.ok(`${publicKey}`.startsWith(`${scheme}:`));
    assert.equal(JSON.stringify({ publicKey }), `{"publicKey":"${publicKey}"}`);
    publicKey.toBytes().fill(0);
    assert.ok(TokenPublicKey.fromBytes(scheme, publicKey.toBytes()).equals(publicKey));
    for (const wrong of [`${publicKey}=`, `${publicKey}`.slice(0, -1), `${scheme}:`, `${scheme}:é`]) {
      assert.throws(() => TokenPublicKey.fromText(wrong), SyntaxError);
    }
    assert.throws(() => TokenPublicKey.fromBytes(scheme, new Uint8Array(5)), /^RangeError: key: the key has 5 bytes/);
    assert.throws(() => TokenSecretKey.fromSeed(scheme, new Uint8Array(5)), /^RangeError: seed: 5 bytes, expected 32/);
  }
  assert.equal(TokenSecretKey.generate().scheme, "chain");
  for (const unknown of ["none", "", "ED25519"]) {
    const message = (others) => `scheme "${unknown}": expected chain or aggregate, or ${others}`;
    const secret = message("ed25519 for a third party");
    assert.throws(() => TokenSecretKey.generate(unknown), { name: "RangeError", message: secret });
    const known = message("ed25519, es256 or passkey");
    assert.throws(() => TokenPublicKey.fromText(`${unknown}:AAAA`), { name: "SyntaxError", message: known });
  }
  assert.throws(() => TokenPublicKey.fromBytes("chain", new Uint8Array(32)), /the key has small order/);
});

test("errors are what they say", () => {
  const refused = new Refused(1, "method GET", "it does not hold");
  assert.ok(refused instanceof Error && !(refused instanceof InvalidToken));
  assert.equal(`${refused}`, "Refused: block 1: method GET: it does not hold");
  assert.equal(`${new InvalidToken("the token is sealed")}`, "InvalidToken: invalid token: the token is sealed");
});

test("members may be inherited, or stand in an object of a class", () => {
  const caveats = ["method GET"];
  class Options {
    get caveats() { return caveats; }
  }
  for (const options of [new Options(), Object.create({ caveats }), Object.assign(Object.create(null), { caveats })]) {
    const one = token.mint(issuer, bytes("all"), options);
    assert.equal(text(token.inspect(one).blocks[0].caveats), "method GET");
  }
});

test("a revoked block refuses, whoever says so", () => {
  const issuer = TokenSecretKey.generate("aggregate");
  const one = token.narrow(token.mint(issuer, bytes("all")), ["method GET"]);
  const ids = token.inspect(one).blocks.map(({ revocationId }) => revocationId);
  const check = (revoked) =>
    text(token.check(one, { roots: issuer.publicKey, challenge: null, now: NOW, method: "GET", revoked }));
  for (const none of [[], new Set(), [new Uint8Array(32)], () => false]) assert.equal(check(none), "all");
  // An id is the bytes that an array has, not what it says.
  class Liar extends Uint8Array {
    every() { return false; }
  }
  ids.forEach((id, block) => {
    const same = (other) => Buffer.compare(other, id) === 0;
    const caveat = Buffer.from(id).toString("hex");
    for (const revoked of [[id], new Set([new Uint8Array(32), id.slice()]), [Liar.from(id)], same]) {
      const reason = "the block is revoked";
      const message = `block ${block}: ${caveat}: ${reason}`;
      assert.throws(() => check(revoked), { name: "Refused", block, caveat, reason, message });
    }
  });
  // The first block counts, and a revocation before a caveat.
  assert.throws(() => check([ids[1], ids[0]]), { block: 0 });
  assert.throws(() => token.check(one, { ...BARE, roots: issuer.publicKey, now: NOW, revoked: ids }), { block: 0 });
  for (const [wrong, name, message] of [
    [undefined, "TypeError", /^revoked must be/],
    [null, "TypeError", /^revoked must be/],
    [[Buffer.from(ids[0]).toString("hex")], "TypeError", /^revoked\[0\] must be/],
    [[new Uint8Array(31)], "RangeError", "revoked[0] has 31 bytes, expected 32"],
    [async () => false, "TypeError", /^revoked must return true or false/],
  ]) {
    assert.throws(() => check(wrong), { name, message });
  }
});

test("a seal is for one audience, and refuses as no block", () => {
  const sealed = token.seal(minted, challenge);
  const access = { roots, challenge, revoked: [], now: NOW, audience: "shop" };
  const reason = "it does not hold";
  const message = `seal: audience api.example.org: ${reason}`;
  assert.throws(() => token.check(sealed, access), { name: "Refused", block: undefined, reason, message });
});
