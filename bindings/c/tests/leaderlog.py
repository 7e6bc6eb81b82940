"""The calls of leader-log scripts: every name from one handle, by ctypes."""

import ctypes
import sys

library, vectors = sys.argv[1:]
sodium = ctypes.CDLL(library)
assert sodium.sodium_init() >= 0  # of the plain libsodium, which our library loads
proof_bytes = sodium.crypto_vrf_ietfdraft03_proofbytes()
output_bytes = sodium.crypto_vrf_outputbytes()
assert (proof_bytes, output_bytes) == (80, 64)

proven = 0
for line in open(vectors):
    suite, seed, key, alpha, proof, output, *_ = line.split()
    if suite != "praos" or seed == "-":
        continue
    secret = bytes.fromhex(seed + key)
    message = bytes.fromhex(alpha.strip("."))
    made = ctypes.create_string_buffer(proof_bytes)
    assert sodium.crypto_vrf_prove(made, secret, message, len(message)) == 0
    assert made.raw.hex() == proof
    value = ctypes.create_string_buffer(output_bytes)
    assert sodium.crypto_vrf_proof_to_hash(value, made) == 0
    assert value.raw.hex() == output
    proven += 1
assert proven >= 31
print(f"leaderlog: {proven} proofs: ok")
