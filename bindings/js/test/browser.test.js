// The same in a browser, and the page that checks a draw. Needs Chromium: see `chromium.js`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import * as klero from "klero";
import * as token from "klero/token";
import { skip, start } from "./chromium.js";
import { codeBlocks, path, readVectors, tokenQuestions } from "./support.js";
import { answers } from "./token-vectors.js";
import { check, files } from "./vectors.js";

const [example] = codeBlocks(path("../../docs/javascript.md"), "html");

let origin, browser, stop;

/** Serves the example of the documentation, the package as `klero/`, and the tests. */
function serve(request, response) {
  const { pathname } = new URL(request.url, origin);
  const [, directory, name] = pathname.match(/^\/(klero|test)\/((?:token\/)?[\w.-]+\.js)$/) ?? [];
  if (name !== undefined) {
    response.setHeader("Content-Type", "text/javascript");
    response.end(readFileSync(path(`${directory === "klero" ? "dist" : "test"}/${name}`)));
  } else {
    response.setHeader("Content-Type", "text/html");
    response.end(example);
  }
}

/** A page on which an error or a log of one fails the test. */
async function openPage(url, size = { width: 1280, height: 900 }) {
  const page = await browser.newPage();
  await page.setViewportSize(size);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, errors, requests };
}

/** The page that checks a draw, opened from the disk. */
const openDraw = (size) => openPage(pathToFileURL(path("dist/draw.html")).href, size);
const verdictOn = (page) => page.locator("#verdict").innerText();

