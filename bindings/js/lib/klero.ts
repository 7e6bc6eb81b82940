/// <reference lib="esnext.disposable" preserve="true" />

/**
 * ECVRF on edwards25519 in every form in use: prove, verify and evaluate, one or many.
 *
 * A verifiable random function maps an input, *alpha*, to an output of 64 bytes that only the
 * owner of a secret key can compute, and that everyone can check by a proof. The form, or
 * *suite*, has a name: see {@link suites}.
 *
 * An argument of a wrong type is a `TypeError` that names it.
 *
 * @packageDocumentation
 */

import { bytes, fromHex, iterable, kindOf, object, text, toHex } from "./bytes.js";
import type { Operation, Response } from "./engine.js";
import { fieldsOfText } from "./envelope.js";
import { type Field, fromUtf8, messageLength, utf8 } from "./message.js";
import { type Exports, secretKeys, vrf } from "./vrf.js";

export { fromHex, toHex };

/** The name of a suite. */
export type SuiteName =
  | "praos"
  | "praos-original"
  | "draft10-tai"
  | "draft10-tai-bc"
  | "draft13"
  | "draft13-bc"
  | "rfc9381-tai"
  | "rfc9381-ell2"
  | "rfc9381-tai-bc"
  | "rfc9381-ell2-bc"
  | "praos-128"
  | "praos-144"
  | "praos-blake2b"
  | "praos-tai";

/** A suite: one form of the VRF. */
export interface Suite {
  readonly name: SuiteName;
  /** The length of its proofs: 80, 128 or 144 bytes. */
  readonly proofLength: number;
  /** Who uses it, in words. */
  readonly usedBy: string;
}

/** What is claimed: that this proof proves which output the key gives to alpha. */
export interface Claim {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The input: any number of bytes. */
  readonly alpha: Uint8Array;
  /** 80, 128 or 144 bytes, depending on the suite. */
  readonly proof: Uint8Array;
  /** The output that is claimed, 64 bytes. Without it, only the proof counts. */
  readonly output?: Uint8Array | undefined;
}

/** The answer to a claim: the output of 64 bytes that the proof proves, or why it proves none. */
export type Verdict =
  | { readonly valid: true; readonly output: Uint8Array<ArrayBuffer> }
  | { readonly valid: false; readonly reason: string };

/** A proof, and the output of 64 bytes that it proves. */
export interface Proven {
  readonly proof: Uint8Array<ArrayBuffer>;
  readonly output: Uint8Array<ArrayBuffer>;
}

/** Thrown by {@link verify} if the claim is invalid. */
export class InvalidProof extends Error {
  /** Why, in the words of every Klero: such as `challenge mismatch`. */
  readonly reason: string;

  /** For this reason. */
  constructor(reason: string) {
    super(`invalid proof: ${reason}`);
    this.name = "InvalidProof";
    this.reason = reason;
  }
}

/** The claims or alphas of one call of WebAssembly, which takes memory for each. */
const MOST_ITEMS = 2048;

/** The bytes from which a call takes no further one. */
const ENOUGH_BYTES = 2 ** 24;

/** The suites, those in use first. */
export function suites(): Suite[] {
  const { fields } = vrf.call([], (wasm) => wasm.suites());
  return Array.from({ length: fields.length / 3 }, (_, i) => ({
    name: fromUtf8(fields[3 * i]) as SuiteName,
    usedBy: fromUtf8(fields[3 * i + 1]),
    proofLength: Number(fromUtf8(fields[3 * i + 2])),
  }));
}

/**
 * A secret key. It belongs to one suite: two proofs of one alpha in two suites can reveal it.
 * It lives in WebAssembly's memory until {@link SecretKey.free}, and nothing prints it. What needs it
 * after that is an `Error`.
 *
 * Proving is **not constant time** here: nobody promises how long WebAssembly takes. Where
 * others can measure the time, use Klero in Rust, C or Python.
 */
export class SecretKey {
  #suite: SuiteName;
  #publicKey: Uint8Array;

  private constructor(request: Field[], operation: Operation<Exports>) {
    const { number, fields } = vrf.callWithSecrets(request, operation);
    this.#suite = fromUtf8(fields[0]) as SuiteName;
    this.#publicKey = fields[1]!;
    secretKeys.keep(this, number);
  }

  /**
   * A new key from `crypto.getRandomValues`.
   *
   * @throws {RangeError} if no suite has this name
   */
  static generate(suite: SuiteName): SecretKey {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    try {
      return SecretKey.fromSeed(suite, seed);
    } finally {
      seed.fill(0);
    }
  }

  /**
   * The key of a seed: 32 random bytes that serve no other purpose. They are copied; wiping
   * `seed` is up to the caller.
   *
   * @throws {RangeError} if no suite has this name, or the seed has not 32 bytes
   */
  static fromSeed(suite: SuiteName, seed: Uint8Array): SecretKey {
    const request = [utf8(text(suite, "suite")), bytes(seed, "seed")];
    return new SecretKey(request, (wasm) => wasm.key_from_seed());
  }

