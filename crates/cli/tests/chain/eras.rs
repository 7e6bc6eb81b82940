//! Every era, through the command: forged chains that begin and end in each.

use std::fs;

use klero_cardano::Era;
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{findings, report, total};

#[test]
fn chains_of_every_form() {
    use Era::*;
    for eras in [
        &[(Byron, 3)][..],
        &[(Shelley, 2), (Allegra, 1), (Mary, 2)],
        &[(Byron, 1), (Shelley, 1), (Babbage, 1)],
        &[(Alonzo, 2), (Babbage, 2), (Conway, 2)],
        // The window of Conway is a third longer than Babbage's.
        &[(Conway, 4)],
        &[(Mary, 1), (Conway, 3)],
    ] {
        let chain = Chain::forged(&Recipe::of_eras(eras));
        let ran = report(&chain.dir, &chain.options, 0);
        assert_eq!(total(&ran, "blocks"), chain.blocks.len() as u64, "{eras:?}");
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0), "{eras:?}");

        // The first epochs of eras are not needed, because blocks carry their era; only the end
        // of Byron is.
        let (genesis, _) = chain.options.split_once(" --era-start").unwrap();
        let shelley = chain.network.era_starts().shelley;
        let ran = report(
            &chain.dir,
            &format!("{genesis} --era-start Shelley={shelley}"),
            0,
        );
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0), "{eras:?}");
    }
}

#[test]
fn silent_epochs() {
    let chain = Chain::forged(&Recipe {
        silent: [1, 4].into(),
        ..Recipe::of_eras(&[(Era::Shelley, 3), (Era::Babbage, 3)])
    });
    let ran = report(&chain.dir, &chain.options, 0);
    assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
    assert_eq!(ran["epochs"].as_array().unwrap().len(), 4);
}

#[test]
fn wrong_era_starts() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Alonzo, 2), (Era::Babbage, 2)]));
    let options = chain.options.replace("babbage=2", "babbage=1");
    assert_ne!(options, chain.options);
    let ran = report(&chain.dir, &options, 1);
    let first = chain.blocks.iter().find(|block| block.epoch == 1).unwrap();
    assert_eq!(
        findings(&ran),
        [format!("era-of-epoch at {}", first.place.slot)]
    );
}

#[test]
fn byron_with_another_k() {
    // k of the chain is 5. A genesis file with k = 4 fits if Byron's k is given.
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 2), (Era::Shelley, 1)]));
    let genesis = chain.dir.join("shelley-genesis.json");
    let text = fs::read_to_string(&genesis).unwrap();
    let place = crate::common::Place::new();
    place.write(
        "genesis.json",
        text.replace("\"securityParam\": 5", "\"securityParam\": 4"),
    );
    let options = format!(
        "--shelley-genesis {} --era-start shelley=2 --byron-k 5",
        place.path("genesis.json").display()
    );
    // Only its hash differs, which is the first nonce.
    let ran = report(&chain.dir, &options, 1);
    assert_eq!(ran["totals"]["faults"], serde_json::json!({}));
    assert_eq!(total(&ran, "invalid"), chain.proofs_from(0));
    assert_eq!(
        total(&ran, "byron_blocks"),
        chain.epochs()[&0].0 + chain.epochs()[&1].0
    );
}
