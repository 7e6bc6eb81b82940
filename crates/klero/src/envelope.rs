//! cardano-cli text envelopes: a JSON object whose `cborHex` is a CBOR byte
//! string around the key.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use crate::error::KeyError;
use crate::key::{PublicKey, SecretKey};

const SIGNING_TYPE: &str = "VrfSigningKey_PraosVRF";
const VERIFICATION_TYPE: &str = "VrfVerificationKey_PraosVRF";

/// CBOR (RFC 8949, section 3): major type 2, length in one byte.
const BYTE_STRING: u8 = 0x58;

#[derive(Serialize, Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: String,
    description: String,
    #[serde(rename = "cborHex")]
    cbor_hex: String,
}

impl Drop for Envelope {
    fn drop(&mut self) {
        self.cbor_hex.zeroize();
    }
}

fn open<const N: usize>(
    text: &str,
    expected: &'static str,
) -> Result<Zeroizing<[u8; N]>, KeyError> {
    let envelope: Envelope =
        serde_json::from_str(text).map_err(|error| KeyError::NotAnEnvelope {
            line: error.line(),
            column: error.column(),
        })?;
    if envelope.kind != expected {
        return Err(KeyError::EnvelopeType {
            expected,
            got: envelope.kind.clone(),
        });
    }
    let mut content = Zeroizing::new([0u8; N]);
    let prefix = hex::encode([BYTE_STRING, N as u8]);
    envelope
        .cbor_hex
        .strip_prefix(&prefix)
        .and_then(|digits| hex::decode_to_slice(digits, &mut *content).ok())
        .ok_or(KeyError::EnvelopeContent { expected: N })?;
    Ok(content)
}

fn seal<const N: usize>(kind: &str, description: &str, content: &[u8; N]) -> Zeroizing<String> {
    // Room for all of it at once: a String that grows leaves its old bytes behind.
    let mut text = Zeroizing::new(String::with_capacity(4 * N + 200));
    text.push_str("{\n    \"type\": \"");
    text.push_str(kind);
    text.push_str("\",\n    \"description\": \"");
    text.push_str(description);
    text.push_str("\",\n    \"cborHex\": \"");
    text.push_str(&hex::encode([BYTE_STRING, N as u8]));
    for &byte in content {
        for nibble in [byte >> 4, byte & 15] {
            // Arithmetic, not a table: the index would be secret.
            text.push(char::from(
                nibble + b'0' + (nibble / 10) * (b'a' - b'0' - 10),
            ));
        }
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
