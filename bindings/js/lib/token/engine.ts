// The operations on tokens, in Rust: `token/src`.

import { Engine, type Messages, type Operation, type Response, SecretKeys } from "../engine.js";
import type { Field } from "../message.js";
import { InvalidToken } from "./errors.js";
import module from "./module.js";

/** What the WebAssembly exports: memory, and operations on it. */
export interface Exports extends Messages {
  key_from_seed(): number;
  key_to_seed(key: number): number;
  free_key(key: number): void;
  public_key_from_bytes(): number;
  public_key_from_spki(): number;
  public_key_from_text(): number;
  mint(key: number, rootId: number): number;
  narrow(): number;
  append(): number;
  request_statement(): number;
  make_statement(key: number): number;
  append_statement(): number;
  seal(): number;
  entrust(): number;
  seal_to_sign(): number;
  assemble_seal(): number;
  statement_to_sign(): number;
  assemble_statement(): number;
  verify(): number;
  inspect(): number;
  check(): number;
  normalize_path(): number;
}

/** The most bytes of one request. */
const MOST_BYTES = 2 ** 23;

/** Writes random bytes into the memory. An error must not pass through WebAssembly, which would keep its
 * secrets and its place for messages: 0 says that there are none. */
function random(address: number, length: number): number {
  try {
    crypto.getRandomValues(new Uint8Array(wasm.memory.buffer, address >>> 0, length));
    return 1;
  } catch {
    return 0;
  }
}

/** As `token/src/failure.rs` numbers them. */
function errorOf(number: number, words: string): Error {
  if (number === -2) return new InvalidToken(words);
  if (number === -3) return new SyntaxError(words);
  return number === -4 ? new Error(words) : new RangeError(words);
}

const program = new WebAssembly.Instance(module, { klero: { random } }).exports;
const wasm = program as unknown as Exports;
const engine = new Engine<Exports>(program, MOST_BYTES, errorOf);

/** Runs an operation. A token is as secret as a key: its text and the secret at its end do not stay. */
export function call(fields: readonly Field[], operation: Operation<Exports>): Response {
  return engine.callWithSecrets(fields, operation);
}

/** The secret keys that the program keeps. */
export const secretKeys = new SecretKeys((key) => wasm.free_key(key));
