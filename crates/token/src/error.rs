//! Errors: why bytes are not a token, why a token is refused, why one cannot be made.

use alloc::borrow::Cow;
use alloc::string::String;

use thiserror::Error;

use crate::scheme::KeyKind;

/// The reason why a token was refused, or cannot be made. It says what is wrong and where: offsets
/// are in bytes from the start of the encoding, and blocks are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A value that should be a token, request, statement, key, path or revocation id is not one; or a value
    /// to be encoded has 2^32 bytes or more.
    #[error("{0}")]
    Malformed(Cow<'static, str>),
    /// The token exceeds its [`Limits`](crate::Limits).
    #[error("the token has {got} {what}, the limit is {limit}")]
    TooLarge {
        /// The things counted: `bytes`, `signatures or more` or `caveats or more`.
        what: &'static str,
        /// The count that exceeded the limit.
        got: usize,
        /// The limit.
        limit: usize,
    },
    /// No root key has this number.
    #[error("no root key has the number {0}")]
    UnknownRoot(u32),
    /// The key in the first block is not the root key of that number. For
    /// [`Scheme::Chain`](crate::Scheme::Chain), whose tokens do not carry the root key, the error is
    /// [`Error::Signature`] at block 0.
    #[error("block 0: the key is not the root key {0}")]
    WrongRoot(u32),
    /// A signature is not valid, or no verifier accepts its encoding or its key. If it is the signature of
    /// block 0, the root key may be the wrong one.
    #[error("{place}: {what}")]
    Signature {
        /// The place of the signature, or of its key.
        place: Place,
        /// The fault of the signature or of the key.
        what: &'static str,
    },
    /// The secret key at the end does not belong to the public key in the last block.
    #[error("the secret key at the end is not that of the last block")]
    Possession,
    /// The data that a passkey signed is not as required; or the verifier has not said for which relying
    /// party it accepts such data.
    #[error("{place}: {what}")]
    Passkey {
        /// The place of the passkey's signature.
        place: Place,
        /// The fault of the passkey's data.
        what: &'static str,
    },
    /// A sealed token was verified without a challenge, or something was to be added to it.
    #[error("the token is sealed")]
    Sealed,
    /// A token that is not sealed was verified with a challenge.
    #[error("the token is not sealed, though a challenge was set")]
    NotSealed,
    /// The last key of the token is in a device: nobody can use the token before the device has sealed it,
    /// and nobody can add to it.
    #[error("the token's last key is held by a device")]
    Held,
    /// The token does not wait for a device's seal: it is a bearer token, or is sealed already.
    #[error("the token's last key is held by no device")]
    NotHeld,
    /// The challenge has an empty nonce, so that one answer would serve every time.
    #[error("the nonce of the challenge is empty")]
    EmptyNonce,
    /// A key of this kind is for another use than the one asked of it, or signs in another form.
    #[error("a key of the kind {0}, expected {1}")]
    WrongKey(KeyKind, &'static str),
    /// The text is not the canonical text of a caveat.
    #[error("not a caveat: {text:?}: {advice}")]
    Caveat {
        /// The text.
        text: String,
        /// The mistake, in words that do not repeat the text.
        what: &'static str,
        /// The mistake, the caveat that was probably meant, or both. The caveat repeats parts of the text.
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
    /// The one signature for all blocks.
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
