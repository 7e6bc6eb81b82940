// What a token is sealed to in a call of a tool, as the agent and the server compute it, and what the server
// compares with the token's caveats.

import { seal } from "klero/token";

const utf8 = (text) => new TextEncoder().encode(text);

/** JSON in which members have one order, so that both sides hash the same bytes. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/**
 * The challenge of a call. Its nonce is a hash of the tool's name, all arguments, and 16 random bytes of the
 * agent: so a sealed token is good for this call of this server, once.
 */
export async function challengeOf(tool, args, random, time, audience) {
  const said = utf8(canonical(["klero-mcp/call", tool, args, random]));
  const nonce = new Uint8Array(await crypto.subtle.digest("SHA-256", said));
  return { nonce, audience, time };
}

/**
 * What caveats can speak of: `tool` is the name of the tool, and `arg.NAME` an argument that is a text or an
 * integer. A caveat on any other argument, or on one that is not there, refuses.
 */
export function fieldsOf(tool, args) {
  const fields = [["tool", tool]];
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === "string" || Number.isSafeInteger(value)) fields.push([`arg.${name}`, `${value}`]);
  }
  return fields;
}

/** The agent's side: what to send with a call, with the token sealed to it. */
export async function sealedTo(token, tool, args, time, audience) {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
  const challenge = await challengeOf(tool, args, random, time, audience);
  return { "klero/token": seal(token, challenge), "klero/random": random, "klero/time": time };
}
