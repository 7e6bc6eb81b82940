// Questions on tokens, and the package's answers as text, in Node and elsewhere alike. Takes the package
// as `token`, since each place has its own. `token/examples/token_verdicts.rs` is the same in Rust.

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

function answer(token, question) {
  const { caveat, path, key, request, limits, roots, challenge, relyingParty, access, accepted = 0 } = question;
  if (caveat !== undefined) {
    const issuer = token.TokenSecretKey.fromSeed("chain", new Uint8Array(32));
    token.mint(issuer, new Uint8Array(0), { caveats: [caveat], limits: { bytes: 2 ** 20 } });
    issuer.free();
    return caveat;
  }
  if (path !== undefined) return token.normalPath(path);
  if (key !== undefined) return `${token.TokenPublicKey.fromText(key)}`;
  if (request !== undefined) {
    const registry = token.TokenSecretKey.fromSeed("ed25519", new Uint8Array(32));
    token.statement(request, registry, new Uint8Array(0));
    registry.free();
    return request;
  }
  if (roots === undefined) return content(token.inspect(question.token, { limits }));
  const known = { challenge: null, limits, relyingParty, roots: roots.map(([id, text]) => [id, token.TokenPublicKey.fromText(text)]) };
  if (challenge !== undefined) known.challenge = { ...challenge, nonce: fromHex(challenge.nonce) };
  if (access === undefined) return content(token.verify(question.token, known));
  let seen = 0;
  const revoked = (access.revoked ?? []).map(fromHex);
  const rights = token.check(question.token, { ...known, ...access, revoked, accept: () => seen++ < accepted });
  return `granted: ${hex(rights)}`;
}

function content({ scheme, rootId, sealed, held, blocks }) {
  const all = blocks.map(({ kind, payload, caveats, thirdParty, revocationId }) => [
    kind,
    hex(payload),
    hex(caveats),
    thirdParty === undefined ? null : hex(thirdParty),
    hex(revocationId),
  ]);
  return JSON.stringify([scheme, rootId, sealed, held, all]);
}

/** What the package says of each question: an answer, or the words of its error. */
export function answers(token, questions) {
  return questions.map((question) => {
    try {
      return answer(token, question);
    } catch (error) {
      if (error instanceof token.InvalidToken) return error.reason.replace(/^request: /, "");
      if (!(error instanceof token.Refused || error instanceof SyntaxError)) throw error;
      return error.message.replace(/^caveats\[0\]: /, "");
    }
  });
}

const relyingPartyOf = (party) =>
  party && { id: party.id, origins: party.origins, userVerification: party.user_verification };

/** The questions of the files in `vectors/tokens`, and what is known of the answers. */
export function questionsOf({ scheme, keys, roots, limits, tokens }) {
  const texts = new Map(keys.map(({ public: bytes, text }) => [bytes, text]));
  const base64url = (text) =>
    btoa(String.fromCharCode(...fromHex(text))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return tokens.flatMap((vector) => {
    const { signatures, caveats, bytes } = vector.limits ?? limits;
    const question = {
      token: base64url(vector.token),
      roots: Object.entries(vector.roots ?? roots).map(([id, bytes]) => [Number(id), texts.get(bytes)]),
      limits: { signatures, caveats, bytes },
      challenge: vector.challenge,
      relyingParty: relyingPartyOf(vector.relying_party),
    };
    const valid = { name: `${scheme}, ${vector.name}`, valid: vector.valid, question };
    const checks = (vector.checks ?? []).map((check, i) => {
      const { granted, block, caveat, access, opaque_accepted } = check;
      const place = block === undefined ? "seal" : `block ${block}`;
      const refusal = granted ? `granted: ${vector.rights}` : `${place}: ${caveat}: `;
      const asked = { ...question, access, accepted: opaque_accepted ? 64 : 0 };
      return { name: `${scheme}, ${vector.name}, check ${i}`, begins: refusal, question: asked };
    });
    return [valid, ...checks];
  });
}
