//! Numbers that affect speed and memory, and no verdict.

/// The length of a segment of the chain: in claims, or in events where these have fewer claims.
///
/// Among 1,024 claims an 80-byte proof costs up to 6 % less than among 64 (`docs/results/zen4`), and the
/// overhead of tasks is small. A segment takes 14 ms (IFMA, Zen 4) to 130 ms (portable, Cascade Lake) on one
/// core, so that an interrupt takes effect soon.
pub(crate) const SEGMENT: usize = 1024;

/// The most events in all segments under way, of up to 3 KB each. From 25 threads on, segments are shorter;
/// from 128 threads on, they have 192 events.
pub(crate) const UNDER_WAY: usize = 48 * SEGMENT;

/// The most public keys that outlive a segment: all pools of mainnet have about 3,000. They take 4.3 KB each.
pub(crate) const KEPT_KEYS: usize = 4000;

/// The most bytes of memory for chunks that are read ahead of the walk. A chunk counts with its upper bound:
/// three chunks of mainnet fit, even with a block in every slot. Honest chunks take 10 MB each. Three threads
/// read as fast as a disk.
pub(crate) const MEMORY: u64 = 300 << 20;

/// The most operational certificates that outlive a batch of headers: those of all pools of mainnet, old and
/// renewed. They take 176 bytes each.
pub(crate) const KEPT_CERTIFICATES: usize = 8000;
