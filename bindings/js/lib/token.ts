/**
 * Attenuable tokens, which a holder can narrow offline and nobody can widen.
 *
 * The issuer signs the first block, with rights and caveats; each holder can add one that narrows the
 * token, without any key; and a verifier needs only the issuer's public key. {@link check} returns the
 * rights if all caveats hold for a request. Take rights from it alone: whoever held the token may
 * have written all blocks but the first.
 *
 * A caveat is a text, in exactly one form:
 *
 * ```text
 * before 2026-11-23T06:15:00Z   now is earlier
 * after 2026-11-23T06:15:00Z    now is this time or later
 * audience NAME                 the service is NAME
 * path /files                   the path of the request is this one or below it
 * method GET HEAD               the method is one of these
 * NAME = VALUE                  the field NAME of the request is VALUE
 * NAME in A B C                 the field is one of these, none of which has a space
 * NAME at most 100              the field is an integer, and not above this one
 * NAME at least 1               the field is an integer, and not below this one
 * vouched ed25519:... TEXT      the third party with this key stated TEXT, in a later block
 * depth 2                       at most 2 blocks follow this one
 * ```
 *
 * An argument of a wrong type is a `TypeError` that names it, and so is a member of options that has
 * another name than those that are known.
 *
 * @packageDocumentation
 */

import { bytes, kindOf, object, toHex } from "./bytes.js";
import { type Field, fromUtf8 } from "./message.js";
import {
  type Caveats,
  type Challenge,
  type Integer,
  type Limits,
  type PasskeyAssertion,
  type RelyingParty,
  type Revoked,
  type RootKeys,
  caveatFields,
  challengeField,
  integer,
  limitsField,
  members,
  optional,
  pairFields,
  partyFields,
  relyingPartyField,
  revokedBy,
  rootsField,
  signatureFields,
  unicode,
  untrusted,
} from "./token/arguments.js";
import { type Exports, call } from "./token/engine.js";
import { InvalidToken, Refused } from "./token/errors.js";
import {
  type TokenKeyScheme,
  type TokenPublicKeyScheme,
  type TokenScheme,
  TokenPublicKey,
  TokenSecretKey,
  numberOf,
} from "./token/keys.js";

export { InvalidToken, Refused, TokenPublicKey, TokenSecretKey };
export type { Caveats, Challenge, Integer, Limits, PasskeyAssertion, RelyingParty, Revoked, RootKeys };
export type { TokenKeyScheme, TokenPublicKeyScheme, TokenScheme };

/** What {@link mint} may be told beside the rights. */
export interface Minting {
  /** Conditions on requests. */
  readonly caveats?: Caveats | undefined;
  /** The number by which verifiers find the key: 0 unless keys change. */
  readonly rootId?: number | undefined;
  /** Those of this token, instead of the default ones. */
  readonly limits?: Limits | undefined;
}

/** What a holder may tell who adds to a token. */
export interface Holding {
  /** If given, the token is verified first. */
  readonly roots?: RootKeys | undefined;
  /** With `roots`: for whom what passkeys sign is taken. Without it, that is invalid. */
  readonly relyingParty?: RelyingParty | undefined;
  /** Those to read the token with and to keep, instead of the default ones. */
  readonly limits?: Limits | undefined;
}

/** What is told of a token that a device holds. */
export interface HoldingBytes {
  /** Those to read the token with and to keep, instead of the default ones. */
  readonly limits?: Limits | undefined;
}

/** What a verifier knows. */
export interface Verifying {
  /** Whose tokens it accepts. */
  readonly roots: RootKeys;
  /**
   * With it only a token sealed to it is valid, and `audience` must be its own; with `null` only one that
   * is not sealed. It must be said.
   */
  readonly challenge: Challenge | null;
  /** For whom it takes what passkeys sign. Without it, that is invalid. */
  readonly relyingParty?: RelyingParty | undefined;
  /** Those to read the token with, instead of the default ones. */
  readonly limits?: Limits | undefined;
}

