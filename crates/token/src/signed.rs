//! A token as a scheme verifies it: links with all that they cover, and what stands behind them.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::block::{Block, Link};
use crate::error::Place;
use crate::key::PublicKey;
use crate::scheme::Scheme;
use crate::state::State;
use crate::webauthn::RelyingParty;

/// What only a bearer knows.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// What stands behind the blocks, and who may use the token because of it.
#[derive(Clone)]
pub(crate) enum End {
    /// Whoever has this secret.
    Bearer(Secret),
    /// Whoever answers the challenge that the seal is over. What is left of the secret is public.
    /// Behind the seal of a passkey it is what the passkey signed.
    Sealed { seal: Link, rest: Secret },
    /// Whoever has the device with the last key, once it has sealed the token.
    Held,
}

impl End {
    /// The bytes behind the last link.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bearer(bytes) | Self::Sealed { rest: bytes, .. } => bytes,
            Self::Held => &[],
        }
    }
}

/// A link with all that its signature covers.
pub(crate) struct Signed<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) link: &'a Link,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) place: Place,
}

/// A token to verify, all but its statements.
pub(crate) struct Claim<'a> {
    pub(crate) scheme: Scheme,
    pub(crate) root_id: u32,
    pub(crate) root: PublicKey,
    pub(crate) blocks: &'a [Block],
    /// All links, that of the seal last. There is one or more.
    pub(crate) links: Vec<Signed<'a>>,
    pub(crate) end: &'a End,
    /// The verifier's.
    pub(crate) relying_party: Option<&'a RelyingParty>,
}
