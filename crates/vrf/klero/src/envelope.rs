//! Text envelopes of keys. A text envelope is a JSON object. Its `cborHex` is the hex of a CBOR byte string
//! that holds the key. Its `type` gives the kind and the suite of the key.
//!
//! The envelope of a `praos` key is equal, byte for byte, to the envelope that cardano-cli writes. In every
//! other suite, keys have a `type` that names the suite. So no program that checks the `type`, such as
//! cardano-cli, mistakes a key for a key of another suite.

use alloc::borrow::ToOwned;
#[cfg(feature = "envelope")]
use alloc::format;
use alloc::string::String;

use zeroize::Zeroizing;

#[cfg(feature = "envelope")]
use crate::error::Error;
use crate::key::{PublicKey, SecretKey};
use crate::suite::Suite;

/// A kind of key: signing or verification.
pub(crate) struct Kind {
    /// cardano-cli's type, for the suite `praos`.
    pub(crate) praos: &'static str,
    /// The beginning of the type for any other suite. The type ends with the name of the suite.
    pub(crate) prefix: &'static str,
    description: &'static str,
    /// The prefix of keys of this kind in Bech32 (CIP-5).
    pub(crate) bech32: &'static str,
}

pub(crate) const SIGNING: Kind = Kind {
    praos: "VrfSigningKey_PraosVRF",
    prefix: "KleroVrfSigningKey_",
    description: "VRF Signing Key",
    bech32: "vrf_sk",
};

pub(crate) const VERIFICATION: Kind = Kind {
    praos: "VrfVerificationKey_PraosVRF",
    prefix: "KleroVrfVerificationKey_",
    description: "VRF Verification Key",
    bech32: "vrf_vk",
};

impl Kind {
    /// Returns the envelope type for keys of this kind and suite.
    fn of(&self, suite: Suite) -> String {
        if suite == Suite::PRAOS {
            self.praos.to_owned()
        } else {
            [self.prefix, suite.name].concat()
        }
    }

    /// Returns the suite for which keys of this kind have the given envelope type.
    pub(crate) fn suite(&self, of_file: &str) -> Option<Suite> {
        let mut suites = Suite::ALL.iter().copied();
        suites.find(|suite| self.of(*suite) == of_file)
    }

    /// Writes the envelope of a key of this suite. The key must have fewer than 100 bytes.
    fn seal(&self, suite: Suite, key: &[u8]) -> Zeroizing<String> {
        let kind = self.of(suite);
        // All memory is reserved at once, because a String that grows leaves its old bytes in memory.
        let room = 100 + kind.len() + self.description.len() + 2 * key.len();
        let mut text = Zeroizing::new(String::with_capacity(room));
        for words in [
            "{\n    \"type\": \"",
            &kind,
            "\",\n    \"description\": \"",
            self.description,
            "\",\n    \"cborHex\": \"",
            &base16ct::lower::encode_string(&[BYTE_STRING, key.len() as u8]),
            &Zeroizing::new(base16ct::lower::encode_string(key)),
            "\"\n}\n",
        ] {
            text.push_str(words);
        }
        text
    }
}

/// Parses the JSON of an envelope, and passes its type and its hex digits to `read`.
#[cfg(feature = "envelope")]
pub(crate) fn parse<T>(
    text: &str,
    read: impl FnOnce(&str, &str) -> Result<T, Error>,
) -> Result<T, Error> {
    /// The members that are read. The key is borrowed from the text, so that there is no copy to wipe.
    /// `cborHex` may be any JSON value, because an envelope of a foreign type may hold something else.
    #[derive(serde::Deserialize)]
    struct Envelope<'a> {
        #[serde(rename = "type", borrow)]
        kind: alloc::borrow::Cow<'a, str>,
        #[serde(rename = "cborHex", borrow)]
        cbor_hex: Option<&'a serde_json::value::RawValue>,
    }

    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Error::Unreadable(format!(
            "not a text envelope: expected a JSON object with type and cborHex (line {line}, column \
             {column})"
        ))
    })?;
    let content = envelope.cbor_hex.map_or("", |content| content.get());
    let digits = content.strip_prefix('"');
    let digits = digits.and_then(|digits| digits.strip_suffix('"'));
    read(&envelope.kind, digits.unwrap_or_default())
}

/// The first byte of a CBOR byte string whose length is in the next byte (RFC 8949, section 3: major type 2).
const BYTE_STRING: u8 = 0x58;

/// Returns the content of a CBOR byte string if its length is in `lengths`. All `lengths` must be below 256.
pub(crate) fn in_cbor<'a>(cbor: &'a [u8], lengths: &[usize]) -> Option<&'a [u8]> {
    let bytes = cbor
        .get(2..)
        .filter(|bytes| lengths.contains(&bytes.len()))?;
    (cbor[..2] == [BYTE_STRING, bytes.len() as u8]).then_some(bytes)
}

impl SecretKey {
    /// Returns the signing key in a text envelope (secret). For `praos`, cardano-cli writes the same text.
    pub fn to_envelope(&self) -> Zeroizing<String> {
        SIGNING.seal(self.suite(), &*self.to_libsodium())
    }
}

impl PublicKey {
    /// Returns the key in a text envelope, as a verification key of the given suite. For `praos`, cardano-cli
    /// writes the same envelope.
    pub fn to_envelope(&self, suite: Suite) -> String {
        String::clone(&VERIFICATION.seal(suite, self.as_bytes()))
    }
}
