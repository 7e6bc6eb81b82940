//! The forms in which keys, proofs and outputs are written.
//!
//! Content is text if it has no control characters other than white space. Text may be UTF-16. White space
//! and one pair of quotes are removed from the ends of a text. The content is then read in the first of these
//! forms that fits: CBOR, a text envelope, hex (also after a *mark*, which is `0x`, `0X` or `\x`), base64,
//! raw bytes of a right length, Bech32. A *right length* is a length that the value can have. White space
//! inside hex and base64 is removed, and so are colons inside hex. No mark is removed from content of a right
//! length, or from a secret that could be base64.
//!
//! For a secret key, 32 bytes of content are always raw bytes. So 32 hex digits are a seed of 32 characters,
//! not the hex of 16 bytes. This rule dates from a time when only raw bytes and hex were read. Public content
//! (a public key, a proof or an output) of a right length is raw bytes, unless it is hex or base64.
//!
//! Only base16ct and base64ct decode the digits of a secret, in constant time. The number of digits, not
//! their values, decides whether a secret could be base64. Bech32 is read in variable time.
//!
//! To add a form, change this file, the table of `tests/encoded.rs`, `tests/wiped`,
//! `checks/constant-time/src/check/texts.rs`, and docs/faq.md.

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

/// The bytes of a key, a proof or an output, read from raw bytes, hex, base64, Bech32 (CIP-5), CBOR or a text
/// envelope. Wiped when dropped.
///
/// Text may begin with a byte order mark, be in UTF-16, and have quotes around it. Hex and base64 may span
/// several lines. Content in no such form gives an error that describes it. A secret of a wrong length gives
/// an error, too. Public bytes of a wrong length give none, as the verifier rejects them later. Every error
/// is an [`Error::Unreadable`], which repeats no part of a secret.
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
    /// The suite, if the bytes come from a text envelope.
    pub suite: Option<Suite>,
}

/// A kind of value that is read: a secret key, a public key, a proof or an output.
pub(crate) struct Thing {
    lengths: &'static [usize],
    /// The names that text envelopes and Bech32 give to such a key. `None` for proofs and outputs.
    key: Option<&'static Kind>,
    is_secret: bool,
    /// The list of all forms of this value, for error messages.
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

/// The names with which the texts of token keys begin.
const TOKEN_KEYS: [&str; 5] = ["chain", "aggregate", "ed25519", "es256", "passkey"];

impl Thing {
    pub(crate) fn read(&self, content: &[u8]) -> Result<Encoded, Error> {
        let fits = self.lengths.contains(&content.len()) && !self.is_secret_text(content);
        if let Some(inner) = in_cbor(content, self.lengths) {
            return Ok(bytes(inner));
        }
        if self.is_secret && fits {
            // The bytes of the secret are not examined further.
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
            // Content of a right length is hex only if it is all digits, apart from white space at its ends.
            // This rule dates from a time when only raw bytes and hex were read.
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

    /// True for a secret of 64 bytes whose last 32 bytes, the public key in libsodium's form, are text. Such
    /// content is in another form, such as hex.
    fn is_secret_text(&self, content: &[u8]) -> bool {
        let is_text = |byte: &u8| matches!(byte, b' '..=b'~') || byte.is_ascii_whitespace();
        self.is_secret && content.len() == 64 && content[32..].iter().all(is_text)
    }

    /// Returns the bytes that were read, or an error for a secret of a wrong length.
    fn of_any_length(&self, read: &[u8]) -> Result<Encoded, Error> {
        if self.is_secret && !self.lengths.contains(&read.len()) {
            return Err(self.of_length(read));
        }
        Ok(bytes(read))
    }

    /// Returns the digits of base64 without the padding, if that many digits encode a right length.
    fn base64_digits<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
        let digits = &text[..text.len() - padding];
        let is_padded = padding == 0 || padding <= 2 && text.len().is_multiple_of(4);
        (is_padded && self.lengths.contains(&(digits.len() * 3 / 4))).then_some(digits)
    }

    /// Decodes base64 or base64url, if the decoded bytes have a right length.
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

    /// Decodes Bech32, or returns the error for a text in no known form.
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

    /// Describes a text in no known form. The description repeats no part of a secret.
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

    /// Reads a key from the type and the `cborHex` of a text envelope.
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

/// Returns the length of the mark before hex digits: `0x`, `0X` or `\x`. Returns 0 if there is none. The
/// digits may be secret. No hex digit is an x, so the test of the second character reveals no digit.
fn mark(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'x') if matches!(text[0], b'0' | b'\\') => 2,
        Some(b'X') if text[0] == b'0' => 2,
        _ => 0,
    }
}

/// Returns bytes that were read from a form without a suite.
fn bytes(read: &[u8]) -> Encoded {
    Encoded {
        bytes: Zeroizing::new(read.to_vec()),
        suite: None,
    }
}

/// Removes white space from a text, and colons if they divide it into pairs of characters.
fn packed(text: &str) -> Zeroizing<Vec<u8>> {
    let mut packed = Zeroizing::new(Vec::with_capacity(text.len()));
    let in_pairs = text.split(':').all(|pair| pair.trim().len() == 2);
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || in_pairs && *byte == b':';
    packed.extend(text.bytes().filter(|byte| !is_between(byte)));
    packed
}

/// Decodes hex if all bytes of the text are hex digits. If the number of digits is odd, decodes them as if a
/// zero followed.
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
