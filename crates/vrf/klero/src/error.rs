//! Reasons why a claim is invalid, and errors when something cannot be read, made or found.

use alloc::string::String;

/// The reason why a claim is invalid.
///
/// The reason is the first variant, in this order, that applies. So a batch does not change the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// The public key is not 32 bytes long.
    #[error("public key has {0} bytes, expected 32")]
    KeyLength(usize),
    /// The public key's y-coordinate is p or more.
    #[error("public key is not canonical (y >= 2^255-19)")]
    KeyNotCanonical,
    /// The public key's y-coordinate belongs to no point of the curve.
    #[error("public key is not a point of the curve")]
    KeyNotOnCurve,
    /// The public key has small order: anyone can make proofs for it.
    #[error("public key has small order")]
    KeySmallOrder,
    /// The proof does not have the length of the suite's proofs.
    #[error("proof has {got} bytes, expected {expected}")]
    ProofLength {
        /// The suite's proof length in bytes.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// Gamma's y-coordinate is p or more.
    #[error("Gamma is not canonical (y >= 2^255-19)")]
    GammaNotCanonical,
    /// Gamma's y-coordinate belongs to no point of the curve.
    #[error("Gamma is not a point of the curve")]
    GammaNotOnCurve,
    /// s is L or more.
    #[error("s is not canonical (s >= L)")]
    ScalarNotCanonical,
    /// No counter of try-and-increment gives a point (probability 2^-256).
    #[error("alpha hashes to no point of the curve")]
    NoCurvePoint,
    /// The challenge in the proof differs from the recomputed challenge.
    #[error("challenge mismatch")]
    ChallengeMismatch,
    /// The U in the proof is not s·B - c·Y (under the rules of Cardano, s·B + (L-c)·Y).
    #[error("U mismatch")]
    UMismatch,
    /// The V in the proof is not s·H - c·Gamma (under the rules of Cardano, s·H + (L-c)·Gamma).
    #[error("V mismatch")]
    VMismatch,
    /// The claimed output is not 64 bytes long.
    #[error("output has {0} bytes, expected 64")]
    OutputLength(usize),
    /// The proof is valid, but its output differs from the claimed output.
    #[error("output mismatch: the proof is for another output")]
    OutputMismatch,
}

/// A failure to read, make or find something. For the reasons why claims are invalid, see [`Invalid`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A public key that every verifier rejects.
    #[error(transparent)]
    Key(#[from] Invalid),
    /// The public half of a secret key does not belong to the seed.
    #[error("the last 32 bytes are not the public key of the seed in the first 32")]
    Halves,
    /// The content is in no known form, or is another kind of value than expected. The message describes what
    /// was found, its position, and what was expected. The message repeats no part of a secret.
    #[error("{0}")]
    Unreadable(String),
    /// No suite, or no backend of this processor, has this name. The message lists the known names.
    #[error("{0}")]
    UnknownName(String),
    /// The suite of the secret key is unknown: neither the key's text envelope nor the caller names a suite.
    #[cfg(feature = "encoded")]
    #[error("it does not say its suite: expected a suite beside it")]
    NoSuite,
    /// The caller gave a suite that is not the suite of the secret key.
    #[cfg(feature = "encoded")]
    #[error(
        "the key belongs to suite {of_key}, not {given}: its proofs in two suites can reveal it"
    )]
    OtherSuite {
        /// The suite that the text envelope names.
        of_key: crate::Suite,
        /// The suite that the caller gave.
        given: crate::Suite,
    },
    /// The same secret key is used in two suites: see
    /// [`SecretKey::dangerously_reuse_in`](crate::SecretKey::dangerously_reuse_in).
    #[error(
        "one secret key in two suites, {} and {} (places {} and {}): two such proofs can reveal the key",
        suites[0], suites[1], places[0], places[1]
    )]
    ReusedKey {
        /// The two places passed to [`ReuseCheck::add`](crate::ReuseCheck::add), lower place first.
        places: [u64; 2],
        /// The suites at these places.
        suites: [crate::Suite; 2],
    },
    /// The operating system supplied no random bytes.
    #[cfg(feature = "os-rng")]
    #[error("no random bytes from the operating system: {0}")]
    NoRandomness(getrandom::Error),
    /// [`SecretKey::prove_checked`](crate::SecretKey::prove_checked) made two proofs that differ or do not
    /// verify.
    #[error("a fault of the processor or the memory while proving: the proof is withheld")]
    Fault,
}
