// A worker that stands before a service, and lets a request through if its token is good: if the issuer
// signed it, its caveats allow the request, and it is sealed to this request.

import { InvalidToken, Refused, TokenPublicKey, check, normalPath } from "klero/token";
import { isNew } from "./nonces.js";
import { challengeOf, toBase64url, toHex } from "./sealed.js";

export { Nonces } from "./nonces.js";

/** How far the client's clock may be off, in seconds. */
const WINDOW = 60;
const MOST_BODY = 65_536;
const LIMITS = { signatures: 16, bytes: 4096 };

/** The headers that the service gets. No seal covers them, and of others some servers take another method
 * (`X-HTTP-Method-Override`) or path (`X-Original-URL`), which the token may not allow. */
const FORWARDED = ["Accept", "Accept-Language", "Content-Type", "If-Match", "If-None-Match"];

/** An answer instead of the service's. */
class Denied extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/** The body, if it is not too large. */
async function read(request) {
  const parts = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > MOST_BODY) throw new Denied(413, `a body of more than ${MOST_BODY} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A header's value, if it has this form. Of one that is there twice, `get` returns both. */
function header(request, name, form) {
  const [, value] = request.headers.get(name)?.match(form) ?? [];
  if (value === undefined) throw new Denied(name === "Authorization" ? 401 : 400, `header ${name}`);
  return value;
}

/** Router, service and caveats must see the same path. */
function checkPath(path) {
  try {
    if (normalPath(path) === path) return;
  } catch (error) {
    throw new Denied(400, error.message);
  }
  throw new Denied(400, "the path is not in normal form");
}

/** The ids of revoked blocks. If the setting is missing or misspelt, nothing is let through. */
function revokedIds(setting) {
  const ids = setting.split("\n").filter((line) => line !== "");
  if (!ids.every((id) => /^[0-9a-f]{64}$/.test(id))) throw new Error("REVOKED has a line that is no id");
  return new Set(ids);
}

/** The rights of the token of a request, once all is found good. The nonce comes last: so only who has a
 * good token can fill the store, and a request that is refused uses none up. */
async function rightsOf(request, body, env) {
  const token = header(request, "Authorization", /^Klero ([\w-]+)$/);
  const time = Number(header(request, "Klero-Time", /^(\d{1,12})$/));
  const random = header(request, "Klero-Random", /^([\w-]{22})$/);
  const now = Math.floor(Date.now() / 1000);
  if (Math.abs(now - time) > WINDOW) throw new Denied(401, "the time is out of the window");

  const { method, url } = request;
  const { pathname } = new URL(url);
  checkPath(pathname);
  if (body.length > 0 && (method === "GET" || method === "HEAD")) throw new Denied(400, `a body with ${method}`);

  const bytes = Uint8Array.from(atob(random.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const challenge = await challengeOf({ method, url, body, random: bytes, time }, env.AUDIENCE);
  const revoked = revokedIds(env.REVOKED);
  const rights = check(token, {
    roots: TokenPublicKey.fromText(env.ROOT_KEY),
    challenge,
    revoked: (id) => revoked.has(toHex(id)),
    limits: LIMITS,
    now,
    audience: env.AUDIENCE,
    path: pathname,
    method,
  });
  // Longer than the window, because the clocks of the two may differ.
  const until = time + 2 * WINDOW;
  if (!(await isNew(env.NONCES, challenge.nonce, until))) throw new Denied(401, "replayed");
  return rights;
}

/** The request for the service, which learns the rights from a header that no client can set. Its redirects
 * are for the client: to follow one here would pass the checks by. */
function forwarded({ method, url, headers }, body, rights) {
  const passed = FORWARDED.filter((name) => headers.has(name)).map((name) => [name, headers.get(name)]);
  passed.push(["Klero-Rights", toBase64url(rights)]);
  return new Request(url, { method, headers: passed, redirect: "manual", ...(body.length > 0 ? { body } : {}) });
}

/** The status for an error, if it is about the request. */
function statusOf(error) {
  if (error instanceof Denied) return error.status;
  if (error instanceof InvalidToken) return 401;
  // A new token helps who has one that has expired or is revoked.
  const isOver = ({ caveat, reason }) => caveat.startsWith("before ") || reason === "the block is revoked";
  if (error instanceof Refused) return isOver(error) ? 401 : 403;
  return undefined;
}

export default {
  async fetch(request, env) {
    try {
      const body = await read(request);
      const rights = await rightsOf(request, body, env);
      return await env.SERVICE.fetch(forwarded(request, body, rights));
    } catch (error) {
      const status = statusOf(error);
      // Anything else is a fault of this worker or of what it needs: nobody is let through.
      if (status === undefined) console.error(error);
      const headers = status === 401 ? { "WWW-Authenticate": "Klero" } : {};
      return Response.json({ error: status === undefined ? "internal" : error.message }, { status: status ?? 500, headers });
    }
  },
};
