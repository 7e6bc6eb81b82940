//! The VRF of Algorand's libsodium, and of Cardano's before 2023, by the same names.
//!
//! All of it is draft-03 with its original rules, which do not reject s ≥ L. Names of Cardano's
//! current fork are here too where they mean the same.

use klero::Suite;

klero_edge::exports! {
    crypto_vrf_bytes: size(80);
    crypto_vrf_proofbytes: size(80);
    crypto_vrf_publickeybytes: size(32);
    crypto_vrf_secretkeybytes: size(64);
    crypto_vrf_seedbytes: size(32);
    crypto_vrf_outputbytes: size(64);
    crypto_vrf_primitive: word(c"ietfdraft03");
    crypto_vrf_keypair: keypair(Suite::PRAOS_ORIGINAL);
    crypto_vrf_seed_keypair: keypair_from_seed(Suite::PRAOS_ORIGINAL);
    crypto_vrf_keypair_from_seed: keypair_from_seed(Suite::PRAOS_ORIGINAL);
    crypto_vrf_is_valid_key: is_valid_key(Suite::PRAOS_ORIGINAL);
    crypto_vrf_prove: prove(Suite::PRAOS_ORIGINAL);
    crypto_vrf_verify: verify(Suite::PRAOS_ORIGINAL);
    crypto_vrf_proof_to_hash: proof_to_hash(Suite::PRAOS_ORIGINAL);
    crypto_vrf_sk_to_pk: sk_to_pk(Suite::PRAOS_ORIGINAL);
    crypto_vrf_sk_to_seed: sk_to_seed(Suite::PRAOS_ORIGINAL);

    crypto_vrf_ietfdraft03_bytes: size(80);
    crypto_vrf_ietfdraft03_proofbytes: size(80);
    crypto_vrf_ietfdraft03_publickeybytes: size(32);
    crypto_vrf_ietfdraft03_secretkeybytes: size(64);
    crypto_vrf_ietfdraft03_seedbytes: size(32);
    crypto_vrf_ietfdraft03_outputbytes: size(64);
    crypto_vrf_ietfdraft03_keypair: keypair(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_keypair_from_seed: keypair_from_seed(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_is_valid_key: is_valid_key(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_prove: prove(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_verify: verify(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_proof_to_hash: proof_to_hash(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_sk_to_pk: sk_to_pk(Suite::PRAOS_ORIGINAL);
    crypto_vrf_ietfdraft03_sk_to_seed: sk_to_seed(Suite::PRAOS_ORIGINAL);
}