  /**
   * The key of libsodium's 64 bytes: the seed and the public key. They are copied; wiping
   * `secret` is up to the caller.
   *
   * @throws {RangeError} if no suite has this name, or there are not 64 bytes, or their halves do
   * not belong together
   */
  static fromLibsodium(suite: SuiteName, secret: Uint8Array): SecretKey {
    const request = [utf8(text(suite, "suite")), bytes(secret, "secret")];
    return new SecretKey(request, (wasm) => wasm.key_from_libsodium());
  }

  /**
   * The key in a text, as in a key file: a text envelope, which says its suite
   * (`VrfSigningKey_PraosVRF`, as cardano-cli writes it, or `KleroVrfSigningKey_` and the name of
   * another suite); or hex, base64, Bech32 (`vrf_sk1…`) or CBOR in hex, of the suite that is given.
   *
   * @throws {SyntaxError} if it is in none of these forms
   * @throws {RangeError} if neither the text nor `suite` names a suite, or they name different ones, or
   * the public key in the text is not that of the seed
   */
  static fromEncoded(encoded: string, suite?: SuiteName): SecretKey {
    const name = suite === undefined ? undefined : utf8(text(suite, "suite"));
    const fields = fieldsOfText(encoded);
    try {
      return new SecretKey([name, ...fields], (wasm) => wasm.key_from_encoded());
    } finally {
      fields.forEach((field) => field?.fill(0));
    }
  }

  /** The suite that the key belongs to. */
  get suite(): SuiteName {
    return this.#suite;
  }

  /** The public key, 32 bytes. A copy. */
  get publicKey(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#publicKey);
  }

  /** The seed, 32 bytes: **the whole secret**. Wiping them is up to the caller. */
  toSeed(): Uint8Array<ArrayBuffer> {
    return this.#call([], (wasm, key) => wasm.key_to_seed(key))[0]!;
  }

  /**
   * libsodium's 64 bytes, the seed and the public key: **secret**. Wiping them is up to the caller.
   */
  toLibsodium(): Uint8Array<ArrayBuffer> {
    return this.#call([], (wasm, key) => wasm.key_to_libsodium(key))[0]!;
  }

  /**
   * The text envelope, for `praos` as cardano-cli writes it: **secret**. Nobody can wipe a string.
   */
  toEnvelope(): string {
    return fromUtf8(this.#call([], (wasm, key) => wasm.key_to_envelope(key))[0]);
  }

  /** The output for alpha, and its proof: always the same. */
  prove(alpha: Uint8Array): Proven {
    return this.#prove([[bytes(alpha, "alpha")]])[0]!;
  }

  /** The output for each alpha and its proof, in order, as {@link SecretKey.prove} gives them. */
  proveMany(alphas: Iterable<Uint8Array>): Proven[] {
    return this.#prove(fieldsOfAlphas(alphas));
  }

  /** The output for alpha without a proof, in half the time. */
  evaluate(alpha: Uint8Array): Uint8Array<ArrayBuffer> {
    return this.#evaluate([[bytes(alpha, "alpha")]])[0]!;
  }

  /** The output for each alpha without a proof, in order. */
  evaluateMany(alphas: Iterable<Uint8Array>): Uint8Array<ArrayBuffer>[] {
    return this.#evaluate(fieldsOfAlphas(alphas));
  }

  /** Wipes the key from memory. It can no longer prove. A second call does nothing. */
  free(): void {
    secretKeys.free(this);
  }

  /** As {@link SecretKey.free}, at the end of the block of `using key = …`. */
  declare [Symbol.dispose]: () => void;

  static {
    // Browsers from before 2025 have no such symbol.
    if (Symbol.dispose) {
      this.prototype[Symbol.dispose] = this.prototype.free;
    }
  }

  #prove(alphas: Field[][]): Proven[] {
    const all = this.#callMany(alphas, (wasm, key) => wasm.prove_many(key));
    return alphas.map((_, i) => ({ proof: all[2 * i]!, output: all[2 * i + 1]! }));
  }

  #evaluate(alphas: Field[][]): Uint8Array<ArrayBuffer>[] {
    return this.#callMany(alphas, (wasm, key) => wasm.evaluate_many(key)) as Uint8Array<ArrayBuffer>[];
  }

  /** Calls an operation with the alphas of one call after the other: all fields of the responses. */
  #callMany(alphas: Field[][], operation: KeyOperation): Response["fields"] {
    return [...groups(alphas)].flatMap((group) => this.#call(group, operation));
  }

  /** Calls an operation with this key. No code of the caller may run between the two. */
  #call(fields: readonly Field[], operation: KeyOperation): Response["fields"] {
    const key = secretKeys.numberOf(this);
    return vrf.callWithSecrets(fields, (wasm) => operation(wasm, key)).fields;
  }
}

/** An operation with the secret key of this number. */
type KeyOperation = (wasm: Exports, key: number) => number;

/** The alphas of a call, each a list of one field. */
function fieldsOfAlphas(alphas: Iterable<Uint8Array>): Field[][] {
  return Array.from(iterable(alphas, "alphas"), (alpha, i) => [bytes(alpha, `alphas[${i}]`)]);
}

