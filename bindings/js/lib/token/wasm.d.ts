/** The WebAssembly of tokens, in hex, as that of `../wasm.js`. */
declare const hex: string;
export default hex;
