/** The WebAssembly, in base64. `build.js` makes the module from the crate in `src`. */
declare const base64: string;
export default base64;
