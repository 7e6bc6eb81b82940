//! Changed blocks: each kind of damage has its own finding, and what depends on it is reported
//! once. Proofs that do not depend on it are valid.

use std::fs;

use klero_cardano::{Block, ClaimKind, Claims, Era, Protocol};
use klero_forge::Entry;

use crate::db::*;
use crate::run::{
    by_epoch, findings, first_in_doubt, found, in_doubt, recovers, report, timeless, total, verify,
};

/// Blocks to change: in each protocol one whose output moves the candidate nonce, and one after
/// the candidate is frozen. None is in the last two epochs.
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
                    // No other block has its slot with the last bit flipped.
                    && chain.blocks.iter().all(|other| other.place.slot != block.place.slot ^ 1)
            }));
        }
    }
    victims
}

/// The findings on a changed block: its CRC-32 and the link to it, unless they were repaired,
/// and between them what is wrong with the block itself. Its signature is of another header.
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
            "warning: {:05}.secondary is damaged: wrong hash for the block at byte {}",
            block.chunk, block.offset
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
    match &block.claims {
        Claims::Made(claims) => claims.iter().map(|claim| claim.kind).collect(),
        _ => vec![],
    }
}

/// For chains whose headers were changed and not signed again.
const UNSIGNED: &str = "--only vrf,bodies";

const REPAIRS: [Repair; 3] = [Repair::Nothing, Repair::Crc, Repair::CrcAndHash];

fn each_change(chain: &Chain, victims: &[&Block], repairs: &[Repair]) {
    for &block in victims {
        let slot = block.place.slot;
        for &repair in repairs {
            let broken = |change: &mut dyn FnMut(&Db)| {
                let db = chain.copy(chain.chunks());
                change(&db);
                let report = report(db.dir.path(), &chain.options, 1);
                assert_eq!(total(&report, "blocks"), chain.blocks.len() as u64);
                report
            };
            for (n, kind) in kinds(block).into_iter().enumerate() {
                // A proof.
                let ran = broken(&mut |db| db.change_block(block, repair, flip_proof(block, n)));
                let itself = [format!("{kind} at {slot}: challenge mismatch")];
                assert_eq!(findings(&ran), changed(chain, block, slot, repair, &itself));
                recovers(&ran, 1);

                // An output.
                let ran = broken(&mut |db| db.change_block(block, repair, flip_output(block, n)));
                let why = "output mismatch: the proof is for another output";
                let mut itself = vec![format!("{kind} at {slot}: {why}")];
                if ran["totals"]["leader_values"]["at_or_above_f"] == 1 {
                    itself.insert(0, format!("leader value at {slot}"));
                }
                assert_eq!(findings(&ran), changed(chain, block, slot, repair, &itself));
                match kind.feeds_nonce() {
                    true => in_doubt(chain, &ran, first_in_doubt(block), slot, 1),
                    false => recovers(&ran, 1),
                }
            }

            // The slot: every proof now has another message.
            let ran = broken(&mut |db| db.change_block(block, repair, flip_slot(block)));
            let other = slot ^ 1;
            let itself: Vec<String> = kinds(block)
                .iter()
                .map(|kind| format!("{kind} at {other}: challenge mismatch"))
                .collect();
            let mut expected = changed(chain, block, other, repair, &itself);
            if repair == Repair::Crc {
                // An entry gets one complaint, about its hash.
                assert!(expected[0].contains("wrong hash"));
            }
            if repair == Repair::CrcAndHash {
                expected.insert(
                    0,
                    format!(
                        "warning: {:05}.secondary is damaged: wrong slot for the block at byte {}",
                        block.chunk, block.offset
                    ),
                );
            }
            // The primary index has the old slot, but is not compared after a fault.
            let primary = format!("warning: {:05}.primary is damaged: ", block.chunk);
            let mut found = findings(&ran);
            found.retain(|line| !line.starts_with(&primary));
            assert_eq!(found, expected);
            recovers(&ran, itself.len() as u64);

            // The KES signature: no proof depends on it, but the hash does.
            let ran = broken(&mut |db| db.change_block(block, repair, flip_kes(block)));
            assert_eq!(findings(&ran), changed(chain, block, slot, repair, &[]));
            recovers(&ran, 0);
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
    let Some(chain) = Chain::preview() else {
        return;
    };
    // Each change takes a run over the whole chain: one block of each protocol.
    let victims = victims(&chain);
    each_change(&chain, &[victims[0], victims[3]], &[Repair::CrcAndHash]);
}

#[test]
fn a_changed_body_changes_no_nonce() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage);
    let db = chain.copy(chain.chunks());
    db.change_block(block, Repair::Nothing, flip_body(block));
    let ran = report(db.dir.path(), &chain.options, 1);
    assert_eq!(findings(&ran), [format!("crc at {}", block.place.slot)]);
    assert_eq!(ran["findings"][0]["block"], block.place.hash.to_string());
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
}

