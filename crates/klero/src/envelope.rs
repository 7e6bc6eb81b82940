//! Text envelopes: a JSON object whose `cborHex` is a CBOR byte string around the key,
//! and whose `type` says what kind of key it is and of which suite.
//!
//! The keys of `praos` are those of cardano-cli, byte for byte. The keys of every other
//! suite have types of their own, so that neither cardano-cli nor anybody who reads the
//! suite from the type takes a key for one of another suite.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;

use klero_envelope::{Envelope, write};
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
    /// The type of this suite's keys.
    fn of(&self, suite: Suite) -> String {
        if suite == Suite::PRAOS {
            self.praos.to_owned()
        } else {
            [self.prefix, suite.name].concat()
        }
    }

    /// The suite whose keys have this type.
    fn suite(&self, of_file: &str) -> Option<Suite> {
        let mut suites = Suite::ALL.iter().copied();
        suites.find(|suite| self.of(*suite) == of_file)
    }
}

/// CBOR (RFC 8949, section 3): major type 2, length in one byte.
const BYTE_STRING: u8 = 0x58;

/// The bytes of a key; on the heap, so that returning them leaves no copy.
type Content<const N: usize> = Box<Zeroizing<[u8; N]>>;

fn open<const N: usize>(text: &str, kind: &'static Kind) -> Result<(Suite, Content<N>), KeyError> {
    let envelope = Envelope::parse(text.as_bytes()).map_err(|error| KeyError::NotAnEnvelope {
        line: error.line,
        column: error.column,
    })?;
    let suite = kind
        .suite(envelope.kind())
        .ok_or_else(|| KeyError::EnvelopeType {
            expected: kind.praos,
            or_prefix: kind.prefix,
            got: envelope.kind().to_owned(),
        })?;
    let content = envelope
        .content()
        .and_then(|cbor| byte_string(&cbor))
        .ok_or(KeyError::EnvelopeContent { expected: N })?;
    Ok((suite, content))
}

/// The N bytes in a CBOR byte string.
fn byte_string<const N: usize>(cbor: &[u8]) -> Option<Content<N>> {
    let bytes = cbor.strip_prefix(&[BYTE_STRING, N as u8])?;
    if bytes.len() != N {
        return None;
    }
    let mut content = Box::new(Zeroizing::new([0; N]));
    content.copy_from_slice(bytes);
    Some(content)
}

fn seal<const N: usize>(kind: &Kind, suite: Suite, content: &[u8; N]) -> Zeroizing<String> {
    let header = [BYTE_STRING, N as u8];
    let parts = [&header[..], content];
    write(&kind.of(suite), kind.description, &parts)
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
                assert_eq!((read, **bytes), (*suite, content));
            }
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
