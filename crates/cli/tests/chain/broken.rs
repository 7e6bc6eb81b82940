//! Damaged chains, as the command tells them.

use std::fs;

use klero_cardano::Era;
use klero_forge::{Flip, Recipe, Repair};

use crate::common::Place;
use crate::db::Chain;
use crate::run::{found, report, total, verify};

/// A nonce in doubt is said once, with the slot since which it is.
#[test]
fn a_nonce_in_doubt() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Shelley, 3)]));
    let block = chain.find(|block| block.epoch == 1 && block.in_window);
    let db = chain.copy(chain.chunks());
    db.flip(block, Flip::Output(0), Repair::Nothing);
    let slot = block.place.slot;
    let ran = report(db.dir.path(), &chain.options, 1);
    let epoch = &ran["epochs"][2];
    assert_eq!(epoch["unverifiable_since"], slot);
    assert_eq!(epoch["unverifiable"], chain.proofs_from(2));
    assert!(epoch["nonce"].is_null());
    let options = format!("{} --epochs", chain.options);
    let text = verify(db.dir.path(), &options).ends(1).stdout;
    for words in [
        format!(
            "Unverifiable since slot {slot}, as what is wrong there may have changed the nonces: \
             epoch 2."
        ),
        " in doubt ".into(),
        "\nTied to the network: no. Repair the chain first: ".into(),
        format!("\nFirst damaged chunk: {:05}\n", block.chunk),
    ] {
        assert!(text.contains(&words), "{text}");
    }
}

#[test]
fn a_leader_value_that_no_stake_allows() {
    // The same chain with a smaller f: some leader values are above it. Whatever else is wrong
    // with such a network is ignored here.
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 1)]));
    let genesis = fs::read_to_string(chain.dir.join("shelley-genesis.json")).unwrap();
    let place = Place::new();
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
