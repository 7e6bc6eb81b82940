// The package as others install it: from its archive, into an empty project.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import * as klero from "klero";
import { codeBlocks, path } from "./support.js";

let project, files;

before(() => {
  project = mkdtempSync(path("target/project-"));
  const run = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8" });
  const [packed] = JSON.parse(
    run(path("."), "pack", "--json", "--ignore-scripts", "--pack-destination", project),
  );
  files = packed.files.map(({ path }) => path);
  writeFileSync(join(project, "package.json"), '{"private": true, "type": "module"}');
  run(project, "install", "--offline", join(project, packed.filename));
});

after(() => rmSync(project, { recursive: true, force: true }));

/** Checks a program in strict mode, with no types but those of the language. */
function tsc(file, code) {
  const [target, lib, module] = ["es2022", ["es2022"], "nodenext"];
  const compilerOptions = { strict: true, noEmit: true, types: [], target, lib, module };
  writeFileSync(join(project, file), code);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  const compiler = path("node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler], { cwd: project, stdio: "inherit" });
}

test("the package has its modules, types and licences, and nothing else", () => {
  const modules = ["bytes", "engine", "klero", "message"];
  const expected = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  expected.push("README.md", "dist/LICENSE-APACHE", "dist/LICENSE-MIT", "dist/wasm.js", "package.json");
  assert.deepEqual(files.sort(), expected.sort());
  assert.equal(JSON.parse(readFileSync(path("package.json"))).dependencies, undefined);
});

test("the README's example runs in the project", () => {
  const [example] = codeBlocks(path("README.md"), "js");
  writeFileSync(join(project, "example.js"), example);
  const printed = execFileSync(process.execPath, ["example.js"], { cwd: project, encoding: "utf8" });
  assert.equal(printed, "");
});

test("the examples in TypeScript have no errors", () => {
  const blocks = codeBlocks(path("../../docs/javascript.md"), "ts");
  assert.equal(blocks.length, 1);
  tsc("example.ts", blocks[0]);
});

test("the types allow what works, and nothing else", () => {
  // Each line after `@ts-expect-error` must be an error, and each other line none.
  const program = `
    import * as klero from "klero";
    const bytes = new Uint8Array(32);
    const claim: klero.Claim = { publicKey: bytes, alpha: bytes, proof: bytes };
    const output: Uint8Array<ArrayBuffer> = klero.verify({ suite: "praos", ...claim });
    const [verdict] = klero.verifyMany({ suite: "praos", claims: new Set([claim]) });
    if (verdict?.valid) verdict.output.slice();
    else verdict?.reason.trim();
    const key: klero.SecretKey = klero.SecretKey.generate("rfc9381-ell2");
    const { proof, output: proven }: klero.Proven = key.prove(output);
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
    // @ts-expect-error: a secret key does not show its seed
    key.seed;
    proven.slice();
  `;
  tsc("types.ts", program);
});

test("the names of the types are those of the suites", () => {
  const types = readFileSync(path("dist/klero.d.ts"), "utf8");
  const [, names] = types.match(/type SuiteName = ([^;]*);/);
  const all = names.split("|").map((name) => name.trim().replaceAll('"', "")).filter(Boolean);
  assert.deepEqual(all, klero.suites().map(({ name }) => name));
});
