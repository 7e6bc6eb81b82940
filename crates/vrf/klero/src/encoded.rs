//! Reads keys, proofs and outputs in all the forms in which people write them.

use alloc::borrow::ToOwned;
use alloc::string::String;

use bech32::{Bech32, Hrp};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::forms::{Encoded, OUTPUT, PROOF, PUBLIC_KEY, SECRET_KEY};
use crate::key::{PublicKey, SecretKey};
use crate::suite::Suite;

/// The byte order mark.
const MARK: char = '\u{feff}';

impl Encoded {
    /// Reads a secret key: a seed, or libsodium's 64 bytes. Runs in constant time in the secret, except for
    /// Bech32.
    pub fn secret_key(content: &[u8]) -> Result<Self, Error> {
        SECRET_KEY.read(content)
    }

    /// Reads a public key, without checking it.
    pub fn public_key(content: &[u8]) -> Result<Self, Error> {
        PUBLIC_KEY.read(content)
    }

    /// Reads a proof, without checking its content.
    pub fn proof(content: &[u8]) -> Result<Self, Error> {
        PROOF.read(content)
    }

    /// Reads an output.
    pub fn output(content: &[u8]) -> Result<Self, Error> {
        OUTPUT.read(content)
    }

    /// Reads a secret key from the `type` and the `cborHex` of a text envelope that the caller parsed.
    pub fn secret_key_in_envelope(kind: &str, cbor_hex: &str) -> Result<Self, Error> {
        SECRET_KEY.in_envelope(kind, cbor_hex)
    }

    /// Reads a public key from the `type` and the `cborHex` of a text envelope that the caller parsed.
    pub fn public_key_in_envelope(kind: &str, cbor_hex: &str) -> Result<Self, Error> {
        PUBLIC_KEY.in_envelope(kind, cbor_hex)
    }

    /// Makes a secret key from these bytes. Chooses the suite and fails as [`SecretKey::from_encoded`] does.
    pub fn into_secret_key(self, suite: Option<Suite>) -> Result<SecretKey, Error> {
        let suite = match (self.suite, suite) {
            (Some(of_key), Some(given)) if of_key != given => {
                return Err(Error::OtherSuite { of_key, given });
            }
            (named, given) => named.or(given).ok_or(Error::NoSuite)?,
        };
        if let Ok(seed) = self.bytes[..].try_into() {
            return Ok(SecretKey::from_seed(suite, seed));
        }
        let both = self.bytes[..]
            .try_into()
            .map_err(|_| SECRET_KEY.of_length(&self.bytes))?;
        SecretKey::from_libsodium(suite, both)
    }

    /// Returns the text of UTF-8 or UTF-16 content. Removes a byte order mark, white space at the ends, and
    /// one pair of quotes around the text. Returns `None` if the content is in neither encoding, or has
    /// control characters other than white space.
    pub fn text(content: &[u8]) -> Option<Zeroizing<String>> {
        let text = decoded(content)?;
        let is_text = |c: char| !c.is_control() || c.is_ascii_whitespace();
        // Without a byte order mark, content is UTF-16 only if all its characters are ASCII.
        let is_wide = content.contains(&0);
        let is_known = !is_wide || text.starts_with(MARK) || text.is_ascii();
        if !is_known || !text.chars().all(is_text) {
            return None;
        }
        let inner = text.trim_start_matches(MARK).trim();
        let unquoted = |quote: &char| inner.strip_prefix(*quote)?.strip_suffix(*quote);
        let text = ['"', '\''].iter().find_map(unquoted).unwrap_or(inner);
        Some(Zeroizing::new(text.trim().to_owned()))
    }
}

/// Decodes content as UTF-16 if its first two bytes, in either order, are a byte order mark or a character
/// below U+0100. Decodes any other content as UTF-8.
fn decoded(content: &[u8]) -> Option<Zeroizing<String>> {
    // All memory is reserved at once, because a String that grows leaves its old bytes in memory. Two bytes
    // of UTF-16 become at most three bytes of UTF-8.
    let mut text = Zeroizing::new(String::with_capacity(2 * content.len()));
    let unit: fn([u8; 2]) -> u16 = match content {
        [0xff, 0xfe, ..] | [_, 0, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] | [0, _, ..] => u16::from_be_bytes,
        _ => {
            text.push_str(str::from_utf8(content).ok()?);
            return Some(text);
        }
    };
    let (units, []) = content.as_chunks() else {
        return None;
    };
    for character in char::decode_utf16(units.iter().copied().map(unit)) {
        text.push(character.ok()?);
    }
    Some(text)
}

impl SecretKey {
    /// Reads a secret key in any of the forms that [`Encoded`] lists. The type of a text envelope gives the
    /// suite: `VrfSigningKey_PraosVRF`, as cardano-cli writes it, or `KleroVrfSigningKey_` followed by the
    /// name of another suite. For any other form, the argument `suite` must be given.
    ///
    /// # Errors
    /// [`Error::Unreadable`], which repeats no part of a secret; [`Error::NoSuite`];
    /// [`Error::OtherSuite`]; [`Error::Halves`].
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::DRAFT13, &[7; 32]);
    /// let read = SecretKey::from_encoded(key.to_envelope().as_bytes(), None)?;
    /// assert_eq!(read.public_key(), key.public_key());
    /// assert_eq!(read.suite(), Suite::DRAFT13);
    /// # Ok::<(), klero::Error>(())
    /// ```
    pub fn from_encoded(content: &[u8], suite: Option<Suite>) -> Result<Self, Error> {
        Encoded::secret_key(content)?.into_secret_key(suite)
    }
}

impl PublicKey {
    /// Reads a public key in any of the forms that [`Encoded`] lists. Also returns the suite if the type of a
    /// text envelope gives it: `VrfVerificationKey_PraosVRF`, as cardano-cli writes it, or
    /// `KleroVrfVerificationKey_` followed by the name of another suite.
    ///
    /// # Errors
    /// [`Error::Unreadable`], or [`Error::Key`].
    pub fn from_encoded(content: &[u8]) -> Result<(Self, Option<Suite>), Error> {
        let Encoded { bytes, suite } = Encoded::public_key(content)?;
        Ok((Self::from_bytes(&bytes)?, suite))
    }

    /// Returns the key in Bech32 (`vrf_vk1…`), as CIP-5 specifies.
    pub fn to_bech32(&self) -> String {
        let prefix = Hrp::parse_unchecked("vrf_vk");
        // Encoding cannot fail here: it fails only if the text is longer than 1023 characters.
        bech32::encode::<Bech32>(prefix, self.as_bytes()).unwrap_or_default()
    }
}
