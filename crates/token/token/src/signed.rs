//! A token as a scheme verifies it: the links, with everything that their signatures cover, and the end.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::block::{Block, Link};
use crate::error::Place;
use crate::key::PublicKey;
use crate::scheme::Scheme;
use crate::state::State;
use crate::webauthn::RelyingParty;

/// The secret that only a bearer knows.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// The end of a token, after its blocks. It determines who may use the token.
#[derive(Clone)]
pub(crate) enum End {
    /// Anyone who has this secret may use the token.
    Bearer(Secret),
    /// The token may be used only for the challenge that the seal covers. `rest` is public. In `Aggregate`,
    /// `rest` is S. If a passkey sealed the token, `rest` is the data that it signed. Otherwise it is empty.
    Sealed { seal: Link, rest: Secret },
    /// Nobody may use the token until the device with the last key has sealed it.
    Held,
}

impl End {
    /// The bytes after the last link.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bearer(bytes) | Self::Sealed { rest: bytes, .. } => bytes,
            Self::Held => &[],
        }
    }
}

/// A link, with everything that the signature in the link covers.
pub(crate) struct Signed<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) link: &'a Link,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) place: Place,
}

/// A token to verify.
pub(crate) struct Claim<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) root_id: u32,
    pub(crate) root: PublicKey,
    pub(crate) blocks: &'a [Block],
    /// All links, at least one. If the token is sealed, the last is the link of the seal.
    pub(crate) links: Vec<Signed<'a>>,
    pub(crate) end: &'a End,
    /// The verifier's relying party.
    pub(crate) relying_party: Option<&'a RelyingParty>,
}
