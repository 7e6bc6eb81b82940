// What a browser loads, and a worker of Cloudflare's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { buildSync } from "esbuild";
import { path } from "./support.js";

// With gzip and with Brotli, in bytes.
const LIMITS = {
  "dist/klero.js": [265_000, 235_000],
  "dist/token.js": [460_000, 410_000],
  "dist/workerd/klero.js": [242_000, 208_000],
  "dist/workerd/token.js": [420_000, 370_000],
};

/** An entry and all modules that it imports, those of WebAssembly too. */
function modules(entry) {
  const options = { bundle: true, metafile: true, write: false, loader: { ".wasm": "binary" } };
  return Object.keys(buildSync({ ...options, entryPoints: [path(entry)], absWorkingDir: path(".") }).metafile.inputs);
}

for (const [entry, [mostGzip, mostBrotli]] of Object.entries(LIMITS)) {
  test(`${entry} is below ${mostGzip / 1000} kB with gzip, and ${mostBrotli / 1000} kB with Brotli`, () => {
    const all = Buffer.concat(modules(entry).map((name) => readFileSync(path(name))));
    // Brotli as servers use it.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    const gzip = gzipSync(all, { level: 9 }).length;
    const brotli = brotliCompressSync(all, { params }).length;
    console.log(`${entry}: gzip ${gzip} bytes, Brotli ${brotli} bytes`);
    assert.ok(gzip < mostGzip, `gzip: ${gzip} bytes`);
    assert.ok(brotli < mostBrotli, `Brotli: ${brotli} bytes`);
  });
}

test("proofs load nothing of tokens, and tokens nothing of proofs", () => {
  assert.deepEqual(modules("dist/klero.js").filter((name) => name.includes("token")), []);
  const shared = ["dist/bytes.js", "dist/engine.js", "dist/message.js", "dist/token.js"];
  assert.deepEqual(modules("dist/token.js").filter((name) => !name.startsWith("dist/token/")).sort(), shared);
});
