//! Changed blocks. Each kind of damage has its own finding, and each effect of the damage is reported once.
//! Proofs that do not depend on the damage are valid.

use klero_audit::{Anchor, Audit, Check};
use klero_cardano::{Block, ClaimKind, Era, EraStarts, Fault, Location, Network, Nonce, Protocol};
use klero_damage::{Flip, Repair};
use klero_forge::{Entry, Recipe};

use crate::db::{Chain, Copy};
use crate::run::{Ran, fails, first_in_doubt};

/// Blocks to change, two of each protocol: one whose output enters the candidate nonce, and one after the
/// candidate is frozen. None of the blocks is in the last two epochs.
fn victims(chain: &Chain) -> Vec<&Block> {
    let end = chain.blocks.last().unwrap().epoch - 2;
    let mut victims = Vec::new();
    for protocol in [Protocol::TPraos, Protocol::Praos] {
        for in_window in [true, false] {
            victims.push(chain.find(|block| {
                block.place.era.protocol() == protocol
                    && block.in_window == in_window
                    && block.epoch <= end
                    && chain.after(block).epoch == block.epoch
                    // `Flip::Slot` flips the last bit of the slot. No other block may have the slot that
                    // results.
                    && chain.blocks.iter().all(|other| other.place.slot != block.place.slot ^ 1)
            }));
        }
    }
    victims
}

/// The findings expected on a changed block. Unless repaired, its CRC-32 or its hash in the index is wrong.
/// The block has the faults in `itself`, and its KES signature does not fit the changed header. The next
/// block's link is wrong too, but is reported only if the CRC-32 is right.
fn changed(
    chain: &Chain,
    block: &Block,
    slot: u64,
    repair: Repair,
    itself: &[String],
) -> Vec<String> {
    let mut expected = Vec::new();
    match repair {
        Repair::Nothing => expected.push(format!("crc at {slot}")),
        Repair::Crc => expected.push(format!(
            "warning: index: the secondary index is damaged: wrong hash for the block at byte {}",
            block.offset
        )),
        Repair::CrcAndHash => {}
    }
    expected.extend_from_slice(itself);
    expected.push(format!("invalid-kes at {slot}"));
    if repair != Repair::Nothing {
        expected.push(format!("hash-link at {}", chain.after(block).place.slot));
    }
    expected
}

fn kinds(block: &Block) -> Vec<ClaimKind> {
    block.claims.iter().map(|claim| claim.kind).collect()
}

/// An audit without checks of signatures, for chains whose changed headers were not signed again.
fn unsigned(chain: &Chain, copy: &Copy) -> Audit<'static> {
    chain.audit(copy).only([Check::Vrf, Check::Bodies])
}

const REPAIRS: [Repair; 3] = [Repair::Nothing, Repair::Crc, Repair::CrcAndHash];

/// A block to change, and the repair of its index after the change.
struct Change<'a> {
    chain: &'a Chain,
    block: &'a Block,
    repair: Repair,
}

impl Change<'_> {
    fn audit(&self, flip: Flip) -> Ran {
        let copy = self.chain.copy();
        copy.flip(self.block, flip, self.repair).unwrap();
        let ran = fails(self.chain.audit(&copy));
        assert_eq!(ran.totals().blocks, self.chain.blocks.len() as u64);
        ran
    }

    fn expected(&self, slot: u64, itself: &[String]) -> Vec<String> {
        changed(self.chain, self.block, slot, self.repair, itself)
    }

    fn of_a_proof(&self, n: usize, kind: ClaimKind) {
        let slot = self.block.place.slot;
        let ran = self.audit(Flip::Proof(n));
        let itself = [format!("{kind} at {slot}: challenge mismatch")];
        assert_eq!(ran.findings(), self.expected(slot, &itself));
        ran.recovers(1);
    }

    fn of_an_output(&self, n: usize, kind: ClaimKind) {
        let slot = self.block.place.slot;
        let ran = self.audit(Flip::Output(n));
        let why = "output mismatch: the proof is for another output";
        let mut itself = vec![format!("{kind} at {slot}: {why}")];
        if ran.totals().leader_values.at_or_above_f == 1 {
            itself.insert(0, format!("leader-value at {slot}"));
        }
        assert_eq!(ran.findings(), self.expected(slot, &itself));
        match kind.feeds_nonce() {
            true => ran.in_doubt(self.chain, first_in_doubt(self.block), slot, 1),
            false => ran.recovers(1),
        }
    }

    /// Changes the slot. It is part of the message of every proof, so all proofs of the block fail.
    fn of_the_slot(&self) {
        let ran = self.audit(Flip::Slot);
        let other = self.block.place.slot ^ 1;
        let itself: Vec<String> = kinds(self.block)
            .iter()
            .map(|kind| format!("{kind} at {other}: challenge mismatch"))
            .collect();
        let mut expected = self.expected(other, &itself);
        let offset = self.block.offset;
        match self.repair {
            Repair::Nothing => {}
            // The hash and the slot in the index are wrong, but only the hash is reported.
            Repair::Crc => assert!(expected[0].contains("wrong hash")),
            Repair::CrcAndHash => {
                let why = format!("wrong slot for the block at byte {offset}");
                let line = format!("warning: index: the secondary index is damaged: {why}");
                expected.insert(0, line);
            }
        }
        // The old slot in the primary index is reported only if the CRC-32 is right, so it is left out here.
        let primary = "warning: index: the primary index is damaged: ";
        let mut found = ran.findings();
        found.retain(|line| !line.starts_with(primary));
        assert_eq!(found, expected);
        ran.recovers(itself.len() as u64);
    }

    /// Changes the KES signature. Nothing but the hash of the block depends on the signature.
    fn of_the_signature(&self) {
        let ran = self.audit(Flip::Kes);
        let slot = self.block.place.slot;
        assert_eq!(ran.findings(), self.expected(slot, &[]));
        ran.recovers(0);
    }
}