/**
 * The public key in a text, 32 bytes: in a text envelope, which also names the suite that its secret
 * key belongs to, or in hex, base64, Bech32 (`vrf_vk1…`) or CBOR in hex.
 *
 * @throws {SyntaxError} if it is in none of these forms
 * @throws {RangeError} if it is not a public key that verifiers accept
 */
export function publicKeyFromEncoded(encoded: string): {
  suite: SuiteName | undefined;
  publicKey: Uint8Array<ArrayBuffer>;
} {
  const { fields } = vrf.call(fieldsOfText(encoded), (wasm) => wasm.public_key_from_encoded());
  const [suite, publicKey] = fields;
  return { suite: suite && (fromUtf8(suite) as SuiteName), publicKey: publicKey! };
}

/**
 * The text envelope of a public key, whose secret key is of this suite; for `praos` as cardano-cli
 * writes it.
 *
 * @throws {RangeError} if no suite has this name, or it is not a public key that verifiers accept
 */
export function publicKeyToEnvelope(publicKey: Uint8Array, suite: SuiteName): string {
  const request = [utf8(text(suite, "suite")), bytes(publicKey, "publicKey")];
  const { fields } = vrf.call(request, (wasm) => wasm.public_key_to_envelope());
  return fromUtf8(fields[0]);
}

/**
 * Verifies one claim: the output of 64 bytes that the proof proves.
 *
 * @throws {InvalidProof} if the claim is invalid, whatever its bytes
 * @throws {RangeError} if no suite has this name
 */
export function verify(claim: Claim & { readonly suite: SuiteName }): Uint8Array<ArrayBuffer> {
  const { suite } = object(claim, "the argument");
  const [verdict] = verifyFields(suite, [fieldsOf(claim, "")]);
  if (!verdict!.valid) {
    throw new InvalidProof(verdict!.reason);
  }
  return verdict!.output;
}

/**
 * Verifies claims of one suite: one verdict for each, in order, and the same that
 * {@link verify} gives. Of proofs of 128 bytes, many together take less time for each.
 *
 * @throws {RangeError} if no suite has this name
 */
export function verifyMany(of: {
  readonly suite: SuiteName;
  readonly claims: Iterable<Claim>;
}): Verdict[] {
  const { suite, claims } = object(of, "the argument");
  const fields = Array.from(iterable(claims, "claims"), (claim, i) => fieldsOf(claim, `claims[${i}]`));
  return verifyFields(suite, fields);
}

/**
 * An integer below `n` that an output gives, such as the number of the winner of a lottery:
 * floor(output * n / 2^512), where the 64 bytes are a number in big-endian order. Each integer has
 * probability 1/n, with a relative error below 2^-448.
 *
 * @throws {RangeError} if the output has not 64 bytes, or `n` is not from 1 to 2^64 - 1
 */
export function below(output: Uint8Array, n: bigint | number): bigint {
  const data = bytes(output, "output");
  if (data.length !== 64) {
    throw new RangeError(`output has ${data.length} bytes, expected 64`);
  }
  if (typeof n !== "bigint" && typeof n !== "number") {
    throw new TypeError(`n must be a bigint or a number, not ${kindOf(n)}`);
  }
  if ((typeof n === "number" && !Number.isSafeInteger(n)) || n < 1 || n >= 2n ** 64n) {
    throw new RangeError(`n is ${n}, expected an integer from 1 to 2^64 - 1`);
  }
  return (BigInt(`0x${toHex(data)}`) * BigInt(n)) >> 512n;
}

/** The fields of a claim, whose name in errors is `name`. */
function fieldsOf(claim: Claim, name: string): Field[] {
  const { publicKey, alpha, proof, output } = object(claim, name);
  const dot = name && `${name}.`;
  return [
    bytes(publicKey, `${dot}publicKey`),
    bytes(alpha, `${dot}alpha`),
    bytes(proof, `${dot}proof`),
    output === undefined ? undefined : bytes(output, `${dot}output`),
  ];
}

/** The verdicts on claims, each given by its fields. */
function verifyFields(suite: string, claims: Field[][]): Verdict[] {
  const name = utf8(text(suite, "suite"));
  const verdicts: Verdict[] = [];
  for (const group of groups(claims)) {
    const { fields } = vrf.call([name, ...group], (wasm) => wasm.verify_many());
    const answers = fields.values();
    for (const output of answers) {
      verdicts.push(
        output === undefined
          ? { valid: false, reason: fromUtf8(answers.next().value) }
          : { valid: true, output },
      );
    }
  }
  return verdicts;
}

/**
 * The fields of claims or alphas, those of each call of WebAssembly together. Of none there is a call
 * too: its other arguments may be wrong.
 */
function* groups(items: readonly Field[][]): Generator<Field[]> {
  let from = 0;
  do {
    let [to, size] = [from, 0];
    while (to < items.length && to - from < MOST_ITEMS && size < ENOUGH_BYTES) {
      size += messageLength(items[to]!);
      to += 1;
    }
    yield items.slice(from, to).flat();
    from = to;
  } while (from < items.length);
}
