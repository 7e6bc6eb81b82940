//! Audits of single epochs, with nonces from the command line.

use klero_cardano::{Block, Era, Nonce};
use serde_json::json;

use crate::common::Place;
use klero_forge::Recipe;

use crate::db::{Chain, Db};
use crate::run::{by_epoch, findings, found, report, total, verify};

fn nonce(chain: &Chain, epoch: u64) -> Nonce {
    let block = chain.blocks.iter().find(|block| block.epoch == epoch);
    block.unwrap().nonces.as_ref().unwrap().eta0
}

#[test]
fn the_epochs_named_are_verified() {
    let chain = Chain::small();
    let options = format!(
        "{} --epoch-nonce 4={} --epoch-nonce 9={}",
        chain.options,
        nonce(&chain, 4),
        nonce(&chain, 9)
    );
    let db = chain.without_beginning();
    let ran = report(db.dir.path(), &options, 3);
    assert_eq!(
        ran["start"],
        json!({"from": "epoch-nonces", "epochs": [4, 9]})
    );
    assert_eq!(ran["result"], "not all checked");
    assert_eq!(findings(&ran), Vec::<String>::new());
    let epochs = chain.epochs();
    assert_eq!(
        by_epoch(&ran, "valid"),
        [(4, epochs[&4].1), (9, epochs[&9].1)]
    );
    let others: Vec<_> = epochs
        .iter()
        .filter(|(epoch, counts)| ![4, 9].contains(*epoch) && counts.1 > 0)
        .map(|(epoch, counts)| (*epoch, counts.1))
        .collect();
    assert_eq!(by_epoch(&ran, "nonce_unknown"), others);
    let text = verify(db.dir.path(), &options).ends(3).stdout;
    assert!(
        text.contains("Nonce unknown, so not verified: epochs 2 to 3, 5 to 8, 10 to 12."),
        "{text}"
    );
}

#[test]
fn a_part_of_a_chain_is_enough() {
    // Chunks of one epoch alone: k is 5, so an epoch of 100 slots has two.
    let chain = Chain::small();
    let epoch = 7;
    let first = chain.network.first_slot(epoch) / chain.network.chunk_size();
    let db: Db = chain.copy(0);
    db.add(&chain, first..first + 2);
    let options = format!(
        "{} --epoch-nonce {epoch}={}",
        chain.options,
        nonce(&chain, epoch)
    );
    let ran = report(db.dir.path(), &options, 0);
    assert_eq!(total(&ran, "valid"), chain.epochs()[&epoch].1);

    // Without the nonce no proof can be verified, but everything else.
    verify(db.dir.path(), &chain.options).refused("give the nonces of the epochs");
    let others = format!("{} --only kes,certificates,bodies", chain.options);
    let text = verify(db.dir.path(), &others).ends(0).stdout;
    assert!(text.contains(", without its beginning, "), "{text}");

    // An epoch without blocks was not verified.
    let options = format!("{options} --epoch-nonce 8={}", nonce(&chain, 8));
    let ran = report(db.dir.path(), &options, 3);
    assert_eq!(ran["absent"], json!([8]));
    let text = verify(db.dir.path(), &options).ends(3).stdout;
    assert!(
        text.contains("Nonce given, but no block here: epoch 8."),
        "{text}"
    );
}

