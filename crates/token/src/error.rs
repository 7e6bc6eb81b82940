//! Why bytes are no token, why a token is not to be trusted, and why one could not be made.

use thiserror::Error;

/// Why a token was refused, or could not be made. Offsets count bytes from the start of
/// the encoding, blocks count from 0.
///
/// ```
/// use klero_token::{Chain, Error, Limits, Unverified};
/// let error = Unverified::<Chain>::decode(b"KT", &Limits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "the bytes end at 2, within the version at byte 2 (1 bytes)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin as those of a token do.
    #[error("not a token: expected the bytes \"KT\" at byte 0")]
    Magic,
    /// The version is one that this library does not know.
    #[error("version {0} at byte 2, expected 1")]
    Version(u8),
    /// A token, or a part of one, of another scheme.
    #[error("scheme {got} at byte 3, expected {expected} ({name})")]
    Scheme {
        /// The number of the scheme in the bytes.
        got: u8,
        /// The number of the scheme that was asked for.
        expected: u8,
        /// Its name.
        name: &'static str,
    },
    /// A scheme that this library does not know.
    #[error("scheme {0} at byte 3, expected 1 (chain), 2 (aggregate) or 3 (bls)")]
    UnknownScheme(u8),
    /// A token where a part of one was expected, or the other way round.
    #[error("form {got} at byte 4, expected {expected}")]
    Form {
        /// The form in the bytes.
        got: u8,
        /// What may stand there.
        expected: &'static str,
    },
    /// The bytes end too soon.
    #[error("the bytes end at {end}, within the {what} at byte {at} ({length} bytes)")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it begins.
        at: usize,
        /// The bytes it has.
        length: usize,
        /// The bytes there are.
        end: usize,
    },
    /// Bytes behind the end.
    #[error("{count} more bytes behind the end at byte {at}")]
    Trailing {
        /// Where the token ends.
        at: usize,
        /// How many bytes follow.
        count: usize,
    },
    /// The text is not base64url without padding.
    #[error("the text is not base64url without padding")]
    Text,
    /// More bytes than the limit allows.
    #[error("the token has {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// The bytes there are.
        bytes: usize,
        /// The bytes allowed.
        limit: usize,
    },
    /// More blocks than the limit allows.
    #[error("the token announces {blocks} blocks at byte 9, the limit is {limit}")]
    TooManyBlocks {
        /// The blocks announced.
        blocks: u32,
        /// The blocks allowed.
        limit: u32,
    },
    /// A token of no blocks says nothing.
    #[error("the token announces no blocks at byte 9")]
    NoBlocks,
    /// A block of a kind that may not stand there.
    #[error("block {block}: kind {got} at byte {at}, expected {expected}")]
    Kind {
        /// The block.
        block: usize,
        /// The kind in the bytes.
        got: u8,
        /// Where it stands.
        at: usize,
        /// What may stand there.
        expected: &'static str,
    },
    /// A key that no verifier accepts.
    #[error("{place}: {fault}")]
    Key {
        /// Whose key it is.
        place: Place,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// A point of a signature that is no point.
    #[error("{place}: the signature is not a canonical point")]
    SignaturePoint {
        /// Where the signature stands.
        place: Place,
    },
    /// A scalar of a signature that is too large.
    #[error("{place}: the signature's scalar is not below the order of the group")]
    SignatureScalar {
        /// Where the signature stands.
        place: Place,
    },
    /// No root key has this number.
    #[error("no root key has the number {0}")]
    UnknownRoot(u32),
    /// The first block is not signed by the root key of that number. In
    /// [`Chain`](crate::Chain), whose tokens do not carry the root key, this is
    /// [`Error::Signature`] at block 0.
    #[error("block 0: the key is not the root key {0}")]
    WrongRoot(u32),
    /// A signature does not hold.
    #[error("{place}: the signature does not hold")]
    Signature {
        /// Where the signature stands.
        place: Place,
    },
    /// The secret at the end is not the one that the last block's key belongs to.
    #[error("the secret key at the end is not that of the last block")]
    Possession,
    /// A sealed token was verified without a challenge, or something was to be added to it.
    #[error("the token is sealed")]
    Sealed,
    /// A challenge was to be answered, and the token is not sealed.
    #[error("the token is not sealed, though a challenge was set")]
    NotSealed,
    /// A payload of 2^32 bytes or more, or 2^32 blocks.
    #[error("the token would be too large to encode")]
    TooLarge,
    /// The operating system gave no random bytes.
    #[error("no randomness: {0}")]
    NoRandomness(getrandom::Error),
}

/// A place in a token.
///
/// ```
/// assert_eq!(klero_token::Place::Block(2).to_string(), "block 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The block of this number.
    Block(usize),
    /// The statement of a third party in the block of this number.
    ThirdParty(usize),
    /// The seal.
    Seal,
    /// The one signature for all blocks.
    Aggregate,
    /// A key that came by itself.
    Alone,
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Block(block) => write!(f, "block {block}"),
            Self::ThirdParty(block) => write!(f, "block {block}, third party"),
            Self::Seal => f.write_str("seal"),
            Self::Aggregate => f.write_str("all blocks"),
            Self::Alone => f.write_str("key"),
        }
    }
}

/// Why bytes are no key.
///
/// ```
/// use klero_token::{Chain, Error, KeyFault, Place, PublicKey};
/// let refused = Error::Key { place: Place::Alone, fault: KeyFault::SmallOrder };
/// assert_eq!(PublicKey::<Chain>::from_bytes(&[0; 32]), Err(refused));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// A wrong number of bytes.
    #[error("the key has {got} bytes, expected {expected}")]
    Length {
        /// The bytes there are.
        got: usize,
        /// The bytes of the scheme's keys.
        expected: usize,
    },
    /// Another encoding of what may be a point.
    #[error("the key is not canonical")]
    NotCanonical,
    /// No point of the curve or of its group.
    #[error("the key is not a point of the group")]
    NotAPoint,
    /// Anyone can sign for it.
    #[error("the key has small order")]
    SmallOrder,
}
