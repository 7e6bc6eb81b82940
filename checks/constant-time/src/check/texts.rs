//! Forms of text and CBOR that hold a secret.
//!
//! Before the digits are decoded, each character is compared with white space, quotes and, in JSON, what
//! ends or escapes a string. That finds the same for every digit. valgrind would report each comparison,
//! so that for it the digits are secret once the form is known; the trace has them secret from the
//! start.

use std::hint::black_box;

use base16ct::lower::encode_string as hex;
use base64ct::{Base64, Base64Url, Encoding};
use klero::{Encoded, Output, SecretKey, Suite};

use super::path::{SecretPath, Seed};
use super::valgrind::{public, secret};

/// All paths. The one verdict is whether all digits are hex.
pub fn paths() -> Vec<SecretPath> {
    vec![
        // An output is secret until its proof is shown.
        SecretPath::new("hex: read", "klero", Some(1), |seed: &Seed| {
            let digits = hex(&[*seed, *seed].concat());
            black_box(digits.parse::<Output>().expect("hex"));
        }),
        SecretPath::new("envelope: write", "praos", Some(0), |seed| {
            black_box(SecretKey::from_seed(Suite::PRAOS, seed).to_envelope());
        }),
        SecretPath::new("envelope: read", "praos", Some(1), |seed| {
            let text = ["5840", &hex(seed), &hex(seed)].concat();
            public(text.as_bytes());
            secret(&text.as_bytes()[4..]);
            let key = Encoded::secret_key_in_envelope("VrfSigningKey_PraosVRF", &text);
            black_box(key.expect("a key"));
        }),
        SecretPath::new("envelope: read a key", "praos", None, |seed| {
            let text = SecretKey::from_seed(Suite::PRAOS, seed).to_envelope();
            read(text.as_bytes());
        }),
        SecretPath::new("bytes: read a key", "praos", Some(0), |seed| read(seed)),
        SecretPath::new("CBOR: read a key", "praos", Some(0), |seed| {
            let cbor = [&[0x58, 32], &seed[..]].concat();
            public(&cbor[..2]);
            read(&cbor);
        }),
        SecretPath::new("hex: read a key", "praos", None, |seed| {
            let key = SecretKey::from_seed(Suite::PRAOS, seed);
            read(format!("\u{feff}\"{}\"\n", hex(seed)).as_bytes());
            read(hex(&*key.to_libsodium()).as_bytes());
        }),
        SecretPath::new("base64: read a key", "praos", None, |seed| {
            read(Base64Url::encode_string(seed).as_bytes());
            let text = format!("{}\r\n", Base64::encode_string(seed));
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            read(&wide);
        }),
    ]
}

/// Reads a secret key.
fn read(content: &[u8]) {
    black_box(Encoded::secret_key(content).expect("a key"));
}
