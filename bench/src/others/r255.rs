//! `vrf-r255`: ECVRF over ristretto255.

use klero_measure::Row;
use klero_measure::ours::Claims;

use super::{Encoded, add};

/// Adds it to the rows of single proofs.
pub fn alone<'c>(rows: [&mut Row<'c>; 2], claims: &'c Claims) {
    add(
        rows,
        "vrf-r255",
        claims,
        |seed| {
            let secret = vrf_r255::SecretKey::from_bytes(*seed);
            secret.expect("a scalar below the order")
        },
        |secret, alpha| Encoded {
            key: vrf_r255::PublicKey::from(*secret).to_bytes().into(),
            output: Vec::new(),
            proof: secret.prove(alpha).to_bytes().into(),
        },
        |encoded, alpha| {
            let key = vrf_r255::PublicKey::from_bytes(encoded.key.as_slice().try_into().ok()?)?;
            let proof = vrf_r255::Proof::from_bytes(encoded.proof.as_slice().try_into().ok()?)?;
            let output: Option<[u8; 64]> = key.verify(alpha, &proof).into();
            output.map(|_| ())
        },
    );
}
