//! Verifies the VRF of a Cardano block header from its bytes.
//!
//! A pool may make a block in a slot if its VRF output for that slot is low enough. The header contains the
//! pool's VRF key, the output and the proof. The VRF's input is a hash of the slot and the epoch's nonce.
//! This header is at slot 507933 of the preview network. (`klero-cardano` reads whole chains and computes the
//! nonces.)
//!
//! ```text
//! cargo run --release -p klero --example block_header
//! ```

use blake2::Blake2b;
use blake2::digest::Digest;
use blake2::digest::consts::U32;
use klero::{Claim, Invalid, Suite, Verifier};

/// The slot of the header. The next three constants are the VRF key, output and proof in the header.
const SLOT: u64 = 507_933;
const VRF_KEY: &str = "94e51f65300ab2a75a4c53beab7306583630662a03c654d0da2cdf51a318a1b0";
const OUTPUT: &str = "2dd1ff6f9242952d98cece21964a973dbadb92e8d80cd3c11a5d13901cbd7b4e\
                      8dd92d8f9cddca4d4d35f8e756c30723eca8033e61b038ab14dfaed05e1986ae";
const PROOF: &str = "ea068ac51a3e0dba2d335fa941a188ca956d1c97bc886ef935f61837da5c9288\
                     2c15174f705cb3699ec961408df9ee5d9a37a22be3687c421754322a5bea8dae\
                     e904468978fcd39e4ee99c8308456f0c";

/// The nonce of epoch 5, which each node knows.
const EPOCH_NONCE: &str = "e4844fc215c6c17e58561153088f74faba723cd96aeefd4099b479bbbb21e4cd";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (key, proof, output) = (
        hex::decode(VRF_KEY)?,
        hex::decode(PROOF)?,
        hex::decode(OUTPUT)?,
    );
    let alpha = Blake2b::<U32>::new()
        .chain_update(SLOT.to_be_bytes())
        .chain_update(hex::decode(EPOCH_NONCE)?)
        .finalize();
    let claim = Claim::new(&key, &alpha, &proof).with_output(&output);
    // `verify` checks lengths, encodings and the output, so the bytes may be untrusted.
    let verified = Verifier::new(Suite::PRAOS).verify(&claim)?;
    assert_eq!(verified.as_bytes()[..], output);
    println!("valid: the VRF key made this output for slot {SLOT}");

    // The pool leads the slot if this number is low enough.
    let leader = Blake2b::<U32>::new()
        .chain_update(b"L")
        .chain_update(verified.as_bytes())
        .finalize();
    println!("leader value: {}", hex::encode(leader));

    // The proof is valid for this slot only.
    let alpha = Blake2b::<U32>::new()
        .chain_update((SLOT + 1).to_be_bytes())
        .chain_update(hex::decode(EPOCH_NONCE)?)
        .finalize();
    let reason = Suite::PRAOS.verify(&key, &alpha, &proof).unwrap_err();
    assert_eq!(reason, Invalid::ChallengeMismatch);
    println!("for the next slot: {reason}");
    Ok(())
}
