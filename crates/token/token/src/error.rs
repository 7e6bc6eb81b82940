//! Errors: the reasons why bytes are not a token, or why a token is refused or cannot be made.

use alloc::borrow::Cow;
use alloc::string::String;

use thiserror::Error;

use crate::scheme::KeyKind;

/// The reason why a token was refused, or cannot be made. The message says what is wrong and where. Offsets
/// are in bytes from the start of the encoding, and blocks are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is not a valid token, request, statement, key, path or revocation id; or a value to be
    /// encoded has 2^32 bytes or more.
    #[error("{0}")]
    Malformed(Cow<'static, str>),
    /// The token exceeds its [`Limits`](crate::Limits).
    #[error("the token has {got} {what}, the limit is {limit}")]
    TooLarge {
        /// The things that were counted: `bytes`, `signatures or more` or `caveats or more`.
        what: &'static str,
        /// The count that exceeded the limit.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// The verifier has no root key with the number that the token contains.
    #[error("no root key has the number {0}")]
    UnknownRoot(u32),
    /// The key in the first block is not the verifier's root key with this number. A token of
    /// [`Scheme::Chain`](crate::Scheme::Chain) does not contain the root key, so a wrong root key causes
    /// [`Error::Signature`] at block 0 instead.
    #[error("block 0: the key is not the root key {0}")]
    WrongRoot(u32),
    /// A signature is not valid, or has an encoding or a key that every verifier refuses. If the signature is
    /// that of block 0, perhaps the verifier has the wrong root key.
    #[error("{place}: {what}")]
    Signature {
        /// The place of the signature, or of its key.
        place: Place,
        /// The fault of the signature or of the key.
        what: &'static str,
    },
    /// The secret key at the end of the token does not belong to the public key in the last block.
    #[error("the secret key at the end is not that of the last block")]
    Possession,
    /// The data that a passkey signed is not as required, or the verifier has set no relying party, without
    /// which no such data is accepted.
    #[error("{place}: {what}")]
    Passkey {
        /// The place of the passkey's signature.
        place: Place,
        /// The fault of the passkey's data.
        what: &'static str,
    },
    /// A sealed token was verified without a challenge, or somebody tried to add to it or to seal it again.
    #[error("the token is sealed")]
    Sealed,
    /// A token that is not sealed was verified with a challenge.
    #[error("the token is not sealed, though a challenge was set")]
    NotSealed,
    /// The last key of the token is in a device. Nobody can use the token before the device has sealed it,
    /// and nobody can add to it.
    #[error("the token's last key is held by a device")]
    Held,
    /// A device cannot seal the token, because it is a bearer token, or is already sealed.
    #[error("the token's last key is held by no device")]
    NotHeld,
    /// The challenge has an empty nonce, so one answer could be used again and again.
    #[error("the nonce of the challenge is empty")]
    EmptyNonce,
    /// The key's kind does not fit the operation or the form of the signature. The text says which kinds do.
    #[error("a key of the kind {0}, expected {1}")]
    WrongKey(KeyKind, &'static str),
    /// The text is not the canonical text of a caveat.
    #[error("not a caveat: {text:?}: {advice}")]
    Caveat {
        /// The text.
        text: String,
        /// The mistake, in words that do not repeat the text.
        what: &'static str,
        /// The mistake, or a suggestion, or both. The suggestion is a caveat that was probably meant, and
        /// repeats parts of the text.
        advice: String,
    },
    /// The operating system gave no random bytes.
    #[error("no randomness: {0}")]
    NoRandomness(getrandom::Error),
}

impl Error {
    /// The error for a signature that does not hold.
    pub(crate) fn signature(place: Place) -> Self {
        let what = match place {
            Place::Block(0) => "the signature does not hold, or it is by another root key",
            _ => "the signature does not hold",
        };
        Self::Signature { place, what }
    }

    /// The error for a signature whose scalar is not below the order of the group.
    pub(crate) fn scalar(place: Place) -> Self {
        let what = "the signature's scalar is not below the order of the group";
        Self::Signature { place, what }
    }
}

/// The place of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The block with this number.
    Block(usize),
    /// The statement of a third party in the block with this number.
    ThirdParty(usize),
    /// The seal.
    Seal,
    /// The single signature for all blocks.
    Aggregate,
    /// A statement that is in no token yet.
    Statement,
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Block(block) => write!(f, "block {block}"),
            Self::ThirdParty(block) => write!(f, "block {block}, third party"),
            Self::Seal => f.write_str("seal"),
            Self::Aggregate => f.write_str("all blocks"),
            Self::Statement => f.write_str("statement"),
        }
    }
}