/** A verifier's request. A caveat on what it does not tell refuses. */
export interface Access extends Verifying {
  /**
   * What is revoked: ids of blocks, or a function that says whether an id is one; `[]` if nothing is. It
   * must be said.
   */
  readonly revoked: Revoked;
  /** The time in seconds since 1970, such as `Math.floor(Date.now() / 1000)`. */
  readonly now: Integer;
  /** The name of the service. */
  readonly audience?: string | undefined;
  /** The path of the request as it arrived, without the query. */
  readonly path?: string | undefined;
  /** The method of the request. */
  readonly method?: string | undefined;
  /** Fields of the application's choice. Of two with one name, both must have the value. */
  readonly fields?: Iterable<readonly [string, string]> | Readonly<Record<string, string>> | undefined;
  /** Whether a block of bytes allows the request. Without it, such a block refuses. */
  readonly accept?: ((payload: Uint8Array<ArrayBuffer>) => boolean) | undefined;
}

/** A block of a token. */
export interface TokenBlock {
  /**
   * `root` (signed by the issuer), `caveats` (which narrow the token), `statement` (signed by a third
   * party) or `opaque` (bytes that mean nothing here).
   */
  readonly kind: "root" | "caveats" | "statement" | "opaque";
  /** Bytes whose meaning is up to the application. */
  readonly payload: Uint8Array<ArrayBuffer>;
  /** The caveats of a block `root` or `caveats`, one to a line. */
  readonly caveats: Uint8Array<ArrayBuffer>;
  /** The public key of the third party of a block `statement`, 32 or 33 bytes. */
  readonly thirdParty: Uint8Array<ArrayBuffer> | undefined;
  /** How that key signs. */
  readonly thirdPartyKind: "ed25519" | "es256" | "passkey" | undefined;
  /** The identifier, 32 bytes, by which the block and every token with it is revoked. */
  readonly revocationId: Uint8Array<ArrayBuffer>;
}

/** What a token says: not verified, unless {@link verify} returned it. */
export interface TokenContent {
  readonly scheme: TokenScheme;
  /** The number of the root key. */
  readonly rootId: number;
  /** Whether the token answers a challenge, and nothing can be added to it. */
  readonly sealed: boolean;
  /**
   * Whether a device has the token's last key: only the device can seal the token, and nothing can be
   * added to it.
   */
  readonly held: boolean;
  /** The blocks, the issuer's first. */
  readonly blocks: readonly TokenBlock[];
}

const HOLDING = ["roots", "relyingParty", "limits"];
const VERIFYING = [...HOLDING, "challenge"];
const ACCESS = [...VERIFYING, "revoked", "now", "audience", "path", "method", "fields", "accept"];

/** The first fields of a request about a token, of which the last three may be absent. */
function asked(
  token: string,
  limits: Limits | undefined,
  roots?: Field,
  challenge?: Field,
  relyingParty?: RelyingParty,
): Field[] {
  const field = limitsField(limits);
  const party = relyingParty === undefined ? undefined : relyingPartyField(relyingParty);
  return [...untrusted(token, "token", limits), field, roots, challenge, party];
}

/** The same for a holder. */
function askedByHolder(token: string, holding: Holding | undefined, challenge?: Field): Field[] {
  const { roots, relyingParty, limits } = members(holding, "options", HOLDING);
  if (relyingParty !== undefined && roots === undefined) {
    throw new TypeError("relyingParty needs roots: without them nothing is verified");
  }
  return asked(token, limits, roots === undefined ? undefined : rootsField(roots), challenge, relyingParty);
}

/** The same for a verifier. */
function askedByVerifier(token: string, { roots, challenge, relyingParty, limits }: Verifying): Field[] {
  const field = challenge === null ? undefined : challengeField(challenge);
  return asked(token, limits, rootsField(roots), field, relyingParty);
}

/** The text with which an operation responds. */
function textOf(fields: readonly Field[], operation: (wasm: Exports) => number): string {
  return fromUtf8(call(fields, operation).fields[0]);
}

