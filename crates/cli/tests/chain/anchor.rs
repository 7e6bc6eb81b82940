//! Blocks that the caller knows from elsewhere, and what they show of a chain.

use klero_cardano::{Block, Era};
use klero_forge::{Flip, Recipe, Repair};
use serde_json::{Value, json};

use crate::db::Chain;
use crate::run::{found, report, verify};

#[test]
fn expected_blocks() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 4)]));
    let block = chain.find(|block| block.epoch == 1);
    let later = chain.find(|block| block.epoch == 2);
    let of = |block: &Block| format!("{}:{}", block.place.slot, block.place.hash);
    let run = |blocks: &[String], more: &str, status: i32| {
        let blocks: String = blocks
            .iter()
            .map(|block| format!(" --expect-block {block}"))
            .collect();
        report(
            &chain.dir,
            &format!("{}{blocks} {more}", chain.options),
            status,
        )
    };
    let anchored = |ran: &Value, tied: Option<&Block>| {
        let slot = tied.map(|block| block.place.slot);
        assert_eq!(ran["anchor"]["tied_slot"], json!(slot));
        assert_eq!(ran["anchor"]["anchored"], json!(tied.is_some()));
    };
    // One, and another one with a comma.
    for blocks in [
        vec![of(block)],
        vec![of(later), of(block)],
        vec![of(block) + "," + &of(later)],
    ] {
        let is_one = blocks == [of(block)];
        let ran = run(&blocks, "--require-anchor", 0);
        anchored(&ran, Some(if is_one { block } else { later }));
        let found = ran["anchor"]["expected_blocks"].as_array().unwrap();
        assert_eq!(found.len(), if is_one { 1 } else { 2 });
        assert!(found.iter().all(|block| block["found"] == true));
    }

    // Another block at the slot, and none.
    let (slot, hash) = (block.place.slot, block.place.hash);
    let mut none = slot + 1;
    while chain.blocks.iter().any(|other| other.place.slot == none) {
        none += 1;
    }
    for wrong in [
        format!("{slot}:{}", later.place.hash),
        format!("{none}:{hash}"),
    ] {
        let ran = run(&[wrong.clone(), of(later)], "", 1);
        assert_eq!(ran["anchor"]["anchored"], false);
        assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], false);
        let options = format!("{} --expect-block {wrong}", chain.options);
        let text = verify(&chain.dir, &options).ends(1).stdout;
        let words = [
            "1 expected block is not there",
            "Tied to the network: no. The chain does not have block",
        ];
        assert!(words.iter().all(|words| text.contains(words)), "{text}");
    }

    // One that the chain does not reach, or begins after.
    let end = chain.blocks.last().unwrap().place.slot + 1;
    let ran = run(&[format!("{end}:{hash}")], "", 3);
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], Value::Null);
    let nonce = later.nonces.as_ref().unwrap().eta0;
    let ran = report(
        chain.without_beginning().dir.path(),
        &format!(
            "{} --epoch-nonce 2={nonce} --expect-block 1:{hash}",
            chain.options
        ),
        3,
    );
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], Value::Null);

    // Nothing shows that the chain is that of the network.
    assert_eq!(run(&[], "", 0)["anchor"]["required"], false);
    let ran = run(&[], "--require-anchor", 3);
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
    let tip = of(chain.blocks.last().unwrap());
    run(&[], &format!("--require-anchor --expect-tip {tip}"), 0);

    // A fault before it breaks the links to the headers before the fault.
    let db = chain.copy(chain.chunks());
    db.flip(block, Flip::Kes, Repair::Nothing);
    let options = format!("{} --expect-block {}", chain.options, of(later));
    let ran = report(db.dir.path(), &options, 1);
    assert_eq!(ran["anchor"]["expected_blocks"][0]["found"], true);
    anchored(&ran, None);
}
