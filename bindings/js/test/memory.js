// The package, and the memory of its WebAssembly, which it shows to nobody.

let memory, stackEnd;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const result = await instantiate.apply(WebAssembly, args);
  memory = result.instance.exports.memory;
  stackEnd = result.instance.exports.__stack_high.value;
  return result;
};

export const klero = await import("klero");

/** The memory's size in bytes. */
export const memorySize = () => memory.buffer.byteLength;

/** Where in the memory these bytes are; -1 if nowhere. */
export const findInMemory = (bytes) => Buffer.from(memory.buffer).indexOf(bytes);

/** Whether the stack, at the start of the memory, is all zeros. */
export const stackIsClean = () => new Uint8Array(memory.buffer, 0, stackEnd).every((byte) => byte === 0);
