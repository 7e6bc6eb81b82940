// The package, and the memory of its WebAssembly, which it shows to nobody.

let memory, stackEnd;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    memory = this.exports.memory;
    stackEnd = this.exports.__stack_high.value;
  }
};

export const klero = await import("klero");

/** The memory's size in bytes. */
export const memorySize = () => memory.buffer.byteLength;

/** How much of the memory the WebAssembly can use, once it can get no more. */
let most;

/** Takes what the memory can still grow by. */
export function exhaustMemory() {
  most = memorySize();
  memory.grow(2 ** 16 - most / 2 ** 16);
}

/** Where in the memory these bytes are; -1 if nowhere. */
export const findInMemory = (bytes) => Buffer.from(memory.buffer, 0, most).indexOf(bytes);

/** Whether the stack, at the start of the memory, is all zeros. */
export const stackIsClean = () => new Uint8Array(memory.buffer, 0, stackEnd).every((byte) => byte === 0);
