//! Published VRFs with their own formats, over ristretto255 or in another encoding, and Ed25519
//! as a point of reference. They cannot read the same bytes, so each verifies its own proofs:
//! from encoded keys, alphas and proofs to verdicts, like all others.

mod ark;
mod ed25519;
mod fastcrypto;
mod r255;
mod schnorrkel;

use klero::Backend;
use klero_measure::ours::{self, ALONE, Claims, TOGETHER};
use klero_measure::{Row, Run, Section};

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
    let secrets = (0..ALONE).map(|i| {
        let mut seed = seed(claims, i);
        // Below the group order, for crates that use the seed as the scalar.
        seed[31] &= 0x0f;
        secret(&seed)
    });
    let secrets: Vec<S> = secrets.collect();
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

/// What `prove` makes of the first `n` seeds and alphas.
fn proofs(claims: &Claims, n: usize, prove: impl Fn([u8; 32], &[u8]) -> Encoded) -> Vec<Encoded> {
    let alphas = claims.alphas[..n].iter().enumerate();
    alphas
        .map(|(i, alpha)| prove(seed(claims, i), alpha))
        .collect()
}

/// The seed of a key.
fn seed(claims: &Claims, i: usize) -> [u8; 32] {
    let mut seed = [0; 32];
    seed.copy_from_slice(&claims.secret_bytes[i][..32]);
    seed
}

/// The rows of the experiment "others" as bars and tables.
pub fn section(run: &Run) -> Section {
    Section::of_rows(
        "Other VRFs, each in its own suite",
        "Published crates whose proofs no other implementation reads: over ristretto255, or in \
         their own encoding. Each verifies its own proofs, from bytes. Ed25519 is not a VRF; it \
         shows the cost of a signature.",
        run.of("others"),
        &["schnorrkel"],
    )
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
    for add in [
        schnorrkel::alone,
        r255::alone,
        fastcrypto::alone,
        ark::alone,
        ed25519::alone,
    ] {
        add([&mut verified, &mut proven], claims);
    }
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
    for add in [schnorrkel::together, ark::together, ed25519::together] {
        add(&mut row, claims, n);
    }
    row
}
