//! The output of the VRF.

use crate::bytes::bytes_type;
use crate::error::ParseError;

/// beta, the output of the VRF: 64 bytes.
///
/// ```
/// use klero::{Output, SecretKey, Suite};
/// let output = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).evaluate(b"alpha");
/// let hex = output.to_string();
/// assert_eq!(hex.len(), 128);
/// assert_eq!(hex.parse::<Output>()?, output);
/// # Ok::<(), klero::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Output(pub [u8; 64]);

impl Output {
    /// The 64 bytes.
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Output {
    type Error = ParseError;

    fn try_from(bytes: &[u8]) -> Result<Self, ParseError> {
        let wrong_length = |_| ParseError::Length(bytes.len());
        bytes.try_into().map(Self).map_err(wrong_length)
    }
}

bytes_type!(Output, 64);
