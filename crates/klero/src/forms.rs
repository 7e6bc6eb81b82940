//! The forms in which keys, proofs and outputs are written.
//!
//! Content without control characters other than white space is text, which may be UTF-16. White space
//! and one pair of quotes are dropped at the ends of a text. Then the first form that fits counts: CBOR, a
//! text envelope, hex (also behind `0x`, `0X` or `\x`), base64, the content as it is if it has a right
//! length, Bech32. White space within hex and base64 is dropped, and so are colons within hex. A mark is not
//! dropped from content of a right length, nor from a secret that could be base64.
//!
//! Content of 32 bytes is a secret key as it is, whatever the bytes are, as it was before the other forms
//! existed: 32 hex digits are a seed of 32 characters, not of 16 bytes. A public key, a proof or an output of
//! a right length is taken as it is, unless it is hex or base64.
//!
//! The digits of a secret pass only through base16ct and base64ct; the length of a text tells its form.
//! Bech32 is read in variable time.
//!
//! A new form is added here, in the table of `tests/encoded.rs`, in `tests/wiped`, in
//! `checks/constant-time/src/check/texts.rs`, and in docs/faq.md.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use base64ct::{Base64Unpadded, Encoding};
use bech32::primitives::decode::UncheckedHrpstring;
use bech32::{Bech32, Bech32m};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::envelope::{Kind, SIGNING, VERIFICATION, in_cbor};
use crate::error::Error;
use crate::suite::Suite;

/// The bytes of a key, a proof or an output that somebody wrote down: as they are, in hex, base64,
/// Bech32 (CIP-5) or CBOR, or in a text envelope. Wiped when dropped.
///
/// Text may begin with a byte order mark, be in UTF-16, and have quotes around it; hex and base64 may span
/// several lines. Any other content is an error that says what it looks like. Bytes of a wrong length are
/// an error only if they are secret: the verifier judges all others. Every error is an
/// [`Error::Unreadable`], which repeats nothing of a secret.
///
/// ```
/// use klero::{Encoded, Suite};
/// let digits = b"3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";
/// let key = Encoded::public_key(digits)?;
/// let bech32 = b"vrf_vk18d4z00xwk6jz6c4r4rgz5mcdwdjny9thrh3y8f36cpy2rz6emg5s7t2fee";
/// assert_eq!(key.bytes, Encoded::public_key(bech32)?.bytes);
/// let error = Encoded::public_key(b"a key").err().unwrap();
/// assert!(error.to_string().starts_with("character 3 is 'k': expected "));
/// # Ok::<(), klero::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Encoded {
    /// The bytes.
    pub bytes: Zeroizing<Vec<u8>>,
    /// The suite that a text envelope names.
    pub suite: Option<Suite>,
}

/// A kind of value that is read: a secret key, a public key, a proof or an output.
pub(crate) struct Thing {
    lengths: &'static [usize],
    /// The names of such keys in text envelopes and in Bech32.
    key: Option<&'static Kind>,
    is_secret: bool,
    /// The list of all its forms, for errors.
    expected: &'static str,
}

pub(crate) const SECRET_KEY: Thing = Thing {
    lengths: &[32, 64],
    key: Some(&SIGNING),
    is_secret: true,
    expected: "32 or 64 bytes as they are, in hex, base64 or CBOR, or as Bech32 (vrf_sk1…), or a \
               text envelope",
};

