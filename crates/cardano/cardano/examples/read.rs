//! Measures how fast a node's database can be read, in three ways: all bytes without decoding, the headers
//! with their links and nonces, and the headers together with the bodies. No proof or signature is verified.
//! Each time is the best of seven rounds. Set `RAYON_NUM_THREADS=1` to use one thread. If no network is
//! given, it is detected from the files in or beside the directory.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use klero_cardano::{Event, Immutable, Network, Severity, Start, UnreadChunk, Walk, Wanted};
use klero_support::{Queue, ordered};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Ok(name) = std::env::var("KLERO_BACKEND") {
        name.parse::<klero::Backend>()?.make_default();
    }
    let dir = std::env::args_os()
        .nth(1)
        .ok_or("usage: read DIR [NETWORK]")?;
    let dir: &Path = dir.as_ref();
    let db = Immutable::open(dir)?;
    let network = match std::env::args().nth(2) {
        Some(name) => Network::by_name(&name).ok_or("NETWORK is mainnet, preprod or preview")?,
        None => Network::detect(dir)?,
    };
    let mut best = [Duration::MAX; 3];
    let mut blocks = 0;
    for _ in 0..7 {
        let start = Instant::now();
        plainly(&db)?;
        let bytes_alone = start.elapsed();
        let start = Instant::now();
        walk(&db, network.clone(), false)?;
        let headers = start.elapsed();
        let start = Instant::now();
        blocks = walk(&db, network.clone(), true)?;
        let bodies = start.elapsed();
        for (best, time) in best.iter_mut().zip([bytes_alone, headers, bodies]) {
            *best = time.min(*best);
        }
    }
    let bytes = db.bytes() as f64;
    println!("{blocks} blocks, {:.0} bytes each", bytes / blocks as f64);
    for (what, time) in ["plainly", "headers", "bodies"].iter().zip(best) {
        let (seconds, plain) = (time.as_secs_f64(), best[0].as_secs_f64());
        println!(
            "{what}: {seconds:.3} s, {:.0} blocks/s, {:.2} GB/s, {:.3} of plainly",
            blocks as f64 / seconds,
            bytes / seconds / 1e9,
            plain / seconds
        );
    }
    Ok(())
}

/// Reads all chunk files.
fn plainly(db: &Immutable) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for number in db.chunks() {
        bytes.clear();
        File::open(db.dir().join(format!("{number:05}.chunk")))?.read_to_end(&mut bytes)?;
        std::hint::black_box(&bytes);
    }
    Ok(())
}

/// Walks along the whole chain, with or without bodies, and returns the number of blocks. Fails at the first
/// fault.
fn walk(db: &Immutable, network: Network, bodies: bool) -> Result<u64, Box<dyn std::error::Error>> {
    let wanted = Wanted {
        bodies,
        ..Wanted::ALL
    };
    let mut blocks = 0;
    let walk = Walk::reading(db, network, Start::Genesis, wanted, |chunks| {
        let queue = Queue::new(UnreadChunk::read).within(256 << 20, UnreadChunk::memory);
        ordered(chunks, queue)
    })?;
    for event in walk {
        match event {
            Event::Block(_) => blocks += 1,
            Event::Finding(finding) if finding.fault.severity() == Severity::Fault => {
                return Err(finding.to_string().into());
            }
            Event::Finding(finding) => eprintln!("{finding}"),
        }
    }
    Ok(blocks)
}
