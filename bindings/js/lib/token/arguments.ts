// What callers pass, as the fields of requests. What is wrong is an error that names the argument.

import { bytes, bytesOf, iterable, kindOf, object, text } from "../bytes.js";
import { type Field, messageLength, utf8, writeMessage } from "../message.js";
import { type TokenPublicKey, fieldsOf, isPublicKey } from "./keys.js";

/** A whole number: of seconds, blocks or bytes. */
export type Integer = number | bigint;

/** The issuers' public keys: one, whose number is 0, or pairs of number and key, such as a `Map`. */
export type RootKeys = TokenPublicKey | Iterable<readonly [number, TokenPublicKey]>;

/**
 * The size of the largest token. A larger one is refused before anything is computed for it, and what
 * is left out is 64 signatures, 256 caveats, 65536 bytes.
 */
export interface Limits {
  /** The most signatures: one for each block, one more for a statement in it, and one for a seal. */
  readonly signatures?: number | undefined;
  /** The most caveats. */
  readonly caveats?: number | undefined;
  /** The most bytes of the encoding, of which the text is a third longer: up to 2^20. */
  readonly bytes?: number | undefined;
}

/**
 * What a verifier sets, so that it accepts a token for one use. Holder and verifier build the same one.
 * The verifier decides how long it is good, and accepts each nonce once.
 */
export interface Challenge {
  /** Bytes that the verifier has never used before: 16 or more random ones. */
  readonly nonce: Uint8Array;
  /** The name of the verifier. */
  readonly audience: string;
  /** When it was made, in seconds since 1970. */
  readonly time: Integer;
}

/** For whom a verifier takes what passkeys sign. */
export interface RelyingParty {
  /** The domain that the passkeys belong to: `rp.id`. */
  readonly id: string;
  /** The pages that may ask, such as `https://www.example.org`, without a slash at the end. */
  readonly origins: Iterable<string> & object;
  /** Whether the authenticator must have verified the user, and not only have noticed one. */
  readonly userVerification: boolean;
}

/**
 * What `navigator.credentials.get` returned, its `response`; or the same members from elsewhere.
 */
export interface PasskeyAssertion {
  readonly authenticatorData: Uint8Array | ArrayBuffer;
  readonly clientDataJSON: Uint8Array | ArrayBuffer;
  /** In DER. */
  readonly signature: Uint8Array | ArrayBuffer;
}

/** Caveats, each a text. (A string is itself a list of texts, and is none of caveats.) */
export type Caveats = Iterable<string> & object;

/** The default limit of bytes. */
const MOST_BYTES = 65_536;

const MOST = { 20: 2n ** 20n, 32: 2n ** 32n - 1n, 64: 2n ** 64n - 1n };

/** The names of all members of an object, its own and inherited ones, but those that every object has. */
function namesOf(value: object): string[] {
  const names = new Set<PropertyKey>();
  for (let on: object | null = value; on !== null; on = Object.getPrototypeOf(on)) {
    for (const name of Reflect.ownKeys(on)) names.add(name);
  }
  return [...names].filter((name) => typeof name === "string" && !(name in Object.prototype)) as string[];
}

/**
 * The argument `name`, if it is an object and has no other members than these: one that is misspelt
 * would be one that is missing. So would those in a `Map`, or behind a promise, which has the member
 * `then`. Without an argument there are none.
 */
export function members<T extends object>(value: T | undefined, name: string, known: readonly string[]): T {
  if (value === undefined) return {} as T;
  const wrong = namesOf(object(value, name)).find((member) => !known.includes(member));
  if (wrong !== undefined) {
    throw new TypeError(`${name} has the member ${JSON.stringify(wrong)}, expected ${known.join(", ")}`);
  }
  return value;
}

/** The argument `name`, an integer of at most this many bits; of 20 bits, also 2^20. */
export function integer(value: unknown, name: string, bits: 20 | 32 | 64): Uint8Array {
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw new TypeError(`${name} must be a number or a bigint, not ${kindOf(value)}`);
  }
  if ((typeof value === "number" && !Number.isSafeInteger(value)) || value < 0 || value > MOST[bits]) {
    const most = bits === 20 ? "2^20" : `2^${bits} - 1`;
    throw new RangeError(`${name} is ${value}, expected an integer from 0 to ${most}`);
  }
  const field = new Uint8Array(8);
  new DataView(field.buffer).setBigUint64(0, BigInt(value), true);
  return field;
}

/** The argument `name`, a text that must arrive as it is: without half of a pair of surrogates. */
export function unicode(value: unknown, name: string): Uint8Array {
  const half = text(value, name).search(/[\ud800-\udfff]/u);
  if (half >= 0) {
    throw new RangeError(`${name} is not Unicode: half of a surrogate pair at position ${half}`);
  }
  return utf8(value as string);
}

/** The same, or absent. */
export function optional(value: unknown, name: string): Field {
  return value === undefined ? undefined : unicode(value, name);
}

/**
 * The argument `name`, a text that may come from anyone. Of one that is longer than the limits allow only
 * the length is sent: WebAssembly never gives back the memory that it once had.
 */
