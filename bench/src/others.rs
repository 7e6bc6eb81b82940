//! Published VRFs with their own formats, over ristretto255 or in another encoding, and Ed25519
//! as a point of reference. They cannot read the same bytes, so each verifies its own proofs:
//! from encoded keys, alphas and proofs to verdicts, like all others.

use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_vrf::suites::ed25519::{Ed25519Sha512Tai, Input, Output, Public, Secret};
use ark_vrf::{VrfIo, thin, tiny};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use fastcrypto::vrf::ecvrf::{ECVRFKeyPair, ECVRFPrivateKey, ECVRFProof, ECVRFPublicKey};
use fastcrypto::vrf::{VRFKeyPair, VRFProof};
use klero::Backend;
use klero_measure::ours::{self, ALONE, Claims, TOGETHER};
use klero_measure::{Bars, Figure, Row, Run, Section, Table};
use schnorrkel::vrf::{
    VRFPreOut, VRFProof as SchnorrkelProof, VRFProofBatchable, vrf_verify_batch,
};
use schnorrkel::{Keypair, MiniSecretKey, PublicKey, signing_context};

/// The key, the proof or signature, and the output if the verifier takes one, as bytes.
struct Encoded {
    key: Vec<u8>,
    output: Vec<u8>,
    proof: Vec<u8>,
}

