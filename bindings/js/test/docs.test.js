// The examples of the documentation run. (Those in HTML run in `browser.test.js`, those in
// TypeScript in `package.test.js`.)

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import test from "node:test";

import { codeBlocks, path } from "./support.js";

for (const [page, count] of [["README.md", 1], ["../../docs/javascript.md", 6]]) {
  const blocks = codeBlocks(path(page), "js");
  test(`${page} has ${count} examples`, () => assert.equal(blocks.length, count));
  for (const [i, code] of blocks.entries()) {
    test(`example ${i + 1} of ${page}`, () => {
      // Within the package, so that its name is known.
      mkdirSync(path("target/docs"), { recursive: true });
      const file = path(`target/docs/example-${i + 1}.mjs`);
      // `console.assert` only prints.
      writeFileSync(file, `console.assert = (holds) => { if (!holds) throw new Error("false"); };\n${code}`);
      const printed = execFileSync(process.execPath, [file], { encoding: "utf8" });
      for (const [, expected] of code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)) {
        assert.ok(printed.includes(expected), printed);
      }
    });
  }
}
