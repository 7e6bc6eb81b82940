//! How much a verifier is ready to look at.

/// The largest token that is looked at. What is larger is refused before anything is
/// computed, and before memory is taken for it.
///
/// ```
/// use klero_token::Limits;
/// assert_eq!(Limits::default(), Limits { blocks: 64, bytes: 65_536 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most blocks. Time to verify grows with them.
    pub blocks: u32,
    /// The most bytes of the encoding (not of its text, which is a third longer).
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            blocks: 64,
            bytes: 65_536,
        }
    }
}
