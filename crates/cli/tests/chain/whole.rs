//! Valid chains.

use std::collections::BTreeSet;
use std::fs;

use klero_cardano::{Era, Leadership};
use serde_json::json;

use crate::common::Place;
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{by_epoch, findings, report, timeless, total, verify};

#[test]
fn the_preview_chain() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    // By name, by the directory of the blocks alone; everything is valid.
    let whole = report(&chain.dir.join("immutable"), "--network preview", 0);
    assert_eq!(findings(&whole), Vec::<String>::new());
    let counts = ["blocks", "proofs", "valid", "invalid", "byron_blocks"];
    assert_eq!(
        counts.map(|name| total(&whole, name)),
        [25_932, 38_944, 38_944, 0, 0]
    );
    assert_eq!(whole["result"], "all valid");
    assert_eq!(whole["complete"], true);
    assert_eq!(whole["start"], json!({"from": "genesis"}));
    assert_eq!(whole["totals"]["leader_values"]["at_or_above_f"], 0);

    let csv = fs::read_to_string(chain.dir.join("epochs.csv")).unwrap();
    let expected: Vec<String> = csv.lines().skip(1).map(str::to_owned).collect();
    let first_slot = |epoch: u64| {
        let first = chain.blocks.iter().find(|block| block.epoch == epoch);
        first.unwrap().place.slot
    };
    let epochs: Vec<String> = whole["epochs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|epoch| {
            let number = epoch["epoch"].as_u64().unwrap();
            assert_eq!(epoch["valid"], epoch["proofs"]);
            format!(
                "{number},{},{},{},{}",
                epoch["nonce"].as_str().unwrap(),
                first_slot(number),
                epoch["blocks"],
                epoch["proofs"]
            )
        })
        .collect();
    assert_eq!(epochs, expected);

    // The text says the same.
    let ran = verify(&chain.dir, "--network preview").ends(0);
    assert!(
        ran.stdout
            .contains("All valid: 38,944 proofs in 25,932 blocks.")
    );
    let ran = verify(&chain.dir, "--network preview --epochs").ends(0);
    for line in &expected {
        assert!(ran.stdout.contains(line.split(',').nth(1).unwrap()));
    }
}

#[test]
fn every_era_and_any_number_of_threads() {
    let chain = Chain::small();
    let one = report(&chain.dir, &format!("{} --threads 1", chain.options), 0);
    let two = report(&chain.dir, &format!("{} --threads 2", chain.options), 0);
    assert_eq!(one["timing"]["threads"], 1);
    assert_eq!(two["timing"]["threads"], 2);
    for part in ["reading_seconds", "verifying_seconds"] {
        assert!(one["timing"][part].as_f64() > Some(0.0), "{part}");
    }
    assert_eq!(timeless(one.clone()), timeless(two));

    assert_eq!(findings(&one), Vec::<String>::new());
    let epochs = chain.epochs();
    let blocks: Vec<_> = epochs.iter().map(|(epoch, n)| (*epoch, n.0)).collect();
    let proofs: Vec<_> = epochs.iter().map(|(epoch, n)| (*epoch, n.1)).collect();
    assert_eq!(by_epoch(&one, "blocks"), blocks);
    assert_eq!(by_epoch(&one, "valid"), proofs[2..]);
    let byron: Vec<_> = blocks[..2].to_vec();
    assert_eq!(by_epoch(&one, "byron_blocks"), byron);
    let leads = |lead| chain.blocks.iter().filter(|b| b.leadership == lead).count() as u64;
    let values = &one["totals"]["leader_values"];
    assert_eq!(values["below_f"], leads(Leadership::Below));
    assert_eq!(values["genesis_delegates"], leads(Leadership::Delegate));
    assert!(leads(Leadership::Delegate) > 0);
    assert_eq!(values["at_or_above_f"], 0);
    let eras: Vec<_> = one["epochs"].as_array().unwrap().iter().collect();
    assert_eq!(eras[4]["eras"], json!(["Mary"]));
}

#[test]
fn a_public_network_by_its_genesis_file() {
    if let Some(chain) = Chain::preview() {
        // This directory has no magic, but the genesis file of preview.
        let ran = report(&chain.dir, "", 0);
        assert_eq!(ran["network"]["name"], "preview");
    }
}

#[test]
fn a_chain_of_byron() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 3)]));
    let text = verify(&chain.dir, &chain.options).ends(0).stdout;
    let blocks = chain.blocks.len();
    let line = format!("All valid: {blocks} blocks of Byron, which carry no VRF proofs.");
    assert!(text.contains(&line), "{text}");
    assert!(!text.contains("0 proofs in"), "{text}");
}

#[test]
fn the_tip() {
    let chain = Chain::small();
    let last = chain.blocks.last().unwrap();
    let ran = report(&chain.dir, &chain.options, 0);
    let tip = json!({
        "slot": last.place.slot,
        "number": last.place.number,
        "block": last.place.hash.to_string(),
        "era": "Conway",
    });
    assert_eq!(ran["tip"], tip);
    assert_eq!(ran["unread_bytes"], 0);
    let text = verify(&chain.dir, &chain.options).ends(0).stdout;
    let line = format!(
        "Tip: slot {}, block {}.\nUnread: 0 bytes.\n",
        last.place.slot, last.place.hash
    );
    assert!(text.contains(&line), "{text}");
}

