//! The kinds of faults, warnings and notes about a chain, with their names, sentences and severities.
//!
//! To add a kind, add a variant of [`Fault`] with its sentence and the fields of its JSON, and the code that
//! raises it. Add the name of a warning or a note to [`Severity::of`]. Add a kind that leaves headers and
//! nonces intact to [`Fault::leaves_header`], and a kind that depends on stake to [`Fault::is_of_stake`].
//! This module's tests require a sample of the kind, and the command's tests require a row in docs/rules.md.
//! A fault of a header is raised in `judge.rs` of `klero-audit`, which an audit and `HeaderCheck` share, or
//! in `tally.rs` and `header_check.rs` if it depends on earlier headers. A fault of a header also needs a
//! `Mutant` in `klero-forge`, made in `wrong.rs`; a rule in docs/header-vectors.md,
//! `vectors/headers.schema.json` and `reference/src/header.rs`; headers that break this rule, in
//! `vectors/maker`; its name in the tests `header_vectors`; and a fault in `checks/mutants`.

#[cfg(test)]
mod tests;

use core::fmt::Display;
use core::mem::discriminant;

use klero_leader::{NoLeader, PoolId, ValueTooLarge, VrfKeyHash};
use pallas_crypto::hash::Hash;
use serde::{Serialize, Serializer};

use crate::chain::claim::ClaimKind;
use crate::chain::era::Era;
use crate::chain::kes::InvalidKes;
use crate::chain::nonce::Nonce;

