//! Errors: why bytes are not a token, why a token is refused, why one cannot be made.

use thiserror::Error;

use crate::key::KeyKind;
use crate::no_caveat::NotACaveat;

/// The reason why a token was refused, or cannot be made. Offsets are in bytes from the start of the
/// encoding; blocks are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin as a token does.
    #[error("not a token: expected the bytes \"KT\" at byte 0")]
    Magic,
    /// The version is one that this library does not know.
    #[error("version {0} at byte 2, expected 3")]
    Version(u8),
    /// A scheme that this library does not know.
    #[error("scheme {0} at byte 3, expected 1 (chain) or 2 (aggregate)")]
    UnknownScheme(u8),
    /// The bytes are of another form: for example a whole token instead of a third party's
    /// statement.
    #[error("form {got} at byte 4, expected {expected}")]
    Form {
        /// The form in the bytes.
        got: u8,
        /// What may stand there.
        expected: &'static str,
    },
    /// The bytes end within a field.
    #[error("the bytes end at {end}, within the {what} at byte {at} ({length} bytes)")]
    Truncated {
        /// The field.
        what: &'static str,
        /// Where it begins.
        at: usize,
        /// The length of the field.
        length: usize,
        /// The number of bytes.
        end: usize,
    },
    /// Bytes follow the end of the token.
    #[error("{count} more bytes follow the end at byte {at}")]
    Trailing {
        /// Where the token ends.
        at: usize,
        /// The number of bytes that follow.
        count: usize,
    },
    /// The text is not base64url without padding.
    #[error("the text is not base64url without padding")]
    Text,
    /// More bytes than the limit allows.
    #[error("the token has {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// The length of the token.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// More signatures than the limit allows.
    #[error("the token has {signatures} signatures or more, the limit is {limit}")]
    TooManySignatures {
        /// The number of signatures that were announced when the limit was exceeded.
        signatures: u32,
        /// The limit.
        limit: u32,
    },
    /// More caveats than the limit allows.
    #[error("the token has {caveats} caveats or more, the limit is {limit}")]
    TooManyCaveats {
        /// The number of caveats up to the block in which the limit was exceeded.
        caveats: u32,
        /// The limit.
        limit: u32,
    },
    /// The token has no blocks.
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
        /// Where the key stands.
        place: Place,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// A part of a signature that should be a point other than the identity, and is not.
    #[error("{place}: the signature is not a canonical point")]
    SignaturePoint {
        /// Where the signature stands.
        place: Place,
    },
    /// A scalar of a signature that is not below the order of the group.
    #[error("{place}: the signature's scalar is not below the order of the group")]
    SignatureScalar {
        /// Where the signature stands.
        place: Place,
    },
    /// Of the two signatures of ES256 with s and -s, it is the one that no verifier accepts.
    #[error("{place}: s of the signature is above half the order of the group")]
    HighS {
        /// Where the signature stands.
        place: Place,
    },
    /// What a passkey signed is not what it should have.
    #[error("{place}: {fault}")]
    Assertion {
        /// Where the signature stands.
        place: Place,
        /// What is wrong.
        fault: AssertionFault,
    },
    /// A passkey holds the token or made a statement in it, and the verifier has not said for which
    /// relying party it takes that.
    #[error("{place}: made by a passkey, but the verifier has no relying party")]
    NoRelyingParty {
        /// Where the signature stands.
        place: Place,
    },
    /// A key of this kind is for another use, or signs in another form, than what was asked of it.
    #[error("a key of the kind {0}, expected {1}")]
    WrongKey(KeyKind, &'static str),
    /// No root key has this number.
    #[error("no root key has the number {0}")]
    UnknownRoot(u32),
    /// The first block is not signed by the root key of that number. In
    /// [`Scheme::Chain`](crate::Scheme::Chain), whose tokens do not carry the root key, this is
    /// [`Error::Signature`] at block 0.
    #[error("block 0: the key is not the root key {0}")]
    WrongRoot(u32),
    /// A signature is not valid. If it is that of block 0, the root key may be the wrong one.
    #[error("{place}: the signature does not hold{}", of_root(place))]
    Signature {
        /// Where the signature stands.
        place: Place,
    },
    /// The secret key at the end does not belong to the public key in the last block.
    #[error("the secret key at the end is not that of the last block")]
    Possession,
    /// A sealed token was verified without a challenge, or something was to be added to it.
    #[error("the token is sealed")]
    Sealed,
    /// A token that is not sealed was verified with a challenge.
    #[error("the token is not sealed, though a challenge was set")]
    NotSealed,
    /// The last key of the token is in a device, so that only a seal shows who may use it, and
    /// only that device can add to it.
    #[error("the token's last key is held by a device")]
    Held,
    /// The last key of the token is in no device: the token itself holds it.
    #[error("the token's last key is held by no device")]
    NotHeld,
    /// A challenge without a nonce, which could be answered once for all.
    #[error("the nonce of the challenge is empty")]
    EmptyNonce,
    /// What should be a caveat is none.
    #[error(transparent)]
    Caveat(#[from] NotACaveat),
    /// The text is not that of a key.
    #[error("expected the text of a key: {0}")]
    KeyText(&'static str),
    /// The text is not that of a revocation id.
    #[error("expected a revocation id: 64 hexadecimal digits in lower case")]
    IdText,
    /// A payload of 2^32 bytes or more, or 2^32 blocks.
    #[error("the token would be too large to encode")]
    TooLarge,
    /// The operating system gave no random bytes.
    #[error("no randomness: {0}")]
    NoRandomness(getrandom::Error),
}

/// What a wrong signature of the first block may also mean.
fn of_root(place: &Place) -> &'static str {
    match place {
        Place::Block(0) => ", or it is by another root key",
        _ => "",
    }
}

/// Where a fault is.
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
    /// A key that is not part of a token.
    Alone,
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Block(block) => write!(f, "block {block}"),
            Self::ThirdParty(block) => write!(f, "block {block}, third party"),
            Self::Seal => f.write_str("seal"),
            Self::Aggregate => f.write_str("all blocks"),
            Self::Statement => f.write_str("statement"),
            Self::Alone => f.write_str("key"),
        }
    }
}

