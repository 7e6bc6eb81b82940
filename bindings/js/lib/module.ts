// The compiled WebAssembly. It is compiled at once, without a promise: so the package can be required,
// and nobody waits for it. Engines compile functions when they are first called, which is why browsers
// allow this (Chromium since version 114, up to 8 MB).

import { fromHex } from "./bytes.js";
import hex from "./wasm.js";

export default new WebAssembly.Module(fromHex(hex));