/// Something wrong with a chain or a header, or something that was not read.
///
/// In JSON and text, a fault has the name of its variant, in lower case with hyphens. In JSON, a
/// [`Finding`](crate::Finding) has the fields of the variant and of the [`Location`](crate::Location).
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    strum::IntoStaticStr,
    strum::VariantNames,
    thiserror::Error,
)]
#[serde(tag = "finding", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Fault {
    /// The bytes of a block do not have the CRC-32 in the index, and nothing else proves that the block is
    /// intact.
    #[error(
        "CRC-32 is {found:08x}, the index says {expected:08x}; {header}{}",
        because(why)
    )]
    Crc {
        /// CRC-32 in the index.
        expected: u32,
        /// CRC-32 of the bytes.
        found: u32,
        /// The state of the block's header.
        header: HeaderState,
        /// The reason why the header is unreadable, if it is.
        why: Option<String>,
    },
    /// A chunk file ends within a block, or before blocks that its index lists.
    #[error("the file ends after {length} bytes{}", truncated(*incomplete, *missing))]
    Truncated {
        /// Length of the chunk file in bytes.
        length: u64,
        /// The byte at which the incomplete block begins, if there is one.
        incomplete: Option<u64>,
        /// The number of further blocks that the index lists.
        missing: u64,
    },
    /// Bytes that are not a block.
    #[error("{}no block: {why}", up_to(*until))]
    Unreadable {
        /// The byte at which the next block begins, or the end of the chunk; `None` for an iterator.
        until: Option<u64>,
        /// The reason why the bytes are not a block.
        why: String,
    },
    /// Chunk files are missing in the middle of the numbering.
    #[error("{}", missing_chunks(*first, *last_chunk))]
    MissingChunks {
        /// The number of the first missing chunk.
        first: u64,
        /// The number of the last missing chunk.
        last_chunk: u64,
    },
    /// A header cannot be used: it cannot be decoded, or it is a Byron header in a check of headers without
    /// blocks.
    #[error("the header cannot be used: {why}")]
    BadHeader {
        /// The reason why the header cannot be used.
        why: String,
    },
    /// The hash of a block's body is not the hash in the header.
    #[error("{}, the header says {expected}", body_hash(*found))]
    BodyHash {
        /// The hash in the header.
        expected: Hash<32>,
        /// The hash of the body; `None` if the body does not have the parts that its era requires.
        found: Option<Hash<32>>,
    },
    /// The hash of a block's body is right, but the body's size is not the size in the header.
    #[error("the body has {}, the header says {expected}", counted(*found, "byte"))]
    BodySize {
        /// The size in the header, in bytes.
        expected: u64,
        /// The total size of the body's parts, in bytes.
        found: u64,
    },
    /// The hash that a block names as its predecessor is not the hash of the block before it.
    #[error("the block before is {before}, this one names {}", or_none(*names))]
    HashLink {
        /// Hash of the block before.
        before: Hash<32>,
        /// The hash that the block names as its predecessor.
        names: Option<Hash<32>>,
    },
    /// A block's number does not follow the number of the block before it.
    #[error("block number is {found}, expected {expected}")]
    BlockNumber {
        /// The number that the block should have.
        expected: u64,
        /// The number that the block has.
        found: u64,
    },
    /// A block's slot is not after the slot of the block before it.
    #[error("its slot is not after slot {before} of the block before")]
    SlotOrder {
        /// Slot of the block before.
        before: u64,
    },
    /// A block's slot is not one of the slots of its chunk file.
    #[error("its slot is not among the chunk's slots {first} to {last_slot}")]
    OutsideChunk {
        /// First slot of the chunk.
        first: u64,
        /// Last slot of the chunk.
        last_slot: u64,
    },
    /// A block's era is earlier than the era of the block before it, or is not the era of the block's epoch.
    #[error("{}", wrong_era(*found, *before))]
    Era {
        /// Era of the block.
        found: Era,
        /// Era of the block before, if that era is later.
        before: Option<Era>,
    },
    /// An index file is missing, or disagrees with its chunk. The blocks were read anyway.
    #[error("the {file} index is {}", missing_or_damaged(what))]
    Index {
        /// The index file.
        file: IndexFile,
        /// The first damage; `None` if the file is missing.
        what: Option<String>,
    },
    /// The CRC-32 of some blocks was not checked, because no usable index contains it.
    #[error("CRC-32 of {} not checked", counted(*blocks, "block"))]
    CrcUnchecked {
        /// The number of these blocks.
        blocks: u64,
    },
    /// The newest chunk ends with the first part of a block that can follow the last complete block. A node
    /// may be writing this block. Every complete block was read.
    #[error("the last block is not complete; not read: {}", counted(*bytes, "byte"))]
    HalfWritten {
        /// The number of bytes of the incomplete block.
        bytes: u64,
    },
    /// The blocks from here on are of an era that this version does not know. The walk ends.
    #[error(
        "blocks of an era this version does not know (tag {tag}) from slot {from} on; update klero"
    )]
    UnknownEra {
        /// The tag of the first of these blocks.
        tag: u8,
        /// The slot of the first of these blocks, or the lowest slot that it can have.
        from: u64,
    },
    /// A file could not be read completely, or the iterator of the blocks failed. If it was a chunk file, the
    /// walk continues with the next chunk. If it was an existing index file, the blocks are still read. If it
    /// was the iterator, the walk ends.
    #[error("{}cannot be read: {why}", of_index(*file))]
    Io {
        /// The index file; `None` for the chunk file or the iterator.
        file: Option<IndexFile>,
        /// The error of the operating system or the iterator, or the unfit kind or length of a file.
        why: String,
    },
    /// The nonce of the header's epoch was not given, so the header's proofs could not be verified. An audit
    /// does not report this fault, but counts the unverified proofs.
    #[error("the nonce of the epoch is not known")]
    NonceUnknown {},
    /// A VRF proof is invalid.
    #[error("the proof ({proof}) is invalid: {why}")]
    InvalidProof {
        /// The purpose of the proof.
        #[serde(serialize_with = "text")]
        proof: ClaimKind,
        /// The reason why the proof is invalid.
        #[serde(serialize_with = "text")]
        why: klero::Invalid,
    },
    /// The leader value is not below f, the active slot coefficient, so no stake would be enough to lead.
    #[error("the leader value is not below f, so no stake could lead")]
    LeaderValue {},
    /// The maker is a pool without stake in the epoch.
    #[error("{}", NoLeader::UnknownPool { pool: *pool })]
    UnknownPool {
        /// The pool without stake.
        #[serde(serialize_with = "hex")]
        pool: PoolId,
    },
    /// The header's VRF key is not the key that the pool registered.
    #[error("{}", NoLeader::OtherVrfKey { pool: *pool, registered: *registered, used: *used })]
    OtherVrfKey {
        /// The pool that made the block.
        #[serde(serialize_with = "hex")]
        pool: PoolId,
        /// The hash of the key that the pool registered, according to the source of the stake.
        #[serde(serialize_with = "text")]
        registered: VrfKeyHash,
        /// The hash of the key in the header.
        #[serde(serialize_with = "text")]
        used: VrfKeyHash,
    },
    /// The pool's leader value is not below its threshold.
    #[error("{why}")]
    NoLeader {
        /// The pool, its stake, its leader value and its threshold.
        #[serde(flatten, serialize_with = "numbers")]
        why: Box<ValueTooLarge>,
    },
    /// The pool used two VRF keys in one epoch, in which it can have only one. If the stake is given without
    /// VRF keys, it is not known which of the two is right.
    #[error(
        "pool {pool} used two VRF keys in one epoch: their hashes are {first} and then {second}"
    )]
    TwoVrfKeys {
        /// The pool that used both keys.
        #[serde(serialize_with = "hex")]
        pool: PoolId,
        /// The hash of the key in the pool's first block.
        #[serde(serialize_with = "text")]
        first: VrfKeyHash,
        /// The hash of the other key.
        #[serde(serialize_with = "text")]
        second: VrfKeyHash,
    },
    /// The slot belongs to a genesis delegate, but the block has another maker or another VRF key.
    #[error("{}", wrong_delegate(*expected, *found))]
    WrongDelegate {
        /// The issuer whose turn it is, according to the genesis file.
        expected: Hash<28>,
        /// The maker. If it equals the expected issuer, its VRF key is not the key in the genesis file.
        found: Hash<28>,
    },
    /// The slot is not part of the lottery, and belongs to no delegate.
    #[error("the slot is taken out of the lottery, and no delegate's")]
    ReservedSlot {},
    /// The certificate is not valid in the period of the slot. The KES signature is then not checked, because
    /// the certificate allows no evolution in that period.
    #[error(
        "the certificate does not hold in KES period {period}, but from {first} to before {end}"
    )]
    KesPeriod {
        /// Period of the slot.
        period: u64,
        /// First period of the certificate.
        first: u64,
        /// First period in which the certificate is no longer valid.
        end: u64,
    },
    /// The cold key did not sign the certificate.
    #[error("the cold key did not sign the certificate: {why}")]
    InvalidCertificate {
        /// The reason why the signature of the certificate is invalid.
        #[serde(serialize_with = "text")]
        why: klero_ed25519::Invalid,
    },
    /// The hot key did not sign the header at the right evolution.
    #[error("the hot key did not sign the header: {why}")]
    InvalidKes {
        /// The reason why the KES signature is invalid.
        #[serde(serialize_with = "text")]
        why: InvalidKes,
    },
    /// The certificate's number cannot follow the number of its issuer's last certificate.
    #[error(
        "certificate number is {found} after {last_number}, {}",
        number_rule(*last_number, *found)
    )]
    CertificateNumber {
        /// The last number of the issuer.
        last_number: u64,
        /// This certificate's number. It is smaller than `last_number` or, in Praos, larger by more than one.
        found: u64,
    },
    /// The nonce of an epoch differs from the network's known nonce, or from the nonce that was given.
    #[error("the nonce of the epoch is {found}, known is {expected}")]
    EpochNonce {
        /// The known or given nonce.
        expected: Nonce,
        /// The nonce computed from this chain.
        found: Nonce,
    },
    /// The block that was expected at a given slot, with a given number or at the end of the chain is
    /// missing, or another block is in its place.
    #[error("the expected block is {expected}")]
    ExpectedBlock {
        /// The hash of the expected block.
        expected: Hash<32>,
    },
    /// The ledger state that was given contradicts the chain.
    #[error("{what}: the ledger state has {ledger}, the chain {chain}")]
    LedgerState {
        /// The value that differs: the `last block`, or one of the five nonces.
        what: &'static str,
        /// This value in the ledger state.
        ledger: String,
        /// This value in the chain.
        chain: String,
    },
}

