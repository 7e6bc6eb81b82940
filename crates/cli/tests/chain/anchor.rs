//! Blocks that the caller knows from elsewhere, and what they show of a chain.

use std::path::Path;

use klero_cardano::{Block, Era, Network};
use klero_forge::{Flip, Recipe, Repair};
use serde_json::{Value, json};

use crate::common::Place;
use crate::db::Chain;
use crate::run::{found, report, total, verify};

/// A chain in whose epochs a test expects blocks.
fn conway() -> Chain {
    Chain::forged(&Recipe::of_eras(&[(Era::Conway, 4)]))
}

/// A block as `--expect-block` and `--expect-tip` take it.
fn named(block: &Block) -> String {
    format!("{}:{}", block.place.slot, block.place.hash)
}

/// The report of a run that expects these blocks.
fn expecting(chain: &Chain, blocks: &[String], more: &str, status: i32) -> Value {
    let mut options = format!("{} {more}", chain.options);
    for block in blocks {
        options += &format!(" --expect-block {block}");
    }
    report(&chain.dir, &options, status)
}

/// Compares what the report says of the last block that ties the chain to the network.
fn is_tied(ran: &Value, tied: Option<&Block>) {
    let slot = tied.map(|block| block.place.slot);
    assert_eq!(ran["anchor"]["tied_slot"], json!(slot));
    assert_eq!(ran["anchor"]["anchored"], json!(tied.is_some()));
}

#[test]
fn expected_blocks_tie_the_chain() {
    let chain = conway();
    let block = chain.find(|block| block.epoch == 1);
    let later = chain.find(|block| block.epoch == 2);
    // One, and another one with a comma.
    for (blocks, count, last) in [
        (vec![named(block)], 1, block),
        (vec![named(later), named(block)], 2, later),
        (vec![named(block) + "," + &named(later)], 2, later),
    ] {
        let ran = expecting(&chain, &blocks, "--require-anchor", 0);
        is_tied(&ran, Some(last));
        let found = ran["anchor"]["expected_blocks"].as_array().unwrap();
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|block| block["found"] == true));
    }
}

#[test]
fn expected_blocks_that_are_not_there() {
    let chain = conway();
    let block = chain.find(|block| block.epoch == 1);
    let later = chain.find(|block| block.epoch == 2);
    // Another block at the slot, none, and another one than the last.
    let (slot, hash) = (block.place.slot, block.place.hash);
    let tip = chain.blocks.last().unwrap().place.slot;
    let mut none = slot + 1;
    while chain.blocks.iter().any(|other| other.place.slot == none) {
        none += 1;
    }
    for wrong in [
        format!("{slot}:{}", later.place.hash),
        format!("{none}:{hash}"),
        format!("{tip}:{hash}"),
    ] {
        let ran = expecting(&chain, &[wrong.clone(), named(later)], "", 1);
        assert_eq!(ran["anchor"]["anchored"], false);
        let found = ran["anchor"]["expected_blocks"].as_array().unwrap();
        assert_eq!(
            found.iter().filter(|block| block["found"] == false).count(),
            1
        );
        let options = format!("{} --expect-block {wrong}", chain.options);
        let text = verify(&chain.dir, &options).ends(1).stdout;
        let words = [
            "1 expected block is not there",
            "Tied to the network: no. The chain does not have block",
        ];
        assert!(words.iter().all(|words| text.contains(words)), "{text}");
    }
}

#[test]
fn expected_blocks_beyond_both_ends() {
    let chain = conway();
    let hash = chain.find(|block| block.epoch == 1).place.hash;
    let end = chain.blocks.last().unwrap().place.slot + 1;
    let ran = expecting(&chain, &[format!("{end}:{hash}")], "", 3);
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], Value::Null);
    let nonce = nonce(chain.find(|block| block.epoch == 2));
    let ran = report(
        chain.without_beginning().dir.path(),
        &format!(
            "{} --epoch-nonce 2={nonce} --expect-block 1:{hash}",
            chain.options
        ),
        3,
    );
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], Value::Null);
}

/// Nothing shows that the chain is that of the network, unless its tip is expected.
#[test]
fn a_chain_that_nothing_ties() {
    let chain = conway();
    let ran = expecting(&chain, &[], "", 0);
    assert_eq!(ran["anchor"]["required"], false);
    let ran = expecting(&chain, &[], "--require-anchor", 3);
    assert_eq!(
        (ran["result"].as_str(), found(&ran)),
        (Some("not all checked"), 0)
    );
    let options = format!("{} --require-anchor", chain.options);
    let text = verify(&chain.dir, &options).ends(3).stdout;
    assert!(
        text.contains("Tied to the network: no. --require-anchor asks for more. Nothing shows"),
        "{text}"
    );
    let tip = named(chain.blocks.last().unwrap());
    let options = format!("--require-anchor --expect-tip {tip}");
    expecting(&chain, &[], &options, 0);
}

