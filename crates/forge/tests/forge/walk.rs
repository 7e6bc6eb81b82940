//! The walk along forged chains: it finds exactly what was forged, and what was broken.

use std::collections::BTreeMap;

use klero::{Suite, Verifier};
use klero_cardano::{
    Block, Claims, Doubt, Era, EraStarts, Event, Finding, FindingKind, Immutable, Leadership,
    Network, Nonce, SavedState, Severity, Start, StateError, StateFile, Walk, WalkError,
};
use klero_forge::{ForgedEpoch, ImmutableWriter, Position, Recipe};
use serde_json::Value;
use tempfile::TempDir;

use crate::checks::{Chain, make, small};
use crate::reader::Stored;

/// Everything that a walk returns.
#[derive(Default)]
struct Walked {
    blocks: Vec<Block>,
    faults: Vec<Finding>,
    warnings: usize,
}

fn walk(dir: &TempDir, network: &Network, start: Start) -> Walked {
    let db = Immutable::open(dir.path()).unwrap();
    let mut walked = Walked::default();
    for event in Walk::new(&db, network.clone(), start).unwrap() {
        match event {
            Event::Block(block) => walked.blocks.push(*block),
            Event::Finding(finding) => match finding.severity() {
                Severity::Fault => walked.faults.push(finding),
                Severity::Warning => walked.warnings += 1,
                Severity::Note => panic!("{finding}"),
            },
        }
    }
    walked
}

/// The numbers of valid and invalid claims of a block.
fn verify(block: &Block) -> (u64, u64) {
    let Claims::Made(claims) = &block.claims else {
        return (0, 0);
    };
    let valid = claims
        .iter()
        .filter(|claim| {
            Verifier::new(Suite::PRAOS)
                .verify(&claim.as_claim())
                .is_ok()
        })
        .count();
    (valid as u64, (claims.len() - valid) as u64)
}

/// Slots of the blocks with an invalid claim.
fn invalid_slots(walked: &Walked) -> Vec<u64> {
    let bad = walked.blocks.iter().filter(|block| verify(block).1 > 0);
    bad.map(|block| block.place.slot).collect()
}

/// The walk from genesis finds the blocks, nonces, overlay and proofs of every epoch as forged.
pub fn check_walk(chain: &Chain) {
    let walked = walk(&chain.dir, &chain.forged.network, Start::Genesis);
    assert_eq!((walked.faults, walked.warnings), (vec![], 0));
    let mut found: BTreeMap<u64, ForgedEpoch> = chain
        .forged
        .epochs
        .iter()
        .map(|epoch| {
            let mut blank = epoch.clone();
            (blank.blocks, blank.boundary_blocks, blank.overlay_blocks) = (0, 0, 0);
            (blank.proofs, blank.nonce) = (0, None);
            (epoch.epoch, blank)
        })
        .collect();
    for block in &walked.blocks {
        let epoch = found.get_mut(&block.epoch).unwrap();
        assert_eq!(block.place.era, epoch.era);
        epoch.blocks += 1;
        epoch.boundary_blocks += u64::from(block.place.boundary);
        epoch.overlay_blocks += u64::from(block.leadership == Leadership::Delegate);
        assert!(!matches!(
            block.leadership,
            Leadership::AtOrAbove | Leadership::NotMade
        ));
        let (valid, invalid) = verify(block);
        assert_eq!(invalid, 0, "slot {}", block.place.slot);
        epoch.proofs += valid;
        if block.place.era > Era::Byron {
            epoch.nonce = block.nonces.as_ref().map(|nonces| nonces.eta0);
        }
    }
    assert_eq!(found.into_values().collect::<Vec<_>>(), chain.forged.epochs);
    let (last, tip) = (walked.blocks.last().unwrap(), chain.forged.tip.unwrap());
    assert_eq!(
        (last.place.slot, last.place.number, last.place.hash),
        (tip.slot, tip.number, tip.hash)
    );
    assert_eq!(last.nonces.as_ref(), Some(&chain.forged.nonces));
}

