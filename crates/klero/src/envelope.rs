//! Text envelopes: a JSON object whose `cborHex` is a CBOR byte string around the key,
//! and whose `type` says what kind of key it is and of which suite.
//!
//! The keys of `praos` are those of cardano-cli, byte for byte. The keys of every other
//! suite have types of their own, so that neither cardano-cli nor anybody who reads the
//! suite from the type takes a key for one of another suite.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;

use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::key::{PublicKey, SecretKey};
use crate::suite::Suite;

/// One of the two kinds of keys.
struct Kind {
    /// cardano-cli's type, of the suite `praos`.
    praos: &'static str,
    /// Begins the type of the other suites; their name ends it.
    prefix: &'static str,
    description: &'static str,
}

const SIGNING: Kind = Kind {
    praos: "VrfSigningKey_PraosVRF",
    prefix: "KleroVrfSigningKey_",
    description: "VRF Signing Key",
};

const VERIFICATION: Kind = Kind {
    praos: "VrfVerificationKey_PraosVRF",
    prefix: "KleroVrfVerificationKey_",
    description: "VRF Verification Key",
};

impl Kind {
    /// The parts of the type of this suite's keys.
    fn of(&self, suite: Suite) -> [&'static str; 2] {
        if suite == Suite::PRAOS {
            [self.praos, ""]
        } else {
            [self.prefix, suite.name]
        }
    }

    /// The suite whose keys have this type.
    fn suite(&self, of_file: &str) -> Option<Suite> {
        let mut suites = Suite::ALL.iter().copied();
        suites.find(|suite| self.of(*suite).concat() == of_file)
    }
}

/// CBOR (RFC 8949, section 3): major type 2, length in one byte.
const BYTE_STRING: u8 = 0x58;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "description", borrow)]
    _description: Cow<'a, str>,
    /// Left where it stands, whatever comes after it: no copy, nothing to wipe. A file
    /// of another type may lack it.
    #[serde(rename = "cborHex", borrow)]
    cbor_hex: Option<&'a RawValue>,
}

fn open<const N: usize>(
    text: &str,
    kind: &'static Kind,
) -> Result<(Suite, Zeroizing<[u8; N]>), KeyError> {
    let envelope: Envelope<'_> =
        serde_json::from_str(text).map_err(|error| KeyError::NotAnEnvelope {
            line: error.line(),
            column: error.column(),
        })?;
    let suite = kind
        .suite(&envelope.kind)
        .ok_or_else(|| KeyError::EnvelopeType {
            expected: kind.praos,
            or_prefix: kind.prefix,
            got: envelope.kind.into_owned(),
        })?;
    let content = envelope
        .cbor_hex
        .and_then(|json| unwrap_content(json.get()))
        .ok_or(KeyError::EnvelopeContent { expected: N })?;
    Ok((suite, content))
}

/// The N bytes in the CBOR byte string that the JSON string has in hex. Constant time
/// in the digits, but for whether they are any.
fn unwrap_content<const N: usize>(json: &str) -> Option<Zeroizing<[u8; N]>> {
    let digits = json.strip_prefix('"')?.strip_suffix('"')?;
    let mut cbor = Zeroizing::new(vec![0; 2 + N]);
    let cbor = base16ct::mixed::decode(digits, &mut cbor).ok()?;
    let bytes = cbor.strip_prefix(&[BYTE_STRING, N as u8])?;
    let mut content = Zeroizing::new([0; N]);
    content.copy_from_slice(bytes.first_chunk::<N>()?);
    Some(content)
}

fn seal<const N: usize>(kind: &Kind, suite: Suite, content: &[u8; N]) -> Zeroizing<String> {
    // Room for all of it at once: a String that grows leaves its old bytes behind.
    let mut text = Zeroizing::new(String::with_capacity(4 * N + 200));
    text.push_str("{\n    \"type\": \"");
    kind.of(suite).iter().for_each(|part| text.push_str(part));
    text.push_str("\",\n    \"description\": \"");
    text.push_str(kind.description);
    text.push_str("\",\n    \"cborHex\": \"");
    for bytes in [&[BYTE_STRING, N as u8][..], content] {
        text.push_str(&Zeroizing::new(base16ct::lower::encode_string(bytes)));
    }
    text.push_str("\"\n}\n");
    text
}