pub(crate) const PUBLIC_KEY: Thing = Thing {
    lengths: &[32],
    key: Some(&VERIFICATION),
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

/// Prefixes of CIP-5 and their meanings.
const PREFIXES: [(&str, &str); 6] = [
    ("vrf_sk", "the secret key of a VRF"),
    ("vrf_vk", "the public key of a VRF"),
    ("vrf_vkh", "the hash of the public key of a VRF"),
    ("pool", "the id of a pool"),
    ("pool_vk", "the public key of a pool, not of its VRF"),
    ("pool_sk", "the secret key of a pool, not of its VRF"),
];

/// The names that the texts of token keys begin with.
const TOKEN_KEYS: [&str; 5] = ["chain", "aggregate", "ed25519", "es256", "passkey"];

impl Thing {
    pub(crate) fn read(&self, content: &[u8]) -> Result<Encoded, Error> {
        let fits = self.lengths.contains(&content.len()) && !self.is_secret_text(content);
        if let Some(inner) = in_cbor(content, self.lengths) {
            return Ok(bytes(inner));
        }
        if self.is_secret && fits {
            // Taken without a look at the bytes.
            return Ok(bytes(content));
        }
        let Some(text) = Encoded::text(content) else {
            return self.of_any_length(content);
        };
        if text.is_empty() && !fits {
            return Err(self.unreadable("it is empty"));
        }
        #[cfg(feature = "envelope")]
        if text.starts_with('{') && !fits {
            return crate::envelope::parse(&text, |of, cbor_hex| self.in_envelope(of, cbor_hex));
        }
        let packed = packed(&text);
        let digits = if fits {
            // Content of a right length is hex only if it is nothing but digits, as before these forms
            // existed.
            content.trim_ascii()
        } else if self.is_secret && self.base64_digits(&packed).is_some() {
            // A secret in base64 may begin with the characters of a mark.
            &packed
        } else {
            &packed[mark(&packed)..]
        };
        if let Some(bytes) = hex(digits) {
            if !digits.len().is_multiple_of(2) {
                return Err(self.unreadable("an odd number of hex digits"));
            }
            return self.of_any_length(in_cbor(&bytes, self.lengths).unwrap_or(&bytes));
        }
        match self.in_base64(&packed) {
            Some(read) if !text.contains(':') => Ok(read),
            _ if fits => Ok(bytes(content)),
            _ => self.in_bech32(&text, &packed),
        }
    }

    /// True if the content has text where libsodium's 64 bytes have the public key: then it is no such key.
    fn is_secret_text(&self, content: &[u8]) -> bool {
        let is_text = |byte: &u8| matches!(byte, b' '..=b'~') || byte.is_ascii_whitespace();
        self.is_secret && content.len() == 64 && content[32..].iter().all(is_text)
    }

    /// The bytes that were read. A secret of a wrong length is an error.
    fn of_any_length(&self, read: &[u8]) -> Result<Encoded, Error> {
        if self.is_secret && !self.lengths.contains(&read.len()) {
            return Err(self.of_length(read));
        }
        Ok(bytes(read))
    }

    /// The digits of base64 without padding, if their number makes bytes of a right length.
    fn base64_digits<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
        let digits = &text[..text.len() - padding];
        let is_padded = padding == 0 || padding <= 2 && text.len().is_multiple_of(4);
        (is_padded && self.lengths.contains(&(digits.len() * 3 / 4))).then_some(digits)
    }

    /// The bytes of base64 or base64url, if they have a right length.
    fn in_base64(&self, text: &[u8]) -> Option<Encoded> {
        let digits = self.base64_digits(text)?;
        let mut standard = Zeroizing::new(digits.to_vec());
        for byte in standard.iter_mut() {
            byte.conditional_assign(&b'+', byte.ct_eq(&b'-'));
            byte.conditional_assign(&b'/', byte.ct_eq(&b'_'));
        }
        let mut read = Zeroizing::new(vec![0; digits.len() * 3 / 4]);
        Base64Unpadded::decode(&*standard, &mut read).ok()?;
        Some(bytes(&read))
    }

    /// The bytes of Bech32, or the error for a text in no form at all.
    fn in_bech32(&self, text: &str, packed: &[u8]) -> Result<Encoded, Error> {
        let packed = str::from_utf8(packed).unwrap_or_default();
        let prefix = packed.split_once('1').map_or("", |(prefix, _)| prefix);
        let known = |(name, _): &&(&str, _)| prefix.eq_ignore_ascii_case(name);
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        let is_prefix = PREFIXES.iter().any(|known_one| known(&known_one))
            || prefix.len() <= 16 && prefix.bytes().all(is_word);
        // `UncheckedHrpstring` copies the prefix, which must not be a part of a secret.
        let string = (is_prefix || !self.is_secret).then(|| UncheckedHrpstring::new(packed).ok());
        let string = string.flatten();
        let is_valid = string
            .as_ref()
            .is_some_and(|s| s.has_valid_checksum::<Bech32>());
        let found = match (PREFIXES.iter().find(known), string) {
            (None, _) if is_valid => "it is the Bech32 of something else".to_owned(),
            (None, _) => self.looks(text, packed),
            (Some((name, what)), _) if self.key.is_none_or(|key| key.bech32 != *name) => {
                format!("it is {what}")
            }
            (_, Some(string)) if is_valid => {
                let string = string.remove_checksum::<Bech32>();
                if string.validate_segwit_padding().is_ok() {
                    let mut read = Zeroizing::new(Vec::with_capacity(packed.len()));
                    read.extend(string.byte_iter());
                    return self.of_any_length(&read);
                }
                "malformed Bech32".to_owned()
            }
            (_, Some(string)) if string.has_valid_checksum::<Bech32m>() => {
                "it is Bech32m, not Bech32".to_owned()
            }
            (_, Some(_)) => "Bech32 with a wrong checksum".to_owned(),
            _ => "malformed Bech32".to_owned(),
        };
        Err(self.unreadable(&found))
    }

    /// A description of a text in no form. It repeats nothing of a secret.
    fn looks(&self, text: &str, packed: &str) -> String {
        if text.starts_with("-----BEGIN ") {
            return "it is PEM".to_owned();
        }
        let name = text.split_once(':').map_or("", |(name, _)| name);
        if TOKEN_KEYS.contains(&name.trim_end_matches("-secret")) {
            return match self.is_secret {
                true => {
                    "it is a key for tokens (a key that signs must not prove, as a signature and a \
                         proof together can reveal it)"
                }
                false => "it is a key for tokens",
            }
            .to_owned();
        }
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
        let digits = packed.trim_end_matches('=');
        let (count, length) = (digits.len(), digits.len() * 3 / 4);
        let base64 = match digits.chars().all(is_base64) && !text.contains(' ') {
            true => format!(", and {count} characters of base64 make {length} bytes"),
            false => String::new(),
        };
        let is_hex = |c: char| c.is_ascii_hexdigit() || c.is_ascii_whitespace() || c == ':';
        let mut others = (1..).zip(text.chars()).skip(mark(text.as_bytes()));
        let Some((at, c)) = others.find(|(_, c)| !is_hex(*c)) else {
            return "its colons do not divide it into pairs".to_owned();
        };
        match c {
            _ if self.is_secret => format!("character {at} is no hex digit{base64}"),
            ' '..='~' => format!("character {at} is '{c}'{base64}"),
            _ => format!("character {at} is U+{:04X}{base64}", u32::from(c)),
        }
    }

    /// The key in a text envelope of this type.
    pub(crate) fn in_envelope(&self, of: &str, cbor_hex: &str) -> Result<Encoded, Error> {
        let Some(kind) = self.key else {
            return Err(self.unreadable("it is a text envelope"));
        };
        let Kind { praos, prefix, .. } = kind;
        let other = || {
            let is_known = [&SIGNING, &VERIFICATION]
                .iter()
                .any(|kind| kind.suite(of).is_some());
            let found = match self.is_secret && !is_known {
                true => "another type".to_owned(),
                false => format!("type {:?}", of.chars().take(80).collect::<String>()),
            };
            format!("envelope of {found}, expected \"{praos}\", or \"{prefix}\" and a suite's name")
        };
        let suite = kind.suite(of).ok_or_else(|| Error::Unreadable(other()))?;
        let longest = &self.lengths[self.lengths.len() - 1..];
        let length = longest[0];
        let cbor = hex(cbor_hex.as_bytes()).filter(|_| cbor_hex.len().is_multiple_of(2));
        let key = cbor.as_ref().and_then(|cbor| in_cbor(cbor, longest));
        let no_key =
            || format!("cborHex: expected the hex of a CBOR byte string of {length} bytes");
        Ok(Encoded {
            suite: Some(suite),
            ..bytes(key.ok_or_else(|| Error::Unreadable(no_key()))?)
        })
    }

    pub(crate) fn of_length(&self, found: &[u8]) -> Error {
        self.unreadable(&format!("found {} bytes", found.len()))
    }

    fn unreadable(&self, found: &str) -> Error {
        Error::Unreadable(format!("{found}: expected {}", self.expected))
    }
}