/// A body that the index vouches for, but not the header.
#[test]
fn a_changed_body_with_its_crc() {
    let chain = Chain::small();
    for era in [Era::Shelley, Era::Alonzo, Era::Babbage] {
        let block = chain.find(|block| block.place.era == era);
        let slot = block.place.slot;
        let broken = |repair: Repair, change: &dyn Fn(&mut [u8])| {
            let db = chain.copy(chain.chunks());
            db.change_block(block, repair, change);
            report(db.dir.path(), &chain.options, 1)
        };
        let ran = broken(Repair::Crc, &|bytes| flip_body(block)(bytes));
        assert_eq!(findings(&ran), [format!("body-hash at {slot}")]);
        assert_eq!(ran["findings"][0]["block"], block.place.hash.to_string());
        assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));

        // The header names the hash of the new body: only its signature is wrong, and the next
        // block names another.
        let ran = broken(Repair::CrcAndHash, &|bytes| {
            let before = body_hash(bytes);
            flip_body(block)(bytes);
            let after = body_hash(bytes);
            replace(bytes, &before, &after);
        });
        let next = chain.after(block).place.slot;
        let expected = [
            format!("invalid-kes at {slot}"),
            format!("hash-link at {next}"),
        ];
        assert_eq!(findings(&ran), expected);
        let ran = broken(Repair::CrcAndHash, &|bytes| {
            let before = body_hash(bytes);
            replace(bytes, &before, &[7; 32]);
        });
        let expected = [
            format!("body-hash at {slot}"),
            format!("invalid-kes at {slot}"),
            format!("hash-link at {next}"),
        ];
        assert_eq!(findings(&ran), expected);

        // Without an index nothing else would tell.
        let db = chain.copy(chain.chunks());
        db.change_block(block, Repair::Nothing, flip_body(block));
        db.remove(block.chunk, "secondary");
        let found = findings(&report(db.dir.path(), &chain.options, 1));
        assert!(found.contains(&format!("body-hash at {slot}")), "{found:?}");
    }
}

/// A header that names a wrong size, in a chain where all else is right.
#[test]
fn a_wrong_body_size() {
    let chain = Chain::small();
    // A changed block has another hash, which is in the nonces of later epochs: in the last epoch
    // nothing follows from that.
    let last = chain.blocks.last().unwrap().epoch;
    let block = chain.find(|block| block.epoch == last);
    let db = chain.rewritten(block, |bytes| {
        // The size, one byte, precedes the hash and its two bytes of CBOR.
        let hash = body_hash(bytes);
        let at = bytes.windows(32).position(|window| window == hash).unwrap();
        bytes[at - 3] += 1;
    });
    let options = format!("{} {UNSIGNED}", chain.options);
    let ran = report(&db.immutable(), &options, 1);
    let slot = block.place.slot;
    assert_eq!(findings(&ran), [format!("body-size at {slot}")]);
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
    let text = verify(&db.immutable(), &options).ends(1).stdout;
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

/// What an invalid proof casts doubt on, if nothing else is wrong and only its verdict shows it.
#[test]
fn an_invalid_proof_alone() {
    // In the epoch before the last: links are recomputed, and this changes the nonce of the epoch
    // after the next.
    let chain = Chain::forged(&small(&[(Era::Shelley, 3)]));
    let options = format!("{} {UNSIGNED}", chain.options);
    for in_window in [true, false] {
        let block = chain.find(|block| block.epoch == 1 && block.in_window == in_window);
        let slot = block.place.slot;
        for (claim, kind) in [(0, "eta"), (1, "leader")] {
            let db = chain.rewritten(block, |bytes| flip_proof(block, claim)(bytes));
            let ran = report(&db.immutable(), &options, 1);
            let line = format!("{kind} at {slot}: challenge mismatch");
            assert_eq!(findings(&ran), [line]);
            assert_eq!(ran["totals"]["faults"], serde_json::json!({}));
            recovers(&ran, 1);

            let threads = |n: u8| {
                let options = format!("{options} --threads {n}");
                timeless(report(&db.immutable(), &options, 1))
            };
            assert_eq!(threads(1), threads(2));
        }
    }
    // A wrong output makes all claims of the next epoch fail. They are verified before the
    // output is known to be wrong, and still count as unverifiable, not as invalid.
    let block = chain.find(|block| block.epoch == 1 && block.in_window);
    let db = chain.rewritten(block, |bytes| flip_output(block, 0)(bytes));
    let ran = report(&db.immutable(), &options, 1);
    in_doubt(&chain, &ran, 2, block.place.slot, 1);
    assert_eq!(findings(&ran).len(), 1, "{:?}", findings(&ran));
    assert_eq!(by_epoch(&ran, "unverifiable").len(), 1);
    let text = verify(&db.immutable(), &options).ends(1).stdout;
    let line = format!(
        "Unverifiable since slot {}, as what is wrong there may have changed the nonces: epoch 2.",
        block.place.slot
    );
    assert!(text.contains(&line), "{text}");
}

#[test]
fn a_leader_value_that_no_stake_allows() {
    // The same chain with a smaller f: some leader values are above it. Whatever else is wrong
    // with such a network is ignored here.
    let chain = Chain::forged(&small(&[(Era::Conway, 1)]));
    let genesis = fs::read_to_string(chain.dir.join("shelley-genesis.json")).unwrap();
    let place = crate::common::Place::new();
    place.write(
        "genesis.json",
        genesis.replace("\"activeSlotsCoeff\": 0.5", "\"activeSlotsCoeff\": 0.25"),
    );
    let options = format!(
        "--shelley-genesis {} --epoch-nonce 0={}",
        place.path("genesis.json").display(),
        chain.network.genesis_hash()
    );
    // From the beginning of the chain, the nonces would be those of another genesis file.
    let db = chain.without_beginning();
    let ran = report(db.dir.path(), &options, 1);
    assert_eq!(ran["leader_bound"], "1/4");
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
    let at_or_above = ran["totals"]["leader_values"]["at_or_above_f"]
        .as_u64()
        .unwrap();
    assert!(at_or_above > 0 && at_or_above < total(&ran, "blocks"));
    assert_eq!(found(&ran), at_or_above);
    let first = &ran["findings"][0];
    assert_eq!(first["finding"], "leader-value");
    let block = chain
        .blocks
        .iter()
        .find(|block| first["slot"] == block.place.slot);
    assert_eq!(first["block"], block.unwrap().place.hash.to_string());
}
