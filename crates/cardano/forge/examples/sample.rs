//! Forges the sample chain into a directory.

use klero_forge::{Recipe, forge};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).ok_or("usage: sample DIR")?;
    let forged = forge(&Recipe::sample(), dir.as_ref(), |_done, _total| {})?;
    for epoch in forged.epochs {
        println!("{} {}: {} blocks", epoch.epoch, epoch.era, epoch.blocks);
    }
    Ok(())
}
