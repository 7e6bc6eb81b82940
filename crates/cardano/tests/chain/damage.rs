//! Damaged blocks: what is reported, what is lost, what can still be verified.

use fastrand::Rng;
use klero_cardano::{Block, Fault, HeaderState, Immutable, Network, Start, Walk};
use klero_damage::Repair;

use crate::copy::{ALL, Copy, Walked, assert_same, find};
use crate::rounds;

/// The place in a block of the first proof, output or other bytes of it.
fn offset_of(copy: &Copy, block: &Block, part: impl Fn(&Block) -> Vec<u8>) -> (usize, usize) {
    let ranges = copy.blocks(block.chunk);
    let n = ranges
        .iter()
        .position(|range| range.start as u64 == block.offset)
        .unwrap();
    (
        n,
        find(
            &copy.read(block.chunk, "chunk")[ranges[n].clone()],
            &part(block),
        ),
    )
}

fn proof(block: &Block) -> Vec<u8> {
    block.claims[0].proof.to_vec()
}

fn output(block: &Block) -> Vec<u8> {
    block.claims[0].output.to_vec()
}

/// The slot as the header has it, CBOR and all, so that nothing else is found.
fn slot(block: &Block) -> Vec<u8> {
    match block.place.slot {
        slot @ ..0x1_0000 => [&[0x19][..], &(slot as u16).to_be_bytes()].concat(),
        slot => [&[0x1a][..], &(slot as u32).to_be_bytes()].concat(),
    }
}

/// A bit that is flipped in a part of a block, and what its index says of the block then.
struct Flipped<'a> {
    block: &'a Block,
    part: fn(&Block) -> Vec<u8>,
    /// Nothing is repaired, the CRC-32, or also the hash.
    repair: Repair,
}

impl Flipped<'_> {
    fn is_in_slot(&self) -> bool {
        (self.part)(self.block) == slot(self.block)
    }

    fn walk(&self, copy: &Copy) -> Walked {
        let chunk = self.block.chunk;
        let (n, byte) = offset_of(copy, self.block, self.part);
        let [bytes, secondary] = ["chunk", "secondary"].map(|file| copy.read(chunk, file));
        copy.flip(chunk, n, byte + (self.part)(self.block).len() - 2);
        if self.repair != Repair::Nothing {
            copy.repair(chunk, n, self.repair == Repair::CrcAndHash);
        }
        let walked = copy.walk();
        copy.write(chunk, "chunk", &bytes);
        copy.write(chunk, "secondary", &secondary);
        walked
    }

    /// There is one fault: the CRC-32 or, if that was repaired, the link of the next block.
    fn check_fault(&self, walked: &Walked, next: &Block) {
        // A slot that is now out of order shows beside the broken link.
        let links = walked.faults.iter();
        let links = links.filter(|f| !matches!(f.fault, Fault::SlotOrder { .. }));
        let count = if self.is_in_slot() {
            links.count()
        } else {
            walked.faults.len()
        };
        assert_eq!(count, 1, "{:?}", walked.faults());
        let fault = &walked.faults[0];
        assert_eq!(fault.at.chunk, self.block.chunk);
        let repaired = self.repair != Repair::Nothing;
        match &fault.fault {
            Fault::Crc { header, .. } => {
                assert!(!repaired);
                assert_eq!(fault.at.offset, Some(self.block.offset));
                assert_eq!(*header, HeaderState::Unproven);
            }
            Fault::HashLink { names, .. } => {
                assert!(repaired);
                assert_eq!(fault.at.slot, Some(next.place.slot));
                assert_eq!(*names, Some(self.block.place.hash));
            }
            // A slot far from its chunk: the block cannot be used at all.
            Fault::OutsideChunk { .. } | Fault::SlotOrder { .. } => {
                assert!(self.is_in_slot());
            }
            other => panic!("{other}"),
        }
    }

    /// If only half of the entry is repaired, the other half is wrong.
    fn check_warnings(&self, walked: &Walked) {
        let warned = match self.repair {
            Repair::Nothing => false,
            Repair::Crc => true,
            Repair::CrcAndHash => self.is_in_slot(),
        };
        let warnings = walked.warnings();
        assert_eq!(!warnings.is_empty(), warned, "{warnings:?}");
    }

    /// The next block alone is not linked. The claims of all others are as they were, as nonces are
    /// built in; an output changes those that the chain makes.
    fn check_others(&self, walked: &Walked, whole: &Walked, next: &Block) {
        assert_eq!(walked.unlinked(), [next.place.slot]);
        let place = |block: &Block| (block.chunk, block.offset);
        let others = |walked: &Walked| {
            let mut blocks = walked.blocks.clone();
            blocks.retain(|block| place(block) != place(self.block));
            let claims = blocks.into_iter().map(|block| (block.nonce, block.claims));
            claims.collect::<Vec<_>>()
        };
        assert!(others(walked) == others(whole));
        let last = |walked: &Walked| walked.blocks.last().unwrap().nonces.clone();
        let is_output = (self.part)(self.block) == output(self.block);
        if !self.is_in_slot() {
            assert_eq!(last(walked) != last(whole), is_output);
        }
    }
}

