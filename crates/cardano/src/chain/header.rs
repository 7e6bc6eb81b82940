//! A block's header, decoded: its place in the chain, its keys, its VRF outputs and proofs, its operational
//! certificate, and the place of the signature that covers all of this.

use klero_leader::PoolId;
use pallas_crypto::hash::{Hash, Hasher};

use crate::chain::era::Era;
use crate::chain::kes::Signing;

/// A header that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The place in the chain.
    pub place: Place,
    /// Its lottery ticket; `None` in Byron, which has no lottery.
    pub lottery: Option<Lottery>,
    /// Its certificate, and the place of its signature; `None` in Byron, which signs in another way.
    pub signing: Option<Signing>,
    /// Hash of the block's body; `None` in Byron.
    pub body_hash: Option<Hash<32>>,
    /// The length of the block's body in bytes; `None` in Byron.
    pub body_size: Option<u64>,
    /// The network's magic; `None` after Byron: later headers do not name it.
    pub magic: Option<u32>,
}

/// The place of a header in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The era, by the block's tag.
    pub era: Era,
    /// True for an epoch boundary block of Byron: it shares its slot with the first block of the epoch and
    /// its number with the block before it.
    pub boundary: bool,
    /// Absolute slot.
    pub slot: u64,
    /// Block number.
    pub number: u64,
    /// Hash of the header as stored, which is the hash of the block.
    pub hash: Hash<32>,
    /// The hash of the predecessor that it names; `None` in the first block of a chain without Byron. The
    /// first block of Byron names the hash of the Byron genesis.
    pub prev_hash: Option<Hash<32>>,
}

/// The lottery ticket that a block was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lottery {
    /// The cold key of the issuer, a pool or a genesis delegate.
    pub issuer_key: [u8; 32],
    /// The VRF public key.
    pub vrf_key: [u8; 32],
    /// The outputs and proofs of that key.
    pub vrf: Vrf,
}

impl Lottery {
    /// BLAKE2b-224 of the issuer's key: the identity of the pool or delegate.
    pub fn issuer(&self) -> Hash<28> {
        Hasher::<224>::hash(&self.issuer_key)
    }

    /// The pool that made the block, unless a genesis delegate did.
    #[must_use]
    pub fn pool(&self) -> PoolId {
        PoolId::new(*self.issuer())
    }
}

/// The VRF certificates of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vrf {
    /// Shelley to Alonzo.
    TPraos {
        /// Feeds the nonce.
        eta: Cert,
        /// Shows the right to make the block.
        leader: Cert,
    },
    /// Babbage and later.
    Praos(Cert),
}

/// An output and the proof that belongs to it, neither checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cert {
    /// The claimed output.
    pub output: [u8; 64],
    /// The proof.
    pub proof: [u8; 80],
}

/// A header that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct BadHeader {
    /// The reason why it cannot be used.
    pub reason: String,
    /// Its place in the chain, if that much could be read.
    pub place: Option<Place>,
}

/// The bytes that are hashed before a header: Byron hashes the pair of tag and header.
pub(crate) fn hash_prefix(tag: u8) -> &'static [u8] {
    match tag {
        0 => &[0x82, 0],
        1 => &[0x82, 1],
        _ => &[],
    }
}

/// Sets the hash of a header, if its place could be read.
pub(crate) fn set_hash(header: &mut Result<Header, BadHeader>, hash: Hash<32>) {
    let place = match header {
        Ok(header) => Some(&mut header.place),
        Err(bad) => bad.place.as_mut(),
    };
    if let Some(place) = place {
        place.hash = hash;
    }
}

/// The stand-in for a hash that is not computed yet.
pub(super) const UNHASHED: Hash<32> = Hash::new([0; 32]);
