//! A decoded block header: its place in the chain, its keys, its VRF outputs and proofs, its operational
//! certificate, and the position of the signature that covers all of them.

use klero_leader::PoolId;
use pallas_crypto::hash::{Hash, Hasher};

use crate::chain::era::Era;
use crate::chain::kes::Signing;

/// A header that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The place in the chain.
    pub place: Place,
    /// The lottery ticket; `None` in Byron, which has no lottery.
    pub lottery: Option<Lottery>,
    /// The certificate, and the position of the signature; `None` in Byron, which signs in another way.
    pub signing: Option<Signing>,
    /// Hash of the block's body; `None` in Byron.
    pub body_hash: Option<Hash<32>>,
    /// The length of the block's body in bytes; `None` in Byron.
    pub body_size: Option<u64>,
    /// The network's magic; `None` after Byron, because later headers do not contain it.
    pub magic: Option<u32>,
}

/// The place of a header in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The era that belongs to the block's tag.
    pub era: Era,
    /// True for Byron's epoch boundary block. Its slot is the first slot of its epoch, which an ordinary
    /// block may have as well. Its number is also the number of the block before it.
    pub boundary: bool,
    /// Absolute slot.
    pub slot: u64,
    /// Block number.
    pub number: u64,
    /// Hash of the header as stored, which is the hash of the block.
    pub hash: Hash<32>,
    /// The hash of the predecessor, as stored in the header; `None` in the first block of a chain without
    /// Byron. In the first block of Byron it is the hash of the Byron genesis.
    pub prev_hash: Option<Hash<32>>,
}

/// The lottery ticket with which a block was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lottery {
    /// The cold key of the issuer, which is a pool or a genesis delegate.
    pub issuer_key: [u8; 32],
    /// The VRF public key.
    pub vrf_key: [u8; 32],
    /// The outputs and proofs made with the VRF key.
    pub vrf: Vrf,
}

impl Lottery {
    /// The BLAKE2b-224 hash of the issuer's key, which identifies the pool or delegate.
    pub fn issuer(&self) -> Hash<28> {
        Hasher::<224>::hash(&self.issuer_key)
    }

    /// The pool that made the block. If a genesis delegate made the block, the result does not identify a
    /// pool.
    #[must_use]
    pub fn pool(&self) -> PoolId {
        PoolId::new(*self.issuer())
    }
}

/// The VRF certificates of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vrf {
    /// The two certificates of Shelley to Alonzo.
    TPraos {
        /// The certificate that feeds the nonce.
        eta: Cert,
        /// The certificate that shows the right to make the block.
        leader: Cert,
    },
    /// The only certificate of Babbage and later eras.
    Praos(Cert),
}

/// An output and the proof that belongs to it. Neither has been checked.
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
    /// A text that tells why the header cannot be used.
    pub reason: String,
    /// The header's place in the chain, if the place could be read.
    pub place: Option<Place>,
}

/// The bytes to which a header is appended before it is hashed. In Byron, the pair `[tag, header]` is hashed.
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

/// The placeholder for a hash that is not computed yet.
pub(super) const UNHASHED: Hash<32> = Hash::new([0; 32]);