#[test]
fn a_flipped_bit() {
    let Some(copy) = Copy::of(0..120) else { return };
    let whole = copy.walk();
    assert_eq!((whole.blocks.len(), whole.faults()), (ALL, vec![]));
    // In the windows of epoch 0 and of epoch 3, the first of Praos.
    for at in [1_000, 13_100].into_iter().take(rounds(2)) {
        for part in [proof, output, slot] {
            for repair in [Repair::Nothing, Repair::Crc, Repair::CrcAndHash] {
                let block = &whole.blocks[at];
                let flipped = Flipped {
                    block,
                    part,
                    repair,
                };
                let walked = flipped.walk(&copy);
                let next = &whole.blocks[at + 1];
                flipped.check_fault(&walked, next);
                flipped.check_warnings(&walked);
                flipped.check_others(&walked, &whole, next);
            }
        }
    }
}

#[test]
fn every_flipped_byte_is_one_fault() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(1);
    let mut kinds = [0; 3];
    for round in 0..rounds(600) {
        let chunk = rng.u64(..2);
        let blocks = copy.blocks(chunk);
        let n = rng.usize(..blocks.len());
        let length = blocks[n].len();
        // A third of the flips are in the frame, where they do most damage, and a third in the
        // body, which is short in these blocks.
        let byte = match round % 3 {
            0 => rng.usize(..length),
            1 => rng.usize(..12),
            _ => length - 1 - rng.usize(..4),
        };
        let bit = 1 << rng.usize(..8);
        let at = blocks[n].start + byte;
        copy.edit(chunk, "chunk", |bytes| bytes[at] ^= bit);
        let walked = copy.walk();
        copy.edit(chunk, "chunk", |bytes| bytes[at] ^= bit);
        let what = format!(
            "chunk {chunk} block {n} byte {byte} bit {bit}: {:?}",
            walked.faults()
        );
        assert_eq!(
            (walked.faults.len(), walked.warnings()),
            (1, vec![]),
            "{what}"
        );
        assert!(walked.blocks.len() >= whole.blocks.len() - 1, "{what}");
        let mut chunks = whole.blocks.iter();
        let at = n + chunks.position(|block| block.chunk == chunk).unwrap();
        let mut unlinked = walked.unlinked();
        // The bit may be in its own link.
        unlinked.retain(|slot| *slot != whole.blocks[at].place.slot);
        let mut next = vec![whole.blocks[at + 1].place.slot];
        match &walked.faults[0].fault {
            Fault::Crc {
                header: HeaderState::Intact,
                ..
            } => {
                next.clear();
                kinds[0] += 1;
            }
            Fault::Crc { .. } => kinds[1] += 1,
            Fault::Truncated { .. } => {
                assert_eq!(n, blocks.len() - 1, "{what}");
                kinds[2] += 1;
            }
            _ => panic!("{what}"),
        }
        assert_eq!(unlinked, next, "{what}");
    }
    eprintln!("{kinds:?}");
    assert!(kinds[0] > 0 && kinds[1] > 0);
}

