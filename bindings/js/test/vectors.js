// What holds for every test vector, in Node and in a browser alike. Takes the package as
// `klero`, since a browser has its own.

/** The names of the files in `vectors/`, and how many vectors each has: none is skipped. */
export const files = {
  "cardano-base.json": 14,
  "cross-implementation.json": 160,
  "ecvrf.json": 1088,
  "edge-cases.json": 36,
  "hostile.json": 291,
  "more-suites.json": 48,
  "rfc9381.json": 6,
};

function equal(got, expected, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a}, expected ${b}`);
}

/** The verdict as text: the output in hex, or the reason. */
function words(klero, verdict) {
  return verdict.valid ? klero.toHex(verdict.output) : `invalid: ${verdict.reason}`;
}

function alone(klero, claim) {
  try {
    return { valid: true, output: klero.verify(claim) };
  } catch (error) {
    if (!(error instanceof klero.InvalidProof)) throw error;
    return { valid: false, reason: error.reason };
  }
}

/** The claim of a vector. */
export function claimOf(klero, { suite, pk, alpha, pi, beta }) {
  const claim = { suite, publicKey: pk, alpha, proof: pi, output: beta };
  for (const [name, hex] of Object.entries(claim)) {
    if (name !== "suite" && hex !== undefined) claim[name] = klero.fromHex(hex);
  }
  return claim;
}

/**
 * Verifies each vector alone, with and without its output, and all of a suite together; and
 * proves and evaluates those that have a secret key. Returns the verdicts, as text.
 */
export function check(klero, vectors) {
  const claims = vectors.map((vector) => claimOf(klero, vector));
  const verdicts = claims.map((claim) => words(klero, alone(klero, claim)));
  for (const [i, { suite, name, valid, sk, pk, alpha, pi, beta }] of vectors.entries()) {
    const what = `${suite}, ${name}`;
    equal(!verdicts[i].startsWith("invalid: "), valid, what);
    if (valid && beta !== undefined) {
      equal(verdicts[i], beta, what);
      const { output, ...withoutOutput } = claims[i];
      equal(words(klero, alone(klero, withoutOutput)), beta, what);
    }
    if (sk !== undefined) {
      const key = klero.SecretKey.fromSeed(suite, klero.fromHex(sk));
      equal(klero.toHex(key.publicKey), pk, what);
      const { proof, output } = key.prove(klero.fromHex(alpha));
      equal([klero.toHex(proof), klero.toHex(output)], [pi, beta], what);
      equal(klero.toHex(key.evaluate(klero.fromHex(alpha))), beta, what);
      key.free();
    }
  }
  for (const suite of new Set(vectors.map(({ suite }) => suite))) {
    const own = [...claims.keys()].filter((i) => claims[i].suite === suite);
    const many = klero.verifyMany({ suite, claims: own.map((i) => claims[i]) });
    equal(many.map((verdict) => words(klero, verdict)), own.map((i) => verdicts[i]), suite);
  }
  return verdicts;
}
