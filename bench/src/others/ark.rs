//! `ark-vrf`: VRFs over edwards25519 with their own encoding, on arkworks.

use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_vrf::suites::ed25519::{Ed25519Sha512Tai, Input, Output, Public, Secret};
use ark_vrf::{VrfIo, thin, tiny};
use klero_measure::Row;
use klero_measure::ours::Claims;

use super::{Encoded, add, proofs};

fn encode(value: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    match value.serialize_compressed(&mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

fn decode<T: CanonicalDeserialize>(bytes: &[u8]) -> Option<T> {
    T::deserialize_compressed(bytes).ok()
}

fn io_of(encoded: &Encoded, alpha: &[u8]) -> Option<VrfIo<Ed25519Sha512Tai>> {
    Some(VrfIo {
        input: Input::new(alpha).ok()?,
        output: decode::<Output>(&encoded.output)?,
    })
}

/// Adds it to the rows of single proofs.
pub fn alone<'c>(rows: [&mut Row<'c>; 2], claims: &'c Claims) {
    add(
        rows,
        "ark-vrf tiny",
        claims,
        |seed| Secret::from_seed(*seed),
        |secret, alpha| {
            let io = secret.vrf_io(Input::new(alpha).expect("a point is found"));
            let proof = tiny::Proof::prove(io, b"", secret);
            std::hint::black_box(io.output.hash::<64>());
            Encoded {
                key: encode(&secret.public()),
                output: encode(&io.output),
                proof: encode(&proof),
            }
        },
        |encoded, alpha| {
            let io = io_of(encoded, alpha)?;
            let key: Public = decode(&encoded.key)?;
            let proof: tiny::Proof<Ed25519Sha512Tai> = decode(&encoded.proof)?;
            proof.verify(io, b"", &key).ok()?;
            std::hint::black_box(io.output.hash::<64>());
            Some(())
        },
    );
}

/// Adds it to the row of a batch of `n`.
pub fn together<'c>(row: &mut Row<'c>, claims: &'c Claims, n: usize) {
    let alphas = &claims.alphas[..n];
    let proven = proofs(claims, n, |seed, alpha| {
        let secret = Secret::from_seed(seed);
        let io = secret.vrf_io(Input::new(alpha).expect("a point is found"));
        Encoded {
            key: encode(&secret.public()),
            output: encode(&io.output),
            proof: encode(&thin::Proof::prove(io, b"", &secret)),
        }
    });
    row.add("ark-vrf thin", move || {
        let verified = || {
            let mut batch = thin::BatchVerifier::<Ed25519Sha512Tai>::new();
            for (encoded, alpha) in proven.iter().zip(alphas) {
                let io = io_of(encoded, alpha)?;
                let proof: thin::Proof<Ed25519Sha512Tai> = decode(&encoded.proof)?;
                batch.push(io, b"", &proof, &decode::<Public>(&encoded.key)?);
                std::hint::black_box(io.output.hash::<64>());
            }
            batch.verify().ok()
        };
        verified().is_some()
    });
}