/** What a response says about a token. */
function contentOf([scheme, rootId, form, ...blocks]: readonly Field[]): TokenContent {
  const named = fromUtf8(form);
  return {
    scheme: fromUtf8(scheme) as TokenScheme,
    rootId: Number(fromUtf8(rootId)),
    sealed: named === "sealed",
    held: named === "held",
    blocks: Array.from({ length: blocks.length / 6 }, (_, i) => {
      const [kind, payload, caveats, thirdParty, by, revocationId] = blocks.slice(6 * i, 6 * i + 6);
      const thirdPartyKind = by === undefined ? undefined : fromUtf8(by);
      return { kind: fromUtf8(kind), payload, caveats, thirdParty, thirdPartyKind, revocationId } as TokenBlock;
    }),
  };
}

/**
 * A new token of one block, signed by the issuer's key, as text: rights, whose meaning is up to the
 * application, and caveats. Whoever has the text can use the token: treat it as a password.
 *
 * @throws {SyntaxError} if a caveat is not one; the message says which, and how to write it
 * @throws {RangeError} if the key is not an issuer's, or a number is out of its range
 * @throws {InvalidToken} if the token would exceed the limits
 */
export function mint(key: TokenSecretKey, rights: Uint8Array, options?: Minting): string {
  const { caveats, rootId = 0, limits } = members(options, "options", ["caveats", "rootId", "limits"]);
  const conditions = caveats === undefined ? [] : caveatFields(caveats);
  const fields = [limitsField(limits), bytes(rights, "rights"), ...conditions];
  integer(rootId, "options.rootId", 32);
  const number = numberOf(key);
  return textOf(fields, (wasm) => wasm.mint(number, Number(rootId)));
}

/**
 * The token with one more block, of caveats, which narrow it. No key is needed.
 *
 * @throws {SyntaxError} if a caveat is not one; the message says which, and how to write it
 * @throws {InvalidToken} if the token is invalid, sealed or held by a device, or would exceed the limits
 */
export function narrow(token: string, caveats: Caveats, options?: Holding): string {
  const fields = [...askedByHolder(token, options), ...caveatFields(caveats)];
  return textOf(fields, (wasm) => wasm.narrow());
}

/**
 * The token with one more block, of bytes that only the application understands: {@link check}
 * refuses it unless its `accept` does not. No key is needed.
 *
 * @throws {InvalidToken} if the token is invalid, sealed or held by a device, or would exceed the limits
 */
export function append(token: string, payload: Uint8Array, options?: Holding): string {
  const fields = [...askedByHolder(token, options), bytes(payload, "payload")];
  return textOf(fields, (wasm) => wasm.append());
}

/**
 * The request by which a holder asks a third party for a statement about the token: 92 characters
 * that reveal nothing about it.
 *
 * @throws {InvalidToken} if the token is invalid, sealed or held by a device
 */
export function request(token: string, options?: Holding): string {
  return textOf(askedByHolder(token, options), (wasm) => wasm.request_statement());
}

/**
 * What a third party states about the token of this request, and no other. It meets a caveat
 * `vouched KEY TEXT` if the payload is exactly TEXT. The key is one of `ed25519`.
 *
 * @throws {RangeError} if the key is an issuer's
 * @throws {InvalidToken} if the request is none, or the statement would have more than 65536 bytes
 */
export function statement(request: string, key: TokenSecretKey, payload: Uint8Array): string {
  const fields = [...untrusted(request, "request"), bytes(payload, "payload")];
  const number = numberOf(key);
  return textOf(fields, (wasm) => wasm.make_statement(number));
}

/**
 * The token with a third party's statement as its next block. Nothing may have been added to it since
 * the request.
 *
 * @throws {InvalidToken} if the statement is not valid for this token, or the token is invalid,
 * sealed or held by a device, or would exceed the limits
 */
export function appendStatement(token: string, statement: string, options?: Holding): string {
  const fields = [...askedByHolder(token, options), ...untrusted(statement, "statement", options?.limits)];
  return textOf(fields, (wasm) => wasm.append_statement());
}

