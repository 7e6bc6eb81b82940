//! Encodes blocks of every era as CBOR, in the form in which a node stores them.
//!
//! All parts that a verifier of headers reads are real: numbers, links, proofs, signatures, operational
//! certificates and body hashes. The other parts are read only by Byron's own checks or by checks of
//! transactions. They have the right shape and size, but their bytes are meaningless.

use core::convert::Infallible;

use klero_cardano::{Cert, Era, Hash, OperationalCertificate, Vrf};
use pallas_codec::minicbor::{Encoder, encode};

use crate::hash::blake2b_256;
use crate::lottery::Win;
use crate::seed::Seed;

/// The result of writing CBOR to memory. It is never an error, although the encoder's type allows one.
type Encoded<T> = Result<T, encode::Error<Infallible>>;

/// Byron's empty list, of indefinite length.
const EMPTY_LIST: [u8; 2] = [0x9f, 0xff];
/// Byron's attributes when there are none: a list that contains only an empty map.
const NO_ATTRIBUTES: [u8; 2] = [0x81, 0xa0];

/// The values that the blocks of all eras are made from.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    pub seed: &'a Seed,
    pub magic: u32,
    /// The block number; for a boundary block, the number of the block before it.
    pub number: u64,
    pub slot: u64,
    /// The hash of the previous header; `None` in the first block of a chain.
    pub previous: Option<Hash<32>>,
}

/// A boundary block of Byron. It lists the leader of each slot of the epoch.
pub(crate) fn boundary(common: &Common<'_>, epoch: u64, slots: u64) -> Encoded<Vec<u8>> {
    let mut leaders = Encoder::new(Vec::new());
    leaders.begin_array()?;
    for slot in 0..slots {
        leaders.bytes(&common.seed.filler::<28>("byron leader", slot % BYRON_KEYS))?;
    }
    leaders.end()?;
    let body = leaders.into_writer();

    let mut e = Encoder::new(Vec::new());
    e.array(2)?.u8(0)?.array(3)?;
    e.array(5)?
        .u32(common.magic)?
        .bytes(&*previous(common))?
        .bytes(&*blake2b_256(&[&body]))?;
    e.array(2)?.u64(epoch)?.array(1)?.u64(common.number)?;
    raw(&mut e, &NO_ATTRIBUTES);
    raw(&mut e, &body);
    raw(&mut e, &NO_ATTRIBUTES);
    Ok(e.into_writer())
}

/// The number of genesis keys that take turns in Byron.
const BYRON_KEYS: u64 = 7;

/// An ordinary block of Byron, in the given slot of the given epoch.
pub(crate) fn byron(common: &Common<'_>, epoch: u64, slot: u64) -> Encoded<Vec<u8>> {
    let turn = common.slot % BYRON_KEYS;
    let issuer = common.seed.filler::<64>("byron issuer", turn);
    let delegate = common.seed.filler::<64>("byron delegate", turn);
    let ssc = [0x82, 0x03, 0xd9, 0x01, 0x02, 0x80];
    let updates = [0x82, 0x80, 0x9f, 0xff];

    let mut e = Encoder::new(Vec::new());
    e.array(2)?.u8(1)?.array(3)?;
    e.array(5)?.u32(common.magic)?.bytes(&*previous(common))?;
    // The proofs of an empty body: it has no transactions, no witnesses, no certificates of the shared seed
    // (hashed as an empty map), no delegations and no updates.
    e.array(4)?;
    e.array(3)?
        .u8(0)?
        .bytes(&*blake2b_256(&[]))?
        .bytes(&*blake2b_256(&[&EMPTY_LIST]))?;
    e.array(2)?.u8(3)?.bytes(&*blake2b_256(&[&[0xa0]]))?;
    e.bytes(&*blake2b_256(&[&EMPTY_LIST]))?
        .bytes(&*blake2b_256(&[&updates]))?;
    // The slot, the signing key, the block number, and the signature by delegation.
    e.array(4)?
        .array(2)?
        .u64(epoch)?
        .u64(slot)?
        .bytes(&issuer)?
        .array(1)?
        .u64(common.number)?;
    e.array(2)?
        .u8(2)?
        .array(2)?
        .array(4)?
        .u64(0)?
        .bytes(&issuer)?
        .bytes(&delegate)?;
    e.bytes(&common.seed.filler::<64>("byron certificate", turn))?;
    e.bytes(&common.seed.filler::<64>("byron signature", common.slot))?;
    // The versions and the attributes.
    e.array(4)?
        .array(3)?
        .u8(1)?
        .u8(0)?
        .u8(0)?
        .array(2)?
        .str("cardano-sl")?
        .u8(1)?;
    e.map(0)?.bytes(&*blake2b_256(&[&NO_ATTRIBUTES]))?;
    e.array(4)?;
    for part in [&EMPTY_LIST[..], &ssc, &EMPTY_LIST, &updates] {
        raw(&mut e, part);
    }
    raw(&mut e, &NO_ATTRIBUTES);
    Ok(e.into_writer())
}

