//! Reads arbitrary content as each kind of value. Checks that nothing panics, that errors have messages of
//! bounded length, and that every key found in the content can be written and read back unchanged.

use klero::{Encoded, Error, PublicKey, SecretKey, Suite};

/// The greatest number of bytes of an input that are read.
const LONGEST: usize = 4096;

/// Reads the bytes as each kind of value.
pub fn encoded(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    for read in [
        Encoded::proof,
        Encoded::output,
        Encoded::public_key,
        Encoded::secret_key,
    ] {
        match read(bytes) {
            Ok(read) => assert!(read.bytes.len() <= bytes.len()),
            Err(error) => {
                let message = error.to_string();
                assert!(!message.is_empty() && message.len() < 4 * LONGEST);
            }
        }
    }
    match SecretKey::from_encoded(bytes, None) {
        Ok(key) => {
            let again = SecretKey::from_encoded(key.to_envelope().as_bytes(), None).unwrap();
            assert_eq!(again.suite(), key.suite());
            assert_eq!(*again.to_libsodium(), *key.to_libsodium());
        }
        Err(Error::NoSuite) => {
            let key = SecretKey::from_encoded(bytes, Some(Suite::PRAOS));
            assert!(matches!(key, Ok(_) | Err(Error::Halves)));
        }
        Err(_) => {}
    }
    if let Ok((key, suite)) = PublicKey::from_encoded(bytes) {
        let bech32 = PublicKey::from_encoded(key.to_bech32().as_bytes());
        assert_eq!(bech32.unwrap(), (key, None));
        let envelope = suite.map(|suite| key.to_envelope(suite));
        if let Some(envelope) = envelope {
            let again = PublicKey::from_encoded(envelope.as_bytes()).unwrap();
            assert_eq!(again, (key, suite));
        }
    }
}
