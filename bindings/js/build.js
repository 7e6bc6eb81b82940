// Builds the package into dist/: the WebAssembly, its wrapper with types; and beside them the
// page, as one file that needs no other.
//
//   node build.js

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = "wasm32-unknown-unknown";
const dist = join(here, "dist");

function run(command, ...args) {
  execFileSync(command, args, { cwd: here, stdio: "inherit" });
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

run("cargo", "build", "--profile", "wasm", "--locked", "--target", target);
const wasm = readFileSync(join(here, "target", target, "wasm", "klero_js.wasm"));
// Inside a module it needs no path, no server and no bundler's consent.
writeFileSync(join(dist, "wasm.js"), `export default "${wasm.toString("base64")}";\n`);

run(process.execPath, join(here, "node_modules", "typescript", "bin", "tsc"));

for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  cpSync(join(here, "..", "..", licence), join(dist, licence));
}

const { outputFiles } = buildSync({
  absWorkingDir: here,
  entryPoints: ["page/draw.js", "page/draw.css"],
  bundle: true,
  format: "esm",
  minify: true,
  outdir: "page",
  target: "es2022",
  write: false,
});
let page = readFileSync(join(here, "page", "index.html"), "utf8");
for (const { path, text } of outputFiles) {
  // A function: no `$` of the text has a meaning.
  page = page.replace(`/* ${basename(path)} */`, () => text.trim());
}
writeFileSync(join(dist, "draw.html"), page);
