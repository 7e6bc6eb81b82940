//! The reasons why signatures are invalid.

use thiserror::Error;

/// The reason why a signature is invalid.
///
/// If several reasons apply, the verdict gives the first of them in the order of the variants, whether the
/// claim is verified alone or together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Invalid {
    /// The public key A is not 32 bytes long.
    #[error("public key has {0} bytes, expected 32")]
    KeyLength(usize),
    /// The signature is not 64 bytes long.
    #[error("signature has {0} bytes, expected 64")]
    SignatureLength(usize),
    /// The y-coordinate of the public key A is p or more.
    #[error("public key is not canonical (y >= 2^255-19)")]
    KeyNotCanonical,
    /// The scalar s is L or more.
    #[error("s is not canonical (s >= L)")]
    ScalarNotCanonical,
    /// The y-coordinate of the public key A belongs to no point of the curve.
    #[error("public key is not a point of the curve")]
    KeyNotOnCurve,
    /// The public key A has small order: anyone can make a signature that is valid for it.
    #[error("public key has small order")]
    KeySmallOrder,
    /// R is not the encoding of s·B - k·A: key, message and signature do not belong together.
    #[error("signature mismatch")]
    Mismatch,
    /// R is the encoding of s·B - k·A, but has small order.
    #[error("R has small order")]
    RSmallOrder,
}
