//! Who may lead, on headers of mainnet and of a simulated chain.

use std::fs;
use std::path::{Path, PathBuf};

use klero_cardano::{Header, Lottery, Vrf};
use klero_leader::{
    ActiveSlots, Distribution, Lead, LeaderValue, Leaders, NoLeader, PoolId, VrfKeyHash, VrfKeys,
};
use pallas_codec::minicbor::Decoder;
use serde_json::Value;

/// A directory of `shared`; `None`, with a line that says so, if it does not exist.
fn shared(name: &str) -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(name);
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no {}", dir.display());
    None
}

/// The headers of a chunk file: it is a sequence of blocks, each with its tag.
fn headers(chunk: &[u8]) -> Vec<Header> {
    let mut decoder = Decoder::new(chunk);
    let mut headers = Vec::new();
    while decoder.position() < chunk.len() {
        let block = decoder.position();
        decoder.skip().unwrap();
        let mut inside = Decoder::new(&chunk[block..decoder.position()]);
        assert_eq!(inside.array().unwrap(), Some(2));
        let tag = inside.u8().unwrap();
        inside.array().unwrap();
        let start = inside.position();
        inside.skip().unwrap();
        let bytes = &chunk[block + start..block + inside.position()];
        headers.push(Header::decode(tag, bytes, 21_600).unwrap());
    }
    headers
}

fn leader_value(lottery: &Lottery) -> LeaderValue {
    match &lottery.vrf {
        Vrf::TPraos { leader, .. } => LeaderValue::TPraos(leader.output),
        Vrf::Praos(cert) => LeaderValue::of_praos(&cert.output),
    }
}

fn judge(leaders: &Leaders, lottery: &Lottery) -> Result<Lead, NoLeader> {
    let vrf = VrfKeyHash::of_key(&lottery.vrf_key);
    leaders.judge(
        &PoolId::of_key(&lottery.issuer_key),
        &vrf,
        &leader_value(lottery),
    )
}

fn slots() -> ActiveSlots {
    ActiveSlots::new(1, 20).unwrap()
}

/// Stake at the end of an epoch, from a table with a line for each pool.
fn stake_at_the_end_of(dir: &Path, epoch: u64) -> Distribution {
    let table = fs::read_to_string(dir.join(format!("spdd.{epoch}.csv"))).unwrap();
    let mut builder = Distribution::builder();
    for line in table.lines().skip(1) {
        let (pool, stake) = line.split_once(',').unwrap();
        builder
            .pool(pool.parse().unwrap(), stake.parse().unwrap(), None)
            .unwrap();
    }
    builder.build().unwrap()
}