fn each_change(chain: &Chain, victims: &[&Block], repairs: &[Repair]) {
    for &block in victims {
        for &repair in repairs {
            let change = Change {
                chain,
                block,
                repair,
            };
            for (n, kind) in kinds(block).into_iter().enumerate() {
                change.of_a_proof(n, kind);
                change.of_an_output(n, kind);
            }
            change.of_the_slot();
            change.of_the_signature();
        }
    }
}

#[test]
fn a_changed_block() {
    let chain = Chain::small();
    each_change(&chain, &victims(&chain), &REPAIRS);
}

#[test]
fn a_changed_block_of_preview() {
    let Some(chain) = Chain::unknown_network() else {
        return;
    };
    // Each change needs an audit of the whole chain, so only one block of each protocol is changed.
    let victims = victims(&chain);
    each_change(&chain, &[victims[0], victims[3]], &[Repair::CrcAndHash]);
}

#[test]
fn a_changed_body_changes_no_nonce() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage);
    let copy = chain.copy();
    copy.flip(block, Flip::Body, Repair::Nothing).unwrap();
    let ran = fails(chain.audit(&copy));
    assert_eq!(ran.findings(), [format!("crc at {}", block.place.slot)]);
    is_of(&ran, block);
    assert_eq!(ran.totals().valid, ran.totals().proofs);
}

/// Asserts that the first finding is about this block.
fn is_of(ran: &Ran, block: &Block) {
    assert_eq!(ran.found[0].at, Location::from(block));
}

/// A changed body, or a changed hash of the body in the header, with an index that fits the block.
#[test]
fn a_changed_body_with_its_crc() {
    let chain = Chain::small();
    for era in [Era::Shelley, Era::Alonzo, Era::Babbage] {
        let block = chain.find(|block| block.place.era == era);
        let slot = block.place.slot;
        let broken = |repair: Repair, change: &dyn Fn(&mut [u8])| {
            let copy = chain.copy();
            copy.change_block(block, repair, change).unwrap();
            fails(chain.audit(&copy))
        };
        let flip = |bytes: &mut [u8]| Flip::Body.apply(block, bytes).unwrap();
        let ran = broken(Repair::Crc, &flip);
        assert_eq!(ran.findings(), [format!("body-hash at {slot}")]);
        is_of(&ran, block);
        assert_eq!(ran.totals().valid, ran.totals().proofs);

        // The header has the hash of the new body. Only the header's signature is wrong, and the next block
        // links to the old header.
        let ran = broken(Repair::CrcAndHash, &|bytes| {
            let before = body_hash(bytes);
            flip(bytes);
            let after = body_hash(bytes);
            replace(bytes, &before, &after);
        });
        let next = chain.after(block).place.slot;
        let expected = [
            format!("invalid-kes at {slot}"),
            format!("hash-link at {next}"),
        ];
        assert_eq!(ran.findings(), expected);
        let ran = broken(Repair::CrcAndHash, &|bytes| {
            let before = body_hash(bytes);
            replace(bytes, &before, &[7; 32]);
        });
        let expected = [
            format!("body-hash at {slot}"),
            format!("invalid-kes at {slot}"),
            format!("hash-link at {next}"),
        ];
        assert_eq!(ran.findings(), expected);

        // Without an index, only the hash of the body shows the change.
        let copy = chain.copy();
        copy.flip(block, Flip::Body, Repair::Nothing).unwrap();
        copy.remove(block.chunk, "secondary").unwrap();
        let found = fails(chain.audit(&copy)).findings();
        assert!(found.contains(&format!("body-hash at {slot}")), "{found:?}");
    }
}

