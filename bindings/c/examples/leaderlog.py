"""Written against a fork of libsodium, as scripts for leader logs are."""

import ctypes

sodium = ctypes.CDLL("libklero_vrf_algorand.so")  # was: libsodium.so
sodium.sodium_init()

proof = ctypes.create_string_buffer(sodium.crypto_vrf_ietfdraft03_proofbytes())
output = ctypes.create_string_buffer(sodium.crypto_vrf_outputbytes())
secret_key = bytes.fromhex(
    "a70b8f607568df8ae26cf438b1057d8d0a94b7f3ac44cd984577fc43c2da55b7"
    "f1eb347d5c59e24f9f5f33c80cfd866e79fd72e0c370da3c011b1c9f045e23f1"
)
message = b"\x00"
if sodium.crypto_vrf_prove(proof, secret_key, message, len(message)) != 0:
    raise ValueError("the secret key is not a seed and its public key")
sodium.crypto_vrf_proof_to_hash(output, proof)
print(output.raw.hex()[:16])
