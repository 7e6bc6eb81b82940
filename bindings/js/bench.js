// Measures this package; and beside it another build, call by call in turn, if its klero.js is
// given:
//
//   node bench.js [/path/to/other/dist/klero.js]
//
// Times are the least of many, in microseconds for each proof or token.

import { pathToFileURL } from "node:url";

import * as klero from "klero";
import * as token from "klero/token";

const [other] = process.argv.slice(2);
const builds = [{ ...klero, ...token, verifyToken: token.verify, verify: klero.verify }];
if (other !== undefined) {
  const url = pathToFileURL(other);
  const [klero, token] = await Promise.all([url, new URL("token.js", url)].map((url) => import(url.href)));
  builds.push({ ...klero, ...token, verifyToken: token.verify, verify: klero.verify });
}

const MANY = 256;
const seed = new Uint8Array(32).fill(7);
const alphas = Array.from({ length: MANY }, (_, i) => new Uint8Array([i]));

/** For each operation on proofs, how often to measure it, on how many, and what it is. */
function onProofs({ SecretKey, verify, verifyMany }, suite) {
  const key = SecretKey.fromSeed(suite, seed);
  const claims = alphas.map((alpha) => ({ publicKey: key.publicKey, alpha, ...key.prove(alpha) }));
  return {
    "verify one": [300, 1, () => verify({ suite, ...claims[0] })],
    [`verify ${MANY}`]: [20, MANY, () => verifyMany({ suite, claims })],
    prove: [300, 1, () => key.prove(alphas[0])],
    evaluate: [300, 1, () => key.evaluate(alphas[0])],
  };
}

/** The same on tokens of two blocks, and those sealed. */
function onTokens({ TokenSecretKey, mint, narrow, seal, verifyToken }, scheme) {
  const issuer = TokenSecretKey.generate(scheme);
  const wide = mint(issuer, alphas[0]);
  const narrowed = narrow(wide, ["method GET"]);
  const challenge = { nonce: seed, audience: "shop", time: 0 };
  const sealed = seal(narrowed, challenge);
  return {
    mint: [300, 1, () => mint(issuer, alphas[0])],
    narrow: [300, 1, () => narrow(wide, ["method GET"])],
    seal: [300, 1, () => seal(narrowed, challenge)],
    verify: [300, 1, () => verifyToken(sealed, { roots: issuer.publicKey, challenge })],
  };
}

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Measures all builds in turn, and prints a line for each operation. */
function measure(what, operations) {
  const all = builds.map((build) => operations(build, what));
  for (const [name, [times, count]] of Object.entries(all[0])) {
    const least = builds.map(() => Infinity);
    for (let i = 0; i < times; i++) {
      for (const [build, operations] of all.entries()) {
        least[build] = Math.min(least[build], time(operations[name][2]));
      }
    }
    const columns = least.map((ms) => ((1000 * ms) / count).toFixed(0).padStart(6));
    if (least.length > 1) columns.push((least[1] / least[0]).toFixed(2).padStart(6));
    console.log(what.padEnd(18), name.padEnd(12), ...columns);
  }
}

for (const suite of ["praos", "rfc9381-tai", "rfc9381-ell2-bc"]) measure(suite, onProofs);
for (const scheme of ["chain", "aggregate"]) measure(scheme, onTokens);