/// Returns the parts of a body: transactions, witnesses, auxiliary data and, from Alonzo to Conway, the
/// invalid transactions. In Dijkstra, a single part contains all of these. The body is filled with simple
/// transactions of made-up bytes until it has about `bytes` bytes.
pub(crate) fn body(common: &Common<'_>, era: Era, bytes: usize) -> Encoded<Vec<Vec<u8>>> {
    let count = bytes.div_ceil(TRANSACTION);
    let mut filler: [u8; 64] = common.seed.filler("transactions", common.number);
    let mut transactions = Encoder::new(Vec::new());
    let mut witnesses = Encoder::new(Vec::new());
    if era >= Era::Dijkstra {
        let e = transactions.array(4)?.null()?.array(count as u64)?;
        for n in 0..count as u32 {
            filler[..4].copy_from_slice(&n.to_be_bytes());
            e.array(3)?;
            transaction(e, &filler, common.slot)?;
            witness(e, &filler)?;
            e.null()?;
        }
        // There are no certificates of Leios or Peras.
        e.null()?.null()?;
        return Ok(vec![transactions.into_writer()]);
    }
    transactions.array(count as u64)?;
    witnesses.array(count as u64)?;
    for n in 0..count as u32 {
        filler[..4].copy_from_slice(&n.to_be_bytes());
        transaction(&mut transactions, &filler, common.slot)?;
        witness(&mut witnesses, &filler)?;
    }
    let mut parts = vec![
        transactions.into_writer(),
        witnesses.into_writer(),
        vec![0xa0],
    ];
    if era >= Era::Alonzo {
        parts.push(vec![0x80]);
    }
    Ok(parts)
}

/// The approximate length in bytes of a transaction and its witness in [`body`].
const TRANSACTION: usize = 300;

/// Writes a transaction with one input, two outputs, a fee and a last slot.
fn transaction(e: &mut Encoder<Vec<u8>>, filler: &[u8; 64], slot: u64) -> Encoded<()> {
    let e = e.map(4)?;
    e.u8(0)?.array(1)?.array(2)?.bytes(&filler[..32])?.u8(0)?;
    e.u8(1)?.array(2)?;
    for coins in [5_000_000_000, 7_000_000_000_u64] {
        e.array(2)?.bytes(&filler[..57])?.u64(coins)?;
    }
    e.u8(2)?.u32(170_000)?.u8(3)?.u64(slot + 7200)?;
    Ok(())
}

/// Writes a witness: a key and its signature.
fn witness(e: &mut Encoder<Vec<u8>>, filler: &[u8; 64]) -> Encoded<()> {
    let e = e.map(1)?.u8(0)?.array(1)?.array(2)?;
    e.bytes(&filler[..32])?.bytes(filler)?;
    Ok(())
}

/// An empty body whose encoding differs from that of an empty [`body`]: the list of witnesses (in Dijkstra,
/// the list of transactions) has an indefinite length.
pub(crate) fn other_body(era: Era) -> Vec<&'static [u8]> {
    const PARTS: [&[u8]; 4] = [&[0x80], &EMPTY_LIST, &[0xa0], &[0x80]];
    const WHOLE: &[u8] = &[0x84, 0xf6, 0x9f, 0xff, 0xf6, 0xf6];
    match era {
        Era::Dijkstra => vec![WHOLE],
        Era::Shelley | Era::Allegra | Era::Mary => PARTS[..3].to_vec(),
        _ => PARTS.to_vec(),
    }
}