/// The reason why bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// The number of bytes is wrong.
    #[error("the key has {got} bytes, expected {expected}")]
    Length {
        /// The number of bytes.
        got: usize,
        /// The length of keys.
        expected: usize,
    },
    /// The encoding is not the canonical one.
    #[error("the key is not canonical")]
    NotCanonical,
    /// The bytes are not a point of the group.
    #[error("the key is not a point of the group")]
    NotAPoint,
    /// The bytes are no SPKI of a key of P-256.
    #[error("not the SPKI of a key of P-256 with an uncompressed point")]
    NotSpki,
    /// The point has small order: anyone can sign for it.
    #[error("the key has small order")]
    SmallOrder,
}

/// The reason why an assertion does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AssertionFault {
    /// More bytes than assertions have.
    #[error("authenticator data or client data of more than 1024 bytes")]
    TooLong,
    /// The client data is not written as browsers write it.
    #[error("the client data is not in the form of WebAuthn")]
    ClientData,
    /// The type is not `webauthn.get`.
    #[error("the type of the client data is not webauthn.get")]
    Type,
    /// The challenge is another.
    #[error("the client data has another challenge")]
    Challenge,
    /// The page that asked is none of the verifier's.
    #[error("the client data has an origin that the verifier does not accept")]
    Origin,
    /// The page that asked is in a frame of another page.
    #[error("the page is in a frame of another origin")]
    CrossOrigin,
    /// The authenticator data is not in the form of an assertion, or has a flag that is unknown.
    #[error("the authenticator data is not in the form of an assertion")]
    AuthenticatorData,
    /// The passkey belongs to another relying party.
    #[error("the authenticator data is for another relying party")]
    RelyingParty,
    /// Nobody confirmed the assertion.
    #[error("no user was present")]
    UserPresence,
    /// The verifier requires that the user was verified.
    #[error("the user was not verified")]
    UserVerification,
}
