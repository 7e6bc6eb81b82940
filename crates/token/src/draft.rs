//! Drafts: links without their signatures, which whoever has the key can make elsewhere.

use alloc::vec::Vec;

use crate::error::Error;
use crate::key::PublicKey;
use crate::link::Link;
use crate::scheme::{Scheme, Secret};
use crate::state::State;

/// A scheme whose issuer's key can be in a device. Other crates cannot implement it.
#[allow(missing_docs, private_interfaces)]
pub trait Device: Scheme {
    /// The length of a signature in bytes.
    const SIGNATURE: usize;

    /// The link that follows the state, without its signature.
    fn draft(
        key: &PublicKey<Self>,
        before: &State,
        kind: u8,
        payload: &[u8],
    ) -> Result<Draft, Error>;
    /// The first link of a token, and the secret that follows it. The signature is not verified.
    fn complete(draft: Draft, signature: &[u8]) -> (Link, Secret);
}

/// A link without its signature.
pub struct Draft {
    pub(crate) committed: Vec<u8>,
    /// The secret that follows the link, as far as it is known.
    pub(crate) secret: Secret,
    /// What is to be signed.
    pub(crate) message: Vec<u8>,
}
