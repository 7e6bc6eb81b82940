// The request that a token is sealed to, as client and worker compute it.

import { seal } from "klero/token";

const utf8 = (text) => new TextEncoder().encode(text);

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Bytes one after the other, each with its length before it, so that none runs into the next. */
function joined(parts) {
  const lengths = parts.map((part) => Uint8Array.of(...[24, 16, 8, 0].map((shift) => part.length >>> shift)));
  return new Uint8Array(parts.flatMap((part, i) => [...lengths[i], ...part]));
}

/**
 * The challenge of a request: its nonce is a hash of its method, path, query and body, of the service, and of
 * 16 random bytes of the client. So the token is good for this request, of this service, once. Headers are not
 * part of it.
 */
export async function challengeOf({ method, url, body, random, time }, audience) {
  const { pathname, search } = new URL(url);
  const said = [method, audience, `${pathname}${search}`].map(utf8);
  const nonce = await sha256(joined([utf8("klero-worker/request"), ...said, await sha256(body), random]));
  return { nonce, audience, time };
}

/** Bytes in hex, as the `klero` command shows the ids of blocks. */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes in base64url, without padding. */
export function toBase64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The client's side: a request with the token sealed to it. The method is as it is sent, such as `GET`. */
export async function sealed(token, url, { method = "GET", body = "", audience = new URL(url).host } = {}) {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const time = Math.floor(Date.now() / 1000);
  const challenge = await challengeOf({ method, url, body: utf8(body), random, time }, audience);
  const headers = {
    Authorization: `Klero ${seal(token, challenge)}`,
    "Klero-Random": toBase64url(random),
    "Klero-Time": `${time}`,
  };
  return new Request(url, { method, headers, ...(body === "" ? {} : { body }) });
}
