//! Checks the headers in a file. The nonces of their epochs are given as arguments. Each line of the file is
//! the tag of an era, a space, and a header in hex.
//!
//! ```text
//! headers mainnet FILE 507=1556b02e… 508=c7937fc4…
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};

use klero_audit::{HeaderCheck, RawHeader};
use klero_cardano::{Counters, Network, Nonce};

/// The number of headers in a batch.
const BATCH: usize = 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: headers NETWORK FILE EPOCH=NONCE…";
    let mut args = std::env::args().skip(1);
    let name = args.next().ok_or(usage)?;
    let network = Network::by_name(&name).ok_or("no such network")?;
    let mut lines = BufReader::new(std::fs::File::open(args.next().ok_or(usage)?)?).lines();
    let mut nonces = BTreeMap::<u64, Nonce>::new();
    for arg in args {
        let (epoch, nonce) = arg.split_once('=').ok_or(usage)?;
        nonces.insert(epoch.parse()?, nonce.parse()?);
    }

    let check = HeaderCheck::new(network)?;
    // The file may begin anywhere in a chain, so no counters are known. A node would load its saved ones.
    let mut counters = Counters::since_any_block();
    let (mut valid, mut invalid) = (0, 0);
    loop {
        let batch = lines.by_ref().take(BATCH).map(|line| parse(&line?));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        if batch.is_empty() {
            break;
        }
        let headers: Vec<_> = batch
            .iter()
            .map(|(tag, bytes)| RawHeader { tag: *tag, bytes })
            .collect();
        for verdict in check.verify(&headers, &nonces, &mut counters) {
            if verdict.is_valid() {
                valid += 1;
                continue;
            }
            invalid += 1;
            match verdict.header {
                Some(header) => print!("slot {}, block {}:", header.place.slot, header.place.hash),
                None => print!("header {}:", valid + invalid),
            }
            for fault in verdict.faults {
                print!(" {fault};");
            }
            println!();
        }
    }
    println!("{valid} valid, {invalid} invalid");
    Ok(())
}

fn parse(line: &str) -> Result<(u8, Vec<u8>), Box<dyn Error>> {
    let (tag, header) = line.split_once(' ').ok_or("a line is a tag and a header")?;
    Ok((tag.parse()?, hex::decode(header)?))
}
