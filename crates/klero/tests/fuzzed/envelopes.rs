//! Reads a key file from arbitrary text: nothing panics, an error does not repeat a secret, and a
//! key that is read is written as it was.

use klero::{PublicKey, SecretKey};
use klero_envelope::Envelope;

/// The longest text.
const LONGEST: usize = 4096;

/// Reads the bytes as an envelope of each kind.
pub fn envelopes(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let text = String::from_utf8_lossy(bytes);
    match Envelope::parse(bytes) {
        Ok(envelope) => {
            let content = envelope.content();
            assert!(content.is_none_or(|content| content.len() <= bytes.len() / 2));
        }
        Err(error) => {
            let lines = bytes.split(|byte| *byte == b'\n').count();
            assert!((1..=lines).contains(&error.line), "{error}");
            assert!(error.column <= bytes.len(), "{error}");
        }
    }
    match SecretKey::from_envelope(&text) {
        Ok(key) => {
            let again = SecretKey::from_envelope(&key.to_envelope()).unwrap();
            assert_eq!(again.suite(), key.suite());
            assert_eq!(*again.to_libsodium(), *key.to_libsodium());
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 4 * LONGEST);
        }
    }
    match PublicKey::from_envelope(&text) {
        Ok((key, suite)) => {
            let again = PublicKey::from_envelope(&key.to_envelope(suite)).unwrap();
            assert_eq!(again, (key, suite));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