describe("in Chromium", { skip }, () => {
  before(async () => {
    ({ origin, browser, stop } = await start("127.0.0.1", () => serve));
  });

  after(() => stop?.());

  test("the documentation's example runs", async () => {
    const { page, errors } = await openPage(`${origin}/`);
    await page.getByText("valid", { exact: true }).waitFor();
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("every vector has the same verdict and reason as in Node, of tokens too", async () => {
    const { page, errors } = await openPage(`${origin}/`);
    /** What a function of the tests answers there. */
    const ask = (entry, module, name, asked) =>
      page.evaluate(async ([entry, module, name, asked]) => {
        const [own, tests] = await Promise.all([entry, module].map((path) => import(path)));
        return tests[name](own, asked);
      }, [entry, module, name, asked]);
    for (const file of Object.keys(files)) {
      const vectors = readVectors(file);
      assert.deepEqual(await ask("/klero/klero.js", "/test/vectors.js", "check", vectors), check(klero, vectors), file);
    }
    const questions = tokenQuestions();
    const said = await ask("/klero/token.js", "/test/token-vectors.js", "answers", questions);
    assert.deepEqual(said, answers(token, questions));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("a browser makes keys, and disposes of them", async () => {
    const { page } = await openPage(`${origin}/`);
    const proven = await page.evaluate(async () => {
      const { SecretKey, toHex } = await import("/klero/klero.js");
      const key = SecretKey.generate("praos");
      const { proof, output } = key.prove(new Uint8Array(3));
      key.free();
      return { publicKey: toHex(key.publicKey), proof: toHex(proof), output: toHex(output) };
    });
    const bytes = Object.fromEntries(Object.entries(proven).map(([name, hex]) => [name, klero.fromHex(hex)]));
    assert.deepEqual(klero.verify({ suite: "praos", alpha: new Uint8Array(3), ...bytes }), bytes.output);
    await page.close();
  });

  test("the draw's page shows a valid proof, and who wins", async () => {
    const { page, errors, requests } = await openDraw();
    await page.getByRole("button", { name: "Fill in an example" }).click();
    assert.equal(await verdictOn(page), "✓ The proof is valid");
    const output = await page.locator("#output").innerText();
    assert.equal(output.length, 128);
    const number = ((BigInt(`0x${output}`) * 250n) >> 512n) + 1n;
    assert.equal(await page.locator("#number").innerText(), `Number ${number}`);
    const claim = {
      publicKey: klero.fromHex(await page.getByLabel("Public key").inputValue()),
      alpha: new TextEncoder().encode(await page.locator("#input").inputValue()),
      proof: klero.fromHex(await page.getByLabel("Proof").inputValue()),
    };
    assert.equal(klero.toHex(klero.verify({ suite: "rfc9381-ell2", ...claim })), output);

    // Hex says the same, however it is broken into lines; without entrants there is no winner.
    await page.getByLabel("Hex").check();
    await page.locator("#input").fill(klero.toHex(claim.alpha).replace(/(.{8})/g, "$1\n "));
    await page.getByLabel("Number of entrants").fill("");
    await page.getByRole("button", { name: "Check the proof" }).click();
    assert.equal(await page.locator("#output").innerText(), output);
    assert.equal(await page.locator("#winner").isVisible(), false);
    assert.deepEqual(errors, []);
    assert.equal(requests.length, 1, "the page loads nothing but itself");
    await page.close();
  });

  test("the draw's page says why a proof is invalid, and forgets a verdict on other fields", async () => {
    const { page } = await openDraw();
    await page.getByRole("button", { name: "Fill in an example" }).click();
    await page.locator("#input").press("End");
    await page.locator("#input").pressSequentially(" ");
    assert.equal(await page.locator("#result").isVisible(), false);
    await page.getByRole("button", { name: "Check the proof" }).click();
    assert.equal(await verdictOn(page), "✗ The proof is invalid");
    assert.match(await page.locator("#reason").innerText(), /^Reason: challenge mismatch\./);
    assert.equal(await page.locator("#output").isVisible(), false);

    // The same proof under another suite: the page says where it is valid.
    await page.locator("#input").press("Backspace");
    await page.getByLabel("Suite").selectOption("praos");
    await page.getByRole("button", { name: "Check the proof" }).click();
    const reason = await page.locator("#reason").innerText();
    assert.match(reason, /It is valid in .*rfc9381-ell2: look up which suite/);
    await page.close();
  });

  test("the draw's page names what is wrong at the field", async () => {
    const { page } = await openDraw();
    const errorAt = async (field) => {
      const area = page.locator(`#${field}`);
      assert.equal(await area.getAttribute("aria-invalid"), "true");
      assert.ok((await area.getAttribute("aria-describedby")).includes(`${field}-error`));
      return page.locator(`#${field}-error`).innerText();
    };
    await page.getByRole("button", { name: "Check the proof" }).click();
    assert.equal(await errorAt("key"), "Paste the public key.");
    assert.equal(await errorAt("proof"), "Paste the proof of rfc9381-ell2.");
    assert.equal(await page.evaluate(() => document.activeElement.id), "key");

    await page.getByLabel("Public key").fill("00".repeat(31));
    await page.getByLabel("Hex").check();
    await page.locator("#input").fill("12 3x");
    await page.getByLabel("Proof").fill("00".repeat(128));
    await page.getByLabel("Number of entrants").fill("0");
    await page.getByRole("button", { name: "Check the proof" }).click();
    assert.equal(await errorAt("key"), "This has 62 hex digits, and the public key has 64.");
    assert.match(await errorAt("input"), /^This is not hex: "x" at position 3/);
    assert.match(await errorAt("proof"), /^This has 256 hex digits, and the proof of rfc9381-ell2 has 160/);
    assert.match(await errorAt("entrants"), /^Give a whole number from 1 on/);

    await page.getByRole("button", { name: "Fill in an example" }).click();
    assert.equal(await verdictOn(page), "✓ The proof is valid");
    assert.equal(await page.locator("[aria-invalid]").count(), 0);
    await page.close();
  });

  test("the draw's page works by keyboard, and on a narrow screen", async () => {
    const { page } = await openDraw({ width: 360, height: 740 });
    for (const id of ["suite", "key", "input", "proof", "entrants"]) {
      const label = await page.locator(`#${id}`).evaluate((field) => field.labels[0]?.innerText);
      assert.ok(label, `${id} has a label`);
    }
    // From the last field: the button, then the example.
    await page.locator("#entrants").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await verdictOn(page), "✓ The proof is valid");
    assert.equal(await page.evaluate(() => document.activeElement.id), "result");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} pixels wide`);
    await page.close();
  });
});
