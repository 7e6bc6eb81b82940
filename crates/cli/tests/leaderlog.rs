//! `klero leaderlog` on simulated and forged chains, and what it refuses.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use klero::{SecretKey, Suite};
use klero_cardano::{Era, Header};
use klero_forge::{Forged, Honest, Recipe, forge};
use klero_leader::PoolId;
use serde_json::{Value, json};

use common::{Place, csv_column};

/// What the options of a run have in common, and the keys beside them.
struct Given {
    place: Place,
    options: String,
    pools: BTreeMap<PoolId, SecretKey>,
    forged: Forged,
}

impl Given {
    /// A forged chain in a directory `db`, with the stake in all epochs in `stake.csv`.
    fn new(recipe: &Recipe) -> Self {
        let place = Place::new();
        let forged = forge(recipe, &place.path("db"), |_, _| {}).unwrap();
        let mut table = "epoch,pool,stake,vrf,total\n".to_owned();
        for (epoch, stake) in forged.stake_by_epoch() {
            for (id, pool) in stake.pools() {
                let (vrf, lovelace) = (pool.vrf.unwrap(), pool.stake.pool());
                table += &format!("{epoch},{id},{lovelace},{vrf},{}\n", stake.total());
            }
        }
        place.write("stake.csv", table);
        for (id, key) in &forged.vrf_keys {
            place.write(&format!("{id}.skey"), &*key.to_envelope());
        }
        let starts: Vec<String> = Era::ALL[1..]
            .iter()
            .filter_map(|era| Some(format!("{era}={}", forged.network.era_starts().of(*era)?)))
            .collect();
        let mut options = format!(
            "--shelley-genesis db/shelley-genesis.json --era-start {} --stake stake.csv",
            starts.join(",").to_lowercase()
        );
        for epoch in &forged.epochs {
            if let Some(d) = forged.network.decentralization(epoch.epoch)
                && epoch.era < Era::Babbage
                && epoch.era > Era::Byron
            {
                options += &format!(" --decentralization {}={d}", epoch.epoch);
            }
        }
        Self {
            place,
            options,
            pools: forged.vrf_keys.clone(),
            forged,
        }
    }

    /// The options for a pool in an epoch.
    fn line(&self, pool: &PoolId, epoch: u64) -> String {
        let nonce = self.forged.epochs[epoch as usize].nonce.unwrap();
        format!(
            "leaderlog --key {pool}.skey --pool {pool} --epoch {epoch} --nonce {nonce} {}",
            self.options
        )
    }

    fn report(&self, pool: &PoolId, epoch: u64) -> Value {
        let line = format!("{} --json", self.line(pool, epoch));
        serde_json::from_str(&self.place.run(&line).ends(0).stdout).unwrap()
    }
}

fn slots(report: &Value) -> BTreeSet<u64> {
    let leads = report["slots"].as_array().unwrap().iter();
    leads.map(|lead| lead["slot"].as_u64().unwrap()).collect()
}

#[test]
fn every_block_of_a_pool_is_in_a_slot_that_was_foretold() {
    let given = Given::new(&Recipe::of_byron_to_conway());
    let honest = Honest::read(&given.place.path("db"), given.forged.network.clone()).unwrap();
    let mut made = BTreeMap::<(PoolId, u64), BTreeSet<u64>>::new();
    for block in &honest.blocks {
        if let Some(lottery) = &block.lottery {
            let pool = PoolId::of_key(&lottery.issuer_key);
            let slots = made.entry((pool, block.epoch)).or_default();
            slots.insert(block.place.slot);
        }
    }
    let (mut led, mut expected) = (0, 0.0);
    for epoch in 2..given.forged.epochs.len() as u64 {
        let mut all = BTreeSet::new();
        for pool in given.pools.keys() {
            let report = given.report(pool, epoch);
            let found = slots(&report);
            let made = made.remove(&(*pool, epoch)).unwrap_or_default();
            assert!(made.is_subset(&found), "{pool} in {epoch}");
            led += found.len();
            expected += report["expected"].as_f64().unwrap();
            all.extend(found);
        }
        // A slot that a pool won has a block, by this pool or by another that won it, too. The chain
        // ends before its last epoch does.
        let tip = given.forged.tip.unwrap().slot;
        let there: BTreeSet<u64> = honest.blocks.iter().map(|b| b.place.slot).collect();
        for slot in all.into_iter().filter(|slot| *slot <= tip) {
            assert!(there.contains(&slot), "{slot}");
        }
    }
    // What is left was made by genesis delegates.
    assert!(made.keys().all(|(pool, _)| !given.pools.contains_key(pool)));
    assert!(
        (0.8..1.2).contains(&(led as f64 / expected)),
        "{led} {expected}"
    );
}

