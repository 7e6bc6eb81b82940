//! Audits a stream of blocks. Each block has the form in which a node stores it. The length of the block
//! precedes it as four big-endian bytes.
//!
//! ```text
//! blocks mainnet FILE
//! blocks DIR FILE
//! blocks mainnet - < FILE
//! ```
//!
//! For a network that is not built in, DIR must contain its Shelley genesis file, as a node's directory does.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use klero_audit::{Audit, Progress};
use klero_cardano::Network;

/// The maximum size of a block in bytes. A longer block is an error.
const LONGEST: u32 = 16 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: blocks NETWORK|DIR FILE|-";
    let mut args = std::env::args().skip(1);
    let (name, file) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let network = match Network::by_name(&name) {
        Some(network) => network,
        None => Network::detect(name.as_ref())?,
    };
    let input: Box<dyn Read + Send> = match file.as_str() {
        "-" => Box::new(io::stdin()),
        path => Box::new(File::open(path)?),
    };
    let mut input = BufReader::new(input);
    let blocks = std::iter::from_fn(move || next(&mut input).transpose());
    let report = Audit::of_blocks(network, blocks).run(|progress| {
        if let Progress::Findings(findings) = progress {
            for finding in findings {
                println!("{finding}");
            }
        }
        ControlFlow::Continue(())
    })?;
    let (valid, proofs) = (report.totals.valid, report.totals.proofs);
    println!(
        "{:?}: {valid} of {proofs} proofs in {} blocks are valid",
        report.outcome(),
        report.totals.blocks
    );
    Ok(())
}

/// Reads the next block; `None` at the end of the stream. A stream that ends within a block is an error.
fn next(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = Vec::new();
    input.take(4).read_to_end(&mut length)?;
    if length.is_empty() {
        return Ok(None);
    }
    let invalid = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    let length = <[u8; 4]>::try_from(length).map_err(|_| invalid("the stream ends in a length"))?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(invalid("a block of more than 16 MiB"));
    }
    let mut block = Vec::new();
    input.take(length.into()).read_to_end(&mut block)?;
    if block.len() < length as usize {
        return Err(invalid("the stream ends in a block"));
    }
    Ok(Some(block))
}
