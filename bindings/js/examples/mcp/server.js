// A server of the Model Context Protocol whose tools demand tokens: a call is answered only if the issuer
// signed its token, nobody revoked it, its caveats allow this tool with these arguments now, and it is
// sealed to this call.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InvalidToken, Refused, check } from "klero/token";
import { z } from "zod";

import { challengeOf, fieldsOf } from "./calls.js";

export const AUDIENCE = "reports.example.org";

/** How far the agent's clock may be off, in seconds. */
const WINDOW = 60;
const LIMITS = { signatures: 16, bytes: 4096 };

const reports = new Map([
  ["sales", Array.from({ length: 500 }, (_, day) => `day ${day + 1}: ${(37 * day) % 101} sold`)],
  ["salaries", ["ada: 17000"]],
]);

/** The checks before every tool. `now` is a function, so that a demonstration can let time pass. */
export class Gate {
  #roots;
  #now;
  #used = new Map();
  /** The ids of revoked blocks. */
  revoked = [];

  constructor(roots, now = () => Math.floor(Date.now() / 1000)) {
    this.#roots = roots;
    this.#now = now;
  }

  /** The rights of the token of a call. Throws if there are none. */
  async rightsOf(tool, args, meta) {
    const { "klero/token": token, "klero/random": random, "klero/time": time } = meta ?? {};
    if (typeof token !== "string") throw new InvalidToken("there is no token");
    if (!/^[\w-]{22}$/.test(random) || !Number.isSafeInteger(time)) throw new InvalidToken("it is not sealed to a call");
    const now = this.#now();
    if (Math.abs(now - time) > WINDOW) throw new InvalidToken("the call is too old");
    const challenge = await challengeOf(tool, args, random, time, AUDIENCE);
    const rights = check(token, {
      roots: this.#roots,
      challenge,
      revoked: this.revoked,
      limits: LIMITS,
      now,
      audience: AUDIENCE,
      fields: fieldsOf(tool, args),
    });
    // Last, so that a call that is refused uses no nonce up.
    this.#spend(Buffer.from(challenge.nonce).toString("hex"), now);
    return new TextDecoder().decode(rights);
  }

  #spend(nonce, now) {
    for (const [used, until] of this.#used) if (until < now) this.#used.delete(used);
    if (this.#used.has(nonce)) throw new InvalidToken("this call was made before");
    this.#used.set(nonce, now + 2 * WINDOW);
  }
}

/** A server with two tools behind the gate. */
export function serverBehind(gate) {
  const server = new McpServer({ name: "reports", version: "1.0.0" });
  /** A tool that runs for calls with a good token alone, and is told what the issuer signed. */
  const guarded = (name, description, inputSchema, run) =>
    server.registerTool(name, { description, inputSchema }, async (args, { _meta }) => {
      try {
        const rights = await gate.rightsOf(name, args, _meta);
        return { content: [{ type: "text", text: run(args, rights) }] };
      } catch (error) {
        // Anything else is a fault of this server, and no call is answered.
        if (!(error instanceof InvalidToken || error instanceof Refused)) throw error;
        return { isError: true, content: [{ type: "text", text: error.message }] };
      }
    });

  const name = z.string().max(100);
  guarded("read_report", "The first lines of a report", { name, lines: z.number().int().min(1) }, ({ name, lines }) =>
    (reports.get(name) ?? []).slice(0, lines).join("\n"));
  guarded("delete_report", "Deletes a report", { name }, ({ name }, rights) =>
    reports.delete(name) ? `deleted by ${rights}` : "there is none");
  return server;
}
