//! Tests that `klero leaderlog` foretells the blocks of a forged chain and of a simulated chain. A recorded
//! session in `golden` covers the output and the errors of the command.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use klero_cardano::{Era, Header, Vrf};
use klero_damage::Honest;
use klero_forge::{Forged, Recipe, forge};
use klero_leader::PoolId;
use serde_json::Value;

use common::Place;

/// Runs `klero leaderlog`. Returns its slots for this key, the protocol, and the source of the total stake.
fn foretold(place: &Place, key: &str, options: &str) -> (BTreeSet<u64>, [String; 2]) {
    place.write("vrf.skey", key);
    let ran = place.run(&format!("leaderlog --key vrf.skey {options} --json"));
    let report: Value = serde_json::from_str(&ran.ends(0).stdout).unwrap();
    let slots = report["slots"].as_array().unwrap().iter();
    let slots = slots.map(|lead| lead["slot"].as_u64().unwrap()).collect();
    let names = [&report["epoch"]["protocol"], &report["stake"]["source"]];
    (slots, names.map(|name| name.as_str().unwrap().to_owned()))
}

/// The stake of a forged chain, as a CSV table that has no column for the epoch.
fn stake_of(forged: &Forged) -> String {
    let mut table = "pool,stake,vrf,total\n".to_owned();
    for (id, pool) in forged.stake.pools() {
        let (stake, total) = (pool.stake.pool(), pool.stake.total());
        table += &format!("{id},{stake},{},{total}\n", pool.vrf.unwrap());
    }
    table
}

#[test]
fn every_block_of_a_pool_is_in_a_slot_that_was_foretold() {
    let place = Place::new();
    let dir = place.path("db");
    let forged = forge(&Recipe::sample(), &dir, |_, _| {}).unwrap();
    place.write("stake.csv", stake_of(&forged));
    let honest = Honest::read(&dir, forged.network.clone()).unwrap();
    let mut made = BTreeMap::<(PoolId, u64), BTreeSet<u64>>::new();
    let mut there = BTreeSet::new();
    for block in &honest.blocks {
        let Some(lottery) = &block.lottery else {
            continue;
        };
        let slots = made.entry((lottery.pool(), block.epoch));
        slots.or_default().insert(block.place.slot);
        there.insert(block.place.slot);
    }
    for of in forged.epochs.iter().filter(|of| of.era > Era::Byron) {
        let (epoch, nonce) = (of.epoch, of.nonce.unwrap());
        let d = forged.network.decentralization(epoch);
        let d = d.filter(|_| of.era < Era::Babbage);
        let d = d.map_or_else(String::new, |d| format!("--decentralization {epoch}={d}"));
        for (pool, key) in &forged.vrf_keys {
            let options = format!(
                "--pool {pool} --epoch {epoch} --nonce {nonce} --stake stake.csv --stake-epoch {epoch} \
                 --shelley-genesis db/shelley-genesis.json --era-start shelley=2,babbage=9 {d}"
            );
            let (found, names) = foretold(&place, &key.to_envelope(), &options);
            let is_praos = of.era >= Era::Babbage;
            assert_eq!(names, [if is_praos { "praos" } else { "tpraos" }, "given"]);
            let made = made.remove(&(*pool, epoch)).unwrap_or_default();
            assert!(made.is_subset(&found), "{pool} in {epoch}");
            // A slot that a pool won has a block by this pool, or by another pool that also won the slot. The
            // slots after the last block are left out, because the chain ends before its last epoch does.
            let mut won = found
                .iter()
                .filter(|slot| Some(slot) <= there.last().as_ref());
            assert!(won.all(|slot| there.contains(slot)), "{pool} in {epoch}");
        }
    }
    // The blocks that are left in `made` were made by genesis delegates.
    assert!(
        made.keys()
            .all(|(pool, _)| !forged.vrf_keys.contains_key(pool))
    );
}

