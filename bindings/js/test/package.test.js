// The package as others install it: from its archive, into an empty project.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import vm from "node:vm";

import { buildSync } from "esbuild";
import * as klero from "klero";
import * as token from "klero/token";
import { codeBlocks, path } from "./support.js";

let project, files;

before(() => {
  // Outside the package, in which its name would mean itself.
  project = mkdtempSync(join(tmpdir(), "klero-project-"));
  const run = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8" });
  const [packed] = JSON.parse(
    run(path("."), "pack", "--json", "--ignore-scripts", "--pack-destination", project),
  );
  files = packed.files.map(({ path }) => path);
  writeFileSync(join(project, "package.json"), '{"private": true, "type": "module"}');
  run(project, "install", "--offline", join(project, packed.filename));
  mkdirSync(join(project, "commonjs"));
  writeFileSync(join(project, "commonjs", "package.json"), '{"private": true, "type": "commonjs"}');
});

after(() => rmSync(project, { recursive: true, force: true }));

/** Writes a file of the project. */
const write = (file, text) => writeFileSync(join(project, file), text);

/** What a program in the project prints. */
function run(file, ...args) {
  return execFileSync(process.execPath, [file, ...args], { cwd: project, encoding: "utf8" });
}

/** Compiles a program in strict mode, with no types but those of the language. */
function tsc(file, options, compiler = "typescript") {
  const [target, lib] = ["es2022", ["es2022"]];
  const compilerOptions = { strict: true, types: [], target, lib, ...options };
  write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
  const args = [path(`node_modules/${compiler}/bin/tsc`)];
  execFileSync(process.execPath, args, { cwd: project, stdio: "inherit" });
}

