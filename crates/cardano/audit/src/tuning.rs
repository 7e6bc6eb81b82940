//! Numbers that affect speed and memory but no verdict.

/// The length of a segment of the chain: the number of its claims, or the number of its events if that is
/// larger.
///
/// In a segment of 1,024 claims, an 80-byte proof costs up to 6 % less than in one of 64 claims
/// (`docs/results/zen4`), and the overhead of tasks is small. One core verifies a segment in 14 ms (Zen 4,
/// IFMA) to 130 ms (Cascade Lake, portable), so an interrupt takes effect soon.
pub(crate) const SEGMENT: usize = 1024;

/// The most events that all segments under way have in total. An event has up to 3 KB. This bound makes
/// segments shorter from 25 threads on. From 128 threads on, a segment has at most 192 events.
pub(crate) const UNDER_WAY: usize = 48 * SEGMENT;

/// The most public keys that are kept from one segment to the next. All pools of mainnet together have about
/// 3,000 keys. Each key takes 4.3 KB.
pub(crate) const KEPT_KEYS: usize = 4000;

/// The most bytes of memory for chunks that are read ahead of the walk. For each chunk, an upper bound on its
/// memory is counted. Three chunks of mainnet fit, even with a block in every slot. This is enough, because
/// three threads read as fast as a disk can. An honest chunk takes 10 MB.
pub(crate) const MEMORY: u64 = 300 << 20;

/// The most operational certificates that are kept from one batch of headers to the next. This is enough for
/// old and renewed certificates of all pools of mainnet. Each certificate takes 176 bytes.
pub(crate) const KEPT_CERTIFICATES: usize = 8000;