#[test]
fn a_block_leads_by_its_output_and_its_stake() {
    let place = Place::new();
    let dir = place.path("db");
    let forged = forge(&Recipe::of_byron_to_conway(), &dir, |_, _| {}).unwrap();
    let honest = Honest::read(&dir, forged.network.clone()).unwrap();
    let mut seen = BTreeSet::new();
    for block in &honest.blocks {
        let Some(lottery) = &block.lottery else {
            continue;
        };
        // A block of a genesis delegate needs no stake.
        let Some(pool) = forged.stake.pool(&lottery.pool()) else {
            continue;
        };
        let (output, rule) = match &lottery.vrf {
            Vrf::Praos(cert) => (cert.output, ""),
            Vrf::TPraos { leader, .. } => (leader.output, " --tpraos"),
        };
        if !seen.insert(rule) {
            continue;
        }
        let of = |stake: u64| {
            let (output, total) = (hex::encode(output), pool.stake.total());
            format!("leads --output {output} --stake {stake} --total {total} --f 0.5{rule}")
        };
        let ran = place.run(&of(pool.stake.pool())).ends(0);
        assert!(ran.stdout.starts_with("leads\n"), "{}", ran.stdout);
        let ran = place.run(&of(0)).ends(1);
        assert!(ran.stdout.starts_with("does not lead\n"), "{}", ran.stdout);
        place.run(&of(u64::MAX)).refused("is above the total of");
    }
    assert_eq!(seen.len(), 2);
    // For a pool with all of the stake, the largest value that leads is just below f (1/20 on mainnet).
    let all = "leads --stake 7 --total 7 --output";
    let (zeros, ones) = ("00".repeat(64), "ff".repeat(64));
    let by_name = place
        .run(&format!("{all} {ones} --network mainnet"))
        .ends(1)
        .stdout;
    assert_eq!(
        by_name,
        place.run(&format!("{all} {ones} --f 0.05")).ends(1).stdout
    );
    assert!(
        by_name.contains("\nlargest leads  0cccccccccc"),
        "{by_name}"
    );
    for (options, words) in [
        (format!("{all} 00 --f 0.5"), "1 bytes, expected 64"),
        (
            format!("{all} {zeros} --f 1.5"),
            "expected a decimal number above 0, at most 1",
        ),
        (
            format!("{all} {zeros} --f 0"),
            "expected a decimal number above 0, at most 1",
        ),
        (
            format!("{all} {zeros} --f 1.x"),
            "expected a decimal number above 0, at most 1",
        ),
        (format!("{all} {zeros}"), "--network <NAME>"),
        (
            format!("leads --stake 0 --total 0 --output {zeros} --f 1"),
            "the total stake is 0 lovelace",
        ),
    ] {
        let ran = place.run(&options).ends(2);
        assert!(ran.stderr.contains(words), "{options}: {}", ran.stderr);
    }
}

