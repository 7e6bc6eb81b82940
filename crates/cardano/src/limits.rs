//! Limits and tuning: how much is read, and how each number was chosen.
//!
//! Sizes are in bytes. No verdict on an honest chain depends on these limits, which bound the memory and the
//! time that a hostile file can cost.

/// The longest header: an index entry has 16 bits for its length.
pub(crate) const HEADER: usize = u16::MAX as usize;

/// The longest block. Byron's limit is 2 MiB, the limit of later eras below 100 KB; twice the larger one
/// leaves room for a raised limit.
pub(crate) const BLOCK: usize = 4 << 20;

/// The longest chunk file. 21,600 slots with a block of 90 KB in every twentieth are 97 MB; ten
/// times that is more than any network makes.
pub(crate) const CHUNK_FILE: u64 = 1 << 30;

/// The longest index file. Mainnet's have at most 1.2 MB, but a genesis file can name chunks of
/// any number of slots.
pub(crate) const INDEX_FILE: u64 = 64 << 20;

/// The longest Shelley genesis file. Mainnet's has 25 KB; a test network may list
/// thousands of initial funds.
pub(crate) const GENESIS_FILE: u64 = 64 << 20;

/// The longest `klero-network.json`, whose entries are one line each.
pub(crate) const DESCRIPTION_FILE: u64 = 1 << 20;

/// The longest `protocolMagicId`: a number of ten digits, with room for white space.
pub(crate) const MAGIC_FILE: u64 = 64;

/// The longest file with the checksum of a ledger state. A node writes less than 100 bytes.
pub(crate) const CHECKSUM_FILE: u64 = 1 << 12;

/// The deepest nesting of items in a ledger state. Honest states nest some thirty deep, and scripts in
/// outputs of older nodes a few levels more.
pub(crate) const LEDGER_DEPTH: usize = 1 << 12;

/// The largest k, epoch length, first epoch of an era and KES parameter: far above any network, and low
/// enough that no product of two of them overflows 64 bits.
pub(crate) const NETWORK_NUMBER: u64 = 1 << 28;

/// The bytes of one read from a chunk file or a ledger state, unless a longer block needs more. At this size
/// the cost of the system call is negligible, and the bytes stay in the processor's cache.
pub(crate) const READ: u64 = 1 << 20;

/// The most blocks of an iterator that are read together; fewer if they have [`READ`] bytes.
pub(crate) const GROUP: usize = 1024;

/// Bytes of memory for each slot of a chunk while the chunk is read. A block takes 2.4 KB, most of it for the
/// decoded header, and 1 KB for the bytes of its header.
pub(crate) const SLOT: u64 = 3584;

/// The longest header that is signed by a KES key. Headers of the public networks have at most 1,100 bytes; a
/// vote can raise that.
pub(crate) const SIGNED_HEADER: usize = 4 << 10;

/// Chunks searched for a block of a known era after one of an unknown era. A damaged tag is
/// followed by known blocks in the same chunk or the next; eight chunks cost little.
pub(crate) const LOOK_AHEAD: u64 = 8;

/// The most items of these chunks that are read: an iterator may never end and give no block.
pub(crate) const LOOK_AHEAD_ITEMS: usize = 1 << 14;
