// Every test vector, against the files and against the Rust library on this machine.

import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { readdirSync } from "node:fs";
import test from "node:test";

import * as klero from "klero";
import { path, readVectors } from "./support.js";
import { check, files } from "./vectors.js";

const inTree = readdirSync(path("../../vectors")).filter(
  (name) => name.endsWith(".json") && !name.endsWith(".schema.json"),
);
const vectors = Object.fromEntries(Object.keys(files).map((file) => [file, readVectors(file)]));

test("no file of vectors is left out", () => {
  assert.deepEqual(inTree.sort(), Object.keys(files));
});

// Verdicts with reasons, which the files do not have.
const command = "cargo run --quiet --locked --release --example verdicts";
const expected = JSON.parse(
  execSync(command, {
    cwd: path("."),
    encoding: "utf8",
    input: JSON.stringify(vectors),
    maxBuffer: 2 ** 24,
  }),
);

for (const [file, count] of Object.entries(files)) {
  test(`${file}: ${count} vectors`, () => {
    assert.equal(vectors[file].length, count);
    assert.deepEqual(check(klero, vectors[file]), expected[file]);
  });
}

test("every suite has a vector", () => {
  const covered = new Set(Object.values(vectors).flat().map(({ suite }) => suite));
  assert.deepEqual(klero.suites().map(({ name }) => name).sort(), [...covered].sort());
});
