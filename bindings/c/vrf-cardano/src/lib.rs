//! The VRF of IntersectMBO's libsodium, which cardano-node builds against, by the same names.
//!
//! draft-03 has the rules of Cardano's nodes, and the names without a draft mean draft-13. Names
//! of other versions of the fork are here too where they mean the same.

use klero::Suite;

klero_edge::exports! {
    crypto_vrf_bytes: size(80);
    crypto_vrf_proofbytes: size(80);
    crypto_vrf_publickeybytes: size(32);
    crypto_vrf_secretkeybytes: size(64);
    crypto_vrf_seedbytes: size(32);
    crypto_vrf_outputbytes: size(64);
    crypto_vrf_primitive: word(c"ietfdraft13");
    crypto_vrf_keypair: keypair(Suite::DRAFT13);
    crypto_vrf_seed_keypair: keypair_from_seed(Suite::DRAFT13);
    crypto_vrf_keypair_from_seed: keypair_from_seed(Suite::DRAFT13);
    crypto_vrf_is_valid_key: is_valid_key(Suite::DRAFT13);
    crypto_vrf_prove: prove(Suite::DRAFT13);
    crypto_vrf_verify: verify(Suite::DRAFT13);
    crypto_vrf_proof_to_hash: proof_to_hash(Suite::DRAFT13);
    crypto_vrf_sk_to_pk: sk_to_pk(Suite::DRAFT13);
    crypto_vrf_sk_to_seed: sk_to_seed(Suite::DRAFT13);

    crypto_vrf_ietfdraft03_bytes: size(80);
    crypto_vrf_ietfdraft03_proofbytes: size(80);
    crypto_vrf_ietfdraft03_publickeybytes: size(32);
    crypto_vrf_ietfdraft03_secretkeybytes: size(64);
    crypto_vrf_ietfdraft03_seedbytes: size(32);
    crypto_vrf_ietfdraft03_outputbytes: size(64);
    crypto_vrf_ietfdraft03_keypair: keypair(Suite::PRAOS);
    crypto_vrf_ietfdraft03_keypair_from_seed: keypair_from_seed(Suite::PRAOS);
    crypto_vrf_ietfdraft03_is_valid_key: is_valid_key(Suite::PRAOS);
    crypto_vrf_ietfdraft03_prove: prove(Suite::PRAOS);
    crypto_vrf_ietfdraft03_verify: verify(Suite::PRAOS);
    crypto_vrf_ietfdraft03_proof_to_hash: proof_to_hash(Suite::PRAOS);
    crypto_vrf_ietfdraft03_sk_to_pk: sk_to_pk(Suite::PRAOS);
    crypto_vrf_ietfdraft03_sk_to_seed: sk_to_seed(Suite::PRAOS);

    crypto_vrf_ietfdraft13_bytes: size(80);
    crypto_vrf_ietfdraft13_bytes_batchcompat: size(128);
    crypto_vrf_ietfdraft13_publickeybytes: size(32);
    crypto_vrf_ietfdraft13_secretkeybytes: size(64);
    crypto_vrf_ietfdraft13_seedbytes: size(32);
    crypto_vrf_ietfdraft13_outputbytes: size(64);
    crypto_vrf_ietfdraft13_prove: prove(Suite::DRAFT13);
    crypto_vrf_ietfdraft13_verify: verify(Suite::DRAFT13);
    crypto_vrf_ietfdraft13_proof_to_hash: proof_to_hash(Suite::DRAFT13);
    crypto_vrf_ietfdraft13_prove_batchcompat: prove(Suite::DRAFT13_BC);
    crypto_vrf_ietfdraft13_verify_batchcompat: verify(Suite::DRAFT13_BC);
    crypto_vrf_ietfdraft13_proof_to_hash_batchcompat: proof_to_hash(Suite::DRAFT13_BC);
    crypto_vrf_ietfdraft13_batch_verify: batch_verify(Suite::DRAFT13_BC);
}