impl SecretKey {
    /// Reads a signing key from a text envelope, which says its suite:
    /// `VrfSigningKey_PraosVRF`, as cardano-cli writes it, or `KleroVrfSigningKey_` and
    /// the name of another suite.
    ///
    /// # Errors
    /// A [`KeyError`] that says what is wrong with the envelope.
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::DRAFT13, &[7; 32]);
    /// let read = SecretKey::from_envelope(&key.to_envelope())?;
    /// assert_eq!(read.public_key(), key.public_key());
    /// assert_eq!(read.suite(), Suite::DRAFT13);
    /// # Ok::<(), klero::KeyError>(())
    /// ```
    pub fn from_envelope(text: &str) -> Result<Self, KeyError> {
        let (suite, bytes) = open::<64>(text, &SIGNING)?;
        Self::from_libsodium(suite, &bytes)
    }

    /// The signing key in a text envelope, for `praos` as cardano-cli writes it. Secret.
    pub fn to_envelope(&self) -> Zeroizing<String> {
        seal(&SIGNING, self.suite(), &self.to_libsodium())
    }
}

impl PublicKey {
    /// Reads a verification key from a text envelope, and the suite that its secret key
    /// belongs to: `VrfVerificationKey_PraosVRF`, as cardano-cli writes it, or
    /// `KleroVrfVerificationKey_` and the name of another suite.
    ///
    /// # Errors
    /// A [`KeyError`] that says what is wrong with the envelope or the key.
    ///
    /// ```
    /// use klero::{PublicKey, SecretKey, Suite};
    /// let key = *SecretKey::from_seed(Suite::PRAOS, &[7; 32]).public_key();
    /// let text = key.to_envelope(Suite::PRAOS);
    /// assert_eq!(PublicKey::from_envelope(&text)?, (key, Suite::PRAOS));
    /// # Ok::<(), klero::KeyError>(())
    /// ```
    pub fn from_envelope(text: &str) -> Result<(Self, Suite), KeyError> {
        let (suite, bytes) = open::<32>(text, &VERIFICATION)?;
        Ok((Self::from_bytes(&bytes[..])?, suite))
    }

    /// The verification key of a secret key of this suite in a text envelope, for
    /// `praos` as cardano-cli writes it.
    pub fn to_envelope(&self, suite: Suite) -> String {
        String::clone(&seal(&VERIFICATION, suite, self.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn envelope(content: &str) -> String {
        format!(
            r#"{{"type": "{}", "description": "", "cborHex": {content}}}"#,
            VERIFICATION.praos
        )
    }

    #[test]
    fn every_byte_goes_in_and_out() {
        for byte in 0..=255 {
            let content = [byte; 32];
            for suite in Suite::ALL {
                let text = seal(&VERIFICATION, *suite, &content);
                let (read, bytes) = open::<32>(&text, &VERIFICATION).unwrap();
                assert_eq!((read, *bytes), (*suite, content));
            }
            let digits = format!("\"5820{}\"", hex::encode_upper(content));
            assert_eq!(*unwrap_content::<32>(&digits).unwrap(), content);
        }
    }

    #[test]
    fn content_must_be_a_byte_string_of_the_right_length() {
        let digits = "07".repeat(32);
        for wrong in [
            "5".to_string(),
            "\"\"".to_string(),
            format!("\"{digits}\""),
            format!("\"5820{}\"", &digits[2..]),
            format!("\"5820{}\"", &digits[1..]),
            format!("\"5820{digits}07\""),
            format!("\"5821{digits}\""),
            format!("\"4020{digits}\""),
            format!("\"5820{}0g\"", &digits[2..]),
            format!("\"5820{}g0\"", &digits[2..]),
            format!("\"5820{}é\"", &digits[2..]),
            format!("\"\\u0035820{digits}\""),
        ] {
            let error = open::<32>(&envelope(&wrong), &VERIFICATION).unwrap_err();
            assert!(
                matches!(error, KeyError::EnvelopeContent { expected: 32 }),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn malformed_json_is_located() {
        let text = envelope("\"58200707\"") + "\n}";
        let error = open::<32>(&text, &VERIFICATION).unwrap_err();
        assert!(matches!(
            error,
            KeyError::NotAnEnvelope { line: 2, column: 1 }
        ));
        let error = open::<32>("{}", &VERIFICATION).unwrap_err();
        assert!(matches!(error, KeyError::NotAnEnvelope { .. }));
        let error = open::<64>(&envelope("\"\""), &SIGNING).unwrap_err();
        assert!(matches!(error, KeyError::EnvelopeType { .. }));
    }
}
