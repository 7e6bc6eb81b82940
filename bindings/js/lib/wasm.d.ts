/**
 * The WebAssembly, in hex. `build.js` makes the module from the crate in `src`. Hex has one pattern of
 * digits for each byte, so that it compresses almost as well as the bytes; base64, which is shorter,
 * does not.
 */
declare const hex: string;
export default hex;
