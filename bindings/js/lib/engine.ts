// The WebAssembly as this program sees it: operations on messages. See `src/lib.rs`.

import module from "./module.js";
import { type Field, messageLength, readMessage, writeMessage } from "./message.js";

/** What the WebAssembly exports: memory, and operations on it. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_high: WebAssembly.Global<"i32">;
  request(length: number): number;
  response(): number;
  response_len(): number;
  suites(): number;
  key_from_seed(): number;
  key_from_libsodium(): number;
  key_to_seed(key: number): number;
  key_to_libsodium(key: number): number;
  free_key(key: number): void;
  check_public_key(): number;
  prove_many(key: number): number;
  evaluate_many(key: number): number;
  verify_many(): number;
}

/** The most bytes of one request. */
const MOST_BYTES = 2 ** 30;

const wasm = new WebAssembly.Instance(module).exports as unknown as Exports;

/** An operation, which is called after its request was sent. */
export type Operation = (wasm: Exports) => number;

/** What an operation returned: its number, and the fields of its response. */
export interface Response {
  readonly number: number;
  readonly fields: (Uint8Array<ArrayBuffer> | undefined)[];
}

/** Makes room for a request of this many bytes. */
function room(length: number): number {
  const address = length > MOST_BYTES ? 0 : wasm.request(length) >>> 0;
  if (address === 0) {
    throw new RangeError(`inputs of ${length} bytes: more than WebAssembly has memory for`);
  }
  return address;
}

/** Sends a request, runs an operation on it, and takes its response. */
export function call(fields: readonly Field[], operation: Operation): Response {
  const length = messageLength(fields);
  const address = room(length);
  try {
    writeMessage(new DataView(wasm.memory.buffer, address, length), fields);
    const number = operation(wasm);
    const response = new DataView(wasm.memory.buffer, wasm.response() >>> 0, wasm.response_len());
    const answer = readMessage(response);
    if (number < 0) {
      throw new RangeError(new TextDecoder().decode(answer[0]));
    }
    return { number, fields: answer };
  } finally {
    // Wipes the response. That it may find no memory for a next request is no error of this one.
    wasm.request(0);
  }
}

/** The same for an operation on secrets: wipes what it left on its stack. */
export function callWithSecrets(fields: readonly Field[], operation: Operation): Response {
  try {
    return call(fields, operation);
  } finally {
    // No operation is running, so that nothing on the stack is in use.
    new Uint8Array(wasm.memory.buffer, 0, wasm.__stack_high.value).fill(0);
  }
}

/** Wipes a secret key. */
export function freeKey(key: number): void {
  wasm.free_key(key);
}
