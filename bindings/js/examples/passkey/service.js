// The service: it gives a token to whoever may have one, and answers requests with a token that a passkey
// sealed to a challenge of this service.
//
//   node service.js, then open http://localhost:8017

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

import { InvalidToken, Refused, TokenSecretKey, check, mint } from "klero/token";

const AUDIENCE = "files";
const SECONDS = 60;

const root = TokenSecretKey.generate("chain");

/** The challenges that were given out, by their nonces in hex, and when. */
const pending = new Map();

const now = () => Math.floor(Date.now() / 1000);
const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** A challenge that counts once, for a minute. */
export function newChallenge() {
  for (const [nonce, time] of pending) {
    if (time + SECONDS < now()) pending.delete(nonce);
  }
  const challenge = { nonce: toHex(crypto.getRandomValues(new Uint8Array(16))), audience: AUDIENCE, time: now() };
  pending.set(challenge.nonce, challenge.time);
  return challenge;
}

/**
 * The rights of a request, if its token allows it. `origin` is that of the service's pages, and the passkeys
 * belong to its host.
 */
export function rightsOf(sealed, nonce, { method, path }, origin) {
  const time = pending.get(nonce);
  // Before anything else: it counts once, whether the token is good or not.
  pending.delete(nonce);
  if (time === undefined || time + SECONDS < now()) throw new InvalidToken("the challenge is not pending");
  return check(sealed, {
    roots: root.publicKey,
    challenge: { nonce: Buffer.from(nonce, "hex"), audience: AUDIENCE, time },
    revoked: [],
    relyingParty: { id: new URL(origin).hostname, origins: [origin], userVerification: true },
    now: now(),
    audience: AUDIENCE,
    method,
    path,
  });
}

/** What a new passkey is entrusted with. A real service asks first who it is. */
export function newToken() {
  return mint(root, Buffer.from("account 17"), { caveats: [`before ${at(now() + 86_400)}`, `audience ${AUDIENCE}`] });
}

const at = (seconds) => new Date(1000 * seconds).toISOString().replace(/\.\d+Z$/, "Z");

/** The page, and the package that it loads. */
function file(path) {
  if (path === "/") return ["text/html", readFileSync(new URL("index.html", import.meta.url))];
  const [, name] = path.match(/^\/klero\/((?:token\/)?[\w-]+\.js)$/) ?? [];
  const dist = import.meta.resolve("klero/token");
  return name === undefined ? undefined : ["text/javascript", readFileSync(new URL(name, dist))];
}

/** Answers the requests of the pages with this origin. */
export function answer(origin) {
  return (request, response) => {
    const reply = (status, type, body) => response.writeHead(status, { "Content-Type": type }).end(body);
    const { method, url: path } = request;
    if (method === "POST" && path === "/token") return reply(200, "text/plain", newToken());
    if (method === "POST" && path === "/challenge") {
      return reply(200, "application/json", JSON.stringify(newChallenge()));
    }
    const found = file(path);
    if (found !== undefined) return reply(200, ...found);
    const [, sealed = ""] = request.headers.authorization?.match(/^Bearer ([\w-]+)$/) ?? [];
    try {
      const rights = rightsOf(sealed, request.headers["klero-nonce"], { method, path }, origin);
      reply(200, "text/plain", `${path}, for ${Buffer.from(rights)}`);
    } catch (error) {
      if (!(error instanceof InvalidToken || error instanceof Refused)) throw error;
      reply(error instanceof Refused ? 403 : 401, "text/plain", error.message);
    }
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const origin = "http://localhost:8017";
  createServer(answer(origin)).listen(8017, "localhost", () => console.log(origin));
}
