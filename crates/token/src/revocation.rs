//! Identifiers by which blocks are revoked, and their text.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// The identifier, 32 bytes, by which a block is revoked, and with it every token that
/// contains the block. It is a hash of this block and of all blocks before it, so that no holder
/// can change it, and of the random bytes of the first block, so that no two tokens have one.
///
/// ```
/// use klero_token::{RevocationId, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let token = Token::mint(&root, 0, b"may read", &[])?;
/// let narrowed = token.narrow(&["path /home".parse()?])?;
/// let id = token.revocation_ids()[0];
/// assert_eq!(narrowed.revocation_ids()[0], id);
/// // As a list of revoked tokens has it.
/// assert_eq!(id.to_string().parse::<RevocationId>()?, id);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevocationId(pub [u8; 32]);

/// 64 hexadecimal digits.
impl fmt::Display for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The text of `Display`, and no other.
impl FromStr for RevocationId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        read_id(text.as_bytes()).map(Self).ok_or(Error::IdText)
    }
}

fn read_id(text: &[u8]) -> Option<[u8; 32]> {
    let digits: &[u8; 64] = text.try_into().ok()?;
    let mut id = [0; 32];
    for (byte, [high, low]) in id.iter_mut().zip(digits.as_chunks().0) {
        *byte = read_digit(*high)? << 4 | read_digit(*low)?;
    }
    Some(id)
}

/// A digit in lower case.
fn read_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Debug for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevocationId({self})")
    }
}
