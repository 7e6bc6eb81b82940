// Measures this package; and beside it another build, call by call in turn, if its klero.js is
// given:
//
//   node bench.js [/path/to/other/dist/klero.js]
//
// Times are the least of many, in microseconds for each proof.

import { pathToFileURL } from "node:url";

import * as klero from "klero";

const [other] = process.argv.slice(2);
const builds = [klero];
if (other !== undefined) builds.push(await import(pathToFileURL(other).href));

const MANY = 256;
const seed = new Uint8Array(32).fill(7);
const alphas = Array.from({ length: MANY }, (_, i) => new Uint8Array([i]));

/** For each operation, how often to measure it, on how many proofs, and what it is. */
function operations({ SecretKey, verify, verifyMany }, suite) {
  const key = SecretKey.fromSeed(suite, seed);
  const claims = alphas.map((alpha) => ({ publicKey: key.publicKey, alpha, ...key.prove(alpha) }));
  return {
    "verify one": [300, 1, () => verify({ suite, ...claims[0] })],
    [`verify ${MANY}`]: [20, MANY, () => verifyMany({ suite, claims })],
    prove: [300, 1, () => key.prove(alphas[0])],
    evaluate: [300, 1, () => key.evaluate(alphas[0])],
  };
}

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

for (const suite of ["praos", "rfc9381-tai", "rfc9381-ell2-bc"]) {
  const all = builds.map((build) => operations(build, suite));
  for (const [name, [times, proofs]] of Object.entries(all[0])) {
    const least = builds.map(() => Infinity);
    for (let i = 0; i < times; i++) {
      for (const [build, operations] of all.entries()) {
        least[build] = Math.min(least[build], time(operations[name][2]));
      }
    }
    const columns = least.map((ms) => ((1000 * ms) / proofs).toFixed(0).padStart(6));
    if (least.length > 1) columns.push((least[1] / least[0]).toFixed(2).padStart(6));
    console.log(suite.padEnd(18), name.padEnd(12), ...columns);
  }
}
