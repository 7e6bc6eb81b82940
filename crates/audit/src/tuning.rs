//! The numbers that decide speed and no verdict.

/// Claims in a segment of the chain, or events where there are few claims.
///
/// A batch of this size fills every vector engine and amortizes the multiscalar
/// multiplication: larger ones gain less than 2 %. It takes about 30 ms on one core, so an
/// interrupt takes effect at once, and all segments under way hold a few megabytes.
pub(crate) const SEGMENT: usize = 1024;
