// A passkey in a browser holds a token: the page of `examples/passkey` in Chromium, whose virtual authenticator
// (of the DevTools protocol) makes the passkey. Needs Chromium: see `chromium.js`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import * as token from "klero/token";

import { answer } from "../examples/passkey/service.js";
import { skip, start } from "./chromium.js";

let origin, browser, stop;

/** A page of the service, in a browser whose authenticator can verify its user or cannot. */
async function openPage(isUserVerified = true) {
  const page = await browser.newPage();
  const tools = await browser.newCDPSession(page);
  await tools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: isUserVerified ? "internal" : "usb",
    hasResidentKey: true,
    hasUserVerification: isUserVerified,
    isUserVerified,
    automaticPresenceSimulation: true,
  };
  await tools.send("WebAuthn.addVirtualAuthenticator", { options });
  await page.goto(`${origin}/`);
  return page;
}

describe("a passkey in Chromium", { skip }, () => {
  before(async () => {
    ({ origin, browser, stop } = await start("localhost", answer));
  });

  after(() => stop?.());

  test("the example's page asks with a token that its passkey sealed", async () => {
    const page = await openPage();
    const result = page.locator("#result");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await result.filter({ hasText: /^held by passkey:[\w-]{44}$/ }).waitFor();
    const seen = page.waitForRequest(`${origin}/files/17`);
    const use = page.getByRole("button", { name: "Ask" });
    await use.click();
    await result.filter({ hasText: "200 /files/17, for account 17" }).waitFor();
    // The same request again: its challenge is no longer pending.
    const { authorization, "klero-nonce": nonce } = (await seen).headers();
    const again = await fetch(`${origin}/files/17`, { headers: { authorization, "klero-nonce": nonce } });
    assert.equal(again.status, 401);
    assert.match(await again.text(), /the challenge is not pending/);
    // A new one every time.
    await use.click();
    await result.filter({ hasText: "200 /files/17" }).waitFor();
    await page.close();
  });

  /** A token that a new passkey in the page holds and seals to a challenge, and a statement by it. */
  async function sealedIn(page, bearer, challenge, userVerification = "required") {
    return page.evaluate(
      async ([bearer, { nonce, audience, time }, userVerification]) => {
        const token = await import("/klero/token.js");
        const challenge = { nonce: Uint8Array.from(nonce), audience, time };
        const credential = await navigator.credentials.create({
          publicKey: {
            challenge: new Uint8Array(32),
            rp: { id: "localhost", name: "test" },
            user: { id: new Uint8Array(16), name: "a", displayName: "a" },
            pubKeyCredParams: [{ type: "public-key", alg: -7 }],
            authenticatorSelection: { userVerification },
          },
        });
        const ask = async (challenge) => {
          const allowCredentials = [{ type: "public-key", id: credential.rawId }];
          const publicKey = { challenge, rpId: "localhost", allowCredentials, userVerification };
          return (await navigator.credentials.get({ publicKey })).response;
        };
        const key = token.TokenPublicKey.fromSpki("passkey", credential.response.getPublicKey());
        const request = token.request(bearer);
        const said = new TextEncoder().encode("of age");
        const stated = await ask(token.stating(request, key, said));
        const statement = token.assembleStatement(request, key, said, stated);
        const vouched = token.appendStatement(bearer, statement);
        const held = token.entrust(vouched, key, ["method GET"]);
        const response = await ask(token.sealing(held, challenge));
        return { key: `${key}`, vouched, held, sealed: token.assembleSeal(held, challenge, response) };
      },
      [bearer, { ...challenge, nonce: [...challenge.nonce] }, userVerification],
    );
  }

  test("Node accepts it for its page, its relying party and its challenge alone", async () => {
    const page = await openPage();
    const root = token.TokenSecretKey.generate("chain");
    const challenge = { nonce: new Uint8Array(16).fill(7), audience: "shop", time: 1_800_000_000 };
    const { key, vouched, held, sealed } = await sealedIn(page, token.mint(root, new Uint8Array(0)), challenge);
    const relyingParty = { id: "localhost", origins: ["https://shop.example", origin], userVerification: true };
    const known = { roots: root.publicKey, challenge, relyingParty };
    const { blocks, sealed: isSealed } = token.verify(sealed, known);
    assert.equal(isSealed, true);
    assert.equal(blocks[1].thirdPartyKind, "passkey");
    assert.deepEqual(blocks[1].thirdParty, token.TokenPublicKey.fromText(key).toBytes());
    token.check(sealed, { ...known, revoked: [], now: 0, audience: "shop", method: "GET" });
    token.verify(vouched, { roots: root.publicKey, challenge: null, relyingParty });
    assert.equal(token.inspect(held).held, true);

    const refused = (text, change, reason) =>
      assert.throws(() => token.verify(text, { ...known, ...change }), { name: "InvalidToken", reason });
    const party = (change) => ({ relyingParty: { ...relyingParty, ...change } });
    const place = "block 1, third party:";
    refused(sealed, { challenge: { ...challenge, time: 1 } }, "seal: the client data has another challenge");
    refused(sealed, party({ origins: ["https://shop.example"] }), /^seal: the client data has an origin/);
    refused(sealed, party({ id: "example" }), /^seal: the authenticator data is for another/);
    refused(sealed, { relyingParty: undefined }, /^seal: made by a passkey, but the verifier has no relying party/);
    refused(held, {}, "the token is not sealed, though a challenge was set");
    const alone = { challenge: null };
    refused(vouched, { ...alone, ...party({ id: "example" }) }, `${place} the authenticator data is for another relying party`);
    refused(vouched, { ...alone, relyingParty: undefined }, new RegExp(`^${place} made by a passkey`));

    // A holder who verifies the token first says it too.
    const mine = { roots: root.publicKey, relyingParty };
    token.verify(token.narrow(vouched, ["method GET"], mine), { ...known, challenge: null });
    assert.throws(() => token.narrow(vouched, ["method GET"], { roots: root.publicKey }), /made by a passkey/);
    assert.throws(() => token.narrow(vouched, ["method GET"], { relyingParty }), /^TypeError: relyingParty needs roots/);

    // A user who is only present.
    const other = await openPage(false);
    const present = await sealedIn(other, token.mint(root, new Uint8Array(0)), challenge, "discouraged");
    refused(present.sealed, {}, /: the user was not verified$/);
    token.verify(present.sealed, { ...known, ...party({ userVerification: false }) });
    root.free();
    await page.close();
    await other.close();
  });
});
