//! The stages of proving and verifying that the library reports.

use core::fmt;

/// A part of the work on a group of claims or proofs. `Verifier::verify_watched` and `Prover::prove_watched`
/// report when a stage ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Splitting proofs and finding equal keys.
    Parse,
    /// Hashing the public key and alpha to a field element, or to candidates for a point.
    HashAlpha,
    /// Everything that needs square roots: decoding Y and Γ, and mapping alpha to H.
    Roots,
    /// Computing the multiples of keys that are kept from now on, and testing these keys for torsion.
    KeepKeys,
    /// Testing distinct keys for torsion, and U again for keys with torsion (only under Cardano's rules).
    KeyTorsion,
    /// U = s·B - c·Y, side by side in lanes.
    U,
    /// V = s·H - c·Γ, side by side in lanes. Also U and V of claims too few for a vector, one at a time.
    V,
    /// Decoding U and V.
    DecodeUV,
    /// Subtracting small multiples of Y and Γ from U and V, for the torsion test.
    SmallMultiples,
    /// The weights of a sum.
    Weights,
    /// The weighted sum of U and V, and its torsion test.
    TorsionSum,
    /// The weighted sum of Y, H and Γ.
    Sum,
    /// Γ = x·H and V = k·H, side by side in lanes. Also Γ, U and V of proofs made one at a time.
    SecretPair,
    /// U = k·B, side by side in lanes.
    SecretBase,
    /// Encoding H before the nonce or the challenge is hashed.
    EncodeH,
    /// Hashing nonces.
    Nonces,
    /// 8Γ, and the encodings of all points that are hashed.
    Encode,
    /// Hashing challenges and outputs.
    Hash,
    /// s = k + c·x, and the bytes of the proof.
    Respond,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Parse => "parse",
            Self::HashAlpha => "hash alpha",
            Self::Roots => "decode Y, Γ; map to H",
            Self::KeepKeys => "keep keys",
            Self::KeyTorsion => "torsion of Y",
            Self::U => "U = sB - cY",
            Self::V => "V = sH - cΓ",
            Self::DecodeUV => "decode U, V",
            Self::SmallMultiples => "small multiples",
            Self::Weights => "weights",
            Self::TorsionSum => "sum of U, V; torsion",
            Self::Sum => "sum of Y, H, Γ",
            Self::SecretPair => "Γ = xH, V = kH",
            Self::SecretBase => "U = kB",
            Self::EncodeH => "encode H",
            Self::Nonces => "hash k",
            Self::Encode => "8Γ, encode",
            Self::Hash => "hash c, β",
            Self::Respond => "s = k + cx",
        })
    }
}

/// Ignores the end of a stage. Callers share it, because generic code is compiled again for every closure.
#[inline(always)]
pub(crate) fn unwatched(_: Stage) {}
