//! Prints the nonce of every epoch of a node's database.

use klero_cardano::{Event, Immutable, Network, Start, Walk};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os()
        .nth(1)
        .ok_or("usage: nonces DIR [NETWORK]")?;
    let dir = dir.as_ref();
    let db = Immutable::open(dir)?;
    let mut last = None;
    let network = match std::env::args().nth(2) {
        Some(name) => Network::by_name(&name).ok_or("NETWORK is mainnet, preprod or preview")?,
        None => Network::detect(dir)?,
    };
    for event in Walk::new(&db, network, Start::Genesis)? {
        if let Event::Block(block) = event
            && last.replace(block.epoch) != Some(block.epoch)
            && let Some(nonces) = block.nonces
        {
            println!("{} {}", block.epoch, nonces.eta0);
        }
    }
    Ok(())
}
