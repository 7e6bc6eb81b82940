//! Prints the nonce of every epoch of a node's database.

use klero_cardano::{Event, Immutable, Network, Start, Walk};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).ok_or("usage: nonces DIR")?;
    let dir = dir.as_ref();
    let db = Immutable::open(dir)?;
    let mut last = None;
    for event in Walk::new(&db, Network::detect(dir)?, Start::Genesis)? {
        if let Event::Block(block) = event
            && last.replace(block.epoch) != Some(block.epoch)
            && let Some(nonces) = block.nonces
        {
            println!("{} {}", block.epoch, nonces.eta0);
        }
    }
    Ok(())
}
