// Requests for the worker of `examples/worker`, and what becomes of them.

import * as token from "klero/token";
import { challengeOf, sealed, toBase64url, toHex } from "../examples/worker/sealed.js";

const bytes = (text) => new TextEncoder().encode(text);
const audience = "api.example.org";
const issuer = token.TokenSecretKey.generate();
const caveats = [`audience ${audience}`, "before 2999-01-01T00:00:00Z", "path /files", "method GET PUT"];
const wide = token.mint(issuer, bytes("account 17"), { caveats });
const lost = token.narrow(wide, []);
const { revocationId } = token.inspect(lost).blocks[1];

/** What the worker is told. */
export const settings = { AUDIENCE: audience, ROOT_KEY: `${issuer.publicKey}`, REVOKED: `${toHex(revocationId)}\n` };

/** A request with the token sealed to another time, method, body or audience than its own. */
async function sealedTo(url, told) {
  const [time, random] = [told.time ?? Math.floor(Date.now() / 1000), new Uint8Array(16).fill(7)];
  const said = { method: "GET", url, body: bytes(""), random, ...told, time };
  const challenge = await challengeOf(said, told.audience ?? audience);
  const headers = { Authorization: `Klero ${token.seal(wide, challenge)}`, "Klero-Time": `${time}` };
  return new Request(url, { headers: { ...headers, "Klero-Random": toBase64url(random) } });
}

/** The same with other headers. */
async function withHeaders(request, change) {
  const { headers } = await request;
  const changed = new Headers(headers);
  change(changed);
  return new Request((await request).url, { headers: changed });
}

/** Each request by what it is, with the status that it gets. The worker is at `origin`. */
export async function requests(origin) {
  const at = (path) => `${origin}${path}`;
  const get = (one, path, options) => sealed(one, at(path), { audience, ...options });
  const other = token.mint(token.TokenSecretKey.generate(), bytes("account 17"));
  const now = Math.floor(Date.now() / 1000);
  const again = await get(wide, "/files/again");
  const spoofed = get(wide, "/files/spoofed");
  const overridden = get(wide, "/files/overridden");
  const spoof = (headers) => ["X-HTTP-Method-Override", "X-Original-URL", "Klero_Rights"].forEach((name) => headers.set(name, "x"));
  return [
    ["a good one", 200, get(wide, "/files/17?a=b&c=%20d")],
    ["one with a body", 200, get(wide, "/files/17", { method: "PUT", body: "a body" })],
    ["a narrowed token", 200, get(token.narrow(wide, ["path /files/17"]), "/files/17/a")],
    ["rights that the client claims", 200, withHeaders(spoofed, (headers) => headers.set("Klero-Rights", "YWxs"))],
    ["headers that some servers obey", 200, withHeaders(overridden, spoof)],
    ["a redirect of the service's, which is for the client", 302, get(wide, "/files/away")],
    ["the first of two", 200, again.clone()],
    ["the second of two", 401, again],
    ["no token", 401, new Request(at("/files/17"))],
    ["a token of another issuer", 401, get(other, "/files/17")],
    ["a token that is revoked", 401, get(token.narrow(lost, ["method GET"]), "/files/17")],
    ["a token that has expired", 401, get(token.narrow(wide, ["before 2020-01-01T00:00:00Z"]), "/files/17")],
    ["a token of more bytes than the limit", 401, get(token.append(wide, new Uint8Array(4000)), "/files/17")],
    ["a block of bytes", 403, get(token.append(wide, bytes("?")), "/files/17")],
    ["a path that the token does not allow", 403, get(wide, "/admin")],
    ["a method that the token does not allow", 403, get(wide, "/files/17", { method: "DELETE" })],
    ["a path that is not normal", 400, get(wide, "/files//17")],
    ["a path that is not normal, as text", 400, get(wide, "/f%69les/17")],
    ["sealed to another path", 401, sealedTo(at("/files/18"), { url: at("/files/17") })],
    ["sealed to another query", 401, sealedTo(at("/files/18?a=b"), { url: at("/files/18?a=c") })],
    ["sealed to another method", 401, sealedTo(at("/files/18"), { method: "PUT" })],
    ["sealed to a body", 401, sealedTo(at("/files/18"), { body: bytes("body") })],
    ["sealed for another service", 401, sealedTo(at("/files/18"), { audience: "shop" })],
    ["sealed two minutes ago", 401, sealedTo(at("/files/18"), { time: now - 120 })],
    ["sealed in two minutes", 401, sealedTo(at("/files/18"), { time: now + 120 })],
    ["a time that is none", 400, withHeaders(get(wide, "/files/17"), (headers) => headers.set("Klero-Time", "now"))],
    ["random bytes twice", 400, withHeaders(get(wide, "/files/17"), (headers) => headers.append("Klero-Random", "A"))],
    ["a bearer token", 401, withHeaders(get(wide, "/files/17"), (headers) => headers.set("Authorization", `Klero ${wide}`))],
    ["a text that is no token", 401, withHeaders(get(wide, "/files/17"), (headers) => headers.set("Authorization", "Klero AAAA"))],
    ["a body that is too large", 413, get(wide, "/files/17", { method: "PUT", body: "a".repeat(65_537) })],
  ];
}
