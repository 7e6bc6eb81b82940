// A plain judge of the tests of headers.json, written from docs/header-vectors.md. It verifies VRF proofs
// by Klero and takes Ed25519 from Node; the rest is here. The checks stand in the order of the page.
// Nothing is fast.

import { createPublicKey, verify as verifySignature } from "node:crypto";

import * as klero from "klero";

/** The first rule that the header of the test breaks, or undefined. */
export function validate(context, test) {
  return brokenRules(context, test).next().value;
}

/** Every rule that the header breaks, as far as one can be judged without the ones before. */
function* brokenRules(context, test) {
  let header;
  try {
    header = decode(bytes(test.header), test.tag >= 6);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return yield "bad-header";
  }
  const slot = header.slot - BigInt(context.firstSlot);
  if (slot < 0n || slot >= BigInt(context.epochLength) || test.tag !== context.tag) yield "era";
  yield* brokenByVrf(context, header);
  yield* brokenByIssuer(context, test, header, slot);
  yield* brokenByCertificate(context, test, header);
}

function* brokenByVrf(context, header) {
  const seed = hash256(be64(header.slot), bytes(context.nonce));
  for (const [i, { output, proof }] of header.vrf.entries()) {
    const mask = header.praos ? new Uint8Array(32) : hash256(be64(BigInt(i)));
    const alpha = seed.map((byte, at) => byte ^ mask[at]);
    try {
      const proven = klero.verify({ suite: "praos", publicKey: header.vrfKey, alpha, proof });
      if (hex(proven) !== hex(output)) yield "vrf-output";
    } catch (error) {
      if (!(error instanceof klero.InvalidProof)) throw error;
      yield "vrf-proof";
    }
  }
}

function* brokenByIssuer(context, test, header, slot) {
  const [issuer, vrf] = [hex(blake2b(28, header.coldKey)), hex(hash256(header.vrfKey))];
  const [of, which] = turn(context.d, context.f, context.delegates.length, slot);
  if (of === "reserved") return yield "reserved-slot";
  if (of === "delegate") {
    const delegate = context.delegates[which];
    if (delegate.delegate !== issuer || delegate.vrf !== vrf) yield "wrong-delegate";
    return;
  }
  const { total, pools } = context.stake;
  const pool = pools.find(({ pool }) => pool === issuer);
  if (pool === undefined) return yield "unknown-pool";
  if ((pool.vrf ?? vrf) !== vrf) yield "other-vrf-key";
  if (pool.vrf === undefined && (test.vrfSeen ?? vrf) !== vrf) yield "two-vrf-keys";
  const { output } = header.vrf.at(-1);
  const value = header.praos ? hash256(Buffer.from("L"), output) : output;
  if (!leads(context.f, BigInt(pool.stake), BigInt(total), value)) yield "leader-value";
}

function* brokenByCertificate(context, test, header) {
  const { hotKey, number, firstPeriod } = header;
  const evolution = header.slot / BigInt(context.slotsPerKesPeriod) - firstPeriod;
  if (evolution < 0n) yield "kes-before-start";
  else if (evolution >= BigInt(context.maxKesEvolutions)) yield "kes-after-end";
  else if (!sumKes(6, hotKey, Number(evolution), header.body, header.kesSignature)) yield "kes-signature";
  const signed = Buffer.concat([hotKey, be64(number), be64(firstPeriod)]);
  if (!ed25519(header.coldKey, signed, header.certificate)) yield "opcert-signature";
  const last = BigInt(test.lastNumber ?? 0);
  if (number < last) yield "opcert-number-too-small";
  if (header.praos && number > last + 1n) yield "opcert-number-too-large";
}

// The lottery and the overlay. Numbers are integers of units of 10^-34.

const ONE = 10n ** 34n;
const EPSILON = 10n ** 10n;

/** Whether a pool with this stake leads with the leader value, 32 or 64 bytes. */
export function leads(f, stake, total, value) {
  const [numerator, denominator] = ratio(f);
  if (numerator === denominator) return true;
  const largest = 256n ** BigInt(value.length);
  const reciprocal = over(largest, largest - BigInt(`0x${hex(value)}`));
  const x = -times(over(stake, total), log(ONE - over(numerator, denominator)));
  let [partial, term] = [ONE, x];
  for (let number = 2n; number < 1002n; number += 1n) {
    [partial, term] = [partial + term, floor(times(term, x), number)];
    if (reciprocal >= partial + 3n * term) return false;
    if (reciprocal < partial - 3n * term) return true;
  }
  return false;
}

