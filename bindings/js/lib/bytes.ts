// Bytes that callers pass, and hex.

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const nameOf = Object.getOwnPropertyDescriptor(typedArray, Symbol.toStringTag)!.get!;

/** What a value is, for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return value.constructor?.name || "object";
}

/** The argument `name`, if it is a `Uint8Array` (of this realm or another; or Node's `Buffer`). */
export function bytes(value: unknown, name: string): Uint8Array {
  if (nameOf.call(value) !== "Uint8Array") {
    throw new TypeError(`${name} must be a Uint8Array, not ${kindOf(value)}`);
  }
  return value as Uint8Array;
}

/** The argument `name`, if it is a string. */
export function text(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`${name} must be a string, not ${kindOf(value)}`);
  }
  return value;
}

/** The argument `name`, if it is an object. */
export function object<T>(value: T, name: string): T {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`${name} must be an object, not ${kindOf(value)}`);
  }
  return value;
}

/**
 * Lower-case hex.
 *
 * @throws {TypeError} if `data` is no `Uint8Array`
 */
export function toHex(data: Uint8Array): string {
  const digits = Array.from(bytes(data, "data"), (byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("");
}

/**
 * The bytes of hex in either case, without prefix or spaces.
 *
 * @throws {TypeError} if `hex` is no string
 * @throws {SyntaxError} if it is not hex; the message names the place
 */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const wrong = text(hex, "hex").search(/[^0-9a-f]/i);
  if (wrong >= 0) {
    const found = JSON.stringify(String.fromCodePoint(hex.codePointAt(wrong)!));
    throw new SyntaxError(`not hex: ${found} at position ${wrong}, expected 0 to 9 or a to f`);
  }
  if (hex.length % 2 === 1) {
    throw new SyntaxError(`not hex: ${hex.length} digits, expected two for each byte`);
  }
  const data = new Uint8Array(hex.length / 2);
  for (let i = 0; i < data.length; i++) {
    data[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  }
  return data;
}
