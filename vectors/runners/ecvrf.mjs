// Runs the tests of ecvrf.json on a verifier: put yours into `verify`.
//
//   node ecvrf.mjs ../ecvrf.json [SUITE...]
//
// Prints the tests whose verdict is wrong, and exits with 1 if there are any.

import { readFileSync } from "node:fs";

import * as klero from "klero";

/** The output of 64 bytes if the proof is valid, else undefined. Here: Klero's. */
function verify(suite, publicKey, alpha, proof) {
  try {
    return klero.verify({ suite, publicKey, alpha, proof });
  } catch (error) {
    if (!(error instanceof klero.InvalidProof)) throw error;
  }
}

const [path, ...suites] = process.argv.slice(2);
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
let [ran, wrong] = [0, 0];

for (const { suite, tests } of JSON.parse(readFileSync(path, "utf8")).testGroups) {
  if (suites.length > 0 && !suites.includes(suite)) continue;
  for (const { tcId, comment, flags, pk, alpha, pi, beta, result } of tests) {
    const output = verify(suite, bytes(pk), bytes(alpha), bytes(pi));
    const accepted = output !== undefined && (beta === undefined || hex(output) === beta);
    ran += 1;
    if (result !== "acceptable" && result !== (accepted ? "valid" : "invalid")) {
      wrong += 1;
      console.log(suite, tcId, "is", result, flags, comment);
    }
  }
}
console.log(`${ran} tests, ${wrong} wrong`);
process.exitCode = wrong > 0 || ran === 0 ? 1 : 0;