/// A fault before the expected block breaks the links to the headers before the fault.
#[test]
fn an_expected_block_after_a_fault() {
    let chain = conway();
    let db = chain.copy(chain.chunks());
    let block = chain.find(|block| block.epoch == 1);
    db.flip(block, Flip::Kes, Repair::Nothing);
    let later = chain.find(|block| block.epoch == 2);
    let options = format!("{} --expect-block {}", chain.options, named(later));
    let ran = report(db.dir.path(), &options, 1);
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], true);
    is_tied(&ran, None);
}

fn nonce(block: &Block) -> String {
    block.nonces.as_ref().unwrap().eta0.to_string()
}

/// A file of nonces, and a copy without the first chunk.
#[test]
fn nonces_of_a_file() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Shelley, 1), (Era::Conway, 3)]));
    let db = chain.without_beginning();
    let place = Place::new();
    let file = place.path("nonces.json").display().to_string();
    let options = format!("{} --nonces {file}", chain.options);
    let entry = |epoch: u64| {
        let block = chain.find(|block| block.epoch == epoch);
        json!({"epoch_no": epoch, "nonce": nonce(block)})
    };

    // As many as it names; those of epochs that are not here do not matter.
    let later = json!({"epoch_no": 900, "nonce": "0x".to_owned() + &"07".repeat(32)});
    let entries = json!([entry(1), entry(3), later]);
    place.write("nonces.json", entries.to_string());
    let ran = report(db.dir.path(), &options, 3);
    assert_eq!(ran["start"], json!({"from": "epoch-nonces", "epochs": []}));
    assert_eq!(ran["absent"], json!([]));
    assert_eq!(
        total(&ran, "valid"),
        chain.epochs()[&1].1 + chain.epochs()[&3].1
    );
    let text = verify(db.dir.path(), &options).ends(3).stdout;
    let words = [
        "without its beginning, with known nonces",
        "Nonce unknown, so not verified: epochs 0, 2.",
    ];
    assert!(words.iter().all(|words| text.contains(words)), "{text}");

    // With one more on the command line, and the beginning: all are compared.
    let more = format!(
        "{options} --epoch-nonce 2={}",
        nonce(chain.find(|block| block.epoch == 2))
    );
    let ran = report(&chain.dir, &format!("{more} --require-anchor"), 0);
    assert_eq!(ran["anchor"]["anchored"], true);
    assert_eq!(ran["anchor"]["built_in_nonces"], Value::Null);
    let other = format!(
        "{options} --epoch-nonce 1={}",
        nonce(chain.find(|block| block.epoch == 2))
    );
    verify(&chain.dir, &other).refused("the nonce of epoch 1 of custom is known to be");

    // One that the chain does not make is a finding.
    let wrong = json!([{"epoch_no": 2, "nonce": "07".repeat(32)}]);
    place.write("nonces.json", wrong.to_string());
    let ran = report(&chain.dir, &options, 1);
    assert_eq!(ran["findings"][0]["finding"], "epoch-nonce");
    assert_eq!(ran["anchor"]["other_nonces"], 1);
}

#[test]
fn bad_files() {
    let place = Place::new();
    place.write("00000.chunk", [0]);
    let known = Network::preview().known_nonce(7).unwrap();
    let (a, b) = ("0a".repeat(32), "0b".repeat(32));
    for (option, content, words) in [
        (
            "nonces",
            "[{]".to_owned(),
            "file.json: key must be a string",
        ),
        ("nonces", String::new(), "expected [{\"epoch_no\": 208, "),
        (
            "nonces",
            json!({"epochNonce": a}).to_string(),
            "file.json: entry 1: it names no epoch: expected epoch_no or lastSlot",
        ),
        (
            "nonces",
            json!([{"epoch_no": 7, "nonce": known}, {"epoch_no": 2000, "nonce": "07"}]).to_string(),
            "file.json: entry 2: the nonce of epoch 2000: expected 64 hexadecimal digits",
        ),
        (
            "nonces",
            json!([{"epoch_no": 2000, "nonce": a}, {"epoch_no": 2000, "nonce": b}]).to_string(),
            &format!(
                "file.json: entry 2: the nonce of epoch 2000 is {b}, but {a} in an entry before"
            ),
        ),
        (
            "nonces",
            json!([{"epoch_no": 7, "nonce": a}]).to_string(),
            &format!(
                "file.json: entry 1: the nonce of epoch 7 of preview is known to be {known}, not {a}"
            ),
        ),
        (
            "checkpoints",
            "[]".to_owned(),
            "expected {\"checkpoints\": [{\"blockNo\": 2000, ",
        ),
        (
            "checkpoints",
            json!({"checkpoints": [{"blockNo": 7, "hash": a}, {"blockNo": 7, "hash": b}]})
                .to_string(),
            &format!("file.json: entry 2: the hash of block 7 is {b}, but {a} in an entry before"),
        ),
        (
            "checkpoints",
            json!({"checkpoints": [{"blockNo": 7, "hash": "xy"}]}).to_string(),
            "file.json: entry 1: the hash of block 7: expected 64 hexadecimal digits",
        ),
    ] {
        place.write("file.json", content);
        let line = format!("chain verify . --network preview --{option} file.json");
        place.run(&line).refused(words);
        let line = format!("chain verify . --network preview --{option} none.json");
        place.run(&line).refused("none.json: No such file");
    }
}

