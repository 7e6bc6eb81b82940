// Builds the package into dist/: the WebAssembly, its wrapper with types; and beside them the
// page, as one file that needs no other.
//
//   node build.js

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = "wasm32-unknown-unknown";
const dist = join(here, "dist");

/** Ends the build with a message for people who install the package. */
function stop(message) {
  console.error(`\nklero was not built: ${message}\n`);
  process.exit(1);
}

/** Runs a command, and returns what it prints unless `stdout` is "inherit". */
function run(command, args, stdout = "pipe") {
  try {
    return execFileSync(command, args, { cwd: here, encoding: "utf8", stdio: ["ignore", stdout, "inherit"] });
  } catch (error) {
    stop(
      error.code === "ENOENT"
        ? `there is no ${command}. Install Rust (https://rustup.rs), then: rustup target add ${target}`
        : `${command} ${args[0]} failed, as it says above`,
    );
  }
}

const libraries = run("rustc", ["--print", "target-libdir", "--target", target]).trim();
if (!existsSync(libraries)) {
  stop(`Rust cannot compile for WebAssembly yet. Run: rustup target add ${target}`);
}
run("cargo", ["build", "--profile", "wasm", "--locked", "--target", target], "inherit");
const metadata = run("cargo", ["metadata", "--format-version", "1", "--no-deps", "--locked"]);
const { target_directory: built } = JSON.parse(metadata);
const wasm = readFileSync(join(built, target, "wasm", "klero_js.wasm"));

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

// Inside a module it needs no path, no server and no bundler's consent.
writeFileSync(join(dist, "wasm.js"), `export default "${wasm.toString("hex")}";\n`);

run(process.execPath, [join(here, "node_modules", "typescript", "bin", "tsc")], "inherit");

// For `require`: the same in one file, and its types.
buildSync({
  entryPoints: [join(dist, "klero.js")],
  bundle: true,
  format: "cjs",
  outfile: join(dist, "klero.cjs"),
  target: "es2022",
});
for (const name of ["klero", "bytes"]) {
  const types = readFileSync(join(dist, `${name}.d.ts`), "utf8");
  writeFileSync(join(dist, `${name}.d.cts`), types.replaceAll('.js"', '.cjs"'));
}
// For `import` in Node: the same file again. So a program that does both, such as one with an older
// dependency, has one `InvalidProof`.
const names = Object.keys(createRequire(import.meta.url)("./dist/klero.cjs")).join(", ");
writeFileSync(join(dist, "node.js"), `import klero from "./klero.cjs";\nexport const { ${names} } = klero;\n`);

for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  cpSync(join(here, "..", "..", licence), join(dist, licence));
}
cpSync(join(here, "..", "..", "docs", "javascript.md"), join(dist, "javascript.md"));

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
