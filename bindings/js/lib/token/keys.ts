/// <reference lib="esnext.disposable" preserve="true" />

// Keys of issuers and third parties.

import { bytes, bytesOf, kindOf, text } from "../bytes.js";
import { type Field, fromUtf8, utf8 } from "../message.js";
import { call, secretKeys } from "./engine.js";

/** The name of a scheme of tokens. */
export type TokenScheme = "chain" | "aggregate";

/** What a key is for: tokens of a scheme, or a third party's statements in all tokens. */
export type TokenKeyScheme = TokenScheme | "ed25519";

/**
 * What a public key is for: besides, to hold tokens and to make statements, by ES256 signatures or by a
 * passkey.
 */
export type TokenPublicKeyScheme = TokenKeyScheme | "es256" | "passkey";

// What the classes alone can do, for this package.

/** A public key from the fields of a response. */
let publicKey: (scheme: string, fields: readonly Field[]) => TokenPublicKey;

/** Whether it is a public key. */
export let isPublicKey: (value: unknown) => value is TokenPublicKey;

/** The scheme and the bytes of a public key. */
export let fieldsOf: (key: TokenPublicKey) => Field[];

/** The number of the secret key `key`, if it is one and was not freed. */
export let numberOf: (key: unknown) => number;

/**
 * A public key: of an issuer, for tokens of one scheme, or of a third party or a holder (`ed25519`,
 * `es256` or `passkey`). Its text is that of a caveat `vouched` and of the `klero` command.
 */
export class TokenPublicKey {
  readonly #scheme: TokenPublicKeyScheme;
  readonly #text: string;
  readonly #bytes: Uint8Array;

  /** For a scheme, and the text and the bytes of a key in fields. */
  private constructor(scheme: string, [text, bytes]: readonly Field[]) {
    this.#scheme = scheme as TokenPublicKeyScheme;
    this.#text = fromUtf8(text);
    this.#bytes = new Uint8Array(bytes!);
  }

  static {
    publicKey = (scheme, fields) => new TokenPublicKey(scheme, fields);
    isPublicKey = (value): value is TokenPublicKey =>
      typeof value === "object" && value !== null && #bytes in value;
    fieldsOf = (key) => [utf8(key.#scheme), key.#bytes];
  }

  /**
   * The key of 32 bytes; of `es256` and `passkey` 33, the compressed point.
   *
   * @throws {RangeError} if there is no such scheme, or verifiers accept no such key
   */
  static fromBytes(scheme: TokenPublicKeyScheme, key: Uint8Array): TokenPublicKey {
    const fields = [utf8(text(scheme, "scheme")), bytes(key, "key")];
    return publicKey(scheme, call(fields, (wasm) => wasm.public_key_from_bytes()).fields);
  }

  /**
   * The ES256 key or passkey of an SPKI, such as the `getPublicKey()` of what
   * `navigator.credentials.create` returned.
   *
   * @throws {RangeError} if it is no key of P-256
   */
  static fromSpki(scheme: "es256" | "passkey", spki: Uint8Array | ArrayBuffer): TokenPublicKey {
    const fields = [utf8(text(scheme, "scheme")), bytesOf(spki, "spki")];
    return publicKey(scheme, call(fields, (wasm) => wasm.public_key_from_spki()).fields);
  }

  /**
   * The key of a text: the name of the scheme, a colon, and base64url.
   *
   * @throws {SyntaxError} if it is not the text of a key that verifiers accept. It repeats nothing
   * of what stands in the place of the bytes
   */
  static fromText(key: string): TokenPublicKey {
    const { fields } = call([utf8(text(key, "key"))], (wasm) => wasm.public_key_from_text());
    return publicKey(fromUtf8(fields[0]).split(":")[0]!, fields);
  }

  /** What the key is for. */
  get scheme(): TokenPublicKeyScheme {
    return this.#scheme;
  }

  /** The 32 or 33 bytes. A copy. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes);
  }

  /** The text, such as `chain:` and 43 characters. */
  toString(): string {
    return this.#text;
  }

  /** The text. */
  toJSON(): string {
    return this.#text;
  }

  /** Whether it is the same key, for the same scheme. */
  equals(other: TokenPublicKey): boolean {
    return isPublicKey(other) && this.#text === other.#text;
  }
}

/**
 * A secret key: of an issuer, for tokens of one scheme, or of a third party, for statements in
 * tokens of every scheme. It lives in WebAssembly's memory until {@link TokenSecretKey.free}, and
 * nothing prints it. What needs it after that is an `Error`.
 *
 * Signing is **not constant time** here: nobody promises how long WebAssembly takes. Where
 * others can measure the time, use Klero in Rust or Python.
 */
export class TokenSecretKey {
  readonly #publicKey: TokenPublicKey;

  private constructor(scheme: string, seed: Uint8Array) {
    const request = [utf8(text(scheme, "scheme")), bytes(seed, "seed")];
    const { number, fields } = call(request, (wasm) => wasm.key_from_seed());
    secretKeys.keep(this, number);
    this.#publicKey = publicKey(scheme, fields);
  }

  static {
    // Browsers from before 2025 have no such symbol.
    if (Symbol.dispose) {
      this.prototype[Symbol.dispose] = this.prototype.free;
    }
    numberOf = (key) => {
      if (typeof key !== "object" || key === null || !(#publicKey in key)) {
        throw new TypeError(`key must be a TokenSecretKey, not ${kindOf(key)}`);
      }
      return secretKeys.numberOf(key);
    };
  }

  /**
   * A new key from `crypto.getRandomValues`.
   *
   * @throws {RangeError} if there is no such scheme
   */
  static generate(scheme: TokenKeyScheme = "chain"): TokenSecretKey {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    try {
      return TokenSecretKey.fromSeed(scheme, seed);
    } finally {
      seed.fill(0);
    }
  }

  /**
   * The key of a seed: 32 secret, uniformly random bytes that are used for nothing else. They are
   * copied; wiping `seed` is up to the caller.
   *
   * @throws {RangeError} if there is no such scheme, or the seed has not 32 bytes
   */
  static fromSeed(scheme: TokenKeyScheme, seed: Uint8Array): TokenSecretKey {
    return new TokenSecretKey(scheme, seed);
  }

  /** What the key is for. */
  get scheme(): TokenKeyScheme {
    return this.#publicKey.scheme as TokenKeyScheme;
  }

  /** The public key. */
  get publicKey(): TokenPublicKey {
    return this.#publicKey;
  }

  /** The seed, 32 bytes: **the whole secret**. Wiping them is up to the caller. */
  toSeed(): Uint8Array<ArrayBuffer> {
    const number = numberOf(this);
    return call([], (wasm) => wasm.key_to_seed(number)).fields[0]!;
  }

  /** Wipes the key from memory. It can no longer sign. A second call does nothing. */
  free(): void {
    secretKeys.free(this);
  }

  /** As {@link TokenSecretKey.free}, at the end of the block of `using key = …`. */
  declare [Symbol.dispose]: () => void;
}
