//! Hex and text envelopes that hold a secret.
//!
//! The reader of JSON compares each character with those that end or escape a string. It finds
//! the same for every hex digit. valgrind would report each comparison, so that for it the digits
//! are secret once the JSON is read; the trace has them secret from the start.

use std::hint::black_box;

use klero::{Output, SecretKey, Suite};
use klero_envelope::{Envelope, write};

use crate::secret_path::{SecretPath, Seed};
use crate::valgrind::{public, secret};

/// What stands before the digits of an envelope that names nothing.
const HEAD: usize = "{\n    \"type\": \"\",\n    \"description\": \"\",\n    \"cborHex\": \"".len();

/// All paths. The one verdict is whether all digits are hex.
pub fn paths() -> Vec<SecretPath> {
    let path = |name, of, verdicts, run| SecretPath {
        name,
        of,
        verdicts,
        run,
    };
    vec![
        // An output is secret until its proof is shown.
        path("hex: read", "klero", Some(1), |seed: &Seed| {
            let text = write("", "", &[seed, seed]);
            public(&**text);
            let digits = &text[HEAD..][..4 * seed.len()];
            secret(digits);
            black_box(digits.parse::<Output>().expect("hex"));
        }),
        path("envelope: write", "any type", Some(0), |seed| {
            black_box(write("", "", &[seed]));
        }),
        path("envelope: write", "praos", Some(0), |seed| {
            black_box(SecretKey::from_seed(Suite::PRAOS, seed).to_envelope());
        }),
        path("envelope: read", "any type", Some(1), |seed| {
            let text = write("", "", &[seed]);
            public(&**text);
            let envelope = Envelope::parse(text.as_bytes()).expect("an envelope");
            secret(&text[HEAD..][..2 * seed.len()]);
            black_box(envelope.content().expect("hex"));
        }),
        path("envelope: read a key", "praos", None, |seed| {
            let text = SecretKey::from_seed(Suite::PRAOS, seed).to_envelope();
            black_box(SecretKey::from_envelope(&text).expect("a key"));
        }),
    ]
}