/// 48 headers of Conway by 16 pools of equal stake, with the keys of these pools.
#[test]
fn a_simulated_chain() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/leader");
    let Ok(text) = fs::read_to_string(dir.join("sim-chain.json")) else {
        eprintln!("SKIPPED: no {}", dir.display());
        return;
    };
    let chain: Value = serde_json::from_str(&text).unwrap();
    let place = Place::new();
    place.write(
        "genesis.json",
        r#"{"activeSlotsCoeff": 0.05, "securityParam": 10, "epochLength": 2000}"#,
    );
    let mut made = BTreeMap::<String, BTreeSet<u64>>::new();
    let mut last = 0;
    for header in chain["stakePools"]["chains"].as_array().unwrap() {
        let bytes = hex::decode(header["header"].as_str().unwrap()).unwrap();
        let header = Header::decode(7, &bytes, 21_600).unwrap();
        let pool = PoolId::of_key(&header.lottery.unwrap().issuer_key);
        made.entry(pool.to_hex())
            .or_default()
            .insert(header.place.slot);
        last = last.max(header.place.slot);
    }
    let pools = chain["stakePools"]["spos"].as_array().unwrap();
    let mut table = "pool,stake,vrf\n".to_owned();
    for pool in pools {
        let (id, stake) = (pool["poolId"].as_str().unwrap(), &pool["individualStake"]);
        let vrf = &stake["individualPoolStake"]["individualPoolStakeVrf"];
        let vrf = stake["individualPoolStakeVrf"]
            .as_str()
            .or(vrf.as_str())
            .unwrap();
        table += &format!("{id},{},{vrf}\n", stake["individualTotalPoolStake"]);
    }
    place.write("stake.csv", table);
    for pool in pools {
        let id = pool["poolId"].as_str().unwrap();
        place.write("vrf.skey", pool["vrfSignKey"].as_str().unwrap());
        let nonce = chain["context"]["nonce"].as_str().unwrap();
        let line = format!(
            "leaderlog --key vrf.skey --pool {id} --epoch 0 --nonce {nonce} --shelley-genesis \
             genesis.json --era-start conway=0 --stake stake.csv --stake-epoch 0 --json"
        );
        let report: Value = serde_json::from_str(&place.run(&line).ends(0).stdout).unwrap();
        assert_eq!(report["no_times"], "the genesis file has no systemStart");
        let found = slots(&report).into_iter().filter(|slot| *slot <= last);
        let made = made.remove(id).unwrap_or_default();
        assert_eq!(found.collect::<BTreeSet<_>>(), made, "{id}");
    }
    assert_eq!(made, BTreeMap::new());
}

/// Where f is 1 a pool leads in every slot that pools draw in: none of them is left out, and none that
/// belongs to genesis delegates is among them.
#[test]
fn every_slot_that_pools_draw_in() {
    let place = Place::new();
    let key = SecretKey::from_seed(Suite::PRAOS, &[1; 32]);
    place.write("vrf.skey", &*key.to_envelope());
    let pool = PoolId::new([7; 28]);
    place.write("stake.csv", format!("pool,stake\n{pool},1\n"));
    let [hash, vrf] = [28, 32].map(|bytes| "07".repeat(bytes));
    // Longer than the slices of slots that threads draw at once.
    let genesis = json!({
        "activeSlotsCoeff": 1,
        "securityParam": 10,
        "epochLength": 2_500,
        "genDelegs": {&hash: {"delegate": &hash, "vrf": vrf}},
    });
    place.write("genesis.json", genesis.to_string());
    let drawn = |options: &str| -> Vec<u64> {
        let line = format!(
            "leaderlog --key vrf.skey --pool {pool} --epoch 3 --nonce neutral --shelley-genesis \
             genesis.json --stake stake.csv --stake-epoch 3 {options} --json"
        );
        let report: Value = serde_json::from_str(&place.run(&line).ends(0).stdout).unwrap();
        let slots = report["slots"].as_array().unwrap().iter();
        slots.map(|lead| lead["slot"].as_u64().unwrap()).collect()
    };
    let all = 7_500..10_000;
    assert!(drawn("--era-start conway=0").into_iter().eq(all.clone()));
    // Every second slot is the overlay's, from the first on.
    let half = drawn("--era-start babbage=12 --decentralization 3=1/2");
    assert!(half.into_iter().eq(all.skip(1).step_by(2)));
}