#[test]
fn a_database_tells_of_its_last_epoch_and_of_the_next() {
    let place = Place::new();
    let forged = forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    // The same chain, without its last epoch.
    let mut recipe = Recipe::sample();
    recipe.eras.last_mut().unwrap().1 -= 1;
    let before = forge(&recipe, &place.path("before"), |_, _| {}).unwrap();
    let mut other = Recipe::sample();
    other.seed = [1; 32];
    let other = forge(&other, &place.path("other"), |_, _| {}).unwrap();
    let of = forged.epochs.last().unwrap();
    let (epoch, nonce) = (of.epoch, of.nonce.unwrap());
    let (pool, key) = forged.vrf_keys.iter().next().unwrap();
    let key = key.to_envelope();
    place.write("stake.csv", stake_of(&forged));
    let options = format!(
        "--pool {pool} --epoch {epoch} --nonce {nonce} --stake stake.csv --stake-epoch {epoch} \
         --shelley-genesis db/shelley-genesis.json --era-start shelley=2,babbage=9"
    );
    let expected = foretold(&place, &key, &options).0;
    assert!(expected.len() > 20);
    let by_node = |options: &str| {
        let found = foretold(&place, &key, &format!("--pool {pool} {options}"));
        assert_eq!(found.0, expected, "{options}");
    };
    by_node("--db db");
    by_node("--db before --next");
    by_node(&format!("--db before --epoch {epoch}"));
    // The database has an older state of the ledger, and the blocks made after that state.
    let state = |of: &Forged| format!("ledger/{}", of.ledger.as_ref().unwrap().last.slot);
    let (newest, older) = (place.path("db").join(state(&forged)), state(&before));
    fs::remove_dir_all(&newest).unwrap();
    fs::rename(
        place.path("before").join(&older),
        place.path("db").join(&older),
    )
    .unwrap();
    by_node("--db db");

    let refused = |options: &str, words: &str| {
        let ran = place.run(&format!("leaderlog --key vrf.skey --pool {pool} {options}"));
        ran.refused(words);
    };
    refused(
        "--db db --next",
        &format!(
            "has the stake of epochs {}, {epoch}, and not of {}",
            epoch - 1,
            epoch + 1
        ),
    );
    refused("--db db --epoch 3", "expected this epoch or the next");
    refused("--db before", "before/ledger: there is no state");
    let genesis = "--db db --shelley-genesis db/shelley-genesis.json --era-start";
    refused(
        &format!("{genesis} shelley=1,babbage=9"),
        "its epoch 12 begins with slot ",
    );
    // The last epoch has the chunks 26 and 27. First, chunk 26 cannot be read. Later, chunk 27 is missing.
    let chunk = |number: u64| {
        place
            .path("db/immutable")
            .join(format!("{number:05}.chunk"))
    };
    fs::rename(chunk(26), place.path("kept")).unwrap();
    fs::create_dir(chunk(26)).unwrap();
    refused("--db db", "chunk 00026: cannot be read");
    fs::remove_dir(chunk(26)).unwrap();
    fs::rename(place.path("kept"), chunk(26)).unwrap();
    fs::remove_file(chunk(27)).unwrap();
    refused(
        "--db db --next",
        &format!(
            "the nonce of epoch {} is fixed by the first block from slot ",
            epoch + 1
        ),
    );
    // The state is from another chain.
    fs::remove_dir_all(place.path("other").join(state(&other))).unwrap();
    let (here, there) = (
        place.path("db").join(&older),
        place.path("other").join(&older),
    );
    fs::rename(here, &there).unwrap();
    refused(
        "--db other",
        &format!("other/{older}: cannot go on from slot "),
    );
    // The state is half written.
    let file = there.join("state");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    refused("--db other", "klero: --db");
}

/// The file has 48 Conway headers made by 16 pools with equal stake, and the keys of these pools.
#[test]
fn a_simulated_chain_has_blocks_where_they_were_foretold() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/leader");
    let Ok(text) = fs::read_to_string(dir.join("sim-chain.json")) else {
        eprintln!("SKIPPED: no {}", dir.display());
        return;
    };
    let chain: Value = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut made = BTreeMap::<String, BTreeSet<u64>>::new();
    for header in chain["stakePools"]["chains"].as_array().unwrap() {
        let bytes = hex::decode(text(&header["header"])).unwrap();
        let header = Header::decode(7, &bytes, 21_600).unwrap();
        let pool = header.lottery.unwrap().pool().to_hex();
        made.entry(pool).or_default().insert(header.place.slot);
    }
    let last = *made.values().flatten().max().unwrap();
    let place = Place::new();
    place.write(
        "genesis.json",
        r#"{"activeSlotsCoeff": 0.05, "securityParam": 10, "epochLength": 2000}"#,
    );
    let pools = chain["stakePools"]["spos"].as_array().unwrap();
    let mut table = "pool,stake,vrf\n".to_owned();
    for pool in pools {
        let (id, stake) = (text(&pool["poolId"]), &pool["individualStake"]);
        let vrf = text(&stake["individualPoolStakeVrf"]);
        table += &format!("{id},{},{vrf}\n", stake["individualTotalPoolStake"]);
    }
    place.write("stake.csv", table);
    for pool in pools {
        let (id, nonce) = (text(&pool["poolId"]), text(&chain["context"]["nonce"]));
        let options = format!(
            "--pool {id} --epoch 0 --nonce {nonce} --stake stake.csv --stake-epoch 0 \
             --shelley-genesis genesis.json --era-start conway=0"
        );
        let (mut found, names) = foretold(&place, &text(&pool["vrfSignKey"]), &options);
        assert_eq!(names, ["praos", "sum"]);
        found.retain(|slot| *slot <= last);
        assert_eq!(found, made.remove(&id).unwrap_or_default(), "{id}");
    }
    assert_eq!(made, BTreeMap::new());
}
