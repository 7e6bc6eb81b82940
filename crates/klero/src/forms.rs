//! The forms in which keys, proofs and outputs are written.
//!
//! Bytes are told from text: text has no control characters beside white space, and may be UTF-16. Of
//! text, white space and one pair of quotes at the ends are dropped, and then the first form counts that
//! fits: a text envelope, hex, base64, the content as it is if it has a right length, hex behind `0x` or
//! `\x`, Bech32. Of hex and base64, white space is dropped, and of hex colons too.
//!
//! Content that has a length of the thing itself is in none of the longer forms, so it stays what it was
//! before there were these forms: 32 hex digits are the seed of 32 such characters.
//!
//! The digits of a secret meet only base16ct and base64ct: which form it is in, its length says. Bech32
//! is read in variable time.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use base64ct::{Base64Unpadded, Encoding};
use bech32::primitives::decode::{CheckedHrpstring, CheckedHrpstringError};
use bech32::{Bech32, Bech32m};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::envelope::{self, Kind, SIGNING, VERIFICATION, in_cbor};
use crate::error::KeyError;
use crate::suite::Suite;
use crate::text;

/// The bytes, and the suite if a text envelope names it.
pub(crate) type Read = (Zeroizing<Vec<u8>>, Option<Suite>);

/// Something that is written down.
pub(crate) struct Thing {
    lengths: &'static [usize],
    /// A key's type in text envelopes, and its prefix in Bech32.
    key: Option<(&'static Kind, &'static str)>,
    is_secret: bool,
    /// All forms, for errors.
    expected: &'static str,
}

pub(crate) const SECRET_KEY: Thing = Thing {
    lengths: &[32, 64],
    key: Some((&SIGNING, "vrf_sk")),
    is_secret: true,
    expected: "32 or 64 bytes as they are, in hex, base64 or CBOR, or as Bech32 (vrf_sk1…), or a \
               text envelope",
};

pub(crate) const PUBLIC_KEY: Thing = Thing {
    lengths: &[32],
    key: Some((&VERIFICATION, "vrf_vk")),
    is_secret: false,
    expected: "32 bytes as they are, in hex, base64 or CBOR, or as Bech32 (vrf_vk1…), or a text \
               envelope",
};

pub(crate) const PROOF: Thing = Thing {
    lengths: &[80, 128, 144],
    key: None,
    is_secret: false,
    expected: "80, 128 or 144 bytes as they are, in hex, base64 or CBOR",
};

pub(crate) const OUTPUT: Thing = Thing {
    lengths: &[64],
    key: None,
    is_secret: false,
    expected: "64 bytes as they are, in hex, base64 or CBOR",
};

/// Prefixes of CIP-5, and what they stand for.
const PREFIXES: [(&str, &str); 6] = [
    ("vrf_sk", "the secret key of a VRF"),
    ("vrf_vk", "the public key of a VRF"),
    ("vrf_vkh", "the hash of the public key of a VRF"),
    ("pool", "the id of a pool"),
    ("pool_vk", "the public key of a pool, not of its VRF"),
    ("pool_sk", "the secret key of a pool, not of its VRF"),
];

impl Thing {
    pub(crate) fn read(&self, content: &[u8]) -> Result<Read, KeyError> {
        let fits = self.lengths.contains(&content.len()) && !self.is_secret_text(content);
        if let Some(inner) = in_cbor(content, self.lengths) {
            return Ok(bytes(inner));
        }
        if self.is_secret && fits {
            // Nothing looks at these bytes.
            return Ok(bytes(content));
        }
        let Some(text) = text::of(content) else {
            return self.of_any_length(content);
        };
        if text.starts_with('{') && !fits {
            return envelope::parse(&text, |of, cbor_hex| self.in_envelope(of, cbor_hex));
        }
        let packed = packed(&text);
        // As long as there have been no other forms, nothing stood between the digits.
        let digits = if fits { content.trim_ascii() } else { &packed };
        if let Some(bytes) = hex(digits) {
            return self.of_hex(digits.len(), &bytes);
        }
        if !text.contains(':')
            && let Some(read) = self.in_base64(&packed)
        {
            return Ok(read);
        }
        if fits {
            return Ok(bytes(content));
        }
        if let [b'0', b'x' | b'X', digits @ ..] | [b'\\', b'x', digits @ ..] = &packed[..]
            && let Some(bytes) = hex(digits)
        {
            return self.of_hex(digits.len(), &bytes);
        }
        self.in_bech32(&text, &packed)
    }

