// The example of tools that demand tokens prints what its README says. Needs the protocol's SDK:
// `npm install --no-save @modelcontextprotocol/sdk zod`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { path } from "./support.js";

/** Whether the SDK is here. */
function hasSdk() {
  try {
    return createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/client/index.js") !== "";
  } catch {
    return false;
  }
}

const skip = !hasSdk() && "no SDK; to have it: npm install --no-save @modelcontextprotocol/sdk zod";
if (skip) console.error(`!!! SKIPPED: ${skip}`);

/** What differs from run to run: ids and times. */
const alike = (text) => text.replace(/[0-9a-f]{64}/g, "ID").replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME").trimEnd();

test("an agent's token, narrowed for a sub-agent, allows what the README says", { skip }, () => {
  const [, transcript] = readFileSync(path("examples/mcp/README.md"), "utf8").match(/```text\n([^]*?)```/);
  const { stdout, stderr, status } = spawnSync(process.execPath, [path("examples/mcp/demo.js")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.equal(alike(stdout), alike(transcript));
});