#[test]
fn garbage() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let blocks = copy.blocks(1);
    let bytes = copy.read(1, "chunk");
    let secondary = copy.read(1, "secondary");
    let mut rng = Rng::with_seed(4);
    let junk: Vec<u8> = (0..3_000).map(|_| rng.u8(..)).collect();

    // Over three blocks.
    copy.edit(1, "chunk", |bytes| {
        bytes[blocks[10].start..][..2_500].copy_from_slice(&junk[..2_500])
    });
    let walked = copy.walk();
    assert_eq!(walked.blocks.len(), whole.blocks.len() - 3);
    assert!(walked.faults.iter().all(|fault| matches!(
        fault.fault,
        Fault::Crc {
            header: HeaderState::Unreadable,
            ..
        }
    )));
    assert_eq!(walked.faults.len(), 3, "{:?}", walked.faults());
    let in_chunk = |n: usize| whole.blocks[copy.blocks(0).len() + n].place.slot;
    assert_eq!(walked.unlinked(), [in_chunk(13)]);
    // Without an index the rest of the chunk cannot be read; the next chunk can.
    copy.remove(1, "secondary");
    let walked = copy.walk();
    assert_eq!(walked.blocks.len(), whole.blocks.len() - 206);
    assert_eq!(walked.faults.len(), 1, "{:?}", walked.faults());
    assert_eq!(walked.faults[0].at.offset, Some(blocks[10].start as u64));
    assert_eq!(walked.unlinked(), [whole.first_from(2)]);

    // Between two blocks, and at the end: nothing is lost, so all are linked.
    for at in [blocks[10].start, bytes.len()] {
        let mut grown = bytes.clone();
        grown.splice(at..at, junk.iter().copied().map(|b| b | 0xe0));
        copy.write(1, "chunk", &grown);
        let mut moved = secondary.clone();
        for entry in moved.chunks_exact_mut(56) {
            let offset = u64::from_be_bytes(entry[..8].try_into().unwrap());
            if offset >= at as u64 {
                entry[..8].copy_from_slice(&(offset + junk.len() as u64).to_be_bytes());
            }
        }
        copy.write(1, "secondary", &moved);
        let walked = copy.walk();
        assert_same(&walked, &whole);
        let faults = walked.faults();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("no block begins here"), "{faults:?}");
    }
}

#[test]
fn swapped_blocks() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    // With an index that matches, the order itself is wrong.
    let blocks = copy.blocks(1);
    let [a, b] = [blocks[20].clone(), blocks[21].clone()];
    copy.edit(1, "chunk", |bytes| {
        let swapped = [&bytes[b.clone()], &bytes[a.clone()]].concat();
        bytes[a.start..b.end].copy_from_slice(&swapped);
    });
    copy.edit(1, "secondary", |bytes| {
        let (first, second) = bytes[20 * 56..22 * 56].split_at_mut(56);
        first.swap_with_slice(second);
        first[..8].copy_from_slice(&(a.start as u64).to_be_bytes());
        second[..8].copy_from_slice(&((a.start + b.len()) as u64).to_be_bytes());
    });
    let walked = copy.walk();
    let kinds: Vec<&Fault> = walked.faults.iter().map(|fault| &fault.fault).collect();
    use Fault::{HashLink, SlotOrder};
    assert!(
        matches!(
            kinds[..],
            [
                HashLink { .. },
                HashLink { .. },
                SlotOrder { .. },
                HashLink { .. }
            ]
        ),
        "{kinds:?}"
    );
    assert_eq!(walked.blocks.len(), whole.blocks.len());
    let swapped = |n: usize| whole.blocks[copy.blocks(0).len() + n].place.slot;
    assert_eq!(walked.unlinked(), [21, 20, 22].map(swapped));
}

#[test]
fn nothing_panics() {
    let Some(copy) = Copy::of(0..1) else { return };
    // A short chunk, so that many can be tried.
    let blocks = copy.blocks(0);
    let count = 6;
    copy.edit(0, "chunk", |bytes| bytes.truncate(blocks[count - 1].end));
    copy.edit(0, "secondary", |bytes| bytes.truncate(count * 56));
    let files: Vec<(&str, Vec<u8>)> = ["chunk", "primary", "secondary"]
        .map(|extension| (extension, copy.read(0, extension)))
        .into();
    let mut rng = Rng::with_seed(5);
    for _ in 0..rounds(3_000) {
        for (extension, bytes) in &files {
            let mut bytes = bytes.clone();
            for _ in 0..rng.usize(..4) {
                let at = rng.usize(..bytes.len().max(1));
                match rng.usize(..6) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, rng.u8(..)),
                    2 => {
                        // A copy of some bytes over others.
                        let part = bytes[..rng.usize(..300).min(bytes.len())].to_vec();
                        let end = (at + part.len()).min(bytes.len());
                        bytes.splice(at.min(end)..end, part);
                    }
                    _ => {
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte ^= 1 << rng.usize(..8);
                        }
                    }
                }
            }
            copy.write(0, extension, &bytes);
        }
        let db = Immutable::open(copy.path()).unwrap();
        for start in [Start::Genesis, Start::Anywhere] {
            if let Ok(walk) = Walk::new(&db, Network::preview(), start) {
                let walked = Walked::new(walk);
                assert!(walked.blocks.len() <= 4_321);
            }
        }
    }
}