/// The length of a mark before hex digits: `0x`, `0X` or `\x`. No digit is an x, so a test of the second
/// character has the same result for all digits, which may be secret.
fn mark(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'x') if matches!(text[0], b'0' | b'\\') => 2,
        Some(b'X') if text[0] == b'0' => 2,
        _ => 0,
    }
}

/// The bytes, in a form that names no suite.
fn bytes(read: &[u8]) -> Encoded {
    Encoded {
        bytes: Zeroizing::new(read.to_vec()),
        suite: None,
    }
}

/// The text without white space, and without colons if they divide it into pairs.
fn packed(text: &str) -> Zeroizing<Vec<u8>> {
    let mut packed = Zeroizing::new(Vec::with_capacity(text.len()));
    let in_pairs = text.split(':').all(|pair| pair.trim().len() == 2);
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || in_pairs && *byte == b':';
    packed.extend(text.bytes().filter(|byte| !is_between(byte)));
    packed
}

/// Decodes hex, if the text has nothing but digits. If their number is odd, the last one is the first
/// half of a byte.
fn hex(digits: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut even = Zeroizing::new(Vec::with_capacity(digits.len() + 1));
    even.extend_from_slice(digits);
    if !digits.len().is_multiple_of(2) {
        even.push(b'0');
    }
    let mut bytes = Zeroizing::new(vec![0; even.len() / 2]);
    base16ct::mixed::decode(&*even, &mut bytes).ok()?;
    Some(bytes)
}