/** ln x for 0 < x < 1: n + ln(x / e^n), where e^n is the largest power that is not above x. */
function log(x) {
  const n = floorLog(x);
  return n * ONE + logPlusOne(over(x, power(E, n)) - ONE);
}

function floorLog(x) {
  let [low, high, lower, upper] = [-1n, 1n, over(ONE, E), E];
  while (x < lower || x > upper) {
    [low, high, lower, upper] = [2n * low, 2n * high, times(lower, lower), times(upper, upper)];
  }
  while (low + 1n < high) {
    const middle = floor(low + high, 2n);
    if (x < power(E, middle)) high = middle;
    else low = middle;
  }
  return low;
}

/** ln(1 + x) = x/(1 + x/(2 + x/(3 + 4x/(4 + 4x/(5 + ..., until two convergents are closer than 10^-24. */
function logPlusOne(x) {
  let [a, lastA, b, lastB] = [0n, ONE, ONE, 0n];
  let convergent;
  for (let n = 1n; n <= 1000n; n += 1n) {
    const factor = x * (n < 2n ? 1n : n / 2n) ** 2n;
    [a, lastA] = [n * a + times(factor, lastA), a];
    [b, lastB] = [n * b + times(factor, lastB), b];
    const last = convergent;
    convergent = over(a, b);
    if (last !== undefined && convergent - last < EPSILON && last - convergent < EPSILON) break;
  }
  return convergent;
}

/** e by its series, as long as terms are 10^-24 or more. */
function euler() {
  let [sum, term] = [ONE, ONE];
  for (let number = 2n; term >= EPSILON; number += 1n) {
    [sum, term] = [sum + term, term / number];
  }
  return sum;
}

function power(x, n) {
  if (n < 0n) return over(ONE, power(x, -n));
  if (n === 0n) return ONE;
  if (n % 2n === 1n) return times(x, power(x, n - 1n));
  const root = power(x, n / 2n);
  return times(root, root);
}

/** The quotient, rounded down; `/` rounds to 0. No divisor is negative. */
function floor(x, y) {
  return x / y - (x < 0n && x % y !== 0n ? 1n : 0n);
}

const times = (x, y) => floor(x * y, ONE);
const over = (x, y) => floor(x * ONE, y);
const ratio = (text) => text.split("/").map(BigInt);
const E = euler();

/** Whose the slot is: ["lottery"], ["reserved"], or ["delegate", which one]. */
export function turn(d, f, delegates, slot) {
  const [[above, below], [numerator, denominator]] = [ratio(d), ratio(f)];
  if (above === 0n) return ["lottery"];
  // The first k for which k/d is not below the slot.
  const k = -floor(-BigInt(slot) * above, below);
  if (floor(k * below, above) !== BigInt(slot)) return ["lottery"];
  const n = denominator / numerator;
  return k % n === 0n ? ["delegate", Number((k / n) % BigInt(delegates))] : ["reserved"];
}

// Signatures and hashes.

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;
// The y of the points of order 8; it is the same but for the sign.
const EIGHTH = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
// The y of the points of order 1, 2, 4 and 8, and those that are p more.
const SMALL_ORDER = [0n, 1n, P - 1n, P, P + 1n, EIGHTH, P - EIGHTH];