#[test]
fn a_wrong_nonce() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Shelley, 1), (Era::Conway, 2)]));
    let wrong = nonce(&chain, 2);
    let options = format!("{} --epoch-nonce 1={wrong},2={wrong}", chain.options);
    let db = chain.without_beginning();
    let ran = report(db.dir.path(), &options, 1);
    let epochs = chain.epochs();
    assert_eq!(by_epoch(&ran, "invalid"), [(1, epochs[&1].1)]);
    assert_eq!(by_epoch(&ran, "valid"), [(2, epochs[&2].1)]);
    assert_eq!(found(&ran), epochs[&1].1);
    // Reported once for each kind and chunk, not once for each proof.
    let chunks = chain.blocks.iter().filter(|block| block.epoch == 1);
    let chunks: std::collections::BTreeSet<u64> = chunks.map(|block| block.chunk).collect();
    assert_eq!(findings(&ran).len(), chunks.len());
    let first = &ran["findings"][0];
    let in_chunk = |block: &&Block| block.epoch == 1 && first["chunk"] == block.chunk;
    let invalid: Vec<&Block> = chain.blocks.iter().filter(in_chunk).collect();
    assert_eq!(first["count"], invalid.len());
    assert_eq!(first["slot"], invalid[0].place.slot);
    let last = &invalid.last().unwrap().place;
    assert_eq!(
        first["last"],
        json!({"slot": last.slot, "block": last.hash.to_string()})
    );
    let text = verify(db.dir.path(), &options).ends(1).stdout;
    assert!(
        text.contains(
            "No proof of epoch 1 is valid, so the nonce is probably not that of the chain; check "
        ),
        "{text}"
    );
    let folded = format!(
        " ({} like this in the chunk, the last at slot {})",
        invalid.len(),
        last.slot
    );
    assert!(text.contains(&folded), "{text}");
    // The database is not to blame.
    assert!(!text.contains("damaged"), "{text}");
    assert!(text.lines().count() < 30, "{text}");

    // Beside the nonces of the chain it is one finding, and no proof is invalid.
    let ran = report(&chain.dir, &options, 1);
    assert_eq!(ran["start"], json!({"from": "genesis"}));
    let first = chain.blocks.iter().find(|block| block.epoch == 1);
    let line = format!("epoch-nonce at {}", first.unwrap().place.slot);
    assert_eq!(findings(&ran), [line]);
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
    assert_eq!(ran["findings"][0]["expected"], wrong.to_string());
}

#[test]
fn nonces_of_the_chain_are_compared() {
    let chain = Chain::small();
    let place = Place::new();
    let state = place.path("state");
    let options = format!(
        "{} --epoch-nonce 4={},7={} --state {}",
        chain.options,
        nonce(&chain, 4),
        nonce(&chain, 7),
        state.display()
    );
    // With a state file, and again where it ends.
    for blocks in [chain.blocks.len(), 0] {
        let ran = report(&chain.dir, &options, 0);
        assert_eq!(total(&ran, "blocks"), blocks as u64);
        assert_eq!(ran["absent"], json!([]));
        assert_eq!(ran["anchor"]["anchored"], true);
    }
    // An epoch to come is not checked.
    let options = format!("{options} --epoch-nonce 99={}", nonce(&chain, 7));
    let ran = report(&chain.dir, &options, 3);
    assert_eq!(ran["absent"], json!([99]));

    // A state needs the beginning of the chain.
    std::fs::remove_file(&state).unwrap();
    let db = chain.without_beginning();
    verify(db.dir.path(), &options).refused("not with the first block of the chain");
    // Without it, the other epochs are not verified.
    let part = options.replace(&format!(" --state {}", state.display()), "");
    let ran = report(db.dir.path(), &part, 3);
    assert_eq!(ran["start"]["from"], "epoch-nonces");
}

#[test]
fn another_one_than_is_built_in() {
    let place = Place::new();
    let words = "the nonce of epoch 365 of mainnet is known to be 411148a4";
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 1)]));
    let options = format!("--network mainnet --epoch-nonce 365={}", nonce(&chain, 0));
    let dir = place.path("db");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("00000.chunk"), [0]).unwrap();
    verify(&dir, &options).refused(words);
}

#[test]
fn extra_entropy() {
    let chain = Chain::forged(&klero_forge::Recipe {
        extra_entropy: [(1, [3; 32])].into(),
        ..Recipe::of_eras(&[(Era::Shelley, 3)])
    });
    report(&chain.dir, &chain.options, 0);
    // Without it, the proofs of its epoch are invalid. It enters no later nonce.
    let (without, _) = chain.options.split_once(" --extra-entropy").unwrap();
    let ran = report(&chain.dir, without, 1);
    let epochs = chain.epochs();
    assert_eq!(by_epoch(&ran, "invalid"), [(1, epochs[&1].1)]);
    assert_eq!(by_epoch(&ran, "unverifiable"), []);
}
