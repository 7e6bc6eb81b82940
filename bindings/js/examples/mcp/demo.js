// An agent that has a token for all of a server's tools, and narrows it for a sub-agent: to one tool, one
// report, at most 100 lines, ten minutes, and nobody further. What it prints is the transcript in README.md.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { TokenSecretKey, inspect, mint, narrow } from "klero/token";

import { sealedTo } from "./calls.js";
import { AUDIENCE, Gate, serverBehind } from "./server.js";

// The issuer, such as a login page, gives the agent a token for an hour.
const issuer = TokenSecretKey.generate();
let passed = 0; // The clock can be moved, to see what expires.
const clock = () => Math.floor(Date.now() / 1000) + passed;
const utc = (seconds) => new Date(1000 * seconds).toISOString().replace(".000", "");
const agents = mint(issuer, new TextEncoder().encode("account 17"), {
  caveats: [`before ${utc(clock() + 3600)}`, `audience ${AUDIENCE}`],
});

// The server, and a connection to it.
const gate = new Gate(issuer.publicKey, clock);
const [near, far] = InMemoryTransport.createLinkedPair();
await serverBehind(gate).connect(far);
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(near);

/** Calls a tool, prints the call and how it ended, and returns what was sent with it. */
async function call(who, name, args, meta) {
  const { content, isError } = await client.callTool({ name, arguments: args, _meta: meta });
  const [first, ...rest] = content[0].text.split("\n");
  const said = rest.length > 0 ? `${first} … (${rest.length + 1} lines)` : first;
  console.log(`${who}: ${name}(${JSON.stringify(args)})\n    ${isError ? "refused" : "answered"}: ${said}`);
  return meta;
}
/** The same, with a token that is sealed to the call. */
const sealedCall = async (who, token, name, args) =>
  call(who, name, args, await sealedTo(token, name, args, clock(), AUDIENCE));

await call("a stranger", "read_report", { name: "sales", lines: 3 }, undefined);
await sealedCall("the agent", agents, "read_report", { name: "sales", lines: 200 });

// Offline, without asking anybody.
const subs = narrow(agents, [
  "tool = read_report",
  "arg.name in sales returns",
  "arg.lines at most 100",
  `before ${utc(clock() + 600)}`,
  "depth 0",
]);
const sub = "the sub-agent";
const sent = await sealedCall(sub, subs, "read_report", { name: "sales", lines: 100 });
await sealedCall(sub, subs, "read_report", { name: "sales", lines: 101 });
await sealedCall(sub, subs, "read_report", { name: "salaries", lines: 1 });
await sealedCall(sub, subs, "delete_report", { name: "sales" });
await sealedCall(sub, narrow(subs, ["arg.lines at most 5"]), "read_report", { name: "sales", lines: 5 });

console.log("\nwho saw the sub-agent's call:");
await call("a thief", "read_report", { name: "sales", lines: 100 }, sent);
await call("a thief", "read_report", { name: "sales", lines: 99 }, sent);

console.log("\nthe server revokes the sub-agent's block:");
gate.revoked = [inspect(subs).blocks[1].revocationId];
await sealedCall(sub, subs, "read_report", { name: "sales", lines: 2 });
await sealedCall("the agent", agents, "read_report", { name: "sales", lines: 2 });
gate.revoked = [];

console.log("\nten minutes later:");
passed = 600;
await sealedCall(sub, subs, "read_report", { name: "sales", lines: 2 });
await client.close();
