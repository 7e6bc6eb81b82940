// The worker of `examples/worker`, in Node with stand-ins for what Cloudflare has, and in workerd, which is
// Cloudflare's runtime; and there also the test vectors. Needs workerd: `npm install --no-save workerd`.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";

import { buildSync } from "esbuild";
import * as klero from "klero";
import * as token from "klero/token";
import worker, { Nonces } from "../examples/worker/worker.js";
import { path, readVectors, tokenQuestions } from "./support.js";
import { answers } from "./token-vectors.js";
import { check, files } from "./vectors.js";
import { requests, settings } from "./worker-requests.js";

/** The program, if it is here. */
function workerd() {
  try {
    return createRequire(import.meta.url)("workerd").default;
  } catch {
    return undefined;
  }
}

const executable = workerd();
const runs = executable !== undefined && spawnSync(executable, ["--version"]).status === 0;
const skip = !runs && "no workerd; to have it: npm install --no-save workerd";
if (skip) console.error(`!!! SKIPPED: ${skip}`);

/** What the service behind the worker answers: what it was asked. */
const service = `export default {
  async fetch(request) {
    const { method, url, headers } = request;
    const names = [...headers.keys()].filter((name) => /^(authorization|klero|x-)/.test(name) && name !== "klero-rights");
    const { pathname, search } = new URL(url);
    if (pathname === "/files/away") return Response.redirect(new URL("/admin", url), 302);
    return Response.json([method, pathname + search, headers.get("klero-rights"), names, await request.text()]);
  },
};`;

async function answersAreRight(send, origin) {
  for (const [what, expected, request] of await requests(origin)) {
    const asked = await request;
    const { method, url } = asked;
    const said = method === "PUT" ? await asked.clone().text() : "";
    const response = await send(asked);
    const text = await response.text();
    assert.equal(response.status, expected, `${what}: ${text}`);
    assert.equal(response.headers.get("WWW-Authenticate"), expected === 401 ? "Klero" : null);
    if (expected === 200) {
      const { pathname, search } = new URL(url);
      // The rights, "account 17".
      assert.deepEqual(JSON.parse(text), [method, `${pathname}${search}`, "YWNjb3VudCAxNw", [], said], what);
    } else if (expected === 302) {
      assert.equal(new URL(response.headers.get("Location")).pathname, "/admin", what);
    } else {
      assert.match(JSON.parse(text).error, /^[ -~]+$/, what);
    }
  }
}

