//! `klero leaderlog` foretells where a forged and a simulated chain have blocks. A page in `golden` shows
//! what it prints and refuses.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use klero_cardano::{Era, Header};
use klero_damage::Honest;
use klero_forge::{Recipe, forge};
use klero_leader::PoolId;
use serde_json::Value;

use common::Place;

/// The slots in which a pool with this key leads, the protocol, and where its total stake is from.
fn foretold(place: &Place, key: &str, options: &str) -> (BTreeSet<u64>, [String; 2]) {
    place.write("vrf.skey", key);
    let ran = place.run(&format!("leaderlog --key vrf.skey {options} --json"));
    let report: Value = serde_json::from_str(&ran.ends(0).stdout).unwrap();
    let slots = report["slots"].as_array().unwrap().iter();
    let slots = slots.map(|lead| lead["slot"].as_u64().unwrap()).collect();
    let names = [&report["epoch"]["protocol"], &report["stake"]["source"]];
    (slots, names.map(|name| name.as_str().unwrap().to_owned()))
}

#[test]
fn every_block_of_a_pool_is_in_a_slot_that_was_foretold() {
    let place = Place::new();
    let dir = place.path("db");
    let forged = forge(&Recipe::sample(), &dir, |_, _| {}).unwrap();
    let mut table = "pool,stake,vrf,total\n".to_owned();
    for (id, pool) in forged.stake.pools() {
        let (stake, total) = (pool.stake.pool(), pool.stake.total());
        table += &format!("{id},{stake},{},{total}\n", pool.vrf.unwrap());
    }
    place.write("stake.csv", table);
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
            // A slot that a pool won has a block, by this pool or by another that won it, too. The chain
            // ends before its last epoch does.
            let mut won = found
                .iter()
                .filter(|slot| Some(slot) <= there.last().as_ref());
            assert!(won.all(|slot| there.contains(slot)), "{pool} in {epoch}");
        }
    }
    // What is left was made by genesis delegates.
    assert!(
        made.keys()
            .all(|(pool, _)| !forged.vrf_keys.contains_key(pool))
    );
}

/// 48 headers of Conway by 16 pools of equal stake, with the keys of these pools.
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
