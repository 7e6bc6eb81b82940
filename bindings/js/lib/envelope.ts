// Text envelopes of keys are JSON, which JavaScript reads itself: a parser in the WebAssembly would make
// the package a fifth larger.

import { text } from "./bytes.js";
import { type Field, utf8 } from "./message.js";

/** The fields of a request for the text of a key: the text, or type and digits of a text envelope. */
export function fieldsOfText(encoded: unknown): Field[] {
  const whole = text(encoded, "encoded");
  const json = whole.trim().replace(/^(["'])(.*)\1$/s, "$2").trim();
  if (!json.startsWith("{")) {
    // A line feed shows that it is text: 32 characters are no seed.
    return [utf8(`${whole}\n`)];
  }
  let members;
  try {
    members = JSON.parse(json);
  } catch {
    // The engine's own error would repeat a part of the text, which may be secret.
  }
  if (typeof members?.type !== "string") {
    throw new SyntaxError("not a text envelope: expected a JSON object with type and cborHex");
  }
  const { type, cborHex } = members;
  return [utf8(type), utf8(typeof cborHex === "string" ? cborHex : "")];
}
