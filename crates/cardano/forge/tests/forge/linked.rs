//! Tests of walks along broken chains: lost blocks, links between the remaining blocks, and nonces of claims.

use klero_cardano::{Block, Era, Nonce, Resume, Start};
use klero_damage::Stored;

use crate::checks::{Chain, make, small};
use crate::walk::{Walked, walk};

/// A chain with two chunks in each epoch, and the result of a walk along it.
struct Target {
    chain: Chain,
    whole: Walked,
}

impl Target {
    fn new() -> Self {
        let chain = make(small(&[(Era::Alonzo, 3)]));
        let whole = walk(&chain.dir, &chain.forged.network, Start::Genesis);
        Self { chain, whole }
    }

    fn stored(&self, chunk: u64) -> Vec<Stored> {
        self.chain.database.blocks(chunk).unwrap()
    }

    /// The index of the first block of a chunk among the blocks of `whole`.
    fn first(&self, chunk: u64) -> usize {
        let mut blocks = self.whole.blocks.iter();
        blocks.position(|block| block.chunk == chunk).unwrap()
    }

    /// Removes a byte from the VRF key of a block, so that the header of the block cannot be used.
    fn spoil(&self, block: &mut Stored) {
        let mut blocks = self.whole.blocks.iter();
        let of = |other: &&Block| (other.chunk, other.offset) == (block.chunk, block.offset);
        let key = blocks.find(of).unwrap().lottery.as_ref().unwrap().vrf_key;
        let found = block.bytes.windows(32).position(|window| window == key);
        let at = found.unwrap();
        block.bytes[at - 1] -= 1;
        block.bytes.remove(at);
    }

    /// Returns the result of a walk during which a chunk contains these blocks.
    fn walk_with(&self, chunk: u64, blocks: &[Stored], start: Start) -> Walked {
        let before = self.stored(chunk);
        self.chain.database.store(chunk, blocks).unwrap();
        let walked = walk(&self.chain.dir, &self.chain.forged.network, start);
        self.chain.database.store(chunk, &before).unwrap();
        walked
    }
}

fn unlinked(walked: &Walked) -> Vec<u64> {
    let blocks = walked.blocks.iter().filter(|block| !block.linked);
    blocks.map(|block| block.place.number).collect()
}

fn names(walked: &Walked) -> Vec<&str> {
    let faults = walked.faults.iter();
    faults.map(|finding| finding.fault.name()).collect()
}

/// First, a copy of epoch 1's first block is put into chunk 0, where it does not belong. Spoilt or not, the
/// copy changes no nonce. Then the original is spoilt, and is missing from the nonces of the block after it.
#[test]
fn a_block_that_cannot_be_used_is_lost() {
    let target = Target::new();
    let [first, mut second] = [0, 2].map(|chunk| target.stored(chunk));
    for (fault, spoilt) in [("outside-chunk", false), ("bad-header", true)] {
        let mut stray = second[0].clone();
        if spoilt {
            target.spoil(&mut stray);
        }
        let mut blocks = first.clone();
        blocks.insert(2, stray);
        let walked = target.walk_with(0, &blocks, Start::Genesis);
        assert_eq!((names(&walked), unlinked(&walked)), (vec![fault], vec![]));
        assert_eq!(walked.blocks.len(), target.whole.blocks.len());
        for (found, expected) in walked.blocks.iter().zip(&target.whole.blocks) {
            assert_eq!(found.place, expected.place);
            assert_eq!(found.nonces, expected.nonces);
        }
    }

    target.spoil(&mut second[0]);
    let walked = target.walk_with(2, &second, Start::Genesis);
    let lost = target.first(2);
    let next = lost as u64 + 1;
    assert_eq!(names(&walked), ["bad-header"]);
    assert_eq!(unlinked(&walked), [next]);
    let [before, after] = [lost - 1, lost].map(|n| &walked.blocks[n]);
    assert_eq!(before.nonces, target.whole.blocks[lost - 1].nonces);
    let expected = &target.whole.blocks[lost + 1];
    assert_eq!(after.place, expected.place);
    assert_eq!(after.claims, expected.claims);
    assert_ne!(after.nonces, expected.nonces);
}

/// A walk may begin with block number 0, with any block (`Start::Anywhere`), or with the block that continues
/// a resume point. This block is linked, unless it follows a lost block.
#[test]
fn the_first_block_of_a_walk() {
    let target = Target::new();
    let point = |at: usize| {
        let point = Resume::after(&target.whole.blocks[at]);
        Start::After(Box::new(point.unwrap()))
    };
    let mut blocks = target.stored(0);
    for (start, first) in [
        (Start::Genesis, 0),
        (Start::Anywhere, 0),
        (point(0), 1),
        (point(1), 2),
    ] {
        let walked = target.walk_with(0, &blocks, start);
        assert_eq!(walked.blocks[0].place.number, first);
        assert_eq!((names(&walked), unlinked(&walked)), (vec![], vec![]));
    }
    target.spoil(&mut blocks[1]);
    let walked = target.walk_with(0, &blocks, point(0));
    assert_eq!(
        (names(&walked), unlinked(&walked)),
        (vec!["bad-header"], vec![2])
    );
    target.spoil(&mut blocks[0]);
    for start in [Start::Genesis, Start::Anywhere] {
        let walked = target.walk_with(0, &blocks, start);
        assert_eq!(
            (names(&walked), unlinked(&walked)),
            (vec!["bad-header"; 2], vec![2])
        );
    }
    for extension in ["chunk", "primary", "secondary"] {
        target.chain.database.remove(0, extension).unwrap();
    }
    let walked = walk(
        &target.chain.dir,
        &target.chain.forged.network,
        Start::Anywhere,
    );
    assert_eq!((names(&walked), unlinked(&walked)), (vec![], vec![]));
}

/// A nonce computed from the chain is preferred to a nonce that a caller sets.
#[test]
fn the_nonce_of_claims() {
    let target = Target::new();
    let mut network = target.chain.forged.network.clone();
    let named = Nonce::Value([7; 32].into());
    network.set_known_nonce(1, named);
    let walked = walk(&target.chain.dir, &network, Start::Genesis);
    for (found, expected) in walked.blocks.iter().zip(&target.whole.blocks) {
        let computed = expected.nonces.as_ref().unwrap().eta0;
        assert_eq!(found.nonce, Some(computed));
        assert_eq!(found.claims, expected.claims);
    }

    // Inserts two blocks of epoch 0 into epoch 2, where they are in a wrong chunk. The walk still returns the
    // first, because the second links to it. The second is lost, because no block links to it.
    let mut blocks = target.stored(4);
    blocks.splice(1..1, target.stored(0)[..2].iter().cloned());
    let walked = target.walk_with(4, &blocks, Start::Genesis);
    let begun = target.first(4);
    let [before, earlier, after] = [0, 1, 2].map(|n| &walked.blocks[begun + n]);
    assert_eq!((earlier.place.number, earlier.epoch), (0, 0));
    assert_eq!((earlier.nonce, &earlier.claims[..]), (None, &[][..]));
    assert_eq!(earlier.nonces.as_ref().unwrap().epoch, 2);
    assert_eq!(unlinked(&walked), [0, after.place.number]);
    assert_eq!(after.nonce, before.nonce);
}
