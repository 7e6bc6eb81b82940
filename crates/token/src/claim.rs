//! What is verified of a token: its links, each with all that its signature covers.

use alloc::vec::Vec;

use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::link::{End, Link};
use crate::state::State;
use crate::webauthn::RelyingParty;

/// A link with all that its signature covers.
pub(crate) struct Signed<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) link: &'a Link,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) place: Place,
}

/// A token to verify, all but its statements. The payload of a seal is the challenge that the
/// verifier set; there is no other way to write one down.
pub(crate) struct Claim<'a> {
    pub(crate) root: PublicKey,
    pub(crate) root_id: u32,
    /// All links, that of the seal last. There is one or more.
    pub(crate) links: Vec<Signed<'a>>,
    pub(crate) end: &'a End,
    /// The verifier's.
    pub(crate) relying_party: Option<&'a RelyingParty>,
}

impl Claim<'_> {
    /// The error of a token whose first link has another key than the root's.
    pub(crate) fn check_root(&self, key_in_link: Option<&[u8]>) -> Result<(), Error> {
        if key_in_link != Some(self.root.as_bytes()) {
            return Err(Error::WrongRoot(self.root_id));
        }
        Ok(())
    }
}
