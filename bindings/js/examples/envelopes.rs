//! The text envelopes that the Rust library writes of a key of every suite. The tests compare those of
//! the package with them.
//!
//! Prints a JSON array of pairs: that of the secret key, and that of the public key.

use klero::{SecretKey, Suite};

fn main() {
    let envelopes: Vec<_> = Suite::ALL
        .iter()
        .map(|suite| {
            let key = SecretKey::from_seed(*suite, &[7; 32]);
            let public = key.public_key().to_envelope(*suite);
            [key.to_envelope().to_string(), public]
        })
        .collect();
    println!("{}", serde_json::json!(envelopes));
}
