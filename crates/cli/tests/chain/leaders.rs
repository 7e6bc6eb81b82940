//! Who may lead, by the stake in files.

use std::fs;
use std::path::{Path, PathBuf};

use klero_forge::{Forged, Recipe, forge};
use serde_json::{Value, json};

use crate::common::{Place, csv_column};

/// A forged chain in `db`, and its stake in `stake.csv`.
fn forged() -> (Place, Forged) {
    let place = Place::new();
    let forged = forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    let mut table = "epoch,pool,stake,vrf,total\n".to_owned();
    for (epoch, stake) in forged.stake_by_epoch() {
        for (id, pool) in stake.pools() {
            let (stake, total) = (pool.stake.pool(), pool.stake.total());
            table += &format!("{epoch},{id},{stake},{},{total}\n", pool.vrf.unwrap());
        }
    }
    place.write("stake.csv", table);
    (place, forged)
}

/// The report of a run on the chain with these options, in which nothing is wrong.
fn report(place: &Place, options: &str) -> Value {
    let ran = place
        .run(&format!("chain verify db {options} --json"))
        .ends(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn stake_in_a_table() {
    let (place, forged) = forged();
    let ran = place.run("chain verify db --stake stake.csv").ends(0);
    let blocks: u64 = forged.epochs.iter().map(|epoch| epoch.blocks).sum();
    let leaders = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("Who may lead: "));
    let ends = leaders.unwrap().ends_with(" by stake or turn.");
    assert!(ends, "{}", ran.stdout);
    assert!(!ran.stdout.contains("The total stake of"), "{}", ran.stdout);
    let text = "Not checked: whether the stake is that of the ledger; ledger rules;";
    assert!(ran.stdout.contains(text), "{}", ran.stdout);

    let report = report(&place, "--stake stake.csv");
    let counts = &report["totals"]["leaders"];
    let byron = report["totals"]["byron_blocks"].as_u64().unwrap();
    assert_eq!(counts["valid"], blocks - byron);
    assert_eq!(report["stake"]["9"], "given");
    let epoch = report["epochs"].as_array().unwrap().last().unwrap();
    assert_eq!(epoch["narrowest"].as_array().unwrap().len(), 5);
}

/// Names of columns, epochs at whose ends the stake stood.
#[test]
fn stake_under_other_names() {
    let (place, _) = forged();
    let stake = place.read("stake.csv");
    let lines = stake.lines().skip(1).map(|line| {
        let row: Vec<&str> = line.split(',').collect();
        let epoch = row[0].parse::<u64>().unwrap() + 8;
        let stake: u64 = row[2].parse().unwrap();
        format!("{epoch},{},{stake}\n", row[1])
    });
    let rows: String = lines.collect();
    place.write("named.csv", format!("epoch_no,pool,amount\n{rows}"));
    let shifted = report(&place, "--stake named.csv");
    assert!(shifted["totals"]["leaders"]["not_judged"].as_u64().unwrap() > 0);
    assert_eq!(shifted["stake"]["17"], "sum");
}

/// An answer of cardano-cli has three epochs.
#[test]
fn stake_in_an_answer_of_a_node() {
    let (place, forged) = forged();
    let of = |stake: u64| json!({"stakeMark": stake, "stakeSet": stake, "stakeGo": stake});
    let stake = place.read("stake.csv");
    let rows = stake.lines().map(|line| line.split(',').collect());
    let rows = rows.filter(|row: &Vec<&str>| row[0] == "9").map(|row| {
        let id: klero_leader::PoolId = row[1].parse().unwrap();
        (id.to_hex(), of(row[2].parse().unwrap()))
    });
    let pools: serde_json::Map<String, Value> = rows.collect();
    let answer = json!({"pools": pools, "total": of(forged.stake.total())});
    place.write("snapshot.json", answer.to_string());
    let report = report(&place, "--stake snapshot.json --stake-epoch 9");
    assert_eq!(
        report["stake"],
        json!({"8": "given", "9": "given", "10": "given"})
    );
    let epochs = report["epochs"].as_array().unwrap().iter();
    // In epochs 2 and 3 all slots are delegates', whose turns need no stake.
    let epochs = epochs.filter(|epoch| epoch["epoch"].as_u64() > Some(3));
    let judged = epochs.filter(|epoch| epoch["leaders"]["valid"] != 0);
    let judged: Vec<_> = judged.map(|epoch| epoch["epoch"].as_u64()).collect();
    assert_eq!(judged, [8, 9, 10].map(Some));
}

#[test]
fn stake_that_is_not_the_epochs() {
    let (place, forged) = forged();
    let (first, _) = forged.stake.pools().next().unwrap();
    let stake = place.read("stake.csv");
    let without: Vec<_> = stake
        .lines()
        .filter(|line| !line.contains(&first.to_string()))
        .collect();
    place.write("without.csv", without.join("\n"));
    let ran = place
        .run("chain verify db --stake without.csv --json")
        .ends(1);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .all(|finding| finding["finding"] == "unknown-pool")
    );
    assert_eq!(findings[0]["pool"], first.to_hex());
    let found: u64 = findings
        .iter()
        .map(|finding| finding["count"].as_u64().unwrap())
        .sum();
    assert_eq!(report["totals"]["leaders"]["invalid"], found);
    let ran = place.run("chain verify db --stake without.csv").ends(1);
    let text = &ran.stdout;
    assert!(
        text.contains(" blocks of makers who may not lead. Valid: "),
        "{text}"
    );
    assert!(
        text.contains("\nBefore you doubt the chain, doubt the stake: "),
        "{text}"
    );
    assert!(!text.contains("First damaged chunk"), "{text}");

    let twice = stake.lines().map(|line| {
        let mut fields: Vec<_> = line.split(',').map(str::to_owned).collect();
        if let Ok(total) = fields[4].parse::<u64>() {
            fields[4] = (2 * total).to_string();
        }
        fields.join(",") + "\n"
    });
    place.write("half.csv", twice.collect::<String>());
    let ran = place.run("chain verify db --stake half.csv --json").ends(1);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let finding = &report["findings"][0];
    assert_eq!(finding["finding"], "no-leader");
    assert!(finding["margin"].as_f64().unwrap() > 1.0, "{finding}");
    assert_eq!(finding["total"], 2 * forged.stake.total());
    let [value, threshold] = ["value", "threshold"].map(|name| finding[name].as_str().unwrap());
    assert!(
        value > threshold && value.len() == threshold.len(),
        "{finding}"
    );
}