/**
 * The token sealed to a verifier's challenge: nothing can be added to it, and it is valid for no
 * other challenge.
 *
 * @throws {RangeError} if a number is out of its range, or a text not Unicode
 * @throws {InvalidToken} if the token is invalid, sealed or held by a device, or would exceed the
 * limits, or the nonce is empty
 */
export function seal(token: string, challenge: Challenge, options?: Holding): string {
  const fields = askedByHolder(token, options, challengeField(challenge));
  return textOf(fields, (wasm) => wasm.seal());
}

/**
 * The token, of scheme `chain`, with one more block, of caveats, and in the hands of a device or a
 * passkey: only this key can seal it, and nothing can be added to it. It holds no secret any more.
 *
 * @throws {SyntaxError} if a caveat is not one; the message says which, and how to write it
 * @throws {InvalidToken} if the token is invalid, of another scheme, sealed or held already, or would
 * exceed the limits; or if the key is an issuer's of another scheme
 */
export function entrust(token: string, key: TokenPublicKey, caveats: Caveats, options?: Holding): string {
  const fields = [...askedByHolder(token, options), ...partyFields(key), ...caveatFields(caveats)];
  return textOf(fields, (wasm) => wasm.entrust());
}

/**
 * What the holder of a token signs to seal it to a verifier's challenge. If a passkey holds the token, it is
 * the `challenge` of `navigator.credentials.get`, 32 bytes; otherwise the message that an Ed25519 or
 * ES256 device signs. {@link assembleSeal} makes the sealed token of the result.
 *
 * @throws {RangeError} if a number is out of its range, or a text not Unicode
 * @throws {InvalidToken} if the text is no token, or no device holds it, or the nonce is empty
 */
export function sealing(token: string, challenge: Challenge, options?: HoldingBytes): Uint8Array<ArrayBuffer> {
  return call(askedToSeal(token, challenge, options), (wasm) => wasm.seal_to_sign()).fields[0]!;
}

/**
 * The sealed token, with what its holder returned: the `response` of the passkey, or a signature: 64
 * bytes, of ES256 also in DER.
 *
 * @throws {RangeError} if a number is out of its range, or a text not Unicode
 * @throws {InvalidToken} if it is not by this holder, or not for this token and challenge
 */
export function assembleSeal(
  token: string,
  challenge: Challenge,
  signature: Uint8Array | PasskeyAssertion,
  options?: HoldingBytes,
): string {
  const fields = [...askedToSeal(token, challenge, options), ...signatureFields(signature)];
  return textOf(fields, (wasm) => wasm.assemble_seal());
}

function askedToSeal(token: string, challenge: Challenge, options: HoldingBytes | undefined): Field[] {
  const { limits } = members(options, "options", ["limits"]);
  return asked(token, limits, undefined, challengeField(challenge));
}

/**
 * What a third party whose key is in a device signs: for a passkey the `challenge` of
 * `navigator.credentials.get`, 32 bytes; otherwise a message. {@link assembleStatement} makes the
 * statement of the result.
 *
 * @throws {InvalidToken} if the request is none, or the key an issuer's of `aggregate`
 */
export function stating(request: string, key: TokenPublicKey, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const fields = [...untrusted(request, "request"), ...partyFields(key), bytes(payload, "payload")];
  return call(fields, (wasm) => wasm.statement_to_sign()).fields[0]!;
}

/**
 * The statement with what a device returned: the `response` of a passkey, or a signature: 64
 * bytes, of ES256 also in DER.
 *
 * @throws {InvalidToken} if it is not by this key, or not for this request and payload
 */
export function assembleStatement(
  request: string,
  key: TokenPublicKey,
  payload: Uint8Array,
  signature: Uint8Array | PasskeyAssertion,
): string {
  const stated = [...untrusted(request, "request"), ...partyFields(key), bytes(payload, "payload")];
  return textOf([...stated, ...signatureFields(signature)], (wasm) => wasm.assemble_statement());
}

