//! A block's header, decoded: its place in the chain, its keys, its VRF outputs and proofs, its
//! operational certificate, and where the signature is that covers all of this.
//!
//! Five shapes exist: Byron's boundary and main headers, the header of TPraos with two VRF
//! certificates, that of Praos with one, and that of Leios in Dijkstra with two more fields. The tag of the block says which it is. Byron is
//! decoded by `pallas`. What decoding leaves open (exact lengths, no more fields than the era has,
//! nothing after the header, slots of Byron in networks that are not mainnet) is settled here.

use core::fmt;

use klero_leader::PoolId;
use pallas_codec::minicbor::{self, Decoder};
use pallas_crypto::hash::{Hash, Hasher};
use pallas_primitives::byron;

use crate::chain::certificate::OperationalCertificate;
use crate::chain::era::{Era, Protocol};
use crate::chain::fields::{self, Body, Fields};
use crate::chain::hash::blake2b_256;
use crate::chain::kes::Signing;
use crate::limits::{HEADER, SIGNED_HEADER};

/// A header that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its place in the chain.
    pub place: Place,
    /// Who made it and with what proof; `None` in Byron, which has no lottery.
    pub lottery: Option<Lottery>,
    /// What it is signed with; `None` in Byron, whose signatures are others.
    pub signing: Option<Signing>,
    /// Hash of the block's body; `None` in Byron.
    pub body_hash: Option<Hash<32>>,
    /// Bytes of the block's body; `None` in Byron.
    pub body_size: Option<u64>,
    /// The network's magic; `None` since Shelley, whose headers do not name it.
    pub magic: Option<u32>,
}

/// The place of a header in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The era, by the block's tag.
    pub era: Era,
    /// An epoch boundary block of Byron: it shares its slot with the first block of the epoch
    /// and its number with the block before it.
    pub boundary: bool,
    /// Absolute slot.
    pub slot: u64,
    /// Block number.
    pub number: u64,
    /// Hash of the header as stored, which is the hash of the block.
    pub hash: Hash<32>,
    /// The hash it names as its predecessor's; `None` in the first block of a chain without
    /// Byron. The first block of Byron names the hash of the Byron genesis.
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
        /// Shows the lead.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadHeader {
    /// What is wrong with it.
    pub reason: String,
    /// Its place in the chain, where that much could be read.
    pub place: Option<Place>,
}

impl fmt::Display for BadHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for BadHeader {}

impl Header {
    /// Decodes the header of a block with this tag; `bytes` is the header alone, as stored.
    /// A Byron slot is counted in epochs of `byron_epoch_length` slots.
    pub fn decode(tag: u8, bytes: &[u8], byron_epoch_length: u64) -> Result<Header, BadHeader> {
        let mut header = Header::decode_unhashed(tag, bytes, byron_epoch_length);
        set_hash(&mut header, blake2b_256(&[hash_prefix(tag), bytes]));
        header
    }

    /// [`decode`](Self::decode), except that the hash is all zeros: many are computed together.
    pub(crate) fn decode_unhashed(
        tag: u8,
        bytes: &[u8],
        byron_epoch_length: u64,
    ) -> Result<Header, BadHeader> {
        let era = Era::from_tag(tag)
            .ok_or_else(|| BadHeader::new(format!("block tag {tag} is not known (0 to 8 are)")))?;
        // The decoder takes many times the memory of hostile bytes.
        if bytes.len() > HEADER {
            let length = bytes.len();
            let reason = format!("header has {length} bytes, expected at most {HEADER}");
            return Err(BadHeader::new(reason));
        }
        match era.protocol() {
            Protocol::Byron if tag == 0 => boundary(bytes, byron_epoch_length),
            Protocol::Byron => byron(bytes, byron_epoch_length),
            Protocol::TPraos | Protocol::Praos => since_shelley(era, bytes),
        }
    }
}

/// What precedes a header where its hash is computed: Byron hashes its header under its tag.
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

/// The place of a hash that is not computed yet.
const UNHASHED: Hash<32> = Hash::new([0; 32]);

impl BadHeader {
    fn new(reason: String) -> BadHeader {
        BadHeader {
            reason,
            place: None,
        }
    }
}

fn boundary(bytes: &[u8], epoch_length: u64) -> Result<Header, BadHeader> {
    let head: byron::EbbHead = decode_all(bytes, |decoder| decoder.decode())?;
    let slot = byron_slot(head.consensus_data.epoch_id, 0, epoch_length)?;
    let number = difficulty(&head.consensus_data.difficulty)?;
    let prev_hash = Some(head.prev_block);
    let place = Place {
        era: Era::Byron,
        boundary: true,
        slot,
        number,
        hash: UNHASHED,
        prev_hash,
    };
    Ok(Header {
        place,
        lottery: None,
        signing: None,
        body_hash: None,
        body_size: None,
        magic: Some(head.protocol_magic),
    })
}

fn byron(bytes: &[u8], epoch_length: u64) -> Result<Header, BadHeader> {
    let head: byron::BlockHead = decode_all(bytes, |decoder| decoder.decode())?;
    let byron::BlockCons(slot, _key, chain_difficulty, _signature) = &head.consensus_data;
    let slot = byron_slot(slot.epoch, slot.slot, epoch_length)?;
    let number = difficulty(chain_difficulty)?;
    let prev_hash = Some(head.prev_block);
    let place = Place {
        era: Era::Byron,
        boundary: false,
        slot,
        number,
        hash: UNHASHED,
        prev_hash,
    };
    Ok(Header {
        place,
        lottery: None,
        signing: None,
        body_hash: None,
        body_size: None,
        magic: Some(head.protocol_magic),
    })
}

