// The entries of the package, and the memory of their WebAssembly, which they show to nobody.

let last;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    last = this.exports;
  }
};

/** The memory of a program, by what it exports. */
class Memory {
  #memory;
  #stackEnd;
  /** How much of the memory the WebAssembly can use, once it can get no more. */
  #most;

  constructor({ memory, __stack_high }) {
    this.#memory = memory;
    this.#stackEnd = __stack_high.value;
  }

  /** The memory's size in bytes. */
  size() {
    return this.#memory.buffer.byteLength;
  }

  /** Takes what the memory can still grow by. */
  exhaust() {
    this.#most = this.size();
    this.#memory.grow(2 ** 16 - this.#most / 2 ** 16);
  }

  /** Where in the memory these bytes are; -1 if nowhere. */
  find(bytes) {
    return Buffer.from(this.#memory.buffer, 0, this.#most).indexOf(bytes);
  }

  /** Whether the stack, at the start of the memory, is all zeros. */
  stackIsClean() {
    return new Uint8Array(this.#memory.buffer, 0, this.#stackEnd).every((byte) => byte === 0);
  }
}

export const klero = await import("klero");
export const memory = new Memory(last);

export const token = await import("klero/token");
export const tokenMemory = new Memory(last);