#[test]
fn delegates_that_are_not_known() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Shelley, 1), (Era::Conway, 1)]));
    // The hash of the genesis file is the first nonce, so the nonces must be given, and the
    // beginning of the chain, from which others would be computed, must not be there.
    let db = chain.without_beginning();
    let genesis = chain.dir.join("shelley-genesis.json");
    let mut value: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(genesis).unwrap()).unwrap();
    value.as_object_mut().unwrap().remove("genDelegs").unwrap();
    let place = Place::new();
    place.write("genesis.json", value.to_string());
    let nonces: BTreeSet<String> = chain
        .blocks
        .iter()
        .map(|block| format!("{}={}", block.epoch, block.nonces.as_ref().unwrap().eta0))
        .collect();
    let nonces = Vec::from_iter(nonces);
    let options = format!(
        "--shelley-genesis {} --epoch-nonce {}",
        place.path("genesis.json").display(),
        nonces.join(",")
    );
    let ran = report(db.dir.path(), &options, 0);
    let values = &ran["totals"]["leader_values"];
    let first = chain.blocks.iter().filter(|block| block.chunk == 0);
    let shelley = chain.epochs()[&0].0 - first.count() as u64;
    assert_eq!(values["not_made"], shelley);
    assert_eq!(values["below_f"], chain.epochs()[&1].0);
    let text = verify(db.dir.path(), &options).ends(0).stdout;
    assert!(text.contains(&format!("{shelley} not checked, as the genesis delegates")));
}

#[test]
fn the_demo() {
    let place = Place::new();
    let ran = place.run("chain demo").ends(0);
    assert!(ran.stdout.contains("\nAll valid: "), "{}", ran.stdout);
    assert_eq!((ran.stderr.as_str(), place.names()), ("", vec![]));
    // The path of the temporary directory is not shown.
    assert!(!ran.stdout.contains('/') || !ran.stdout.contains("immutable"));
    assert!(ran.stdout.contains("Demo chain: forged, from genesis"));

    // It knows its tip from forging it.
    let words = "Tied to the network: yes. The chain ends with the expected block.";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);

    // If kept, the printed command verifies it, and says the same of it.
    let ran = place.run("chain demo --keep there").ends(0);
    let command = ran.stdout.lines().last().unwrap();
    assert!(
        command.starts_with("  klero chain verify there --stake there/stake.csv --expect-tip "),
        "{command}"
    );
    let again = place.shell(command);
    let verdict = |text: &str| {
        let (_, from) = text.split_once("\nAll valid: ").unwrap();
        let (verdict, _) = from.split_once("\nTime: ").unwrap();
        verdict.to_owned()
    };
    assert!(again.contains(words), "{again}");
    assert_eq!(verdict(&again), verdict(&ran.stdout));
    // The chain needs no option: neither the directory nor the one in it.
    place.run("chain verify there").ends(0);
    place.run("chain verify there/immutable").ends(0);
    // It is not overwritten.
    let words = "there already has a chain; choose an empty directory";
    place.run("chain demo --keep there").refused(words);
}

#[test]
fn the_broken_demo_finds_what_it_planted_and_nothing_else() {
    let place = Place::new();
    let ran = place.run("chain demo --broken --keep there").ends(1);
    // By slot and name, as told: "  slot 502: … (wrong-delegate)".
    let told = ran.stdout.replace("\n    ", " ");
    let planted: BTreeSet<(u64, String)> = told
        .lines()
        .filter_map(|line| {
            let (slot, words) = line.strip_prefix("  slot ")?.split_once(": ")?;
            let (_, name) = words.strip_suffix(')')?.rsplit_once('(')?;
            Some((slot.parse().unwrap(), name.to_owned()))
        })
        .collect();
    assert_eq!(planted.len(), 15, "{}", ran.stdout);
    // Nobody is to repair what was made so.
    assert!(!ran.stdout.contains("damaged chunk"), "{}", ran.stdout);
    let again = "chain verify there --stake there/stake.csv --json";
    let ran = place.run(again).ends(1);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().iter().map(|one| {
        assert_eq!(one["count"], 1, "{one}");
        let name = match one["finding"].as_str().unwrap() {
            "fault" => one["kind"].as_str().unwrap(),
            name => name,
        };
        (one["slot"].as_u64().unwrap(), name.to_owned())
    });
    assert_eq!(found.collect::<BTreeSet<_>>(), planted);

    for columns in [80, 60] {
        let columns = columns.to_string();
        let ran = place.run_where("COLUMNS", &columns, "chain demo --broken");
        let text = ran.ends(1).stdout;
        assert!(!text.contains("damaged chunk"), "{text}");
        let (told, _) = text.split_once("\nDemo chain: ").unwrap();
        let width: usize = columns.parse().unwrap();
        assert!(
            told.lines().all(|line| line.chars().count() <= width),
            "{told}"
        );
    }
}