/// A chain with every feature: overlay, extra entropy, silent epochs, all eras.
fn rich() -> Chain {
    make(Recipe {
        overlay_percent: vec![60],
        extra_entropy: BTreeMap::from([(2, [3; 32])]),
        silent: [5].into(),
        ..small(&[
            (Era::Byron, 2),
            (Era::Shelley, 1),
            (Era::Alonzo, 1),
            (Era::Babbage, 2),
            (Era::Conway, 2),
        ])
    })
}

#[test]
fn a_walk_goes_on_from_any_block() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let end = whole.blocks.len();
    for cut in (0..end).step_by(7).chain([end - 1]) {
        let state = SavedState::after(network, &whole.blocks[cut], &Doubt::default()).unwrap();
        let state = SavedState::from_json(&state.to_json().unwrap()).unwrap();
        let rest = walk(&chain.dir, network, Start::State(Box::new(state)));
        assert_eq!(
            (rest.faults, rest.warnings),
            (vec![], 0),
            "after block {cut}"
        );
        assert_eq!(rest.blocks.len(), end - cut - 1, "after block {cut}");
        for (expected, block) in whole.blocks[cut + 1..].iter().zip(&rest.blocks) {
            assert_eq!(
                (&expected.place, &expected.claims),
                (&block.place, &block.claims)
            );
            assert_eq!(expected.nonces, block.nonces);
        }
    }
}

/// Every change of a saved state that is not one of white space is found: of any byte, and of any
/// value to another that could stand there.
#[test]
fn a_changed_state_is_refused() {
    let chain = rich();
    let whole = walk(&chain.dir, &chain.forged.network, Start::Genesis);
    let last = whole.blocks.last().unwrap();
    let state = SavedState::after(&chain.forged.network, last, &Doubt::default()).unwrap();
    let json = state.to_json().unwrap();
    assert_eq!(SavedState::from_json(&json).unwrap(), state);

    for at in 0..json.len() {
        assert!(
            SavedState::from_json(&json[..at]).is_err() || at == json.len() - 1,
            "the first {at} bytes"
        );
        for bit in 0..7 {
            let mut changed = json.clone().into_bytes();
            changed[at] ^= 1 << bit;
            let read = SavedState::from_json(std::str::from_utf8(&changed).unwrap());
            // One white space is as good as another, and so is a hexadecimal digit in capitals.
            assert!(
                read.is_err() || read.unwrap() == state,
                "byte {at}, bit {bit}"
            );
        }
    }

    let tree: Value = serde_json::from_str(&json).unwrap();
    let mut leaves = Vec::new();
    collect(&tree["state"], "/state", &mut leaves);
    assert!(leaves.len() >= 12, "{leaves:?}");
    for leaf in &leaves {
        let mut changed = tree.clone();
        let value = changed.pointer_mut(leaf).unwrap();
        *value = match &*value {
            Value::Number(number) => (number.as_u64().unwrap() + 1).into(),
            Value::String(text) if text == "Conway" => "Babbage".into(),
            Value::String(text) => {
                let (first, rest) = text.split_at(1);
                format!("{}{rest}", if first == "0" { "1" } else { "0" }).into()
            }
            other => panic!("{other}"),
        };
        let error = SavedState::from_json(&changed.to_string()).unwrap_err();
        let words = "was changed since it was written: its hash is ";
        assert!(error.to_string().contains(words), "{leaf}: {error}");
    }
    // A value that is no part of a state is in no hash.
    let mut changed = tree.clone();
    changed["state"]["tied"] = 700_000.into();
    let error = SavedState::from_json(&changed.to_string()).unwrap_err();
    assert!(matches!(error, StateError::Json(_)), "{error}");
}

/// The places of all values that are neither lists nor maps.
fn collect(value: &Value, place: &str, leaves: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, &format!("{place}/{name}"), leaves);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                collect(item, &format!("{place}/{n}"), leaves);
            }
        }
        _ => leaves.push(place.to_owned()),
    }
}

