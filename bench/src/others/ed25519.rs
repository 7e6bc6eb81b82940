//! `ed25519-dalek`: signatures, which are no VRF.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero_measure::Row;
use klero_measure::ours::Claims;

use super::{Encoded, add, seed};

/// Adds it to the rows of single proofs.
pub fn alone<'c>(rows: [&mut Row<'c>; 2], claims: &'c Claims) {
    add(
        rows,
        "ed25519-dalek (no VRF)",
        claims,
        SigningKey::from_bytes,
        |secret, alpha| Encoded {
            key: secret.verifying_key().to_bytes().into(),
            output: Vec::new(),
            proof: secret.sign(alpha).to_bytes().into(),
        },
        |encoded, alpha| {
            let key = VerifyingKey::from_bytes(encoded.key.as_slice().try_into().ok()?).ok()?;
            let signature = Signature::from_slice(&encoded.proof).ok()?;
            key.verify_strict(alpha, &signature).ok()
        },
    );
}

/// Adds it to the row of a batch of `n`.
pub fn together<'c>(row: &mut Row<'c>, claims: &'c Claims, n: usize) {
    let alphas = &claims.alphas[..n];
    let signed: Vec<_> = (0..n)
        .zip(alphas)
        .map(|(i, alpha)| {
            let key = SigningKey::from_bytes(&seed(claims, i));
            (key.verifying_key().to_bytes(), key.sign(alpha).to_bytes())
        })
        .collect();
    row.add("ed25519-dalek (no VRF)", move || {
        let verified = || {
            let keys: Result<Vec<_>, _> = signed
                .iter()
                .map(|(key, _)| VerifyingKey::from_bytes(key))
                .collect();
            let signatures: Vec<_> = signed
                .iter()
                .map(|(_, signature)| Signature::from_bytes(signature))
                .collect();
            let messages: Vec<_> = alphas.iter().map(|alpha| &alpha[..]).collect();
            ed25519_dalek::verify_batch(&messages, &signatures, &keys.ok()?).ok()
        };
        verified().is_some()
    });
}