export function untrusted(value: unknown, name: string, limits?: Limits): Field[] {
  const field = utf8(text(value, name));
  // Four characters encode three bytes.
  const longest = 2 * Number(limits?.bytes ?? MOST_BYTES) + 4;
  return field.length > longest ? [undefined, integer(field.length, name, 64)] : [field];
}

/** Caveats, each a text. */
export function caveatFields(caveats: Caveats): Field[] {
  if (typeof caveats === "string") {
    throw new TypeError('caveats must be an array, not string: one caveat is ["method GET"]');
  }
  return Array.from(iterable(caveats, "caveats"), (caveat, i) => unicode(caveat, `caveats[${i}]`));
}

/** Fields of a request: pairs, or an object. */
export function pairFields(pairs: Iterable<readonly [string, string]> | Readonly<Record<string, string>>): Field[] {
  const list = Symbol.iterator in object(pairs, "fields") ? pairs : Object.entries(pairs);
  return Array.from(iterable(list as Iterable<unknown>, "fields"), (pair, i) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw new TypeError(`fields[${i}] must be a name and a value`);
    }
    return [unicode(pair[0], `fields[${i}], the name,`), unicode(pair[1], `fields[${i}], the value,`)];
  }).flat();
}

/** The ids of blocks that are revoked, 32 bytes each, or a function that says whether an id is one. */
export type Revoked = Iterable<Uint8Array> | ((id: Uint8Array<ArrayBuffer>) => boolean);

/** The argument `revoked`, as a function. What is no id is an error: passed over, it would revoke nothing. */
export function revokedBy(revoked: Revoked): (id: Uint8Array<ArrayBuffer>) => unknown {
  if (typeof revoked === "function") return revoked;
  const ids = Array.from(iterable(revoked as Iterable<unknown>, "revoked"), (id, i) => {
    const revoked = bytes(id, `revoked[${i}]`);
    if (revoked.length !== 32) throw new RangeError(`revoked[${i}] has ${revoked.length} bytes, expected 32`);
    return revoked;
  });
  return (id) => ids.some((other) => other.every((byte, i) => byte === id[i]));
}

/** Fields as one. */
function message(fields: readonly Field[]): Uint8Array {
  const field = new Uint8Array(messageLength(fields));
  writeMessage(new DataView(field.buffer), fields);
  return field;
}

/** Limits. */
export function limitsField(limits: Limits | undefined): Uint8Array {
  const given = members(limits, "limits", ["signatures", "caveats", "bytes"]);
  const field = (name: keyof Limits, bits: 20 | 32) => {
    const limit = given[name];
    return limit === undefined ? undefined : integer(limit, `limits.${name}`, bits);
  };
  return message([field("signatures", 32), field("caveats", 32), field("bytes", 20)]);
}

/** Root keys. */
export function rootsField(roots: RootKeys): Uint8Array {
  const pairs: Iterable<unknown> = isPublicKey(roots) ? [[0, roots]] : roots;
  if (typeof pairs !== "object" || pairs === null || !(Symbol.iterator in pairs)) {
    throw new TypeError(`roots must be a TokenPublicKey or a Map of them by number, not ${kindOf(roots)}`);
  }
  const fields = Array.from(pairs, (pair, i) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw new TypeError(`roots[${i}] must be a number and a TokenPublicKey`);
    }
    const [id, key] = pair;
    if (!isPublicKey(key)) {
      throw new TypeError(`roots[${i}] must have a TokenPublicKey, not ${kindOf(key)}`);
    }
    return [integer(id, `roots[${i}], the number,`, 32), ...fieldsOf(key)];
  });
  return message(fields.flat());
}

/** A challenge. */
export function challengeField(challenge: Challenge): Uint8Array {
  const { nonce, audience, time } = object(challenge, "challenge");
  return message([
    bytes(nonce, "challenge.nonce"),
    unicode(audience, "challenge.audience"),
    integer(time, "challenge.time", 64),
  ]);
}

/** A relying party. */
export function relyingPartyField(party: RelyingParty): Uint8Array {
  const known = ["id", "origins", "userVerification"];
  const { id, origins, userVerification } = members(object(party, "relyingParty"), "relyingParty", known);
  if (typeof userVerification !== "boolean") {
    throw new TypeError(`relyingParty.userVerification must be true or false, not ${kindOf(userVerification)}`);
  }
  const named = Array.from(iterable(origins, "relyingParty.origins"), (origin, i) =>
    unicode(origin, `relyingParty.origins[${i}]`),
  );
  return message([integer(Number(userVerification), "", 32), unicode(id, "relyingParty.id"), ...named]);
}

/** What a device signed: a signature, or what a passkey returned. */
export function signatureFields(signature: Uint8Array | PasskeyAssertion): Field[] {
  if (typeof signature === "object" && signature !== null && "clientDataJSON" in signature) {
    return [
      bytesOf(signature.signature, "signature.signature"),
      bytesOf(signature.authenticatorData, "signature.authenticatorData"),
      bytesOf(signature.clientDataJSON, "signature.clientDataJSON"),
    ];
  }
  return [bytes(signature, "signature")];
}

/** The key of whoever holds a token or makes a statement. */
export function partyFields(key: TokenPublicKey): Field[] {
  if (!isPublicKey(key)) throw new TypeError(`key must be a TokenPublicKey, not ${kindOf(key)}`);
  return fieldsOf(key);
}
