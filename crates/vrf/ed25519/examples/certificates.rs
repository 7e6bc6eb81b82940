//! Verifies the operational certificates of a thousand Cardano blocks in one call. A certificate shows
//! which cold key delegated to which hot key. One of the certificates is forged.
//!
//! A certificate is a signature on 48 bytes: the hot key, a counter, and the period from which it is valid.
//!
//! ```text
//! cargo run --release -p klero-ed25519 --example certificates
//! ```

use ed25519_dalek::{Signer, SigningKey};
use klero_ed25519::{Claim, Invalid, verify_many};

fn main() {
    let pools: Vec<SigningKey> = (0..40).map(|i| SigningKey::from_bytes(&[i; 32])).collect();
    let certificates: Vec<_> = (0..1000u64)
        .map(|block| {
            let pool = &pools[block as usize * 7 % pools.len()];
            let counter = block / 200;
            let mut message = vec![block as u8; 32];
            message.extend(counter.to_be_bytes());
            message.extend((block / 10).to_be_bytes());
            let signature = pool.sign(&message).to_bytes();
            (pool.verifying_key(), message, signature)
        })
        .collect();

    let mut forged = certificates;
    forged[420].1[39] += 1;
    let claims: Vec<_> = forged
        .iter()
        .map(|(key, message, signature)| Claim::new(key, message, signature))
        .collect();
    for (block, verdict) in verify_many(&claims).iter().enumerate() {
        match verdict {
            Ok(()) => assert_ne!(block, 420),
            Err(reason) => {
                println!("block {block}: {reason}");
                assert_eq!((block, *reason), (420, Invalid::Mismatch));
            }
        }
    }
}
