//! The meaning of each flag of `vectors/ecvrf.json`, and the source that decides the verdicts of its tests.

use crate::format::Flag;

/// All flags, in the order of the file.
pub const FLAGS: &[Flag] = &[
    flag(
        "Honest",
        "An honest prover made the proof: the same seed and alpha give it again.",
        "RFC 9381, 5.1 and 5.3; the same steps in the drafts",
    ),
    flag(
        "AlphaLength",
        "Alphas from none to 300 bytes. With some of them the string that is hashed just fits the blocks of SHA-512, or just does not.",
        "RFC 9381, 5.3: no length is excluded",
    ),
    flag(
        "Counter",
        "Try and increment finds a point with another counter than usual.",
        "RFC 9381, 5.4.1.1",
    ),
    flag(
        "Elligator2Branch",
        "Either candidate of Elligator2; in draft-03 also either value of the bit of the hash that is cleared.",
        "RFC 9381, 5.4.1.2 with RFC 9380, 6.7.1 and 6.8.2; for draft-03 the forks of libsodium, which clear the bit before the map",
    ),
    flag(
        "WrongPoint",
        "The proof is right for another point than H: -H, H before the cofactor is cleared, or the second point that try and increment finds.",
        "RFC 9381, 5.4.1",
    ),
    flag(
        "OtherSuite",
        "The same key and alpha, proved in another suite.",
        "RFC 9381, 5.5: the suite decides the hashes",
    ),
    flag(
        "Modified",
        "One part of an honest claim was changed.",
        "RFC 9381, 5.3",
    ),
    flag(
        "Output",
        "The proof is valid, but beta is not its output. A verifier that takes no output returns another one.",
        "RFC 9381, 5.2",
    ),
    flag(
        "ProofLength",
        "The proof is truncated, too long, or in the form of another length.",
        "RFC 9381, 5.4.4; for 128 bytes the lengths of the fields",
    ),
    flag(
        "KeyLength",
        "The public key does not have 32 bytes.",
        "RFC 8032, 5.1.3",
    ),
    flag(
        "SmallOrderKey",
        "The public key has order 1, 2, 4 or 8, and the equations hold: without key validation anyone can prove for it.",
        "RFC 9381, 5.4.5, if the verifier validates keys (acceptable if not); libsodium's forks always do",
    ),
    flag(
        "NonCanonicalKey",
        "The y of the public key is p or more, or x = 0 with the sign bit set.",
        "RFC 8032, 5.1.3; ge25519_is_canonical and ge25519_has_small_order in libsodium's forks",
    ),
    flag(
        "KeyNotOnCurve",
        "The public key is no point of the curve.",
        "RFC 8032, 5.1.3",
    ),
    flag(
        "UnusualKey",
        "The secret scalar is 1 or L-1, which no seed gives. A verifier cannot know that.",
        "RFC 9381, 5.3: such a key passes every check",
    ),
    flag(
        "MixedOrderKey",
        "The public key has a component of order 2, 4 or 8 beside that of order L. Key validation lets it pass.",
        "RFC 9381, 5.4.5 and 5.3; the rules of the group for the multiple of Y",
    ),
    flag(
        "MixedOrderGamma",
        "Gamma has a component of order 2, 4 or 8. The output is that of the honest proof, because of the cofactor.",
        "RFC 9381, 5.2 and 5.3; the rules of the group for the multiple of Gamma",
    ),
    flag(
        "MixedOrderCommitment",
        "The prover added points of small order to U or V, which the challenge is hashed from and which proofs of 128 bytes contain.",
        "RFC 9381, 5.3: the points are compared, not eight times the points",
    ),
    flag(
        "CardanoRules",
        "The verdict depends on the rules: valid where (L-c) mod L is multiplied, invalid where c·Y is subtracted.",
        "crypto_core_ed25519_scalar_negate in Cardano's fork of libsodium",
    ),
    flag(
        "RfcRules",
        "The verdict depends on the rules: valid where c·Y is subtracted, invalid where (L-c) mod L is multiplied.",
        "RFC 9381, 5.3: U = s*B - c*Y",
    ),
    flag(
        "SmallOrderGamma",
        "Gamma has order 1, 2, 4 or 8 and the key does not.",
        "RFC 9381, 5.3: no equation holds for it",
    ),
    flag(
        "NonCanonicalGamma",
        "The y of Gamma is p or more, or x = 0 with the sign bit set.",
        "RFC 9381, 5.4.4 with RFC 8032, 5.1.3",
    ),
    flag(
        "GammaNotOnCurve",
        "Gamma is no point of the curve.",
        "RFC 9381, 5.4.4",
    ),
    flag(
        "OneEquation",
        "One of the two equations holds, or a sum of their multiples, but not both. Anyone can make such a proof.",
        "RFC 9381, 5.3: both U and V are hashed",
    ),
    flag(
        "ScalarPlusL",
        "s + kL stands for s: the same scalar in other bytes.",
        "RFC 9381, 5.4.4: s must be below q; Cardano's fork of libsodium since 2023 (sc25519_is_canonical). Under the original rules s is reduced",
    ),
    flag(
        "ScalarRange",
        "s at an edge of its range, or with its high bits set.",
        "RFC 9381, 5.4.4",
    ),
    flag(
        "SpecialNonce",
        "The nonce k is 0, 1 or L-1: U and V are the identity, B and H, or their negatives. A verifier cannot forbid it.",
        "RFC 9381, 5.3: the equations hold",
    ),
    flag(
        "SpecialChallenge",
        "The first or the last byte of the challenge is zero.",
        "RFC 9381, 5.4.3: the challenge has a fixed length",
    ),
    flag(
        "CommitmentEncoding",
        "U or V is not the encoding of the point that the equation gives: not canonical, negated, exchanged, or no point.",
        "U and V are compared as bytes, as in verify_batchcompat of Cardano's fork of libsodium. A batch must not be more lenient",
    ),
];

const fn flag(name: &'static str, description: &'static str, decided_by: &'static str) -> Flag {
    Flag {
        name,
        description,
        decided_by,
    }
}