/// Adds a contender for proving and one for verifying single proofs.
fn add<'c, S: 'c>(
    [verified, proven]: [&mut Row<'c>; 2],
    name: &str,
    claims: &'c Claims,
    secret: impl Fn(&[u8; 32]) -> S,
    prove: impl Fn(&S, &[u8]) -> Encoded + Copy + 'c,
    verify: impl Fn(&Encoded, &[u8]) -> Option<()> + 'c,
) {
    let secrets: Vec<S> = claims.secret_bytes[..ALONE]
        .iter()
        .map(|secret_bytes| {
            let mut seed = [0; 32];
            seed.copy_from_slice(&secret_bytes[..32]);
            // Below the group order, for crates that use the seed as the scalar.
            seed[31] &= 0x0f;
            secret(&seed)
        })
        .collect();
    let alphas = &claims.alphas[..ALONE];
    let encoded: Vec<_> = secrets
        .iter()
        .zip(alphas)
        .map(|(s, a)| prove(s, a))
        .collect();
    verified.add(name, move || {
        let mut all = encoded.iter().zip(alphas);
        all.all(|(encoded, alpha)| verify(encoded, alpha).is_some())
    });
    proven.add(name, move || {
        let mut all = secrets.iter().zip(alphas);
        all.all(|(secret, alpha)| !prove(secret, alpha).proof.is_empty())
    });
}

fn ark_bytes(value: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    match value.serialize_compressed(&mut bytes) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

fn ark_value<T: CanonicalDeserialize>(bytes: &[u8]) -> Option<T> {
    T::deserialize_compressed(bytes).ok()
}

fn ark_io(encoded: &Encoded, alpha: &[u8]) -> Option<VrfIo<Ed25519Sha512Tai>> {
    Some(VrfIo {
        input: Input::new(alpha).ok()?,
        output: ark_value::<Output>(&encoded.output)?,
    })
}

fn schnorrkel_pair(seed: &[u8; 32]) -> Keypair {
    let secret = MiniSecretKey::from_bytes(seed).expect("32 bytes");
    secret.expand_to_keypair(MiniSecretKey::ED25519_MODE)
}

/// The rows of the experiment "others" as bars and tables.
pub fn section(run: &Run) -> Section {
    let mut section = Section::new(
        "Other VRFs, each in its own suite",
        "Published crates whose proofs no other implementation reads: over ristretto255, or in \
         their own encoding. Each verifies its own proofs, from bytes. Ed25519 is not a VRF; it \
         shows the cost of a signature.",
    );
    for row in run.of("others") {
        section.figures.push(Figure::Bars(Bars::of_row(row)));
        section.tables.push(Table::of_row(row, &["schnorrkel"]));
    }
    section
}

/// Rows of the experiment "others": one alone, verified and proven, and batches.
pub fn rows<'c>(claims: &'c Claims, backends: &[Backend]) -> Vec<Row<'c>> {
    let of = |what: &str| format!("{what}, each in its own suite");
    let mut verified = Row::new("others", of("verify one alone"), ALONE);
    let mut proven = Row::new("others", of("prove one alone"), ALONE);
    for &backend in backends {
        let name = format!("{} {}", ours::name_of(backend), claims.suite.name());
        let verifier = ours::verifier(claims, backend);
        verified.add(&name, ours::verify(claims, verifier, ALONE, 1));
        proven.add(&name, ours::prove(claims, backend, ALONE, 1));
    }
    add(
        [&mut verified, &mut proven],
        "schnorrkel",
        claims,
        schnorrkel_pair,
        |pair, alpha| {
            let (in_out, proof, _) = pair.vrf_sign(signing_context(b"bench").bytes(alpha));
            let output: [u8; 32] = in_out.make_bytes(b"output");
            std::hint::black_box(output);
            Encoded {
                key: pair.public.to_bytes().into(),
                output: in_out.to_preout().to_bytes().into(),
                proof: proof.to_bytes().into(),
            }
        },
        |encoded, alpha| {
            let key = PublicKey::from_bytes(&encoded.key).ok()?;
            let out = VRFPreOut::from_bytes(&encoded.output).ok()?;
            let proof = SchnorrkelProof::from_bytes(&encoded.proof).ok()?;
            let transcript = signing_context(b"bench").bytes(alpha);
            let (in_out, _) = key.vrf_verify(transcript, &out, &proof).ok()?;
            let output: [u8; 32] = in_out.make_bytes(b"output");
            std::hint::black_box(output);
            Some(())
        },
    );
    add(
        [&mut verified, &mut proven],
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
    add(
        [&mut verified, &mut proven],
        "fastcrypto",
        claims,
        |seed| {
            let secret: ECVRFPrivateKey = bcs::from_bytes(seed).expect("a scalar below the order");
            ECVRFKeyPair::from(secret)
        },
        |pair, alpha| {
            let proof = pair.prove(alpha);
            std::hint::black_box(proof.to_hash());
            Encoded {
                key: bcs::to_bytes(&pair.pk).unwrap_or_default(),
                output: Vec::new(),
                proof: bcs::to_bytes(&proof).unwrap_or_default(),
            }
        },
        |encoded, alpha| {
            let key: ECVRFPublicKey = bcs::from_bytes(&encoded.key).ok()?;
            let proof: ECVRFProof = bcs::from_bytes(&encoded.proof).ok()?;
            proof.verify(alpha, &key).ok()?;
            std::hint::black_box(proof.to_hash());
            Some(())
        },
    );
    add(
        [&mut verified, &mut proven],
        "ark-vrf tiny",
        claims,
        |seed| Secret::from_seed(*seed),
        |secret, alpha| {
            let io = secret.vrf_io(Input::new(alpha).expect("a point is found"));
            let proof = tiny::Proof::prove(io, b"", secret);
            std::hint::black_box(io.output.hash::<64>());
            Encoded {
                key: ark_bytes(&secret.public()),
                output: ark_bytes(&io.output),
                proof: ark_bytes(&proof),
            }
        },
        |encoded, alpha| {
            let io = ark_io(encoded, alpha)?;
            let key: Public = ark_value(&encoded.key)?;
            let proof: tiny::Proof<Ed25519Sha512Tai> = ark_value(&encoded.proof)?;
            proof.verify(io, b"", &key).ok()?;
            std::hint::black_box(io.output.hash::<64>());
            Some(())
        },
    );
    add(
        [&mut verified, &mut proven],
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
    vec![verified, proven, batch_row(claims, backends)]
}

/// The row of batches, for contenders that support them.
fn batch_row<'c>(claims: &'c Claims, backends: &[Backend]) -> Row<'c> {
    let n = TOGETHER.min(claims.len());
    let name = format!("batch of {n}, each in its own suite");
    let mut row = Row::new("others", name, n);
    for &backend in backends {
        let name = format!("{} {}", ours::name_of(backend), claims.suite.name());
        let verifier = ours::verifier(claims, backend);
        row.add(name, ours::verify(claims, verifier, n, n));
    }
    let alphas = &claims.alphas[..n];
    let seeds: Vec<[u8; 32]> = (0..n)
        .map(|i| {
            let mut seed = [0; 32];
            seed.copy_from_slice(&claims.secret_bytes[i][..32]);
            seed
        })
        .collect();

    let proven: Vec<_> = seeds
        .iter()
        .zip(alphas)
        .map(|(seed, alpha)| {
            let pair = schnorrkel_pair(seed);
            let (in_out, _, proof) = pair.vrf_sign(signing_context(b"bench").bytes(alpha));
            Encoded {
                key: pair.public.to_bytes().into(),
                output: in_out.to_preout().to_bytes().into(),
                proof: proof.to_bytes().into(),
            }
        })
        .collect();
    row.add("schnorrkel", move || {
        let verified = || {
            let (mut keys, mut outs, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
            for encoded in &proven {
                keys.push(PublicKey::from_bytes(&encoded.key).ok()?);
                outs.push(VRFPreOut::from_bytes(&encoded.output).ok()?);
                proofs.push(VRFProofBatchable::from_bytes(&encoded.proof).ok()?);
            }
            let context = signing_context(b"bench");
            let transcripts = alphas.iter().map(|alpha| context.bytes(alpha));
            let in_outs = vrf_verify_batch(transcripts, &outs, &proofs, &keys).ok()?;
            for in_out in &in_outs {
                let output: [u8; 32] = in_out.make_bytes(b"output");
                std::hint::black_box(output);
            }
            Some(())
        };
        verified().is_some()
    });

    let proven: Vec<_> = seeds
        .iter()
        .zip(alphas)
        .map(|(seed, alpha)| {
            let secret = Secret::from_seed(*seed);
            let io = secret.vrf_io(Input::new(alpha).expect("a point is found"));
            Encoded {
                key: ark_bytes(&secret.public()),
                output: ark_bytes(&io.output),
                proof: ark_bytes(&thin::Proof::prove(io, b"", &secret)),
            }
        })
        .collect();
    row.add("ark-vrf thin", move || {
        let verified = || {
            let mut batch = thin::BatchVerifier::<Ed25519Sha512Tai>::new();
            for (encoded, alpha) in proven.iter().zip(alphas) {
                let io = ark_io(encoded, alpha)?;
                let proof: thin::Proof<Ed25519Sha512Tai> = ark_value(&encoded.proof)?;
                batch.push(io, b"", &proof, &ark_value::<Public>(&encoded.key)?);
                std::hint::black_box(io.output.hash::<64>());
            }
            batch.verify().ok()
        };
        verified().is_some()
    });

    let signed: Vec<_> = seeds
        .iter()
        .zip(alphas)
        .map(|(seed, alpha)| {
            let key = SigningKey::from_bytes(seed);
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
    row
}