/// A header with a wrong size of the body. Nothing else is wrong, except signatures.
#[test]
fn a_wrong_body_size() {
    let chain = Chain::small();
    // The changed block has another hash, which would change the nonces of later epochs. So a block of the
    // last epoch is changed.
    let last = chain.blocks.last().unwrap().epoch;
    let block = chain.find(|block| block.epoch == last);
    let copy = chain.rewritten(block, |bytes| {
        // The size is one byte, followed by two bytes of CBOR and the hash.
        let hash = body_hash(bytes);
        let at = bytes.windows(32).position(|window| window == hash).unwrap();
        bytes[at - 3] += 1;
    });
    let ran = fails(unsigned(&chain, &copy));
    let slot = block.place.slot;
    assert_eq!(ran.findings(), [format!("body-size at {slot}")]);
    assert_eq!(ran.totals().valid, ran.totals().proofs);
    let text = ran.found[0].to_string();
    let says = "the body has 4 bytes, the header says 5";
    assert!(text.contains(says), "{text}");
}

/// The hash of a body whose parts have one byte each.
fn body_hash(block: &[u8]) -> [u8; 32] {
    let entry = Entry::of(block).unwrap();
    let end = usize::from(entry.header_offset + entry.header_size);
    let hash = |bytes: &[u8]| {
        let mut digest = [[0; 32]];
        klero_lanes::engine().blake2b(&[&[bytes]], &mut digest);
        digest[0]
    };
    let hashes: Vec<u8> = block[end..]
        .iter()
        .flat_map(|part| hash(&[*part]))
        .collect();
    hash(&hashes)
}

/// The effect of an invalid proof on other proofs if nothing else shows that the block was changed.
#[test]
fn an_invalid_proof_alone() {
    // The changed block is in epoch 1. `rewritten` also recomputes the links of later blocks. Links in epoch
    // 1 first affect the nonce of epoch 3, which the chain does not have.
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Shelley, 3)]));
    let flipped = |block: &Block, flip: Flip| {
        let copy = chain.rewritten(block, |bytes| flip.apply(block, bytes).unwrap());
        fails(unsigned(&chain, &copy))
    };
    for in_window in [true, false] {
        let block = chain.find(|block| block.epoch == 1 && block.in_window == in_window);
        let slot = block.place.slot;
        for (claim, kind) in [(0, "eta"), (1, "leader")] {
            let ran = flipped(block, Flip::Proof(claim));
            let line = format!("{kind} at {slot}: challenge mismatch");
            assert_eq!(ran.findings(), [line]);
            assert_eq!(ran.report.found, [("invalid-proof", 1)].into());
            ran.recovers(1);
        }
    }
    // A wrong output makes all proofs of the next epoch fail. They are verified before the output is known to
    // be wrong, but they still count as unverifiable, not as invalid.
    let block = chain.find(|block| block.epoch == 1 && block.in_window);
    let ran = flipped(block, Flip::Output(0));
    ran.in_doubt(&chain, 2, block.place.slot, 1);
    assert_eq!(ran.findings().len(), 1, "{:?}", ran.findings());
    assert_eq!(ran.by_epoch(|counts| counts.unverifiable).len(), 1);
}

#[test]
fn a_leader_value_that_no_stake_allows() {
    // The chain is read with a smaller f, so some leader values are not below f. An audit of one epoch with a
    // given nonce finds nothing else that does not fit this f.
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 1)]));
    let genesis = chain.genesis();
    let genesis = genesis.replace("\"activeSlotsCoeff\": 0.5", "\"activeSlotsCoeff\": 0.25");
    let starts = EraStarts::default();
    let network = Network::from_shelley_genesis("custom", genesis.as_bytes(), starts).unwrap();
    assert_eq!(network.active_slots().to_string(), "1/4");
    // If the chain were read from its beginning, its nonces would be computed from the changed genesis file.
    let copy = chain.without_beginning();
    let nonce = Nonce::Value(chain.network.genesis_hash());
    let audit = chain.audit(&copy).network(network);
    let ran = fails(audit.expect([Anchor::Nonce { epoch: 0, nonce }]));
    let totals = ran.totals();
    assert_eq!(totals.valid, totals.proofs);
    let at_or_above = totals.leader_values.at_or_above_f;
    assert!(at_or_above > 0 && at_or_above < totals.blocks);
    let found: u64 = ran.found.iter().map(|finding| finding.count).sum();
    assert_eq!(found, at_or_above);
    assert_eq!(ran.found[0].fault, Fault::LeaderValue {});
    let mut places = chain.blocks.iter().map(Location::from);
    assert!(places.any(|place| place == ran.found[0].at));
}

/// Replaces the first occurrence of `old`, which must be there.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes.windows(old.len()).position(|window| window == old);
    let at = at.unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
}
