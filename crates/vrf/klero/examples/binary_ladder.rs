//! The binary ladders of key transparency. A server tells a client where many labels are in its tree, and the
//! client checks a thousand proofs in one call.
//!
//! In the IETF's protocol for key transparency (draft-ietf-keytrans-protocol), every version of a label has a
//! place in the tree. The place is the VRF output for the label and the version. To show that version 6 is
//! the latest, the server shows that versions 0, 1, 3, 5 and 6 are in the tree and that version 7 is not.
//! These versions are the steps of a binary ladder. For each step, the client needs a proof of the version's
//! place. Cipher suite 0x0002 of the protocol is ECVRF-EDWARDS25519-SHA512-TAI with outputs cut to 32 bytes.
//!
//! ```text
//! cargo run --release -p klero --example binary_ladder
//! ```

use std::time::Instant;

use klero::{Claim, Output, Proof, PublicKey, SecretKey, Suite, Verifier};

const SUITE: Suite = Suite::RFC9381_TAI;

/// The least number of proofs in the answer.
const PROOFS: usize = 1_000;

/// A place in the server's tree.
type Place = [u8; 32];

/// One step of the ladder of a label.
struct Step {
    label: String,
    version: u32,
    proof: Proof,
    place: Place,
}

fn main() {
    assert_eq!(ladder(6), [0, 1, 3, 7, 5, 6]);
    assert_eq!(ladder(u32::MAX).last(), Some(&u32::MAX));
    let server = SecretKey::generate(SUITE).expect("random bytes");

    // The server has many labels, and knows the greatest version of each.
    let mut wanted = Vec::new();
    for i in 0.. {
        let label = format!("user {i}");
        let greatest = i * 37 % 1_000;
        wanted.extend(
            ladder(greatest)
                .into_iter()
                .map(|version| (label.clone(), version)),
        );
        if wanted.len() >= PROOFS {
            break;
        }
    }
    let alphas: Vec<_> = wanted.iter().map(|(l, v)| alpha(l, *v)).collect();
    let start = Instant::now();
    let proofs = server.prove_many(&alphas);
    println!("{} proofs made in {:.2?}", proofs.len(), start.elapsed());
    let mut steps: Vec<Step> = wanted
        .into_iter()
        .zip(proofs)
        .map(|((label, version), (proof, output))| Step {
            label,
            version,
            proof,
            place: place(&output),
        })
        .collect();

    // The client knows the server's key, and has asked for these labels.
    let start = Instant::now();
    assert_eq!(verify(server.public_key(), &steps), Ok(()));
    println!("all of them verified in {:.2?}", start.elapsed());

    // The client detects a place that belongs to another version, and reports which step is wrong.
    steps[500].place = steps[501].place;
    let (label, version) = (steps[500].label.clone(), steps[500].version);
    let wrong = verify(server.public_key(), &steps);
    assert_eq!(wrong, Err((label.clone(), version)));
    println!("another place for version {version} of {label}: refused");
}

/// Verifies all proofs of an answer in one call. The error contains the label and the version of the first
/// wrong step.
fn verify(server: &PublicKey, steps: &[Step]) -> Result<(), (String, u32)> {
    let alphas: Vec<_> = steps.iter().map(|s| alpha(&s.label, s.version)).collect();
    let claims: Vec<_> = steps
        .iter()
        .zip(&alphas)
        .map(|(step, alpha)| Claim::new(server.as_bytes(), alpha, step.proof.as_bytes()))
        .collect();
    // All claims have the same key, so keeping its multiples saves time.
    let report = Verifier::new(SUITE).keep_keys(1).verify_many(&claims);
    for (step, verdict) in steps.iter().zip(report.verdicts) {
        // A place is only the first 32 bytes of an output, so a claim cannot contain it. It is compared here.
        if verdict.map(|output| place(&output)) != Ok(step.place) {
            return Err((step.label.clone(), step.version));
        }
    }
    Ok(())
}

/// The input of the VRF: `opaque label<0..2^8-1>; uint32 version;`.
fn alpha(label: &str, version: u32) -> Vec<u8> {
    let length = u8::try_from(label.len()).expect("a label has at most 255 bytes");
    let mut alpha = vec![length];
    alpha.extend_from_slice(label.as_bytes());
    alpha.extend_from_slice(&version.to_be_bytes());
    alpha
}

fn place(output: &Output) -> Place {
    *output.as_bytes().first_chunk().expect("64 bytes")
}

/// Returns the versions whose presence or absence shows that `greatest` is the greatest version. First come
/// the numbers 2^n - 1, up to the first one above `greatest`. Then follow the steps of a binary search
/// between the last two of these numbers.
fn ladder(greatest: u32) -> Vec<u32> {
    let powers = (0..).map(|bits| (1_u64 << bits) - 1);
    let mut steps: Vec<u64> = Vec::new();
    for version in powers {
        steps.push(version);
        if version > greatest.into() {
            break;
        }
    }
    let mut above = steps[steps.len() - 1];
    let mut there = steps[steps.len() - 2];
    while there + 1 < above {
        let middle = there.midpoint(above);
        steps.push(middle);
        if middle <= greatest.into() {
            there = middle;
        } else {
            above = middle;
        }
    }
    // The client knows without a proof that no version is above 2^32 - 1.
    let steps = steps
        .into_iter()
        .filter_map(|version| version.try_into().ok());
    steps.collect()
}
