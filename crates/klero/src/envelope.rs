//! cardano-cli text envelopes: a JSON object whose `cborHex` is a CBOR byte
//! string around the key.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;

use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::key::{PublicKey, SecretKey};

const SIGNING_TYPE: &str = "VrfSigningKey_PraosVRF";
const VERIFICATION_TYPE: &str = "VrfVerificationKey_PraosVRF";

/// CBOR (RFC 8949, section 3): major type 2, length in one byte.
const BYTE_STRING: u8 = 0x58;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "description", borrow)]
    _description: Cow<'a, str>,
    /// Left where it stands, whatever comes after it: no copy, nothing to wipe.
    #[serde(rename = "cborHex", borrow)]
    cbor_hex: &'a RawValue,
}

fn open<const N: usize>(
    text: &str,
    expected: &'static str,
) -> Result<Zeroizing<[u8; N]>, KeyError> {
    let envelope: Envelope<'_> =
        serde_json::from_str(text).map_err(|error| KeyError::NotAnEnvelope {
            line: error.line(),
            column: error.column(),
        })?;
    if envelope.kind != expected {
        return Err(KeyError::EnvelopeType {
            expected,
            got: envelope.kind.into_owned(),
        });
    }
    unwrap_content(envelope.cbor_hex.get()).ok_or(KeyError::EnvelopeContent { expected: N })
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

fn seal<const N: usize>(kind: &str, description: &str, content: &[u8; N]) -> Zeroizing<String> {
    // Room for all of it at once: a String that grows leaves its old bytes behind.
    let mut text = Zeroizing::new(String::with_capacity(4 * N + 200));
    text.push_str("{\n    \"type\": \"");
    text.push_str(kind);
    text.push_str("\",\n    \"description\": \"");
    text.push_str(description);
    text.push_str("\",\n    \"cborHex\": \"");
    for bytes in [&[BYTE_STRING, N as u8][..], content] {
        text.push_str(&Zeroizing::new(base16ct::lower::encode_string(bytes)));
    }
    text.push_str("\"\n}\n");
    text
}

impl SecretKey {
    /// Reads a signing key (`VrfSigningKey_PraosVRF`) as cardano-cli writes it.
    ///
    /// # Errors
    /// A [`KeyError`] that says what is wrong with the envelope.
    ///
    /// ```
    /// use klero::SecretKey;
    /// let key = SecretKey::from_seed(&[7; 32]);
    /// let read = SecretKey::from_envelope(&key.to_envelope())?;
    /// assert_eq!(read.public_key(), key.public_key());
    /// # Ok::<(), klero::KeyError>(())
    /// ```
    pub fn from_envelope(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&*open::<64>(text, SIGNING_TYPE)?)
    }

    /// The signing key as cardano-cli writes it. Secret.
    pub fn to_envelope(&self) -> Zeroizing<String> {
        seal(SIGNING_TYPE, "VRF Signing Key", &self.to_bytes())
    }
}

impl PublicKey {
    /// Reads a verification key (`VrfVerificationKey_PraosVRF`) as cardano-cli
    /// writes it.
    ///
    /// # Errors
    /// A [`KeyError`] that says what is wrong with the envelope or the key.
    ///
    /// ```
    /// use klero::{PublicKey, SecretKey};
    /// let key = *SecretKey::from_seed(&[7; 32]).public_key();
    /// assert_eq!(PublicKey::from_envelope(&key.to_envelope())?, key);
    /// # Ok::<(), klero::KeyError>(())
    /// ```
    pub fn from_envelope(text: &str) -> Result<Self, KeyError> {
        Ok(Self::from_bytes(&open::<32>(text, VERIFICATION_TYPE)?[..])?)
    }

    /// The verification key as cardano-cli writes it.
    pub fn to_envelope(&self) -> String {
        String::clone(&seal(
            VERIFICATION_TYPE,
            "VRF Verification Key",
            self.as_bytes(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn envelope(content: &str) -> String {
        format!(r#"{{"type": "{VERIFICATION_TYPE}", "description": "", "cborHex": {content}}}"#)
    }

    #[test]
    fn every_byte_goes_in_and_out() {
        for byte in 0..=255 {
            let content = [byte; 32];
            let text = seal(VERIFICATION_TYPE, "", &content);
            assert_eq!(*open::<32>(&text, VERIFICATION_TYPE).unwrap(), content);
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
            let error = open::<32>(&envelope(&wrong), VERIFICATION_TYPE).unwrap_err();
            assert!(
                matches!(error, KeyError::EnvelopeContent { expected: 32 }),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn malformed_json_is_located() {
        let text = envelope("\"58200707\"") + "\n}";
        let error = open::<32>(&text, VERIFICATION_TYPE).unwrap_err();
        assert!(matches!(
            error,
            KeyError::NotAnEnvelope { line: 2, column: 1 }
        ));
        let error = open::<32>("{}", VERIFICATION_TYPE).unwrap_err();
        assert!(matches!(error, KeyError::NotAnEnvelope { .. }));
        let error = open::<64>(&envelope("\"\""), SIGNING_TYPE).unwrap_err();
        assert!(matches!(error, KeyError::EnvelopeType { .. }));
    }
}
