//! Limits on the size of tokens that a verifier accepts.

/// The size of the largest token to accept. A larger one is refused before anything is
/// computed or allocated for it.
///
/// ```
/// use klero_token::Limits;
/// assert_eq!(Limits::default(), Limits { blocks: 64, bytes: 65_536 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of blocks. The time to verify is proportional to it.
    pub blocks: u32,
    /// The largest length of the encoding in bytes. (Its base64 text is a third longer.)
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