/// A state whose hash is right, because it was written on purpose, and whose number or era is not
/// that of its block.
#[test]
fn the_block_of_a_state_has_its_number_and_era() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let block = &whole.blocks[whole.blocks.len() / 2];
    let state = SavedState::after(network, block, &Doubt::default()).unwrap();
    let refusal = |change: fn(&mut SavedState)| {
        let mut other = state.clone();
        change(&mut other);
        let db = Immutable::open(chain.dir.path()).unwrap();
        let start = Start::State(Box::new(other));
        match Walk::new(&db, network.clone(), start) {
            Err(WalkError::State(error @ StateError::OtherPlace { .. })) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("accepted"),
        }
    };
    let (number, era) = (block.place.number, block.place.era);
    let error = refusal(|state| state.last.number += 5);
    let expected = format!(
        "after block {} of {era}, the database has block {number} of {era} there",
        number + 5
    );
    assert!(error.ends_with(&expected), "{error}");
    let error = refusal(|state| state.last.era = Era::Mary);
    assert!(
        error.contains(" of Mary, the database has block "),
        "{error}"
    );
}

#[test]
fn given_nonces_check_their_epochs_alone() {
    let chain = rich();
    let given: BTreeMap<u64, Nonce> = chain
        .forged
        .epochs
        .iter()
        .filter_map(|epoch| Some((epoch.epoch, epoch.nonce?)))
        .filter(|(epoch, _)| epoch % 2 == 0)
        .collect();
    let mut network = chain.forged.network.clone();
    for (epoch, nonce) in &given {
        network.set_known_nonce(*epoch, *nonce);
    }
    // From the first block on, all nonces are computed.
    let walked = walk(&chain.dir, &network, Start::Anywhere);
    assert!(walked.blocks.iter().all(|block| block.nonces.is_some()));
    for extension in ["chunk", "primary", "secondary"] {
        let first = format!("immutable/00000.{extension}");
        std::fs::remove_file(chain.dir.path().join(first)).unwrap();
    }
    let walked = walk(&chain.dir, &network, Start::Anywhere);
    assert_eq!(walked.faults, []);
    for block in &walked.blocks {
        let (valid, invalid) = verify(block);
        assert_eq!(invalid, 0);
        match &block.claims {
            Claims::None => assert_eq!(block.place.era, Era::Byron),
            Claims::NonceUnknown => assert!(!given.contains_key(&block.epoch)),
            _ => assert!(valid > 0 && given.contains_key(&block.epoch)),
        }
    }
}

#[test]
fn the_era_comes_from_the_blocks() {
    // No first epochs of eras after Byron: the tags of the blocks decide the window.
    let chain = rich();
    let genesis = std::fs::read(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let starts = EraStarts {
        shelley: 2,
        ..EraStarts::default()
    };
    let mut network = Network::from_shelley_genesis("forged", &genesis, starts).unwrap();
    let extra = chain.forged.network.extra_entropy(2);
    network.set_extra_entropy(2, extra);
    let walked = walk(&chain.dir, &network, Start::Genesis);
    assert_eq!((walked.faults.len(), invalid_slots(&walked)), (0, vec![]));
    assert_eq!(
        walked.blocks.last().unwrap().nonces.as_ref(),
        Some(&chain.forged.nonces)
    );
}

#[test]
fn without_its_extra_entropy_an_epoch_is_invalid() {
    let chain = make(Recipe {
        extra_entropy: BTreeMap::from([(1, [3; 32])]),
        ..small(&[(Era::Shelley, 3)])
    });
    let mut network = chain.forged.network.clone();
    network.set_extra_entropy(1, Nonce::Neutral);
    let walked = walk(&chain.dir, &network, Start::Genesis);
    // The nonce of epoch 1 is wrong, so all its proofs are invalid. Extra entropy enters no later
    // nonce, so epoch 2 is valid.
    for block in &walked.blocks {
        let (valid, invalid) = verify(block);
        assert_eq!(
            (valid, invalid),
            if block.epoch == 1 { (0, 2) } else { (2, 0) }
        );
    }
}

/// A copy of a chain with one block changed, its index repaired and, if `relink` says so, every
/// later link. Signatures are then invalid, but are not checked.
fn changed(chain: &Chain, at: usize, relink: bool, change: impl FnOnce(&mut Vec<u8>)) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let immutable = dir.path().join("immutable");
    let mut writer = ImmutableWriter::create(&immutable, 10 * chain.recipe.k).unwrap();
    let mut change = Some(change);
    let mut renamed: Option<([u8; 32], [u8; 32])> = None;
    for (
        i,
        Stored {
            boundary,
            listed,
            bytes,
            ..
        },
    ) in chain.blocks.iter().enumerate()
    {
        let before = klero_forge::Entry::of(bytes).unwrap();
        let mut bytes = bytes.clone();
        if let Some(change) = change.take_if(|_| i == at) {
            change(&mut bytes);
        }
        if let Some((old, new)) = renamed.filter(|_| relink) {
            replace(&mut bytes, &old, &new);
        }
        let position = if *boundary {
            Position::Boundary(*listed)
        } else {
            Position::Slot(*listed)
        };
        let entry = writer.append(position, &bytes).unwrap();
        renamed = (entry.hash != before.hash).then_some((*before.hash, *entry.hash));
    }
    writer.finish().unwrap();
    dir
}