/// Returns the header body that the KES key signs, in Shelley or a later era. The VRF certificates in `win`
/// decide between the forms of TPraos and of Praos. If `is_leios` is true, the fields of Leios are added.
pub(crate) fn header_body(
    common: &Common<'_>,
    win: &Win<'_>,
    operational: &OperationalCertificate,
    parts: &[&[u8]],
    is_leios: bool,
) -> Encoded<Vec<u8>> {
    let Win { maker, vrf, .. } = win;
    let body_size: usize = parts.iter().map(|part| part.len()).sum();

    let mut e = Encoder::new(Vec::new());
    match vrf {
        Vrf::TPraos { .. } => e.array(15)?,
        Vrf::Praos(_) if is_leios => e.array(12)?,
        Vrf::Praos(_) => e.array(10)?,
    };
    e.u64(common.number)?.u64(common.slot)?;
    match &common.previous {
        Some(hash) => e.bytes(&**hash)?,
        None => e.null()?,
    };
    e.bytes(&maker.cold_key)?
        .bytes(maker.vrf.public_key().as_bytes())?;
    match vrf {
        Vrf::TPraos { eta, leader } => {
            certificate(&mut e, eta)?;
            certificate(&mut e, leader)?;
        }
        Vrf::Praos(cert) => certificate(&mut e, cert)?,
    }
    e.u64(body_size as u64)?.bytes(&*body_hash(parts))?;
    // Next are the operational certificate (hot key, sequence number, KES period, signature of the cold key)
    // and the protocol version. In Praos, each of them is an array. In TPraos, their fields are not nested.
    let wrapped = matches!(vrf, Vrf::Praos(_));
    if wrapped {
        e.array(4)?;
    }
    e.bytes(&operational.hot_key)?
        .u64(operational.number)?
        .u64(operational.start)?
        .bytes(&operational.signature)?;
    if wrapped {
        e.array(2)?;
    }
    e.u64(win.version)?.u8(0)?;
    if is_leios {
        // The body has no certificate of Leios. Blocks with odd numbers announce an endorser block.
        e.bool(false)?;
        match common.number % 2 {
            0 => e.null()?,
            _ => {
                let hash = common.seed.filler::<32>("endorser block", common.number);
                e.array(2)?.bytes(&hash)?.u32(12_345)?
            }
        };
    }
    Ok(e.into_writer())
}

/// The hash of a body: the hash of the concatenated hashes of its parts, or the hash of its only part.
fn body_hash(parts: &[&[u8]]) -> Hash<32> {
    if let [whole] = parts {
        return blake2b_256(&[whole]);
    }
    let hashes: Vec<Hash<32>> = parts.iter().map(|part| blake2b_256(&[part])).collect();
    blake2b_256(&hashes.iter().map(|hash| &hash[..]).collect::<Vec<_>>())
}

/// A block of Shelley or a later era.
pub(crate) fn shelley(
    era: Era,
    header_body: &[u8],
    signature: &[u8; 448],
    parts: &[&[u8]],
) -> Encoded<Vec<u8>> {
    let mut e = Encoder::new(Vec::new());
    e.array(2)?
        .u8(era as u8 + 1)?
        .array(1 + parts.len() as u64)?
        .array(2)?;
    raw(&mut e, header_body);
    e.bytes(signature)?;
    for part in parts {
        raw(&mut e, part);
    }
    Ok(e.into_writer())
}

fn certificate(e: &mut Encoder<Vec<u8>>, cert: &Cert) -> Encoded<()> {
    e.array(2)?.bytes(&cert.output)?.bytes(&cert.proof)?;
    Ok(())
}

/// The hash of the header before a Byron block. For the first block, it is the hash of the Byron genesis.
fn previous(common: &Common<'_>) -> Hash<32> {
    common
        .previous
        .unwrap_or_else(|| Hash::new(common.seed.bytes("byron genesis", 0)))
}

/// Appends bytes that are already CBOR.
fn raw(e: &mut Encoder<Vec<u8>>, cbor: &[u8]) {
    e.writer_mut().extend_from_slice(cbor);
}
