// What a browser loads.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { path } from "./support.js";

test("what a browser loads is below 250 kB with gzip, and 210 kB with Brotli", () => {
  const modules = readdirSync(path("dist")).filter((name) => name.endsWith(".js") && name !== "node.js");
  const all = Buffer.concat(modules.map((name) => readFileSync(path(`dist/${name}`))));
  // Brotli as servers use it.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const gzip = gzipSync(all, { level: 9 }).length;
  const brotli = brotliCompressSync(all, { params }).length;
  console.log(`gzip: ${gzip} bytes, Brotli: ${brotli} bytes`);
  assert.ok(gzip < 250_000, `gzip: ${gzip} bytes`);
  assert.ok(brotli < 210_000, `Brotli: ${brotli} bytes`);
});
