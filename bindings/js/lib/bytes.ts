// Bytes that callers pass, and hex.

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
const { keys } = typedArray;

/** Reads a property of an array as the engine knows it: its own getter may say anything. */
function reader<T>(property: PropertyKey): (array: unknown) => T {
  const { get } = Object.getOwnPropertyDescriptor(typedArray, property)!;
  return (array) => Reflect.apply(get!, array, []);
}

const nameOf = reader<string | undefined>(Symbol.toStringTag);
const bufferOf = reader<ArrayBufferLike>("buffer");
const offsetOf = reader<number>("byteOffset");
const lengthOf = reader<number>("byteLength");

/** What a value is, for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return value.constructor?.name || "object";
}

/**
 * The bytes of the argument `name`, if it is a `Uint8Array` (of this realm or another; or Node's
 * `Buffer`): a view that keeps its length, even if a subclass or shared memory that grows would
 * give another length at each look.
 */
export function bytes(value: unknown, name: string): Uint8Array {
  if (nameOf(value) !== "Uint8Array") {
    throw new TypeError(`${name} must be a Uint8Array, not ${kindOf(value)}`);
  }
  try {
    // Throws if the memory was transferred or has shrunk. The length would then be 0.
    Reflect.apply(keys, value, []);
  } catch {
    throw new TypeError(`${name} must be a Uint8Array, not one whose memory is gone`);
  }
  return new Uint8Array(bufferOf(value), offsetOf(value), lengthOf(value));
}

/** The same, or an `ArrayBuffer`, as browsers return them. */
export function bytesOf(value: unknown, name: string): Uint8Array {
  return bytes(value instanceof ArrayBuffer ? new Uint8Array(value) : value, name);
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

/** The argument `name`, if it is an object that can be iterated over. */
export function iterable<T>(value: Iterable<T>, name: string): Iterable<T> {
  if (typeof object(value, name)[Symbol.iterator] !== "function") {
    throw new TypeError(`${name} must be iterable`);
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
  // Letters have bit 6, and their low bits count from 1.
  const digit = (i: number) => (hex.charCodeAt(i) & 15) + 9 * (hex.charCodeAt(i) >> 6);
  const data = new Uint8Array(hex.length / 2);
  for (let i = 0; i < data.length; i++) {
    data[i] = 16 * digit(2 * i) + digit(2 * i + 1);
  }
  return data;
}