/// Replaces the first occurrence, which must be there.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes
        .windows(old.len())
        .position(|window| window == old)
        .unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// Flips a bit in a certificate of the block that `block` was read from.
fn flip(block: &Block, proof: bool) -> impl FnOnce(&mut Vec<u8>) {
    let Claims::Made(claims) = &block.claims else {
        panic!("no claims")
    };
    let mut old = if proof {
        claims[0].proof.to_vec()
    } else {
        claims[0].output.to_vec()
    };
    move |bytes| {
        let mut new = old.clone();
        new[40] ^= 1;
        replace(bytes, &old, &new);
        old.clear();
    }
}

#[test]
fn a_changed_proof_with_a_repaired_index() {
    let chain = make(small(&[
        (Era::Byron, 1),
        (Era::Shelley, 2),
        (Era::Conway, 2),
    ]));
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let at = whole
        .blocks
        .iter()
        .rposition(|block| block.epoch == 3)
        .unwrap()
        - 5;
    let slot = whole.blocks[at].place.slot;

    // Its hash changed, so the next block does not name it.
    let dir = changed(&chain, at, false, flip(&whole.blocks[at], true));
    let walked = walk(&dir, network, Start::Genesis);
    let [
        Finding {
            kind: FindingKind::HashLink { .. },
            location,
        },
    ] = &walked.faults[..]
    else {
        panic!("{:?}", walked.faults)
    };
    assert_eq!(location.slot, Some(whole.blocks[at + 1].place.slot));
    assert_eq!(invalid_slots(&walked), [slot]);

    // With repaired links only the proof is wrong. (They change the nonce of the epoch after the
    // next; this chain ends before.)
    let dir = changed(&chain, at, true, flip(&whole.blocks[at], true));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    assert_eq!(invalid_slots(&walked), [slot]);
}

#[test]
fn a_changed_output_with_everything_else_repaired() {
    let chain = make(small(&[(Era::Shelley, 2), (Era::Conway, 2)]));
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let last_of = |epoch| {
        whole
            .blocks
            .iter()
            .rposition(|block| block.epoch == epoch)
            .unwrap()
    };
    let first_of = |epoch| {
        whole
            .blocks
            .iter()
            .position(|block| block.epoch == epoch)
            .unwrap()
    };

    // After the window: the candidate is frozen, the next epoch is as it was.
    let late = last_of(1);
    assert!(!whole.blocks[late].in_window);
    let dir = changed(&chain, late, true, flip(&whole.blocks[late], false));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    let slots = invalid_slots(&walked);
    assert_eq!(slots[0], whole.blocks[late].place.slot);
    assert!(
        slots[1..].iter().all(|slot| network.epoch(*slot) == 3),
        "the one after the next"
    );
    assert_eq!(slots.len(), 1 + last_of(3) + 1 - first_of(3));

    // In the window: every later block.
    let early = first_of(1);
    assert!(whole.blocks[early].in_window);
    let dir = changed(&chain, early, true, flip(&whole.blocks[early], false));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    assert_eq!(
        invalid_slots(&walked).len(),
        1 + last_of(3) + 1 - first_of(2)
    );
}