    /// Whether the content is text where libsodium's 64 bytes have the public key, so that it is no
    /// such key.
    fn is_secret_text(&self, content: &[u8]) -> bool {
        let is_text = |byte: &u8| matches!(byte, b' '..=b'~') || byte.is_ascii_whitespace();
        self.is_secret && content.len() == 64 && content[32..].iter().all(is_text)
    }

    fn of_hex(&self, digits: usize, bytes: &[u8]) -> Result<Read, KeyError> {
        if digits % 2 == 1 {
            return Err(self.unreadable("an odd number of hex digits"));
        }
        self.of_any_length(in_cbor(bytes, self.lengths).unwrap_or(bytes))
    }

    /// Bytes that were understood. A secret of a wrong length is an error.
    fn of_any_length(&self, read: &[u8]) -> Result<Read, KeyError> {
        if self.is_secret && !self.lengths.contains(&read.len()) {
            return Err(self.of_length(read));
        }
        Ok(bytes(read))
    }

    /// The bytes of base64 or base64url, if they have a right length.
    fn in_base64(&self, text: &[u8]) -> Option<Read> {
        let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
        let digits = &text[..text.len() - padding];
        let length = digits.len() * 3 / 4;
        let is_padded = padding == 0 || padding <= 2 && text.len().is_multiple_of(4);
        if !self.lengths.contains(&length) || !is_padded {
            return None;
        }
        let mut standard = Zeroizing::new(digits.to_vec());
        for byte in standard.iter_mut() {
            byte.conditional_assign(&b'+', byte.ct_eq(&b'-'));
            byte.conditional_assign(&b'/', byte.ct_eq(&b'_'));
        }
        let mut read = Zeroizing::new(vec![0; length]);
        Base64Unpadded::decode(&*standard, &mut read).ok()?;
        Some(bytes(&read))
    }

    /// The bytes of Bech32, or what is wrong with a text that is in no form at all.
    fn in_bech32(&self, text: &str, packed: &[u8]) -> Result<Read, KeyError> {
        let packed = str::from_utf8(packed).unwrap_or_default();
        let prefix = packed.split_once('1').map_or("", |(prefix, _)| prefix);
        let known = |(name, _): &&(&str, _)| prefix.eq_ignore_ascii_case(name);
        let checked = CheckedHrpstring::new::<Bech32>(packed);
        let found = match PREFIXES.iter().find(known) {
            Some((name, _)) if self.key.is_some_and(|(_, own)| own == *name) => None,
            Some((_, what)) => Some(format!("it is {what}")),
            None if checked.is_err() => Some(self.looks(text, packed)),
            None if self.is_secret => Some("it is Bech32 with another prefix".to_owned()),
            None => Some(format!("it is Bech32 with the prefix {prefix}")),
        };
        if let Some(found) = found {
            return Err(self.unreadable(&found));
        }
        let string = checked.map_err(|error| {
            let is_bech32m = CheckedHrpstring::new::<Bech32m>(packed).is_ok();
            self.unreadable(match error {
                _ if is_bech32m => "it is Bech32m, not Bech32",
                CheckedHrpstringError::Checksum(_) => "Bech32 with a wrong checksum",
                _ => "Bech32 with upper and lower case, or with a character that it does not have",
            })
        })?;
        if string.validate_segwit_padding().is_err() {
            return Err(self.unreadable("Bech32 whose last character has bits of no byte"));
        }
        let mut read = Zeroizing::new(Vec::with_capacity(packed.len()));
        read.extend(string.byte_iter());
        self.of_any_length(&read)
    }

