//! Text envelopes: a JSON object whose `cborHex` is a CBOR byte string around the key,
//! and whose `type` names the kind and the suite of the key.
//!
//! The keys of `praos` are those of cardano-cli, byte for byte. The keys of every other
//! suite have types of their own, so that neither cardano-cli nor a program that reads the
//! suite from the type mistakes a key for one of another suite.

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
    /// The beginning of the type for any other suite, whose name follows.
    pub(crate) prefix: &'static str,
    description: &'static str,
    /// The prefix of such keys in Bech32 (CIP-5).
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
    /// The type of a key of this kind and suite.
    fn of(&self, suite: Suite) -> String {
        if suite == Suite::PRAOS {
            self.praos.to_owned()
        } else {
            [self.prefix, suite.name].concat()
        }
    }

    /// The suite whose keys of this kind have this type.
    pub(crate) fn suite(&self, of_file: &str) -> Option<Suite> {
        let mut suites = Suite::ALL.iter().copied();
        suites.find(|suite| self.of(*suite) == of_file)
    }

    /// The envelope of a key of this suite; the key has fewer than 100 bytes.
    fn seal(&self, suite: Suite, key: &[u8]) -> Zeroizing<String> {
        let kind = self.of(suite);
        // Reserved in one piece, because a String that grows leaves its old bytes behind.
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

/// Parses the JSON, and gives its type and its hex digits to `read`.
#[cfg(feature = "envelope")]
pub(crate) fn parse<T>(
    text: &str,
    read: impl FnOnce(&str, &str) -> Result<T, Error>,
) -> Result<T, Error> {
    /// The members that are read. The key stays in the text, so that there is no copy to wipe. Any JSON is
    /// accepted in place of the key, because an envelope of a foreign type may have something else there.
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

/// CBOR (RFC 8949, section 3): byte string (major type 2), length in the next byte.
const BYTE_STRING: u8 = 0x58;

/// The bytes of a CBOR byte string that has one of these lengths, all below 256.
pub(crate) fn in_cbor<'a>(cbor: &'a [u8], lengths: &[usize]) -> Option<&'a [u8]> {
    let bytes = cbor
        .get(2..)
        .filter(|bytes| lengths.contains(&bytes.len()))?;
    (cbor[..2] == [BYTE_STRING, bytes.len() as u8]).then_some(bytes)
}

impl SecretKey {
    /// The signing key in a text envelope, for `praos` as cardano-cli writes it. Secret.
    pub fn to_envelope(&self) -> Zeroizing<String> {
        SIGNING.seal(self.suite(), &*self.to_libsodium())
    }
}

impl PublicKey {
    /// The key in a text envelope, as a verification key of this suite; for `praos` as
    /// cardano-cli writes it.
    pub fn to_envelope(&self, suite: Suite) -> String {
        String::clone(&VERIFICATION.seal(suite, self.as_bytes()))
    }
}
