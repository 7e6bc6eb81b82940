//! The content that every scheme signs, and the calls that are measured.

/// The payload of every block.
pub const PAYLOAD: &[u8] = b"if the time is before noon";

/// A call that is measured. It returns true if its result was right.
pub type Work = Box<dyn FnMut() -> bool>;

/// Header, root key id and number of blocks; random bytes and a length in the first block; kinds and
/// lengths; and the payloads.
pub fn framing(n: usize) -> usize {
    13 + 20 + n * (5 + PAYLOAD.len())
}
