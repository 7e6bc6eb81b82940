// Nonces that were used: each counts once.

import { toHex } from "./sealed.js";

/**
 * A durable object, of which Cloudflare runs one of each name, one request at a time while it waits for
 * its storage: so testing a nonce and recording it are one step.
 */
export class Nonces {
  constructor({ storage }) {
    this.storage = storage;
  }

  /** `POST /NONCE?until=SECONDS`: 201 if the nonce is new, and recorded; 409 if it is not. */
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const nonce = pathname.slice(1);
    if ((await this.storage.get(nonce)) !== undefined) return new Response(null, { status: 409 });
    const until = Number(searchParams.get("until"));
    await this.storage.put(nonce, until);
    if ((await this.storage.getAlarm()) === null) await this.storage.setAlarm(1000 * until + 1000);
    return new Response(null, { status: 201 });
  }

  /** Forgets nonces whose time is over, since no challenge has it any more. */
  async alarm() {
    const now = Date.now() / 1000;
    let next = Infinity;
    for (const [nonce, until] of await this.storage.list()) {
      if (until < now) await this.storage.delete(nonce);
      else next = Math.min(next, until);
    }
    if (next !== Infinity) await this.storage.setAlarm(1000 * next + 1000);
  }
}

/** Whether a nonce is new, until a time. Its first byte names the object: 256 of them share the work. */
export async function isNew(namespace, nonce, until) {
  const hex = toHex(nonce);
  const object = namespace.get(namespace.idFromName(hex.slice(0, 2)));
  const { status } = await object.fetch(`https://nonces/${hex}?until=${until}`, { method: "POST" });
  if (status !== 201 && status !== 409) throw new Error(`nonces: status ${status}`);
  return status === 201;
}
