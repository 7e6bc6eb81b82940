// The entries of the package, and the memory of their WebAssembly, which they show to nobody.

import assert from "node:assert/strict";
import { inspect } from "node:util";

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

  /** The names of the secrets whose first half is in the memory, in either order of the bytes of a word. */
  found(secrets) {
    return Object.keys(secrets).filter((name) => {
      const half = Buffer.from(secrets[name].subarray(0, 16));
      return this.find(half) >= 0 || this.find(half.swap64()) >= 0;
    });
  }

  /** Waits until the key of a seed is wiped, which is in the memory and which nobody holds. */
  async forgets(seed) {
    assert.notEqual(this.find(seed), -1);
    // The collector runs when it likes; garbage makes it like to.
    for (let garbage = []; this.find(seed) >= 0; ) {
      garbage = Array.from({ length: 1e6 }, () => ({ garbage }));
      garbage.length = 0;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Whether the stack, at the start of the memory, is all zeros. */
  stackIsClean() {
    return new Uint8Array(this.#memory.buffer, 0, this.#stackEnd).every((byte) => byte === 0);
  }
}

/** A seed that would be seen in text. */
export const seen = Buffer.from("a seed that would be seen in text").subarray(0, 32);

/** Nothing shows the key of this seed. */
export function isHidden(key) {
  const options = { showHidden: true, depth: 9, getters: true };
  const texts = [`${key}`, JSON.stringify(key), inspect(key), inspect(key, options)];
  texts.push(JSON.stringify(Object.getOwnPropertyDescriptors(key)));
  for (const text of texts) {
    assert.ok(!text.includes("seed") && !text.includes(seen.toString("hex", 0, 8)), text);
  }
  assert.equal(JSON.stringify(key), "{}");
  assert.equal(JSON.stringify(structuredClone(key)), "{}");
}

export const klero = await import("klero");
export const memory = new Memory(last);

export const token = await import("klero/token");
export const tokenMemory = new Memory(last);