    /// What a text in no form looks like. Of a secret it repeats nothing.
    fn looks(&self, text: &str, packed: &str) -> String {
        if text.starts_with("-----BEGIN ") {
            return "it is PEM".to_owned();
        }
        if let Some(what) = for_tokens(text) {
            return what.to_owned();
        }
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
        let digits = packed.trim_end_matches('=');
        let (count, length) = (digits.len(), digits.len() * 3 / 4);
        let base64 = match digits.chars().all(is_base64) && !text.contains(' ') {
            true => format!(", and {count} characters of base64 make {length} bytes"),
            false => String::new(),
        };
        let is_hex = |c: char| c.is_ascii_hexdigit() || c.is_ascii_whitespace() || c == ':';
        let (at, c) = (1..)
            .zip(text.chars())
            .find(|(_, c)| !is_hex(*c))
            .unwrap_or((1, ' '));
        match self.is_secret {
            true => format!("character {at} is no hex digit{base64}"),
            false => format!("character {at} is {c:?}{base64}"),
        }
    }

    /// A key in a text envelope of this type.
    pub(crate) fn in_envelope(&self, of: &str, cbor_hex: &str) -> Result<Read, KeyError> {
        let Some((kind, _)) = self.key else {
            return Err(self.unreadable("it is a text envelope"));
        };
        let suite = kind.suite(of).ok_or_else(|| {
            KeyError::Unreadable(format!(
                "envelope of type {of:?}, expected {:?}, or {:?} and a suite's name",
                kind.praos, kind.prefix
            ))
        })?;
        let longest = &self.lengths[self.lengths.len() - 1..];
        let cbor = hex(cbor_hex.as_bytes()).filter(|_| cbor_hex.len() % 2 == 0);
        let key = cbor.as_ref().and_then(|cbor| in_cbor(cbor, longest));
        let key = key.ok_or_else(|| {
            KeyError::Unreadable(format!(
                "cborHex: expected the hex of a CBOR byte string of {} bytes",
                longest[0]
            ))
        })?;
        Ok((bytes(key).0, Some(suite)))
    }

    pub(crate) fn of_length(&self, found: &[u8]) -> KeyError {
        self.unreadable(&format!("found {} bytes", found.len()))
    }

    fn unreadable(&self, found: &str) -> KeyError {
        KeyError::Unreadable(format!("{found}: expected {}", self.expected))
    }
}

/// The bytes of a form that names no suite.
fn bytes(read: &[u8]) -> Read {
    (Zeroizing::new(read.to_vec()), None)
}

/// The text without white space, and without colons if they divide it into pairs.
fn packed(text: &str) -> Zeroizing<Vec<u8>> {
    let mut packed = Zeroizing::new(Vec::with_capacity(text.len()));
    let in_pairs = text.split(':').all(|pair| pair.trim().len() == 2);
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || in_pairs && *byte == b':';
    packed.extend(text.bytes().filter(|byte| !is_between(byte)));
    packed
}

/// The bytes of hex, if the text has nothing but digits. An odd digit at the end is the first half of a
/// byte.
fn hex(digits: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut even = Zeroizing::new(Vec::with_capacity(digits.len() + 1));
    even.extend_from_slice(digits);
    if digits.len() % 2 == 1 {
        even.push(b'0');
    }
    let mut bytes = Zeroizing::new(vec![0; even.len() / 2]);
    base16ct::mixed::decode(&*even, &mut bytes).ok()?;
    Some(bytes)
}

/// The words for the text of a key for tokens, which begins with the name of its kind.
fn for_tokens(text: &str) -> Option<&'static str> {
    let (name, _) = text.split_once(':')?;
    let kind = name.strip_suffix("-secret").unwrap_or(name);
    if !["chain", "aggregate", "ed25519", "es256", "passkey"].contains(&kind) {
        return None;
    }
    Some(match kind == name {
        true => "it is a public key for tokens",
        false => {
            "it is a secret key for tokens, which must not prove (a signature and a proof together can \
             reveal a key)"
        }
    })
}
