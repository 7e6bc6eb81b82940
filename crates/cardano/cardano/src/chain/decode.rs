//! Decoding of headers.
//!
//! A header has one of five shapes: Byron's boundary header, Byron's main header, the TPraos header with two
//! VRF certificates, the Praos header with one certificate, or the Leios header, which is a Praos header with
//! two more fields. The tag of the block determines the shape, except in Dijkstra, which has Praos and Leios
//! headers. Byron headers are decoded by `pallas`. This module then computes their slots, for any network.
//! After every header, it also checks that nothing follows.

use pallas_codec::minicbor::{self, Decoder};
use pallas_crypto::hash::Hash;
use pallas_primitives::byron;

use crate::chain::era::{Era, Protocol};
use crate::chain::fields;
use crate::chain::hash::blake2b_256;
use crate::chain::header::{BadHeader, Header, Place, UNHASHED, hash_prefix, set_hash};
use crate::limits::HEADER;

impl Header {
    /// Decodes the header of a block with this tag. `bytes` is the stored header and nothing else. The slot
    /// of a Byron block is computed from its epoch, which has `byron_epoch_length` slots.
    pub fn decode(tag: u8, bytes: &[u8], byron_epoch_length: u64) -> Result<Header, BadHeader> {
        let mut header = Header::decode_unhashed(tag, bytes, byron_epoch_length);
        set_hash(&mut header, blake2b_256(&[hash_prefix(tag), bytes]));
        header
    }

    /// Decodes like [`decode`](Self::decode), but leaves the hash all zeros, so that the caller can compute
    /// many hashes together.
    pub(crate) fn decode_unhashed(
        tag: u8,
        bytes: &[u8],
        byron_epoch_length: u64,
    ) -> Result<Header, BadHeader> {
        let era = Era::from_tag(tag)
            .ok_or_else(|| bad(format!("block tag {tag} is not known (0 to 8 are)")))?;
        // On hostile bytes, the decoder can use many times the memory of the bytes themselves.
        if bytes.len() > HEADER {
            let length = bytes.len();
            let reason = format!("header has {length} bytes, expected at most {HEADER}");
            return Err(bad(reason));
        }
        match era.protocol() {
            Protocol::Byron if tag == 0 => boundary(bytes, byron_epoch_length),
            Protocol::Byron => byron(bytes, byron_epoch_length),
            Protocol::TPraos | Protocol::Praos => {
                decode_all(bytes, |decoder| fields::read(era, decoder))?
            }
        }
    }
}

fn bad(reason: String) -> BadHeader {
    BadHeader {
        reason,
        place: None,
    }
}

fn boundary(bytes: &[u8], epoch_length: u64) -> Result<Header, BadHeader> {
    let head: byron::EbbHead = decode_all(bytes, |decoder| decoder.decode())?;
    let slot = byron_slot(head.consensus_data.epoch_id, 0, epoch_length)?;
    let number = difficulty(&head.consensus_data.difficulty)?;
    let magic = head.protocol_magic;
    Ok(of_byron(true, slot, number, head.prev_block, magic))
}

fn byron(bytes: &[u8], epoch_length: u64) -> Result<Header, BadHeader> {
    let head: byron::BlockHead = decode_all(bytes, |decoder| decoder.decode())?;
    let byron::BlockCons(slot, _key, chain_difficulty, _signature) = &head.consensus_data;
    let slot = byron_slot(slot.epoch, slot.slot, epoch_length)?;
    let number = difficulty(chain_difficulty)?;
    let magic = head.protocol_magic;
    Ok(of_byron(false, slot, number, head.prev_block, magic))
}

fn of_byron(boundary: bool, slot: u64, number: u64, prev_block: Hash<32>, magic: u32) -> Header {
    Header {
        place: Place {
            era: Era::Byron,
            boundary,
            slot,
            number,
            hash: UNHASHED,
            prev_hash: Some(prev_block),
        },
        lottery: None,
        signing: None,
        body_hash: None,
        body_size: None,
        magic: Some(magic),
    }
}

/// True if `bytes` is only the beginning of a header in a block with this tag: decoding fails because the
/// bytes end.
pub(crate) fn runs_out(tag: u8, bytes: &[u8]) -> bool {
    let mut decoder = Decoder::new(bytes);
    let error = match Era::from_tag(tag) {
        Some(Era::Byron) if tag == 0 => decoder.decode::<byron::EbbHead>().err(),
        Some(Era::Byron) => decoder.decode::<byron::BlockHead>().err(),
        Some(era) => fields::read(era, &mut decoder).err(),
        None => None,
    };
    error.is_some_and(|error| error.is_end_of_input())
}

/// Reads the block number, the slot and the predecessor's hash at the beginning of a header. A value is
/// `None` if it cannot be read. For a Byron header, which begins with other fields, all are `None`.
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

/// Decodes one value. Nothing may follow it.
fn decode_all<'b, T>(
    bytes: &'b [u8],
    read: impl FnOnce(&mut Decoder<'b>) -> Result<T, minicbor::decode::Error>,
) -> Result<T, BadHeader> {
    let mut decoder = Decoder::new(bytes);
    let value = read(&mut decoder)
        .map_err(|error| bad(format!("header at byte {}: {error}", decoder.position())))?;
    match bytes.len() - decoder.position() {
        0 => Ok(value),
        1 => Err(bad("1 byte follows the header".into())),
        rest => Err(bad(format!("{rest} bytes follow the header"))),
    }
}

fn byron_slot(epoch: u64, slot: u64, epoch_length: u64) -> Result<u64, BadHeader> {
    epoch
        .checked_mul(epoch_length)
        .and_then(|first| first.checked_add(slot))
        .ok_or_else(|| {
            bad(format!(
                "epoch {epoch} of {epoch_length} slots is out of range"
            ))
        })
}

/// The block number of a Byron header. Byron calls it the difficulty and stores it as a list of one number.
fn difficulty(list: &[u64]) -> Result<u64, BadHeader> {
    match list {
        [number] => Ok(*number),
        _ => Err(bad(format!(
            "difficulty has {} numbers, expected 1",
            list.len()
        ))),
    }
}