#[test]
fn the_forms_say_the_same() {
    let given = Given::new(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let pool = given.pools.keys().next().unwrap();
    let report = given.report(pool, 1);
    let found: Vec<String> = slots(&report).iter().map(u64::to_string).collect();
    assert!(!found.is_empty());
    let line = given.line(pool, 1);
    let csv = given.place.run(&format!("{line} --csv")).ends(0).stdout;
    assert_eq!(csv_column(&csv, "slot"), found);
    let text = given.place.run(&line).ends(0).stdout;
    for slot in &found {
        assert!(text.contains(slot.as_str()), "{text}");
    }
    let summary = format!("{pool} leads in {} of 100 slots of epoch 1", found.len());
    assert!(text.contains(&summary), "{text}");
    for name in ["log.csv", "log.jsonl", "log.parquet"] {
        let ran = given.place.run(&format!("{line} --out {name}")).ends(0);
        assert!(ran.stdout.starts_with(&summary), "{}", ran.stdout);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(given.place.path(name)).unwrap().permissions();
            assert_eq!(mode.mode() & 0o777, 0o600);
        }
    }
    assert_eq!(given.place.read("log.csv"), csv);
    // The first slot of the epoch is 100; slots are seconds.
    assert_eq!(report["epoch"]["first_time"], "2017-09-23T21:46:31Z");
    assert_eq!(csv_column(&csv, "time").len(), found.len());
    assert_eq!(report["pool"]["vrf_registered"], json!(true));
    // Help names every field.
    let help = given.place.run("leaderlog --help").ends(0).stdout;
    let mut names = BTreeSet::new();
    fields(&report, &mut names);
    for name in names {
        assert!(help.contains(name), "{name} is not in the help");
    }
    assert!(help.contains("private"), "{help}");
}

/// The names of all fields.
fn fields<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                names.insert(name);
                self::fields(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, names)),
        _ => {}
    }
}

