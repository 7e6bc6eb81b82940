// Every test vector, against the files and against the Rust library on this machine.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import * as klero from "klero";
import { path, readVectors, rust } from "./support.js";
import { check, files } from "./vectors.js";

// headers.json has no claims of a VRF.
const inTree = readdirSync(path("../../vectors")).filter(
  (name) => name.endsWith(".json") && !name.endsWith(".schema.json") && name !== "headers.json",
);
const vectors = Object.fromEntries(Object.keys(files).map((file) => [file, readVectors(file)]));

test("no file of vectors is left out", () => {
  assert.deepEqual(inTree.sort(), Object.keys(files));
});

// Verdicts with reasons, which the files do not have.
const expected = JSON.parse(rust("verdicts", JSON.stringify(vectors)));

for (const [file, count] of Object.entries(files)) {
  test(`${file}: ${count} vectors`, () => {
    assert.equal(vectors[file].length, count);
    assert.deepEqual(check(klero, vectors[file]), expected[file]);
  });
}

test("integers below n are those of the vectors", () => {
  const integers = JSON.parse(readFileSync(path("../../vectors/outputs/below.json"), "utf8"));
  assert.equal(integers.length, 140);
  for (const { output, n, below } of integers) {
    assert.equal(klero.below(klero.fromHex(output), BigInt(n)), BigInt(below));
    if (BigInt(n) <= Number.MAX_SAFE_INTEGER) {
      assert.equal(klero.below(klero.fromHex(output), Number(n)), BigInt(below));
    }
  }
});

test("every suite has a vector", () => {
  const covered = new Set(Object.values(vectors).flat().map(({ suite }) => suite));
  assert.deepEqual(klero.suites().map(({ name }) => name).sort(), [...covered].sort());
});

test("the page of ecvrf.json describes every member, and has the choices of every suite", () => {
  const page = readFileSync(path("../../docs/ecvrf-vectors.md"), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()).slice(1, -1));
  const { properties, $defs } = JSON.parse(readFileSync(path("../../vectors/ecvrf.schema.json"), "utf8"));
  const tables = { file: properties, group: $defs.group.properties, test: $defs.test.properties };
  for (const [name, members] of Object.entries(tables)) {
    const head = rows.findIndex(([first]) => first === `member of the ${name}` || first === `member of a ${name}`);
    assert.notEqual(head, -1, `a table of the members of a ${name}`);
    const end = rows.findIndex((row, i) => i > head && row.length === 0);
    assert.deepEqual(rows.slice(head + 2, end).map(([first]) => first), Object.keys(members));
  }
  const { testGroups } = JSON.parse(readFileSync(path("../../vectors/ecvrf.json"), "utf8"));
  for (const { suite, suiteString, encodeToCurve, challenge, proofLength, rules } of testGroups) {
    const row = [suite, suiteString, encodeToCurve, challenge, `${proofLength}`, rules];
    assert.ok(rows.some((found) => found.join("|") === row.join("|")), row.join(" | "));
    for (const choice of row.slice(2)) {
      assert.ok(rows.some(([first]) => first === choice), `what ${choice} means`);
    }
  }
});