/**
 * Whether a token allows a request: verifies it, and returns the rights of the first block if no block
 * is revoked and all caveats of all blocks hold.
 *
 * @throws {InvalidToken} if the token is invalid, whatever its text
 * @throws {Refused} if a caveat does not hold, or a block is revoked
 * @throws {RangeError} if a number is out of its range, or a text not Unicode
 */
export function check(token: string, access: Access): Uint8Array<ArrayBuffer> {
  const told = members(object(access, "access"), "access", ACCESS);
  const { now, audience, path, method, fields, accept } = told;
  const isRevoked = revokedBy(told.revoked);
  if (accept !== undefined && typeof accept !== "function") {
    throw new TypeError(`accept must be a function, not ${kindOf(accept)}`);
  }
  const request = [
    ...askedByVerifier(token, told),
    integer(now, "now", 64),
    optional(audience, "audience"),
    optional(path, "path"),
    optional(method, "method"),
    ...(fields === undefined ? [] : pairFields(fields)),
  ];
  const { number, fields: answers } = call(request, (wasm) => wasm.check());
  const [ids, ...verdicts] = answers;
  refuseRevoked(ids!, isRevoked);
  // Each refusal has four fields. After one because of a block of bytes stands the verdict that counts
  // if that block is accepted.
  const refusals = verdicts.length - (verdicts.length % 4);
  for (let i = 0; i < refusals; i += 4) {
    const [block, caveat, reason, opaque] = verdicts.slice(i, i + 4);
    if (opaque === undefined || !accepts(accept, opaque)) {
      const number = block === undefined ? undefined : Number(fromUtf8(block));
      throw new Refused(number, fromUtf8(caveat), fromUtf8(reason));
    }
  }
  if (number !== 1) throw new Error("no verdict");
  return verdicts[refusals]!;
}

/** Throws if one of these ids, which stand one behind the other, is revoked. */
function refuseRevoked(ids: Uint8Array<ArrayBuffer>, isRevoked: (id: Uint8Array<ArrayBuffer>) => unknown): void {
  for (let block = 0; 32 * block < ids.length; block++) {
    const id = ids.slice(32 * block, 32 * block + 32);
    const hex = toHex(id);
    if (answerOf("revoked", isRevoked(id))) throw new Refused(block, hex, "the block is revoked");
  }
}

/** Whether a function accepts a block of bytes. */
function accepts(accept: Access["accept"], payload: Uint8Array<ArrayBuffer>): boolean {
  return accept === undefined ? false : answerOf("accept", accept(payload));
}

/** What a function of the caller answered. No answer counts but true and false: not a promise. */
function answerOf(name: string, answer: unknown): boolean {
  if (typeof answer !== "boolean") {
    throw new TypeError(`${name} must return true or false, not ${kindOf(answer)}`);
  }
  return answer;
}

/**
 * Verifies a token and returns its content. It compares no caveats: that is what {@link check} does.
 *
 * @throws {InvalidToken} if the token is invalid, whatever its text
 * @throws {RangeError} if a number is out of its range, or a text not Unicode
 */
export function verify(token: string, verifying: Verifying): TokenContent {
  const known = members(object(verifying, "verifying"), "verifying", VERIFYING);
  return contentOf(call(askedByVerifier(token, known), (wasm) => wasm.verify()).fields);
}

/**
 * The content of a token, **not verified**: for diagnostics, and to learn the ids to revoke.
 *
 * @throws {InvalidToken} if the text is no token
 */
export function inspect(token: string, options?: { readonly limits?: Limits | undefined }): TokenContent {
  const { limits } = members(options, "options", ["limits"]);
  return contentOf(call(asked(token, limits), (wasm) => wasm.inspect()).fields);
}

/**
 * The normal form of a path, with which caveats `path` are compared. Refuse a request whose path is
 * another, so that router, handler and caveats see the same one.
 *
 * @throws {RangeError} if it is not Unicode
 * @throws {SyntaxError} if it has no normal form
 */
export function normalPath(path: string): string {
  return textOf([unicode(path, "path")], (wasm) => wasm.normalize_path());
}