/// A header of Shelley or later.
///
/// Keeps the place of one whose keys, proofs or signatures have a wrong length, so that it can be named.
fn since_shelley(era: Era, bytes: &[u8]) -> Result<Header, BadHeader> {
    let fields = decode_all(bytes, |decoder| Fields::read(era, decoder))?;
    let body = &fields.body;
    let place = Place {
        era,
        boundary: false,
        slot: body.slot,
        number: body.number,
        hash: UNHASHED,
        prev_hash: body.prev_hash,
    };
    let parts = lottery(body).and_then(|lottery| Ok((lottery, signing(&fields, bytes)?)));
    match parts {
        Ok((lottery, signing)) => Ok(Header {
            place,
            lottery: Some(lottery),
            signing: Some(signing),
            body_hash: Some(body.block_body_hash),
            body_size: Some(body.block_body_size),
            magic: None,
        }),
        Err(reason) => Err(BadHeader {
            reason,
            place: Some(place),
        }),
    }
}

fn lottery(body: &Body<'_>) -> Result<Lottery, String> {
    Ok(Lottery {
        issuer_key: exact("issuer key", body.issuer_key)?,
        vrf_key: exact("VRF key", body.vrf_key)?,
        vrf: match body.eta {
            Some(eta) => Vrf::TPraos {
                eta: cert(eta, "eta output", "eta proof")?,
                leader: cert(body.leader, "leader output", "leader proof")?,
            },
            None => Vrf::Praos(cert(body.leader, "VRF output", "VRF proof")?),
        },
    })
}

fn signing(fields: &Fields<'_>, bytes: &[u8]) -> Result<Signing, String> {
    let certificate = &fields.body.certificate;
    let certificate = OperationalCertificate {
        hot_key: exact("hot key", certificate.hot_key)?,
        number: certificate.number,
        start: certificate.start,
        signature: exact("certificate's signature", certificate.signature)?,
    };
    exact::<SIGNATURE>("KES signature", fields.signature)?;
    if bytes.len() > SIGNED_HEADER {
        let length = bytes.len();
        return Err(format!(
            "header has {length} bytes, expected at most {SIGNED_HEADER}"
        ));
    }
    if fields.has_unknown {
        return Err("header has fields that its era does not know".into());
    }
    let end = fields.signature_end;
    Ok(Signing {
        certificate,
        body: fields.body_range.clone(),
        signature: end - SIGNATURE..end,
    })
}

/// Bytes of a KES signature.
const SIGNATURE: usize = 448;

fn cert(
    [output_bytes, proof_bytes]: fields::Cert<'_>,
    output: &str,
    proof: &str,
) -> Result<Cert, String> {
    Ok(Cert {
        output: exact(output, output_bytes)?,
        proof: exact(proof, proof_bytes)?,
    })
}

fn exact<const N: usize>(name: &str, bytes: &[u8]) -> Result<[u8; N], String> {
    bytes
        .try_into()
        .map_err(|_| format!("{name} has {} bytes, expected {N}", bytes.len()))
}

/// Whether `bytes` are the beginning of a header in a block with this tag: decoding them fails
/// only because they end.
pub(crate) fn runs_out(tag: u8, bytes: &[u8]) -> bool {
    let mut decoder = Decoder::new(bytes);
    let error = match Era::from_tag(tag) {
        Some(Era::Byron) if tag == 0 => decoder.decode::<byron::EbbHead>().err(),
        Some(Era::Byron) => decoder.decode::<byron::BlockHead>().err(),
        Some(era) => Fields::read(era, &mut decoder).err(),
        None => None,
    };
    error.is_some_and(|error| error.is_end_of_input())
}

/// Block number, slot and predecessor, with which the header of a block with this tag begins, as
/// far as they are there. Byron has them elsewhere.
pub(crate) fn beginning(
    tag: u8,
    bytes: &[u8],
) -> (Option<u64>, Option<u64>, Option<Option<Hash<32>>>) {
    let mut decoder = Decoder::new(bytes);
    let since_shelley = Era::from_tag(tag).is_some_and(|era| era != Era::Byron);
    if !since_shelley || decoder.array().is_err() || decoder.array().is_err() {
        return (None, None, None);
    }
    let number = decoder.u64().ok();
    let slot = number.and_then(|_| decoder.u64().ok());
    let prev_hash = slot.and_then(|_| decoder.decode().ok());
    (number, slot, prev_hash)
}

/// One value and nothing after it.
fn decode_all<'b, T>(
    bytes: &'b [u8],
    read: impl FnOnce(&mut Decoder<'b>) -> Result<T, minicbor::decode::Error>,
) -> Result<T, BadHeader> {
    let mut decoder = Decoder::new(bytes);
    let value = read(&mut decoder).map_err(|error| {
        BadHeader::new(format!("header at byte {}: {error}", decoder.position()))
    })?;
    match bytes.len() - decoder.position() {
        0 => Ok(value),
        1 => Err(BadHeader::new("1 byte follows the header".into())),
        rest => Err(BadHeader::new(format!("{rest} bytes follow the header"))),
    }
}

fn byron_slot(epoch: u64, slot: u64, epoch_length: u64) -> Result<u64, BadHeader> {
    epoch
        .checked_mul(epoch_length)
        .and_then(|first| first.checked_add(slot))
        .ok_or_else(|| {
            BadHeader::new(format!(
                "epoch {epoch} of {epoch_length} slots is out of range"
            ))
        })
}

/// Byron calls a block's number its difficulty, a list of one.
fn difficulty(list: &[u64]) -> Result<u64, BadHeader> {
    match list {
        [number] => Ok(*number),
        _ => Err(BadHeader::new(format!(
            "difficulty has {} numbers, expected 1",
            list.len()
        ))),
    }
}