/// Stake that nothing was judged by does not pass for a check.
#[test]
fn stake_that_is_not_used() {
    let (place, _) = forged();
    let line = "chain verify db --stake stake.csv";
    let ran = place.run(&format!("{line} --only kes")).ends(0);
    let words = "; who may lead, which is a part of the check vrf; ledger rules";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);

    let words = "; who may lead in blocks of earlier runs without stake; ledger rules";
    place.run("chain verify db --state s").ends(0);
    let ran = place.run(&format!("{line} --state s")).ends(0);
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
    for _ in 0..2 {
        let ran = place.run(&format!("{line} --state t")).ends(0);
        assert!(!ran.stdout.contains(words), "{}", ran.stdout);
    }
}

/// Options that name files or epochs, and what is wrong with them.
const BAD_OPTIONS: [(&str, &str); 14] = [
    ("--stake s.txt", "cannot read s.txt: expected CSV in"),
    ("--stake none.csv", "cannot read none.csv"),
    ("--stake s.json", "names no epoch: expected --stake-epoch"),
    ("--stake s.json --stake-epoch 1", "cannot read s.json: "),
    (
        "--stake no.json --stake-epoch 1",
        "cannot read no.json: EOF",
    ),
    (
        "--stake mark.json --stake-epoch 1",
        "cannot read mark.json: EOF",
    ),
    (
        "--stake list.jsonl",
        "cannot read list.jsonl: expected CSV in",
    ),
    (
        "--stake late.csv --offset 2",
        "row 1: epoch is 18446744073709551615, expected less than 2^64 with the offset of 2",
    ),
    (
        "--stake s.csv --margins ./s.csv",
        "--margins: this is a file of the stake",
    ),
    (
        "--stake s.csv --stake-epoch 1",
        "a column \"epoch\", and an epoch was given for all rows",
    ),
    (
        "--stake s.csv --stake s.csv",
        "epoch 1 is in another file, too",
    ),
    (
        "--stake s.csv --margins m.txt",
        "cannot write m.txt: unknown format",
    ),
    (
        "--stake s.csv --decentralization 12=0.5",
        "--decentralization 12: delegates had a share from Shelley",
    ),
    (
        "--stake s.csv --decentralization 4=0.5,4=0.6",
        "names epoch 4 twice",
    ),
];