impl Fault {
    /// The names of all kinds: faults, warnings and notes.
    pub const NAMES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// The name of this kind of fault, such as `hash-link`.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The severity of this kind of fault.
    pub fn severity(&self) -> Severity {
        Severity::of(self.name())
    }

    /// True if the header is intact despite the fault, so that no nonce or certificate number is in doubt.
    pub fn leaves_header(&self) -> bool {
        let header = match self {
            Self::BodyHash { .. } | Self::BodySize { .. } => return true,
            Self::Crc { header, .. } => header,
            _ => return false,
        };
        *header == HeaderState::Intact
    }

    /// True if the fault means that the maker had no right to lead, according to the stake or the turns of
    /// the delegates. The stake and the turns do not come from the chain, and may themselves be wrong.
    pub fn is_of_stake(&self) -> bool {
        matches!(
            self,
            Self::UnknownPool { .. }
                | Self::OtherVrfKey { .. }
                | Self::NoLeader { .. }
                | Self::TwoVrfKeys { .. }
                | Self::WrongDelegate { .. }
                | Self::ReservedSlot {}
        )
    }

    /// True if both faults are of one kind. An audit reports each kind once per chunk. Faults with the same
    /// name are of one kind, unless they differ in a field that tells how bad the fault is, or which file or
    /// fact it is about.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Crc { header: a, .. }, Self::Crc { header: b, .. }) => a == b,
            (Self::Index { file: a, .. }, Self::Index { file: b, .. }) => a == b,
            (Self::Io { file: a, .. }, Self::Io { file: b, .. }) => a == b,
            (Self::InvalidProof { .. }, _) => self == other,
            (
                Self::CertificateNumber { last_number, found },
                Self::CertificateNumber {
                    last_number: other_last,
                    found: other_found,
                },
            ) => (found < last_number) == (other_found < other_last),
            (Self::LedgerState { what: a, .. }, Self::LedgerState { what: b, .. }) => a == b,
            (Self::ExpectedBlock { expected: a }, Self::ExpectedBlock { expected: b }) => a == b,
            _ => discriminant(self) == discriminant(other),
        }
    }
}

