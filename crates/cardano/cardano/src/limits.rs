//! Limits and tuning: how much is read, and how each number was chosen.
//!
//! Sizes are in bytes. These limits bound the memory and the time that a hostile file can cost. No verdict on
//! an honest chain depends on them.

/// The longest header. An index entry has 16 bits for the length of a header.
pub(crate) const HEADER: usize = u16::MAX as usize;

/// The longest block. Byron's limit is 2 MiB, and the limit of later eras is below 100 KB. Twice the larger
/// limit leaves room for an increase.
pub(crate) const BLOCK: usize = 4 << 20;

/// The longest chunk file. A chunk of 21,600 slots, with a block of 90 KB in every twentieth slot, has 97 MB.
/// No network makes chunks ten times as large.
pub(crate) const CHUNK_FILE: u64 = 1 << 30;

/// The longest index file. Mainnet's index files have at most 1.2 MB, but a genesis file can give chunks any
/// number of slots.
pub(crate) const INDEX_FILE: u64 = 64 << 20;

/// The longest Shelley genesis file. Mainnet's file has 25 KB, but the file of a test network may list
/// thousands of initial funds.
pub(crate) const GENESIS_FILE: u64 = 64 << 20;

/// The longest `klero-network.json`, whose entries are one line each.
pub(crate) const DESCRIPTION_FILE: u64 = 1 << 20;

/// The longest `protocolMagicId`: a number of ten digits, with room for white space.
pub(crate) const MAGIC_FILE: u64 = 64;

/// The longest file with the checksum of a ledger state. A node writes less than 100 bytes.
pub(crate) const CHECKSUM_FILE: u64 = 1 << 12;

/// The deepest nesting of items in a ledger state. Honest states have about thirty levels. Scripts in the
/// outputs of older nodes add a few levels.
pub(crate) const LEDGER_DEPTH: usize = 1 << 12;

/// The largest value of k, of an epoch length, of an era's first epoch and of a KES parameter. It is far
/// above the values of any network, and so low that no product of two such values overflows 64 bits.
pub(crate) const NETWORK_NUMBER: u64 = 1 << 28;

/// The size of one read from a chunk file or a ledger state, unless a longer block needs more. At this size,
/// the cost of the system call is negligible and the bytes stay in the processor's cache.
pub(crate) const READ: u64 = 1 << 20;

/// The maximum number of blocks in a group from an iterator. A group also ends when it has [`READ`] bytes.
pub(crate) const GROUP: usize = 1024;

/// The memory to allow for each slot of a chunk that is being read. A block needs 2.4 KB, mostly for the
/// decoded header, and another 1 KB for the bytes of the header.
pub(crate) const SLOT: u64 = 3584;

/// The longest header that is signed by a KES key. Headers of the public networks have at most 1,100 bytes,
/// but a vote can raise this limit.
pub(crate) const SIGNED_HEADER: usize = 4 << 10;

/// The number of chunks that are searched for a block of a known era, after a block of an unknown era was
/// found. If only the tag of its era is damaged, blocks of a known era follow in the same chunk or the next
/// chunk. Searching eight chunks costs little.
pub(crate) const LOOK_AHEAD: u64 = 8;

/// The maximum number of items that the search of [`LOOK_AHEAD`] chunks reads. Without a maximum, the search
/// would never end if an endless iterator returned no block.
pub(crate) const LOOK_AHEAD_ITEMS: usize = 1 << 14;