test("the package has its modules, types and licences, and nothing else", () => {
  const token = ["token", ...["arguments", "engine", "errors", "keys", "module"].map((name) => `token/${name}`)];
  const modules = ["bytes", "engine", "envelope", "klero", "message", "module", "vrf", ...token];
  const expected = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`, `dist/workerd/${name}.js`]);
  for (const name of ["klero", "token"]) expected.push(`dist/${name}.cjs`, `dist/${name}.mjs`);
  const types = ["bytes", "klero", "message", "token", "token/arguments", "token/errors", "token/keys"];
  expected.push(...types.map((name) => `dist/${name}.d.cts`));
  for (const directory of ["", "token/"]) {
    expected.push(`dist/${directory}wasm.js`, `dist/workerd/${directory}program.wasm`);
  }
  expected.push("README.md", "dist/javascript.md", "dist/LICENSE-APACHE", "dist/LICENSE-MIT", "package.json");
  assert.deepEqual(files.sort(), expected.sort());
  assert.equal(JSON.parse(readFileSync(path("package.json"))).dependencies, undefined);
});

test("links in the package lead somewhere", () => {
  for (const page of files.filter((file) => file.endsWith(".md"))) {
    const text = readFileSync(join(project, "node_modules/klero", page), "utf8");
    for (const [, target] of text.matchAll(/\]\(([^)]*)\)/g)) {
      assert.match(target, /^(https:|#)/, `${page} links to ${target}`);
    }
  }
});

test("the README's example runs in the project", () => {
  const [example] = codeBlocks(path("README.md"), "js");
  write("example.js", example);
  assert.equal(run("example.js"), "true\n");
  // With `require` too.
  write("commonjs/example.js", example.replace(/^import (.*) from (.*);$/m, "const $1 = require($2);"));
  assert.equal(run("commonjs/example.js"), "true\n");
});

for (const [entry, file, names] of [["klero", "klero.js", klero], ["klero/token", "token.js", token]]) {
  test(`import and require of ${entry} give the same functions and classes`, () => {
    write(
      "both.js",
      `import * as imported from "${entry}";
      import { createRequire } from "node:module";
      const required = createRequire(import.meta.url)("${entry}");
      const names = Object.keys(imported);
      if (names.some((name) => imported[name] !== required[name])) throw new Error("two copies");
      console.log(names.sort().join());`,
    );
    const modules = join(project, "node_modules/klero/dist", file);
    write("browser.js", `console.log(Object.keys(await import(${JSON.stringify(modules)})).sort().join());`);
    const sorted = Object.keys(names).sort().join();
    assert.deepEqual([run("both.js").trim(), run("browser.js").trim()], [sorted, sorted]);
  });
}

test("every runtime finds its modules", () => {
  write("found.js", 'import "klero"; import "klero/token";');
  for (const [conditions, directory] of [[["workerd", "worker", "browser"], "workerd/"], [["browser"], ""], [[], ""]]) {
    const loader = { ".wasm": "copy" };
    const options = { absWorkingDir: project, bundle: true, format: "esm", write: false, metafile: true, loader };
    const built = buildSync({ ...options, conditions, entryPoints: ["found.js"], outdir: "out" });
    const inputs = Object.keys(built.metafile.inputs);
    for (const entry of ["klero", "token"]) {
      assert.ok(inputs.includes(`node_modules/klero/dist/${directory}${entry}.js`), inputs.join());
    }
    assert.equal(inputs.filter((name) => name.endsWith(".wasm")).length, directory === "" ? 0 : 2);
    assert.equal(inputs.filter((name) => name.endsWith("wasm.js")).length, directory === "" ? 2 : 0);
  }
});

test("a bundler makes one script for a browser of it, which needs no module", () => {
  write("page.js", 'import { suites } from "klero"; globalThis.names = suites().map(({ name }) => name);');
  const options = { absWorkingDir: project, bundle: true, format: "iife", target: "es2022", write: false };
  const { outputFiles } = buildSync({ ...options, entryPoints: ["page.js"] });
  const globals = { WebAssembly, TextEncoder, TextDecoder, FinalizationRegistry };
  vm.runInNewContext(outputFiles[0].text, globals);
  assert.equal(globals.names.join(), klero.suites().map(({ name }) => name).join());
});

const TYPESCRIPT = [
  // The oldest that the documentation promises, and the newest.
  ["typescript-5.7", "commonjs", { module: "commonjs", moduleResolution: "node10" }],
  ["typescript-5.7", "commonjs", { module: "node16" }],
  ["typescript-5.7", "module", { module: "node16" }],
  ["typescript-5.7", "module", { module: "es2022", moduleResolution: "node10" }],
  ["typescript-5.7", "module", { module: "es2022", moduleResolution: "bundler" }],
  ["typescript", "commonjs", { module: "commonjs" }],
  ["typescript", "commonjs", { module: "node16" }],
  ["typescript", "module", { module: "nodenext" }],
  ["typescript", "module", { module: "es2022", moduleResolution: "bundler" }],
];

for (const [compiler, type, options] of TYPESCRIPT) {
  test(`${compiler} compiles ${JSON.stringify(options)} in a package of type ${type}, and it runs`, () => {
    const directory = type === "commonjs" ? "commonjs/" : "";
    const program = `
      import { InvalidProof, SecretKey, type Verdict, verify, verifyMany } from "klero";
      import { TokenSecretKey, check, mint } from "klero/token";
      declare const console: { log(text: string): void };
      const suite = "rfc9381-ell2";
      const alpha = new Uint8Array(3);
      using key = SecretKey.generate(suite);
      const { publicKey } = key;
      using issuer = TokenSecretKey.generate();
      const rights: Uint8Array = check(mint(issuer, alpha), {
        roots: issuer.publicKey, challenge: null, revoked: [], now: 0,
      });
      const claims = key.proveMany([alpha]).map((proven) => ({ publicKey, alpha, ...proven }));
      const verdicts: Verdict[] = verifyMany({ suite, claims });
      try {
        verify({ suite, publicKey, alpha: publicKey, proof: claims[0]!.proof });
      } catch (error) {
        if (error instanceof InvalidProof) console.log(verdicts[0]!.valid + ", " + error.reason + ", " + rights.length);
      }
    `;
    write(`${directory}program.ts`, program);
    const lib = ["es2022", "esnext.disposable"];
    const directories = { rootDir: directory || ".", outDir: `${directory}out` };
    tsc(`${directory}program.ts`, { ...options, ...directories, lib }, compiler);
    assert.equal(run(`${directory}out/program.js`), "true, challenge mismatch, 3\n");
  });
}

test("the runner of ecvrf.json runs in the project, and finds wrong verdicts", () => {
  cpSync(path("../../vectors/runners/ecvrf.mjs"), join(project, "ecvrf.mjs"));
  const vectors = path("../../vectors/ecvrf.json");
  assert.equal(run("ecvrf.mjs", vectors), "1088 tests, 0 wrong\n");
  write("wrong.json", readFileSync(vectors, "utf8").replaceAll('"result":"valid"', '"result":"invalid"'));
  const { status, stdout } = spawnSync(process.execPath, ["ecvrf.mjs", "wrong.json"], { cwd: project, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stdout, /\n1088 tests, 238 wrong\n$/);
});

test("a build without Rust, or without its target, says what to install", () => {
  const build = (directory) => {
    const env = { ...process.env, PATH: directory };
    return spawnSync(process.execPath, [path("build.js")], { env, encoding: "utf8" });
  };
  const empty = join(project, "empty");
  mkdirSync(empty);
  const without = build(empty);
  const message = "klero was not built: there is no rustc. Install Rust (https://rustup.rs), then: rustup";
  assert.equal(without.stderr, `\n${message} target add wasm32-unknown-unknown\n\n`);

  const rust = join(project, "rust");
  mkdirSync(rust);
  writeFileSync(join(rust, "rustc"), "#!/bin/sh\necho /nonexistent/lib\n");
  chmodSync(join(rust, "rustc"), 0o755);
  const withoutTarget = build(rust);
  const cannot = "klero was not built: Rust cannot compile for WebAssembly yet. Run: rustup";
  assert.equal(withoutTarget.stderr, `\n${cannot} target add wasm32-unknown-unknown\n\n`);
  assert.deepEqual([without.status, withoutTarget.status], [1, 1]);
  assert.ok(existsSync(path("dist/klero.js")), "the last build is still there");
});

test("the examples in TypeScript have no errors", () => {
  const blocks = codeBlocks(path("../../docs/javascript.md"), "ts");
  assert.equal(blocks.length, 1);
  write("example.ts", blocks[0]);
  tsc("example.ts", { module: "nodenext", noEmit: true });
});

test("the types allow what works, and nothing else", () => {
  // Each line after `@ts-expect-error` must be an error, and each other line none.
  const program = `
    import * as klero from "klero";
    import * as token from "klero/token";
    const bytes = new Uint8Array(32);
    const claim: klero.Claim = { publicKey: bytes, alpha: bytes, proof: bytes };
    const output: Uint8Array<ArrayBuffer> = klero.verify({ suite: "praos", ...claim });
    const [verdict] = klero.verifyMany({ suite: "praos", claims: new Set([claim]) });
    if (verdict?.valid) verdict.output.slice();
    else verdict?.reason.trim();
    const key: klero.SecretKey = klero.SecretKey.generate("rfc9381-ell2");
    const { proof, output: proven }: klero.Proven = key.prove(output);
    const all: klero.Proven[] = key.proveMany(new Set([bytes]));
    const outputs: Uint8Array<ArrayBuffer>[] = key.evaluateMany([key.toSeed(), key.toLibsodium()]);
    const envelope: string = klero.SecretKey.fromEncoded(key.toEnvelope()).suite;
    const { suite, publicKey } = klero.publicKeyFromEncoded(envelope);
    klero.publicKeyToEnvelope(publicKey, suite ?? "praos").trim();
    const name: klero.SuiteName = klero.suites()[0]!.name;
    { using scoped = klero.SecretKey.fromSeed(name, key.evaluate(proof)); scoped.publicKey; }
    // @ts-expect-error: no such suite
    klero.SecretKey.generate("prows");
    // @ts-expect-error: keys are made by methods
    new klero.SecretKey("praos", bytes);
    // @ts-expect-error: no text
    key.prove("alpha");
    // @ts-expect-error: no key
    klero.verify({ suite: "praos", alpha: bytes, proof: bytes });
    // @ts-expect-error: a verdict may have no output
    verdict?.output;
    // @ts-expect-error: a suite is not changed
    key.suite = "praos";
    // @ts-expect-error: a secret key shows its seed by a method only
    key.seed;
    // @ts-expect-error: a key that is encoded is text
    klero.SecretKey.fromEncoded(bytes);
    const issuer: token.TokenSecretKey = token.TokenSecretKey.generate("aggregate");
    const text: string = token.mint(issuer, bytes, { caveats: new Set(["method GET"]), rootId: 7 });
    const challenge: token.Challenge = { nonce: bytes, audience: "shop", time: 7n };
    const roots: token.RootKeys = new Map([[7, issuer.publicKey]]);
    const revoked: token.Revoked = new Set([bytes]);
    const access: token.Access = { roots, challenge, revoked, now: 7, fields: { user: "a" }, limits: { bytes: 4096 } };
    const rights: Uint8Array<ArrayBuffer> = token.check(token.seal(text, challenge), access);
    const content: token.TokenContent = token.verify(text, { challenge: null, roots });
    if (content.blocks[0]?.kind === "statement") content.blocks[0].thirdParty?.slice();
    token.check(text, { ...access, fields: new Map<string, string>(), accept: (payload) => payload.length > 0 });
    token.narrow(text, ["method GET"], { roots: token.TokenPublicKey.fromText("" + issuer.publicKey) });
    try { token.inspect(text); } catch (error) { if (error instanceof token.Refused) error.block?.toFixed(); }
    // @ts-expect-error: a verifier knows root keys
    token.verify(text, { challenge });
    // @ts-expect-error: a verifier says whether there is a challenge
    token.verify(text, { roots });
    // @ts-expect-error: a verifier tells the time
    token.check(text, { roots, challenge, revoked });
    // @ts-expect-error: a verifier says what is revoked
    token.check(text, { roots, challenge, now: 7 });
    token.check(text, { ...access, challenge: null, revoked: (id) => id.length === 0 });
    // @ts-expect-error: caveats are a list
    token.narrow(text, "method GET");
    // @ts-expect-error: a member is misspelt
    token.mint(issuer, bytes, { caveat: ["method GET"] });
    // @ts-expect-error: a promise is no answer
    token.check(text, { ...access, accept: async () => true });
    // @ts-expect-error: no such scheme
    token.TokenSecretKey.generate("bls");
    // @ts-expect-error: a public key signs nothing
    token.mint(issuer.publicKey, bytes);
    // @ts-expect-error: keys are made by methods
    new token.TokenSecretKey("chain", bytes);
    [rights, proven, ...outputs, ...all.map(({ proof }) => proof)].pop();
  `;
  write("types.ts", program);
  tsc("types.ts", { module: "nodenext", noEmit: true });
});

test("the names of the types are those of the suites", () => {
  const types = readFileSync(path("dist/klero.d.ts"), "utf8");
  const [, names] = types.match(/type SuiteName = ([^;]*);/);
  const all = names.split("|").map((name) => name.trim().replaceAll('"', "")).filter(Boolean);
  assert.deepEqual(all, klero.suites().map(({ name }) => name));
});