/** A durable object's storage. */
class Storage {
  #kept = new Map();
  #alarm = null;
  async get(key) { return this.#kept.get(key); }
  async put(key, value) { this.#kept.set(key, value); }
  async delete(key) { return this.#kept.delete(key); }
  async list() { return new Map(this.#kept); }
  async getAlarm() { return this.#alarm; }
  async setAlarm(time) { this.#alarm = time; }
}

describe("in Node", () => {
  const objects = new Map();
  const NONCES = {
    idFromName: (name) => name,
    get: (id) => {
      const object = objects.get(id) ?? new Nonces({ storage: new Storage() });
      objects.set(id, object);
      return { fetch: (url, options) => object.fetch(new Request(url, options)) };
    },
  };

  test("the worker lets through what is good, and nothing else", async (context) => {
    const { default: SERVICE } = await import(`data:text/javascript,${encodeURIComponent(service)}`);
    const env = { ...settings, NONCES, SERVICE };
    await answersAreRight((request) => worker.fetch(request, env), "https://api.example.org");

    // A fault of the worker's own lets nobody through, and says nothing.
    const { mock } = context.mock.method(console, "error", () => {});
    const [[, , request]] = await requests("https://api.example.org");
    const revoked = settings.REVOKED.trim();
    const wrong = [{ ROOT_KEY: "no key" }, { REVOKED: undefined }, { REVOKED: `${revoked}\r\n` }, { REVOKED: revoked.toUpperCase() }];
    for (const setting of [...wrong, { AUDIENCE: undefined }]) {
      const broken = await worker.fetch((await request).clone(), { ...env, ...setting });
      assert.deepEqual([broken.status, await broken.json()], [500, { error: "internal" }]);
    }
    assert.equal(mock.callCount(), wrong.length + 1);
    assert.equal((await worker.fetch(await request, env)).status, 200);
  });

  test("a body that GET has does not reach what cannot have one, and redirects are not followed", async () => {
    let asked;
    const SERVICE = { fetch: async (request) => ((asked = request), new Response()) };
    const env = { ...settings, NONCES, SERVICE };
    const [[, , request]] = await requests("https://api.example.org");
    const { method, url, headers } = await request;
    const response = await worker.fetch({ method, url, headers, body: [new Uint8Array(7)] }, env);
    assert.deepEqual([response.status, await response.json()], [400, { error: "a body with GET" }]);
    assert.equal((await worker.fetch(await request, env)).status, 200);
    assert.equal(asked.redirect, "manual");
  });

  test("nonces are forgotten when their time is over, and not before", async () => {
    const storage = new Storage();
    const nonces = new Nonces({ storage });
    const use = async (nonce, until) =>
      (await nonces.fetch(new Request(`https://nonces/${nonce}?until=${until}`, { method: "POST" }))).status;
    const now = Math.floor(Date.now() / 1000);
    assert.equal(await use("aa", now - 10), 201);
    assert.equal(await storage.getAlarm(), 1000 * (now - 9));
    assert.equal(await use("bb", now + 100), 201);
    await nonces.alarm();
    assert.equal(await storage.getAlarm(), 1000 * (now + 101));
    assert.deepEqual([await use("aa", now + 100), await use("bb", now + 100)], [201, 409]);
  });
});

describe("in workerd", { skip }, () => {
  let directory, server, ports;

  /** A program and what it imports, as `wrangler` bundles them: the modules of a worker. */
  function modules(name, entry) {
    const outdir = join(directory, name);
    const options = { bundle: true, format: "esm", target: "es2022", conditions: ["workerd", "worker", "browser"] };
    const { metafile } = buildSync({
      ...options,
      absWorkingDir: path("."),
      entryPoints: { worker: entry },
      loader: { ".wasm": "copy" },
      metafile: true,
      outdir,
    });
    const outputs = Object.keys(metafile.outputs).map((file) => file.split("/").at(-1));
    return outputs.map((file) => {
      const kind = file.endsWith(".wasm") ? "wasm" : "esModule";
      return `(name = "${file}", ${kind} = embed "${name}/${file}")`;
    }).sort((a) => (a.includes('"worker.js"') ? -1 : 1));
  }

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "klero-workerd-"));
    writeFileSync(join(directory, "service.js"), service);
    const bindings = Object.entries(settings).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`);
    bindings.push('(name = "SERVICE", service = "service")', '(name = "NONCES", durableObjectNamespace = "Nonces")');
    const date = 'compatibilityDate = "2026-01-01"';
    const config = `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [
          (name = "gate", worker = (modules = [${modules("gate", "examples/worker/worker.js")}], ${date},
            bindings = [${bindings}], durableObjectStorage = (inMemory = void),
            durableObjectNamespaces = [(className = "Nonces", uniqueKey = "nonces")])),
          (name = "service", worker = (modules = [(name = "service.js", esModule = embed "service.js")], ${date})),
          (name = "vectors", worker = (modules = [${modules("vectors", "test/workerd.js")}], ${date})),
          (name = "old", worker = (modules = [${modules("old", "test/workerd.js")}], compatibilityDate = "2024-01-01"))
        ],
        sockets = [
          (name = "gate", address = "127.0.0.1:0", http = (), service = "gate"),
          (name = "vectors", address = "127.0.0.1:0", http = (), service = "vectors"),
          (name = "old", address = "127.0.0.1:0", http = (), service = "old")
        ]
      );`;
    writeFileSync(join(directory, "config.capnp"), config);
    const args = ["serve", join(directory, "config.capnp"), "--control-fd=3"];
    server = spawn(executable, args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
    ports = {};
    for await (const line of createInterface({ input: server.stdio[3] })) {
      const { event, socket, port } = JSON.parse(line);
      if (event === "listen") ports[socket] = port;
      if (Object.keys(ports).length === 3) break;
    }
    assert.equal(Object.keys(ports).length, 3, "workerd listens");
  });

  after(() => {
    server?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  test("the worker lets through what is good, and nothing else", async () => {
    await answersAreRight((request) => fetch(request, { redirect: "manual" }), `http://127.0.0.1:${ports.gate}`);
  });

  for (const socket of ["vectors", "old"]) {
    /** What the worker says. */
    const ask = async (what, body) => {
      const response = await fetch(`http://127.0.0.1:${ports[socket]}/${what}`, { method: "POST", body: JSON.stringify(body) });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text);
    };

    test(`every vector has the same verdict and reason as in Node (${socket})`, async () => {
      for (const file of Object.keys(files)) {
        const vectors = readVectors(file);
        assert.deepEqual(await ask("vectors", vectors), check(klero, vectors), file);
      }
      const questions = tokenQuestions();
      assert.deepEqual(await ask("questions", questions), answers(token, questions));
    });
  }
});
