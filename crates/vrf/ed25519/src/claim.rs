//! Claims about signatures, and the verdicts on them.

use crate::invalid::Invalid;

/// The claim that the owner of `key` made `signature` on `message`. The bytes are borrowed. They may be
/// untrusted and of any length: if the claim is invalid, the verdict gives the reason.
///
/// ```
/// use klero_ed25519::{Claim, Invalid, verify_many};
/// let claims = [Claim::new(&[2; 32], b"", &[0; 64]), Claim::new(&[2; 31], b"", &[0; 64])];
/// let verdicts = verify_many(&claims);
/// assert_eq!(verdicts, [Err(Invalid::KeyNotOnCurve), Err(Invalid::KeyLength(31))]);
/// ```
#[must_use = "a claim says nothing until it is verified"]
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The public key A, 32 bytes.
    pub key: &'a [u8],
    /// The message, of any length.
    pub message: &'a [u8],
    /// The signature, 64 bytes: R and s.
    pub signature: &'a [u8],
}

impl<'a> Claim<'a> {
    /// A claim about a key, a message and a signature.
    pub fn new(
        key: &'a (impl AsRef<[u8]> + ?Sized),
        message: &'a (impl AsRef<[u8]> + ?Sized),
        signature: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self {
            key: key.as_ref(),
            message: message.as_ref(),
            signature: signature.as_ref(),
        }
    }
}

/// The verdict on a claim: valid, or invalid with the reason.
pub type Verdict = Result<(), Invalid>;