/** By libsodium's rules: s below L, no key or R of small order, and a key in its one encoding. */
function ed25519(key, message, signature) {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  if (y(key) >= P || [key, r].some((point) => SMALL_ORDER.includes(y(point)))) return false;
  if (littleEndian(s) >= L) return false;
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") };
  return verifySignature(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}

const littleEndian = (encoded) => BigInt(`0x${hex(Uint8Array.from(encoded).reverse())}`);
const y = (point) => littleEndian(point) % 2n ** 255n;

/** A signature of Sum KES of this depth ends with the keys of its two halves, whose hash is its key. */
function sumKes(depth, key, evolution, message, signature) {
  if (depth === 0) return evolution === 0 && ed25519(key, message, signature);
  const [inner, left, right] = [signature.subarray(0, -64), signature.subarray(-64, -32), signature.subarray(-32)];
  if (hex(hash256(left, right)) !== hex(key)) return false;
  const half = 2 ** (depth - 1);
  return evolution < half
    ? sumKes(depth - 1, left, evolution, message, inner)
    : sumKes(depth - 1, right, evolution - half, message, inner);
}

const bytes = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const hex = (data) => Buffer.from(data).toString("hex");
const be64 = (number) => bytes(number.toString(16).padStart(16, "0"));
const hash256 = (...parts) => blake2b(32, ...parts);

// Headers in CBOR.

class Malformed extends Error {}

function decode(encoded, praos) {
  const reader = new Reader(encoded);
  const header = { praos };
  reader.array(2);
  const begin = reader.at;
  reader.array(praos ? 10 : 15);
  reader.number();
  header.slot = reader.number();
  reader.hashOrNull();
  [header.coldKey, header.vrfKey] = [reader.bytes(32), reader.bytes(32)];
  header.vrf = praos ? [reader.vrf()] : [reader.vrf(), reader.vrf()];
  reader.number();
  reader.bytes(32);
  if (praos) reader.array(4);
  [header.hotKey, header.number, header.firstPeriod] = [reader.bytes(32), reader.number(), reader.number()];
  header.certificate = reader.bytes(64);
  if (praos) reader.array(2);
  reader.number();
  reader.number();
  header.body = encoded.subarray(begin, reader.at);
  header.kesSignature = reader.bytes(448);
  if (reader.at !== encoded.length) throw new Malformed();
  return header;
}

class Reader {
  constructor(encoded) {
    this.encoded = encoded;
    this.at = 0;
  }

  take(size) {
    this.at += size;
    if (this.at > this.encoded.length) throw new Malformed();
    return this.encoded.subarray(this.at - size, this.at);
  }

  head(kind) {
    const [first] = this.take(1);
    const short = first & 31;
    if (first >> 5 !== kind || short > 27) throw new Malformed();
    return short < 24 ? BigInt(short) : BigInt(`0x${hex(this.take(2 ** (short - 24)))}`);
  }

  number() {
    return this.head(0);
  }

  bytes(size) {
    if (this.head(2) !== BigInt(size)) throw new Malformed();
    return this.take(size);
  }

  array(size) {
    if (this.head(4) !== BigInt(size)) throw new Malformed();
  }

  hashOrNull() {
    if (this.encoded[this.at] === 0xf6) this.take(1);
    else this.bytes(32);
  }

  vrf() {
    this.array(2);
    return { output: this.bytes(64), proof: this.bytes(80) };
  }
}

// BLAKE2b without a key, by RFC 7693. Node has it with outputs of 64 bytes only.

const WORDS = 2n ** 64n;
const INITIAL = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((digits) => [...digits].map((digit) => parseInt(digit, 16)));
const COLUMNS_AND_DIAGONALS = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];

function blake2b(size, ...parts) {
  const message = Buffer.concat(parts);
  const state = INITIAL.map((word, i) => (i === 0 ? word ^ BigInt(0x01010000 + size) : word));
  for (let at = 0; at === 0 || at < message.length; at += 128) {
    const block = Buffer.alloc(128);
    message.copy(block, 0, at);
    const isLast = at + 128 >= message.length;
    compress(state, block, BigInt(isLast ? message.length : at + 128), isLast);
  }
  const words = Buffer.alloc(64);
  state.forEach((word, i) => words.writeBigUInt64LE(word, 8 * i));
  return Uint8Array.from(words.subarray(0, size));
}

function compress(state, block, count, isLast) {
  const m = Array.from({ length: 16 }, (_, i) => block.readBigUInt64LE(8 * i));
  const v = [...state, ...INITIAL];
  v[12] ^= count;
  if (isLast) v[14] ^= WORDS - 1n;
  for (let round = 0; round < 12; round += 1) {
    const order = ORDERS[round % 10];
    for (const [i, [a, b, c, d]] of COLUMNS_AND_DIAGONALS.entries()) {
      for (const [word, byD, byB] of [[m[order[2 * i]], 32n, 24n], [m[order[2 * i + 1]], 16n, 63n]]) {
        v[a] = (v[a] + v[b] + word) % WORDS;
        v[d] = rotated(v[d] ^ v[a], byD);
        v[c] = (v[c] + v[d]) % WORDS;
        v[b] = rotated(v[b] ^ v[c], byB);
      }
    }
  }
  for (let i = 0; i < 8; i += 1) state[i] ^= v[i] ^ v[i + 8];
}

const rotated = (word, by) => (word >> by) | ((word << (64n - by)) % WORDS);
