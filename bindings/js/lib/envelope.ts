// Text envelopes of keys: JSON objects, as cardano-cli writes them for `praos`. JavaScript reads JSON
// itself: a parser in the WebAssembly would make the package a fifth larger. The types and messages are
// those of `crates/klero/src/envelope.rs`.

import { fromHex, text, toHex } from "./bytes.js";

/** One of the two kinds of keys. */
interface Kind {
  /** cardano-cli's type, of the suite `praos`. */
  readonly praos: string;
  /** Begins the type of the other suites; their name ends it. */
  readonly prefix: string;
  readonly description: string;
  /** The length of the key in bytes. */
  readonly length: number;
}

/** A secret key: seed and public key. */
export const SIGNING: Kind = {
  praos: "VrfSigningKey_PraosVRF",
  prefix: "KleroVrfSigningKey_",
  description: "VRF Signing Key",
  length: 64,
};

/** A public key. */
export const VERIFICATION: Kind = {
  praos: "VrfVerificationKey_PraosVRF",
  prefix: "KleroVrfVerificationKey_",
  description: "VRF Verification Key",
  length: 32,
};

/** What begins the content: CBOR (RFC 8949, section 3), major type 2, length in one byte. */
const headerOf = ({ length }: Kind) => `58${length.toString(16)}`;

const typeOf = (kind: Kind, suite: string) => (suite === "praos" ? kind.praos : kind.prefix + suite);

/** The text envelope of a key of this suite. */
export function seal(kind: Kind, suite: string, key: Uint8Array): string {
  const { description } = kind;
  const envelope = { type: typeOf(kind, suite), description, cborHex: headerOf(kind) + toHex(key) };
  return `${JSON.stringify(envelope, null, 4)}\n`;
}

/** The key in a text envelope, and its suite, one of those in `suites`. */
export function open<Name extends string>(
  kind: Kind,
  suites: readonly Name[],
  envelope: unknown,
): { suite: Name; key: Uint8Array<ArrayBuffer> } {
  const { type, cborHex } = parse(text(envelope, "envelope"));
  const suite = suites.find((suite) => typeOf(kind, suite) === type);
  if (suite === undefined) {
    const [found, praos, prefix] = [type, kind.praos, kind.prefix].map((text) => JSON.stringify(text));
    throw new SyntaxError(`envelope of type ${found}, expected ${praos}, or ${prefix} and a suite's name`);
  }
  const header = headerOf(kind);
  const form = new RegExp(`^${header}[0-9a-f]{${2 * kind.length}}$`, "i");
  if (typeof cborHex !== "string" || !form.test(cborHex)) {
    throw new SyntaxError(`cborHex: expected the hex of a CBOR byte string of ${kind.length} bytes`);
  }
  return { suite, key: fromHex(cborHex.slice(header.length)) };
}

/** The members of an envelope. */
function parse(text: string): { type: string; cborHex: unknown } {
  let members;
  try {
    members = JSON.parse(text);
  } catch {
    // The engine's own error would repeat a part of the text, which may be secret.
  }
  if (typeof members?.type !== "string" || typeof members.description !== "string") {
    const expected = "a JSON object with type, description and cborHex";
    throw new SyntaxError(`not a text envelope: expected ${expected}`);
  }
  return members;
}