#[test]
fn bad_options_of_stake() {
    let (place, _) = forged();
    let pool = "07".repeat(28);
    place.write("s.txt", "");
    place.write("s.json", "{}");
    place.write("no.json", "{");
    place.write("mark.json", "\u{feff}{");
    place.write("list.jsonl", "[1]\n");
    place.write(
        "late.csv",
        format!("epoch,pool,stake\n{},{pool},5\n", u64::MAX),
    );
    place.write("s.csv", format!("epoch,pool,stake\n1,{pool},5\n"));
    for (options, words) in BAD_OPTIONS {
        place
            .run(&format!("chain verify db {options}"))
            .refused(words);
    }
    // What the command line alone shows to be wrong.
    for (options, words) in [
        ("--stake-epoch 3", "--stake"),
        ("--decentralization 4=0.5", "--stake"),
        ("--decentralization 4=2", "expected a number from 0 to 1"),
        ("--decentralization 4", "expected a name, = and a value"),
    ] {
        let ran = place.run(&format!("chain verify db {options}")).ends(2);
        assert!(ran.stderr.contains(words), "{options}: {}", ran.stderr);
    }
}

#[test]
fn one_epoch_for_all_rows() {
    let (place, _) = forged();
    place.write("e.csv", format!("pool,stake\n{},5\n", "07".repeat(28)));
    let ran = place
        .run("chain verify db --stake e.csv --stake-epoch 9")
        .ends(1);
    let found = ran.stdout.contains("has no stake in this epoch");
    assert!(found, "{}", ran.stdout);
}

/// A chunk of mainnet, and the stake of three epochs, of which one decides there.
fn mainnet() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chain/mainnet-222");
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no chunk of mainnet at {}", dir.display());
    None
}

/// The stake at the end of epoch 220 decides in 222. The text behind `//` in the heads of these tables
/// names the epoch in which another snapshot, "go", is that stake.
#[test]
fn mainnet_in_epoch_222() {
    let Some(dir) = mainnet() else { return };
    let place = Place::new();
    fs::create_dir(place.path("db")).unwrap();
    fs::copy(dir.join("00500.chunk"), place.path("db/00500.chunk")).unwrap();
    for epoch in [219, 220, 221] {
        let name = format!("spdd.{epoch}.csv");
        fs::copy(dir.join(&name), place.path(&name)).unwrap();
    }
    let run = |stake: u64, status| {
        place
            .run(&format!(
                "chain verify db --network mainnet --stake spdd.{stake}.csv --stake-epoch 222 \
                 --decentralization 222=0.6 --margins m.csv"
            ))
            .ends(status)
            .stdout
    };
    let text = run(220, 0);
    assert!(
        text.contains("\nWho may lead: 1,078 by stake or turn.\n"),
        "{text}"
    );
    assert!(
        text.contains("\nThe narrowest lead: 0.995950 of the threshold, pool c5293f2ba88ac"),
        "{text}"
    );
    assert!(
        text.contains("\nThe total stake of epoch 222 is the sum of the pools given.\n"),
        "{text}"
    );
    let margins = csv_column(&place.read("m.csv"), "margin");
    assert_eq!(margins.len(), 430);
    assert!(
        margins
            .iter()
            .all(|margin| margin.parse::<f64>().unwrap() < 1.0)
    );
    for (stake, failing) in [(219, 15), (221, 35)] {
        let text = run(stake, 1);
        let words = format!("{failing} blocks of makers who may not lead.");
        assert!(text.contains(&words), "{text}");
        assert_eq!(
            csv_column(&place.read("m.csv"), "margin").len(),
            430 - failing
        );
    }
}
