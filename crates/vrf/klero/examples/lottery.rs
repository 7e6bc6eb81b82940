//! A lottery that nobody can rig. The number of a ticket is the VRF output for the name of the draw under the
//! owner's key, and the lowest number wins.
//!
//! Owners publish their keys before the name of the draw is known. Nobody can choose a number, because each
//! key has exactly one number for each draw. Nobody can lie about a number, because the proof is checked. All
//! proofs are verified together, and each gets its own verdict.
//!
//! ```text
//! cargo run --release -p klero --example lottery
//! ```

use klero::{Claim, Output, Proof, PublicKey, SecretKey, Suite};

/// Batch-compatible proofs are longer (128 bytes), but verifying many of them together takes less time.
const SUITE: Suite = Suite::RFC9381_ELL2_BC;

/// An owner's entry, sent in after the draw is named.
struct Ticket {
    key: PublicKey,
    proof: Proof,
    output: Output,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Before the draw, owners make their keys and register their public keys.
    let owners = (0..1000)
        .map(|_| SecretKey::generate(SUITE))
        .collect::<Result<Vec<_>, _>>()?;

    // The draw is named, and the tickets come in.
    let draw = b"draw of 7 June, block hash 5f1d...";
    let mut tickets: Vec<Ticket> = owners
        .iter()
        .map(|owner| {
            let (proof, output) = owner.prove(draw);
            let key = *owner.public_key();
            Ticket { key, proof, output }
        })
        .collect();
    // One owner claims a number that is lower than the real one.
    tickets[17].output = Output([0; 64]);

    let claims: Vec<_> = tickets
        .iter()
        .map(|ticket| Claim::new(&ticket.key, draw, &ticket.proof).with_output(&ticket.output))
        .collect();
    let verdicts = SUITE.verify_many(&claims);
    for (number, verdict) in verdicts.iter().enumerate() {
        if let Err(reason) = verdict {
            println!("ticket {number} is out: {reason}");
        }
    }
    let numbers = verdicts.iter().enumerate();
    let valid = numbers.filter_map(|(number, verdict)| Some((verdict.ok()?.0, number)));
    let (_, winner) = valid.min().ok_or("no valid ticket")?;
    println!("ticket {winner} wins");
    assert_ne!(winner, 17);
    Ok(())
}
