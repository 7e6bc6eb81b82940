// What a browser loads.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { path } from "./support.js";

test("the package is below 300 kB compressed", () => {
  const modules = readdirSync(path("dist")).filter((name) => name.endsWith(".js"));
  const all = Buffer.concat(modules.map((name) => readFileSync(path(`dist/${name}`))));
  // As servers compress what they send.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const sizes = { gzip: gzipSync(all).length, brotli: brotliCompressSync(all, { params }).length };
  for (const [name, size] of Object.entries(sizes)) {
    console.log(`${name}: ${size} bytes`);
    assert.ok(size < 300_000, `${name}: ${size} bytes`);
  }
});
