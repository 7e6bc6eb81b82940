// Chromium with a server of its own. It is Debian's, or the one that the variable CHROMIUM names.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const skip = !existsSync(executablePath) && `no ${executablePath}; to have it: apt-get install chromium`;
if (skip) console.error(`!!! SKIPPED: ${skip}`);

/** Starts both; `serve` makes the server's handler from its origin, which is on this host. */
export async function start(host, serve) {
  let origin;
  const server = createServer((request, response) => serve(origin)(request, response)).listen(0, host);
  await new Promise((resolve) => server.once("listening", resolve));
  // The tests end even if the browser does not start.
  server.unref();
  origin = `http://${host}:${server.address().port}`;
  const profile = mkdtempSync(join(tmpdir(), "klero-chromium-"));
  const args = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"];
  args.push("disable-background-networking", "disable-component-update");
  const options = { executablePath, args: args.map((name) => `--${name}`) };
  const browser = await chromium.launchPersistentContext(profile, options);
  const stop = async () => {
    await browser.close();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { origin, browser, stop };
}
