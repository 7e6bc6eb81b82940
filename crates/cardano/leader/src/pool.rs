//! The names of pools and of their VRF keys.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use blake2::digest::consts::{U28, U32};
use blake2::{Blake2b, Digest};

use crate::error::BadInput;

/// The prefix of the Bech32 text of a pool.
const PREFIX: Hrp = Hrp::parse_unchecked("pool");

/// A pool, identified by the BLAKE2b-224 hash of its cold key. It is written as Bech32, `pool1…` (CIP-5). It
/// is parsed from Bech32, or from 56 hex digits with or without `\x` or `0x` before them.
///
/// ```
/// use klero_leader::PoolId;
/// let text = "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rw0";
/// let pool: PoolId = text.parse()?;
/// assert_eq!(pool.to_string(), text);
/// assert_eq!(pool.to_hex().parse(), Ok(pool));
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId([u8; 28]);

impl PoolId {
    /// The pool with this key hash.
    #[must_use]
    pub const fn new(hash: [u8; 28]) -> PoolId {
        PoolId(hash)
    }

    /// The pool with this cold key, which is the key of the issuer in a header.
    #[must_use]
    pub fn of_key(key: &[u8; 32]) -> PoolId {
        PoolId(Blake2b::<U28>::digest(key).into())
    }

    /// The 28 bytes of the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 28] {
        &self.0
    }

    /// The hash as 56 hex digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        base16ct::lower::encode_string(&self.0)
    }
}

impl FromStr for PoolId {
    type Err = BadInput;

    fn from_str(text: &str) -> Result<PoolId, BadInput> {
        parse(text)
            .map_err(|reason| not_understood("pool", text, &reason, "56 hex digits or pool1..."))
    }
}

/// Reads a pool from Bech32, which begins with `pool1`, or from hex digits. A text that has only hex digits,
/// or that has no `1`, cannot be Bech32, so it is read as hex digits.
fn parse(text: &str) -> Result<PoolId, String> {
    let hex = digits(text).bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex || !text.contains('1') {
        return from_hex(text).map(PoolId);
    }
    let decoded =
        CheckedHrpstring::new::<Bech32>(text).map_err(|error| format!("bad bech32: {error}"))?;
    if decoded.hrp() != PREFIX {
        return Err(format!("the prefix is {:?}", decoded.hrp().to_lowercase()));
    }
    let mut hash = [0; 28];
    let (found, expected) = (decoded.byte_iter().len(), hash.len());
    if found != expected {
        return Err(length(found, expected));
    }
    // Bech32 has 45 characters of 5 bits for 28 bytes, so one bit is left over.
    decoded
        .validate_segwit_padding()
        .map_err(|_| "its last bits are not zero")?;
    hash.iter_mut()
        .zip(decoded.byte_iter())
        .for_each(|(to, byte)| *to = byte);
    Ok(PoolId(hash))
}

/// The text without the `\x` or `0x` that databases put before hex digits.
fn digits(text: &str) -> &str {
    let mut marks = ["\\x", "0x", "0X"].iter();
    marks
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text)
}

/// Reads exactly `N` bytes from hex digits, with or without `\x` or `0x` before them.
fn from_hex<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let text = digits(text);
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
        return Err("not hexadecimal".into());
    }
    let mut bytes = [0; N];
    match base16ct::mixed::decode(text, &mut bytes) {
        Ok(decoded) if decoded.len() == N => Ok(bytes),
        _ => Err(length(text.len() / 2, N)),
    }
}

fn length(found: usize, expected: usize) -> String {
    format!("{found} bytes, not {expected}")
}

impl fmt::Display for PoolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bech32::encode_lower_to_fmt::<Bech32, _>(f, PREFIX, &self.0).map_err(|_| fmt::Error)
    }
}

impl fmt::Debug for PoolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A VRF key, identified by its BLAKE2b-256 hash, which pools register. It is written as 64 hex digits. It is
/// parsed from 64 hex digits with or without `\x` or `0x` before them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VrfKeyHash([u8; 32]);

impl VrfKeyHash {
    /// The key with this hash.
    #[must_use]
    pub const fn new(hash: [u8; 32]) -> VrfKeyHash {
        VrfKeyHash(hash)
    }

    /// The hash of the VRF public key in a header.
    #[must_use]
    pub fn of_key(key: &[u8; 32]) -> VrfKeyHash {
        VrfKeyHash(Blake2b::<U32>::digest(key).into())
    }

    /// The 32 bytes of the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for VrfKeyHash {
    type Err = BadInput;

    fn from_str(text: &str) -> Result<VrfKeyHash, BadInput> {
        let hash = from_hex(text).map_err(|reason| {
            not_understood("hash of a VRF key", text, &reason, "64 hex digits")
        })?;
        Ok(VrfKeyHash(hash))
    }
}

/// The error for a text that is not the hash of a key. The error repeats the beginning of the text, but no
/// part of a secret key in Bech32 (CIP-5).
fn not_understood(what: &str, text: &str, reason: &str, expected: &str) -> BadInput {
    let beginning: String = match text.to_ascii_lowercase().contains("sk1") {
        true => "(a secret key, not shown)".into(),
        false => text.chars().take(80).collect(),
    };
    BadInput(format!(
        "{what} {beginning:?}: {reason}; expected {expected}"
    ))
}

impl fmt::Display for VrfKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", base16ct::HexDisplay(&self.0))
    }
}

impl fmt::Debug for VrfKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
