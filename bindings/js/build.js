// Builds the package into dist/: the WebAssembly, its wrapper with types; and beside them the
// page, as one file that needs no other.
//
//   node build.js

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
const programs = ["--package", "klero-js", "--package", "klero-js-token"];
run("cargo", ["build", "--profile", "wasm", "--locked", "--target", target, ...programs], "inherit");
const metadata = run("cargo", ["metadata", "--format-version", "1", "--no-deps", "--locked"]);
const { target_directory: built } = JSON.parse(metadata);
const read = (name) => readFileSync(join(built, target, "wasm", `${name}.wasm`));
const [vrf, token] = [read("klero_js"), read("klero_js_token")];

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "token"), { recursive: true });

// Inside a module it needs no path, no server and no bundler's consent.
writeFileSync(join(dist, "wasm.js"), `export default "${vrf.toString("hex")}";\n`);
writeFileSync(join(dist, "token", "wasm.js"), `export default "${token.toString("hex")}";\n`);

run(process.execPath, [join(here, "node_modules", "typescript", "bin", "tsc")], "inherit");

// For Cloudflare's runtime, which compiles no bytes: the same modules, but for those that compile.
const workerd = join(dist, "workerd");
const modules = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".js"));
for (const name of modules.filter((name) => basename(name) !== "wasm.js")) {
  cpSync(join(dist, name), join(workerd, name));
}
for (const [directory, program] of [[workerd, vrf], [join(workerd, "token"), token]]) {
  writeFileSync(join(directory, "program.wasm"), program);
  writeFileSync(join(directory, "module.js"), 'import program from "./program.wasm";\nexport default program;\n');
}

for (const entry of ["klero", "token"]) {
  // For `require`: the same in one file, and its types.
  buildSync({
    entryPoints: [join(dist, `${entry}.js`)],
    bundle: true,
    format: "cjs",
    keepNames: true,
    outfile: join(dist, `${entry}.cjs`),
    target: "es2022",
  });
  // For `import` in Node: the same file again. So a program that does both, such as one with an older
  // dependency, has one `InvalidProof`.
  const names = Object.keys(createRequire(import.meta.url)(`./dist/${entry}.cjs`)).join(", ");
  const code = `import all from "./${entry}.cjs";\nexport const { ${names} } = all;\n`;
  writeFileSync(join(dist, `${entry}.mjs`), code);
}
const types = ["klero", "bytes", "message", "token", ...["arguments", "errors", "keys"].map((name) => `token/${name}`)];
for (const name of types) {
  const declared = readFileSync(join(dist, `${name}.d.ts`), "utf8");
  writeFileSync(join(dist, `${name}.d.cts`), declared.replaceAll('.js"', '.cjs"'));
}

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