impl From<NoLeader> for Fault {
    fn from(why: NoLeader) -> Self {
        match why {
            NoLeader::UnknownPool { pool } => Self::UnknownPool { pool },
            NoLeader::OtherVrfKey {
                pool,
                registered,
                used,
            } => Self::OtherVrfKey {
                pool,
                registered,
                used,
            },
            NoLeader::ValueTooLarge(why) => Self::NoLeader { why },
        }
    }
}

/// The meaning of a finding for the blocks of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A block is damaged, missing, out of place or invalid.
    Fault,
    /// An index is missing or damaged. The blocks have been read from the chunk file, which is authoritative.
    Warning,
    /// Something was not read, although nothing is known to be wrong with it. A chain that ends early is
    /// still a chain, and all blocks before its end are checked.
    Note,
}

impl Severity {
    /// The severity of all faults with this name.
    pub fn of(name: &str) -> Severity {
        match name {
            "index" | "crc-unchecked" => Severity::Warning,
            "half-written" | "unknown-era" | "io" => Severity::Note,
            _ => Severity::Fault,
        }
    }
}

/// The state of the header in a block with a wrong CRC-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
pub enum HeaderState {
    /// The header's hash is in the index or in the next block, so the damage is in the body. In Byron, where
    /// a body is not checked, the damage may also be in the index.
    #[strum(to_string = "the header is intact")]
    Intact,
    /// Nothing proves that the header is intact.
    #[strum(to_string = "the header may be altered")]
    Unproven,
    /// The header cannot be decoded.
    #[strum(to_string = "the header is unreadable")]
    Unreadable,
}

/// An index file of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum IndexFile {
    /// The file `NNNNN.primary`.
    Primary,
    /// The file `NNNNN.secondary`.
    Secondary,
}

fn because(why: &Option<String>) -> String {
    why.as_ref().map_or(String::new(), |why| format!(": {why}"))
}

fn up_to(until: Option<u64>) -> String {
    until.map_or(String::new(), |until| format!("bytes up to {until} are "))
}

fn or_none(hash: Option<Hash<32>>) -> String {
    hash.map_or("none".into(), |hash| hash.to_string())
}

fn missing_or_damaged(what: &Option<String>) -> String {
    what.as_ref()
        .map_or("missing".into(), |what| format!("damaged: {what}"))
}

fn of_index(file: Option<IndexFile>) -> String {
    file.map_or(String::new(), |file| format!("the {file} index "))
}

fn truncated(incomplete: Option<u64>, missing: u64) -> String {
    let within = incomplete.map(|start| format!(", within the block at byte {start}"));
    let missing = (missing > 0).then(|| counted(missing, "more block"));
    let listed = missing.map(|missing| format!(", and the index lists {missing}"));
    within.into_iter().chain(listed).collect()
}

fn missing_chunks(first: u64, last: u64) -> String {
    match first == last {
        true => "the chunk is missing".into(),
        false => format!("chunks {first:05} to {last:05} are missing"),
    }
}

fn body_hash(found: Option<Hash<32>>) -> String {
    match found {
        Some(hash) => format!("body hash is {hash}"),
        None => "the body does not have the parts of its era".into(),
    }
}

fn wrong_era(found: Era, before: Option<Era>) -> String {
    let article = found.article();
    match before {
        Some(before) => format!("{article} {found} block after one of {before}"),
        None => format!("{article} {found} block in an epoch that is not of that era"),
    }
}

fn number_rule(last_number: u64, found: u64) -> &'static str {
    match found < last_number {
        true => "which was used before",
        false => "expected at most one more",
    }
}

fn wrong_delegate(expected: Hash<28>, found: Hash<28>) -> String {
    match expected == found {
        true => "the delegate's VRF key is not that of the genesis file".into(),
        false => {
            format!("the slot is that of genesis delegate {expected}, and {found} made the block")
        }
    }
}

/// A number with its noun: `1 byte`, `5 bytes`.
pub(crate) fn counted(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {one}s"),
    }
}

/// Serializes a field in its text form.
fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serializes a pool in hexadecimal.
fn hex<S: Serializer>(pool: &PoolId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&pool.to_hex())
}

/// Serializes the leader value that is too large, with the pool, its stake and its threshold.
fn numbers<S: Serializer>(why: &ValueTooLarge, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Json {
        pool: String,
        stake: u64,
        total: u64,
        value: String,
        /// The largest leader value with which the pool could lead, or null.
        threshold: Option<String>,
        margin: f64,
    }
    Json {
        pool: why.pool.to_hex(),
        stake: why.stake.pool(),
        total: why.stake.total(),
        value: why.value.to_string(),
        threshold: why.last.map(|last| last.to_string()),
        margin: why.margin(),
    }
    .serialize(serializer)
}
