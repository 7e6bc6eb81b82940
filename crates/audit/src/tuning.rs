//! Numbers that affect the speed and no verdict.

/// Claims in a segment of the chain, or events where there are few claims.
///
/// From 64 to 1,024 claims an 80-byte proof costs a tenth less (`docs/results/zen4`),
/// and more claims keep the overhead of tasks small. A segment takes 14 ms (IFMA, Zen 4) to 130 ms
/// (portable, Cascade Lake) on one core, so that an interrupt takes effect at once.
pub(crate) const SEGMENT: usize = 1024;

/// Events in all segments under way. They take up to 3 KB each. From 25 threads on, segments
/// are shorter: down to 192 events, from 128 threads on.
pub(crate) const UNDER_WAY: usize = 48 * SEGMENT;

/// Public keys that outlive a segment: those of all pools of mainnet, about 3,000. They take
/// 4.3 KB each.
pub(crate) const KEPT_KEYS: usize = 4000;

/// The most bytes of memory for chunks that are read ahead of the walk. Each counts with its upper bound, so
/// that three chunks of mainnet fit, each with a block in every slot. Honest ones take 10 MB each. Three
/// threads read as fast as a disk.
pub(crate) const MEMORY: u64 = 300 << 20;

/// Operational certificates that outlive a batch of headers: all pools of mainnet, before and
/// after they renew theirs. They take about 170 bytes each.
pub(crate) const KEPT_CERTIFICATES: usize = 8000;
