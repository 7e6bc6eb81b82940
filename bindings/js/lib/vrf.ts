// The operations on proofs, in Rust: `src/lib.rs`.

import { Engine, type Messages, SecretKeys } from "./engine.js";
import module from "./module.js";

/** What the WebAssembly exports: memory, and operations on it. */
export interface Exports extends Messages {
  suites(): number;
  key_from_seed(): number;
  key_from_libsodium(): number;
  key_from_encoded(): number;
  key_to_seed(key: number): number;
  key_to_libsodium(key: number): number;
  key_to_envelope(key: number): number;
  free_key(key: number): void;
  public_key_from_encoded(): number;
  public_key_to_envelope(): number;
  prove_many(key: number): number;
  evaluate_many(key: number): number;
  verify_many(): number;
}

const program = new WebAssembly.Instance(module).exports;

/** Where the operations run. */
export const vrf = new Engine<Exports>(program, 2 ** 30, (number, words) =>
  number === -2 ? new SyntaxError(words) : new RangeError(words),
);

/** The secret keys that it keeps. */
export const secretKeys = new SecretKeys((key) => (program as unknown as Exports).free_key(key));