/// A node's file of checkpoints.
#[test]
fn checkpoints() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 1), (Era::Conway, 3)]));
    let place = Place::new();
    let file = place.path("checkpoints.json").display().to_string();
    let options = format!("{} --checkpoints {file} --require-anchor", chain.options);
    let write = |checkpoints: &[(u64, String)]| {
        let list = checkpoints.iter();
        let list = list.map(|(number, hash)| json!({"blockNo": number, "hash": hash}));
        let file = json!({"checkpoints": list.collect::<Vec<_>>()});
        place.write("checkpoints.json", file.to_string());
    };
    let block = chain.find(|block| block.epoch == 2);
    let (number, hash) = (block.place.number, block.place.hash.to_string());
    write(&[(number, hash.clone()), (1 << 40, hash)]);
    let ran = report(&chain.dir, &options, 0);
    assert_eq!(ran["anchor"]["tied_slot"], block.place.slot);
    assert_eq!(
        ran["anchor"]["checkpoints"],
        json!({"given": 2, "met": 1, "other": 0})
    );
    let text = verify(&chain.dir, &options).ends(0).stdout;
    assert!(
        text.contains(&format!(
            "Tied to the network: up to slot {}. ",
            block.place.slot
        )),
        "{text}"
    );

    let other = "07".repeat(32);
    write(&[(number, other.clone())]);
    let ran = report(&chain.dir, &options, 1);
    let finding = &ran["findings"][0];
    assert_eq!(
        (found(&ran), &finding["finding"]),
        (1, &json!("checkpoint"))
    );
    assert_eq!(finding["slot"], block.place.slot);
    assert_eq!(
        (&finding["number"], &finding["expected"]),
        (&json!(number), &json!(other))
    );
    let text = verify(&chain.dir, &options).ends(1).stdout;
    let words = [
        &format!("it is block {number}, which the checkpoint says is {other}")[..],
        "Something is wrong: 1 block that is not that of a checkpoint.",
        "Tied to the network: no. A block is not that of its checkpoint.",
    ];
    assert!(words.iter().all(|words| text.contains(words)), "{text}");
    // The database is not to blame.
    assert!(!text.contains("damaged"), "{text}");
}

/// Preview is tied by its nonces; the same files as a network without a name are not.
#[test]
fn a_network_with_known_nonces_and_one_without() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let ran = report(&chain.dir, "--network preview --require-anchor", 0);
    assert_eq!(ran["anchor"]["tied_slot"], 345_559);
    assert_eq!(
        ran["anchor"]["built_in_nonces"],
        json!({"first": 0, "last": 1238})
    );
    let genesis = chain.dir.join("shelley-genesis.json");
    let unknown = format!(
        "--shelley-genesis {} --era-start babbage=3,conway=646 --require-anchor",
        genesis.display()
    );
    let ran = report(&chain.dir, &unknown, 3);
    assert_eq!(ran["anchor"]["tied_slot"], Value::Null);
    let text = verify(&chain.dir, &unknown).ends(3).stdout;
    assert!(text.contains("Tied to the network: no. "), "{text}");

    // A list of the same nonces adds nothing, and as nonces of the network without a name ties it.
    let nonces =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chain/nonces/preview.json");
    if nonces.is_file() {
        for options in ["--network preview", &unknown] {
            let options = format!("{options} --nonces {}", nonces.display());
            let ran = report(&chain.dir, &options, 0);
            assert_eq!(ran["anchor"]["tied_slot"], 345_559);
        }
    } else {
        println!("SKIPPED: no list of nonces in {}", nonces.display());
    }

    // Chunks from the middle, alone.
    let db = chain.copy(0);
    db.add(&chain, 50..90);
    let ran = report(db.dir.path(), "", 0);
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
    let text = verify(db.dir.path(), "").ends(0).stdout;
    let words = [
        "Tied to the network: no. The proofs are for the known nonces of preview, but",
        "The nonces of preview are built in up to epoch 1238. ",
    ];
    assert!(words.iter().all(|words| text.contains(words)), "{text}");
    let block = chain.find(|block| block.chunk == 80);
    let known = format!(
        "--require-anchor --expect-block {}:{}",
        block.place.slot, block.place.hash
    );
    let ran = report(db.dir.path(), &known, 0);
    assert_eq!(ran["anchor"]["tied_slot"], block.place.slot);
}
