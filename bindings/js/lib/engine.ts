// A program in WebAssembly as this one sees it: operations on messages. See `message/src/lib.rs`.

import { type Field, messageLength, readMessage, writeMessage } from "./message.js";

/** What every program exports: memory, and the way of messages. */
export interface Messages {
  readonly memory: WebAssembly.Memory;
  readonly __stack_high: WebAssembly.Global<"i32">;
  request(length: number): number;
  response(): number;
  response_len(): number;
}

/** An operation, which is called after its request was sent. */
export type Operation<E> = (wasm: E) => number;

/** What an operation returned: its number, and the fields of its response. */
export interface Response {
  readonly number: number;
  readonly fields: (Uint8Array<ArrayBuffer> | undefined)[];
}

/** A running program, with these exports. */
export class Engine<E extends Messages> {
  readonly #wasm: E;
  readonly #mostBytes: number;
  readonly #error: (number: number, words: string) => Error;

  /**
   * For the exports of an instance. A request has at most `mostBytes`. `error` makes the error of an
   * operation from its number, which is below 0, and its words.
   */
  constructor(
    exports: WebAssembly.Exports,
    mostBytes: number,
    error: (number: number, words: string) => Error,
  ) {
    this.#wasm = exports as unknown as E;
    this.#mostBytes = mostBytes;
    this.#error = error;
  }

  /** Makes room for a request of this many bytes. */
  #room(length: number): number {
    const address = length > this.#mostBytes ? 0 : this.#wasm.request(length) >>> 0;
    if (address === 0) {
      throw new RangeError(`inputs of ${length} bytes: more than WebAssembly has memory for`);
    }
    return address;
  }

  /** Sends a request, runs an operation on it, and takes its response. */
  call(fields: readonly Field[], operation: Operation<E>): Response {
    const wasm = this.#wasm;
    const length = messageLength(fields);
    const address = this.#room(length);
    try {
      writeMessage(new DataView(wasm.memory.buffer, address, length), fields);
      const number = operation(wasm);
      const response = new DataView(wasm.memory.buffer, wasm.response() >>> 0, wasm.response_len());
      const answer = readMessage(response);
      if (number < 0) {
        throw this.#error(number, new TextDecoder().decode(answer[0]));
      }
      return { number, fields: answer };
    } finally {
      // Wipes the response. That it may find no memory for a next request is no error of this one.
      wasm.request(0);
    }
  }

  /** The same for an operation on secrets: wipes what it left on its stack. */
  callWithSecrets(fields: readonly Field[], operation: Operation<E>): Response {
    try {
      return this.call(fields, operation);
    } finally {
      // No operation is running, so that nothing on the stack is in use.
      new Uint8Array(this.#wasm.memory.buffer, 0, this.#wasm.__stack_high.value).fill(0);
    }
  }
}

/** Secret keys that a program keeps under numbers, until they are freed, or some time after their owners are no
 * longer referenced. */
export class SecretKeys {
  readonly #free: (number: number) => void;
  readonly #numbers = new WeakMap<object, number>();
  readonly #forgotten: FinalizationRegistry<number> | undefined;

  /** `free` wipes the key of a number. */
  constructor(free: (number: number) => void) {
    this.#free = free;
    // Cloudflare's runtime has it since its compatibility date 2025-05-05.
    this.#forgotten = typeof FinalizationRegistry === "function" ? new FinalizationRegistry(free) : undefined;
  }

  /** The key of this number belongs to an object. */
  keep(owner: object, number: number): void {
    this.#numbers.set(owner, number);
    this.#forgotten?.register(owner, number, owner);
  }

  /** The number of the owner's key, unless it was freed. */
  numberOf(owner: object): number {
    const number = this.#numbers.get(owner);
    if (number === undefined) throw new Error("this secret key was freed");
    return number;
  }

  /** Wipes the owner's key. A second call does nothing. */
  free(owner: object): void {
    const number = this.#numbers.get(owner);
    if (number === undefined) return;
    this.#forgotten?.unregister(owner);
    this.#numbers.delete(owner);
    this.#free(number);
  }
}