#[test]
fn wrong_keys_pools_and_stakes() {
    let given = Given::new(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let place = &given.place;
    let [one, two] = [0, 1].map(|index| *given.pools.keys().nth(index).unwrap());
    let line = given.line(&one, 1);
    let own = format!("--pool {one}");
    place
        .run(&line.replace(&own, &format!("--pool {two}")))
        .refused(&format!("epoch 1: the VRF key of pool {two} hashes to"));
    let unknown = PoolId::new([7; 28]);
    place
        .run(&line.replace(&own, &format!("--pool {unknown}")))
        .refused(&format!(
            "epoch 1: pool {unknown} has no stake in this epoch"
        ));
    place
        .run(&format!("{line} --offset 2"))
        .refused("no stake that decides in epoch 1: found that of 2, 3");
    place
        .run(&line.replace(" --stake stake.csv", ""))
        .refused("no stake was given: expected --stake FILE");
    // Without VRF keys in the table, nothing is known of the key.
    let bare = format!("pool,stake\n{two},1\n");
    place.write("bare.csv", bare);
    let other = line
        .replace(&own, &format!("--pool {two}"))
        .replace("stake.csv", "bare.csv --stake-epoch 1");
    let ran = place.run(&other).ends(0);
    assert!(ran.stdout.contains("was not checked"), "{}", ran.stdout);
    // A key of another suite, one in hex, and a table in the place of the key.
    let rfc = SecretKey::from_seed(Suite::RFC9381_TAI, &[1; 32]);
    place.write("rfc.skey", &*rfc.to_envelope());
    let key = format!("--key {one}.skey");
    place
        .run(&line.replace(&key, "--key rfc.skey"))
        .refused("expected praos, the suite of stake pools");
    place.write("hex.skey", hex::encode(given.pools[&one].seed()));
    place.run(&line.replace(&key, "--key hex.skey")).ends(0);
    place.write("k.csv", hex::encode(given.pools[&one].seed()));
    place
        .run(&format!(
            "{} --out k.csv",
            line.replace(&key, "--key k.csv")
        ))
        .refused("this is the file of the key");
    place
        .run(&format!("{line} --out ./stake.csv"))
        .refused("--out: this is a file of the stake");
}

#[test]
fn what_is_not_known_is_named() {
    let place = Place::new();
    let key = SecretKey::from_seed(Suite::PRAOS, &[1; 32]);
    place.write("vrf.skey", &*key.to_envelope());
    let pool = PoolId::new([7; 28]);
    place.write("stake.csv", format!("pool,stake\n{pool},1\n"));
    place.write(
        "genesis.json",
        r#"{"activeSlotsCoeff": 0.5, "securityParam": 10, "epochLength": 100}"#,
    );
    let run = |options: &str, epoch: u64| {
        place.run(&format!(
            "leaderlog --key vrf.skey --pool {pool} --stake stake.csv --stake-epoch {epoch} \
             --epoch {epoch} {options}"
        ))
    };
    run("--network mainnet", 100_000).refused(
        "the nonce of epoch 100000 of mainnet is not known (those of epochs 208 to 619 are built \
         in): expected --nonce or --nonces",
    );
    let nonce = "ab".repeat(32);
    run(&format!("--network mainnet --nonce {nonce}"), 500)
        .refused("--nonce: the nonce of epoch 500 of mainnet is known to be");
    run("--network mainnet", 207).refused("an epoch of Byron, in which no pool leads");
    run("--network mainnet", u64::MAX).refused("expected a smaller number");
    run("--network mainnet", 222).refused("expected --decentralization 222=D");
    run("--network mainnet --decentralization 400=0.5", 400).refused("epoch 400 of mainnet");
    let custom = "--shelley-genesis genesis.json --nonce neutral";
    run(custom, 3).refused("expected --era-start, as in --era-start babbage=12");
    let tpraos = format!("{custom} --era-start babbage=12");
    run(&tpraos, 3).refused("expected --decentralization 3=D");
    run(&format!("{tpraos} --decentralization 3=1/2"), 3).refused("names no delegates");
    let ran = run(&format!("{tpraos} --decentralization 3=0"), 3).ends(0);
    assert!(
        ran.stdout.contains(
            "Epoch: slots 300 to 399; times are not known: the genesis file has no system"
        ),
        "{}",
        ran.stdout
    );
    for (options, words) in [
        ("", "--network"),
        ("--network mainnet --nonce 00", "64 hexadecimal digits"),
        ("--network mainnet --json --csv", "cannot be used with"),
        (
            "--network mainnet --nonce neutral --nonces x",
            "cannot be used with",
        ),
        ("--network mainnet --margins x.csv", "unexpected argument"),
    ] {
        let ran = run(options, 500).ends(2);
        assert!(ran.stderr.contains(words), "{options}: {}", ran.stderr);
    }
    let ran = place.run("leaderlog --key vrf.skey --epoch 500 --network mainnet --pool abc");
    let stderr = ran.ends(2).stderr;
    assert!(stderr.contains("56 hexadecimal digits"), "{stderr}");
    run("--network mainnet --out x.txt", 500).refused("expected a name that ends in .csv");
    run("--network mainnet --nonces nowhere", 500).refused("nowhere: No such file");
}

/// Nonces and stake in the forms of nodes, databases and shells. The libraries' tests show each.
#[test]
fn what_others_write() {
    let place = Place::new();
    let key = SecretKey::from_seed(Suite::PRAOS, &[1; 32]);
    place.write("vrf.skey", &*key.to_envelope());
    let (pool, nonce) = ("07".repeat(28), "ab".repeat(32));
    let amounts = |set: u64| json!({"stakeMark": 9, "stakeSet": set, "stakeGo": 0});
    let snapshot = |set: u64| json!({"pools": {&pool: amounts(set)}, "total": amounts(set)});
    let utf16 = format!("\u{feff}{}", snapshot(5));
    let utf16 = utf16.encode_utf16().flat_map(u16::to_le_bytes);
    let third = json!({"numerator": 1, "denominator": 3});
    let genesis = json!({"activeSlotsCoeff": third, "securityParam": 10, "epochLength": 100});
    let none = json!({"stakeMark": 0, "stakeSet": 0, "stakeGo": 0});
    let first = format!("pool,stake,total\n\\x{pool},5,5\n");
    for (name, content) in [
        ("genesis.json", genesis.to_string().into_bytes()),
        ("bytea.csv", first.clone().into_bytes()),
        ("bad.csv", first.replace(",5", "g,5").into_bytes()),
        ("utf16.json", utf16.collect()),
        ("yaml.yml", format!("pools:\n  {pool}:\n").into_bytes()),
        (
            "none.json",
            json!({"pools": {}, "total": none}).to_string().into_bytes(),
        ),
        ("mark.json", snapshot(0).to_string().into_bytes()),
        (
            "state.json",
            json!({"lastSlot": 399, "epochNonce": nonce})
                .to_string()
                .into_bytes(),
        ),
    ] {
        place.write(name, content);
    }
    let run = |stake: &str, epoch: u64| {
        place.run(&format!(
            "leaderlog --key vrf.skey --pool {pool} --epoch {epoch} --nonces state.json \
             --shelley-genesis genesis.json --era-start conway=0 --stake-epoch 3 --stake {stake}"
        ))
    };
    for stake in ["bytea.csv", "utf16.json"] {
        let said = run(stake, 3).ends(0).stdout;
        assert!(said.contains("\nStake: 5 of 5 lovelace.\n"), "{said}");
        assert!(said.contains("\nGenesis hash: "), "{said}");
    }
    // The state is that of epoch 3.
    run("mark.json", 4).refused("its lastSlot 399 is in epoch 3 of custom");
    run("yaml.yml", 3).refused("cannot read yaml.yml: this is YAML: ask with --output-json");
    run("none.json", 3).refused("there is no stake in its set snapshot");
    run("mark.json", 3)
        .refused("found that of 4 (--offset adds to a column epoch; a snapshot of 0");
    // A pool is no secret.
    run("bad.csv", 3).refused(&format!("pool \"\\\\x{pool}g\": not hexadecimal"));
}