/// Epoch 222, in which the stake at the end of epoch 220 decides. With d = 0.6, 648 of the blocks are
/// by genesis delegates.
#[test]
fn mainnet_and_the_stake_of_the_epochs_around() {
    let Some(dir) = shared("chain/mainnet-222") else {
        return;
    };
    let headers = headers(&fs::read(dir.join("00500.chunk")).unwrap());
    assert_eq!(headers.len(), 1078);
    let lotteries: Vec<&Lottery> = headers
        .iter()
        .map(|h| h.lottery.as_ref().unwrap())
        .collect();

    for (epoch, failing) in [(219, 15), (220, 0), (221, 35)] {
        let leaders = Leaders::new(&stake_at_the_end_of(&dir, epoch), &slots());
        let (mut unknown, mut margins, mut too_large) = (0, Vec::new(), 0);
        for lottery in &lotteries {
            match judge(&leaders, lottery) {
                Ok(lead) => margins.push(lead.margin),
                Err(NoLeader::UnknownPool { .. }) => unknown += 1,
                Err(NoLeader::ValueTooLarge(error)) => {
                    assert!(error.margin() > 1.0, "{error}");
                    too_large += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        margins.sort_by(f64::total_cmp);
        println!(
            "{epoch}: {unknown} unknown, {too_large} too large, {} lead",
            margins.len()
        );
        if epoch == 220 {
            assert_eq!(margins.len(), 430);
            let widest: Vec<String> = margins
                .iter()
                .rev()
                .take(2)
                .map(|margin| format!("{margin:.5}"))
                .collect();
            assert_eq!(widest, ["0.99595", "0.99527"]);
        }
        assert_eq!((unknown, too_large), (648, failing), "{epoch}");
    }

    // Delegates among them, each issuer has one VRF key through the epoch.
    let mut keys = VrfKeys::new();
    for lottery in lotteries {
        let vrf = VrfKeyHash::of_key(&lottery.vrf_key);
        keys.note(PoolId::of_key(&lottery.issuer_key), vrf).unwrap();
    }
}

/// Stake that is 1 % too low is seen.
#[test]
fn one_percent_of_stake_is_seen() {
    let Some(dir) = shared("chain/mainnet-222") else {
        return;
    };
    let stake = stake_at_the_end_of(&dir, 220);
    let mut lower = Distribution::builder();
    for (id, pool) in stake.pools() {
        lower.pool(*id, pool.stake.pool() / 100 * 99, None).unwrap();
    }
    lower.total(stake.total());
    let leaders = Leaders::new(&lower.build().unwrap(), &slots());
    let headers = headers(&fs::read(dir.join("00500.chunk")).unwrap());
    let fails = |header: &&Header| {
        let verdict = judge(&leaders, header.lottery.as_ref().unwrap());
        matches!(verdict, Err(NoLeader::ValueTooLarge(_)))
    };
    assert_eq!(headers.iter().filter(fails).count(), 2);
}

/// The pools of preprod, by the names of a node's answer.
#[test]
fn names_of_real_pools() {
    let Some(dir) = shared("vectors/leader") else {
        return;
    };
    let text = fs::read_to_string(dir.join("preprod-pools-164.json")).unwrap();
    let pools: Value = serde_json::from_str(&text).unwrap();
    let mut builder = Distribution::builder();
    for (name, pool) in pools.as_object().unwrap() {
        let id: PoolId = name.parse().unwrap();
        assert_eq!(
            (id.to_string(), id.to_hex().parse()),
            (name.clone(), Ok(id))
        );
        let stake = pool["stake"]["ada"]["lovelace"].as_u64().unwrap();
        let vrf = pool["vrfVerificationKeyHash"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        builder.pool(id, stake, Some(vrf)).unwrap();
    }
    assert_eq!(builder.build().unwrap().pools().len(), 398);
}

/// 48 headers of Conway by 16 pools of equal stake, whose VRF keys are registered.
#[test]
fn a_simulated_chain() {
    let Some(dir) = shared("vectors/leader") else {
        return;
    };
    let json = |name| -> Value {
        serde_json::from_str(&fs::read_to_string(dir.join(name)).unwrap()).unwrap()
    };
    let mut builder = Distribution::builder();
    for pool in json("sim-stake-distribution.json").as_array().unwrap() {
        let stake = &pool["individualStake"];
        assert_eq!(stake["individualPoolStake"]["denominator"], 16);
        let vrf = stake["individualPoolStakeVrf"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let id = pool["poolId"].as_str().unwrap().parse().unwrap();
        let amount = stake["individualTotalPoolStake"].as_u64().unwrap();
        builder.pool(id, amount, Some(vrf)).unwrap();
    }
    let distribution = builder.build().unwrap();
    assert_eq!(distribution.pools().len(), 16);
    let leaders = Leaders::new(&distribution, &slots());

    let chain = json("sim-chain.json");
    let headers = chain["stakePools"]["chains"].as_array().unwrap();
    assert_eq!(headers.len(), 48);
    for header in headers {
        let bytes = hex::decode(header["header"].as_str().unwrap()).unwrap();
        let mut lottery = Header::decode(7, &bytes, 21_600).unwrap().lottery.unwrap();
        let lead = judge(&leaders, &lottery).unwrap();
        assert_eq!(
            (lead.stake.pool() * 16, lead.margin < 1.0),
            (lead.stake.total(), true)
        );
        lottery.vrf_key[0] ^= 1;
        assert!(matches!(
            judge(&leaders, &lottery),
            Err(NoLeader::OtherVrfKey { .. })
        ));
    }
}
