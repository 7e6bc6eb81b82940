//! Blocks and the files of chunks. All blocks of an honest chunk file are found, even with damaged indexes.

use arbitrary::{Result, Unstructured};
use klero_cardano::{Blocks, Event, Immutable, Location, Severity, Source, Start, Walk};

use super::changed::{changed, material};
use super::{HONEST, read};

/// The extensions of a chunk's files.
pub const ENDS: [&str; 3] = ["chunk", "secondary", "primary"];

/// The blocks that a walk found, and the places of its findings.
#[derive(Default)]
struct Walked {
    /// The offset and the length of each block.
    blocks: Vec<(u64, u64)>,
    places: Vec<Location>,
}

/// Reads some blocks from an iterator.
pub fn blocks(input: &mut Unstructured) -> Result<()> {
    let honest: Vec<_> = HONEST
        .blocks
        .iter()
        .map(|block| block.bytes.clone())
        .collect();
    let mut given = Vec::new();
    for _ in 0..input.int_in_range(1..=3)? {
        given.push(material(input, &honest)?);
    }
    let bytes: usize = given.iter().map(Vec::len).sum();
    let count = given.len() as u64;
    let source = Blocks::new(given.into_iter().map(Ok::<_, std::convert::Infallible>));
    let walked = walk(source, bytes as u64);
    assert!(walked.blocks.len() as u64 <= count);
    for place in walked.places {
        assert!(place.item.is_none_or(|item| item < count), "{place:?}");
    }
    Ok(())
}

/// Reads the files of a chunk. Its indexes may be missing.
pub fn files(input: &mut Unstructured) -> Result<()> {
    let (number, honest) = input.choose(&HONEST.chunks)?;
    let dir = HONEST.dir.path().join("chunk");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).unwrap();
    let mut chunk = Vec::new();
    for (end, honest) in ENDS.iter().zip(honest) {
        let bytes = changed(input, std::slice::from_ref(honest))?;
        if *end == "chunk" {
            chunk.clone_from(&bytes);
        } else if input.arbitrary()? {
            continue;
        }
        std::fs::write(dir.join(format!("{number:05}.{end}")), bytes).unwrap();
    }
    let database = read(Immutable::open(&dir)).unwrap();
    let walked = walk(&database, chunk.len() as u64);
    for place in walked.places {
        assert!(place.chunk <= *number, "{place:?}");
        assert!(
            place.offset.is_none_or(|at| at <= chunk.len() as u64),
            "{place:?}"
        );
    }
    if chunk == honest[0] {
        let first = HONEST.blocks.iter().filter(|block| block.chunk == *number);
        let first = first.map(|block| (block.offset, block.bytes.len() as u64));
        assert_eq!(walked.blocks, Vec::from_iter(first));
    }
    Ok(())
}

/// Walks along a source of `bytes` bytes. The blocks that it returns must be in order and must not overlap.
fn walk<'a>(source: impl Into<Source<'a>>, bytes: u64) -> Walked {
    let mut walked = Walked::default();
    let Some(events) = read(Walk::new(source, HONEST.network.clone(), Start::Anywhere)) else {
        return walked;
    };
    let mut end = 0;
    for event in events {
        match event {
            Event::Finding(finding) => {
                assert!(finding.fault.severity() >= Severity::Fault);
                read::<(), _>(Err(&finding));
                walked.places.push(finding.at);
            }
            Event::Block(block) => {
                assert!(block.offset >= end && block.offset + block.size <= bytes);
                end = block.offset + block.size;
                walked.blocks.push((block.offset, block.size));
            }
        }
    }
    walked
}
