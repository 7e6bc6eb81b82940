// The compiled WebAssembly of tokens. See `../module.ts`.

import { fromHex } from "../bytes.js";
import hex from "./wasm.js";

export default new WebAssembly.Module(fromHex(hex));
