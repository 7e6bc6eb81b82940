// Where things are.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { questionsOf } from "./token-vectors.js";

/** The path of a file of this package. */
export const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** The vectors of a file in `vectors/`: a list, or in groups of one suite as in ecvrf.json. */
export function readVectors(file) {
  const content = JSON.parse(readFileSync(path(`../../vectors/${file}`), "utf8"));
  if (Array.isArray(content)) return content;
  return content.testGroups.flatMap(({ suite, tests }) =>
    tests.map(({ tcId, comment, result, ...claim }) => ({
      ...claim,
      suite,
      name: `${tcId}, ${comment}`,
      valid: result === "valid",
    })),
  );
}

/** The content of a file in `vectors/tokens`. */
export const readTokens = (file) => JSON.parse(readFileSync(path(`../../vectors/tokens/${file}`), "utf8"));

/** All that the files in `vectors/tokens` ask. */
export function tokenQuestions() {
  const { lines, paths } = readTokens("caveats.json");
  const asked = ["chain.json", "aggregate.json", "passkeys.json"].flatMap((file) => questionsOf(readTokens(file)));
  return [
    ...lines.map(({ line }) => ({ caveat: line })),
    ...paths.map(({ path }) => ({ path })),
    ...asked.map(({ question }) => question),
  ];
}

/** The blocks of code in a page of documentation that are in this language. */
export function codeBlocks(page, language) {
  const blocks = readFileSync(page, "utf8").matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...blocks].filter(([, of]) => of === language).map(([, , code]) => code);
}

/** What an example in Rust of the crate in a directory prints, which reads `input`. */
export function rust(example, input = "", directory = ".") {
  const args = ["run", "--quiet", "--locked", "--release", "--example", example];
  return execFileSync("cargo", args, { cwd: path(directory), encoding: "utf8", input, maxBuffer: 2 ** 24 });
}
