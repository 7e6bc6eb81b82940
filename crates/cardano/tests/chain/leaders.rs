//! Leaders of a simulated chain, and names of pools of preprod.

use std::fs;
use std::path::Path;

use klero_cardano::{Header, Lottery, Vrf};
use klero_leader::{
    ActiveSlots, Distribution, Lead, LeaderValue, Leaders, NoLeader, PoolId, VrfKeyHash,
};
use serde_json::Value;

/// JSON in `shared`; `None`, with a line that says so, if it does not exist.
fn shared(name: &str) -> Option<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/leader");
    let Ok(text) = fs::read_to_string(directory.join(name)) else {
        eprintln!("SKIPPED: no {name} in {}", directory.display());
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

fn leader_value(lottery: &Lottery) -> LeaderValue {
    match &lottery.vrf {
        Vrf::TPraos { leader, .. } => LeaderValue::TPraos(leader.output),
        Vrf::Praos(cert) => LeaderValue::of_praos(&cert.output),
    }
}

fn judge(leaders: &Leaders, lottery: &Lottery) -> Result<Lead, NoLeader> {
    let vrf = VrfKeyHash::of_key(&lottery.vrf_key);
    leaders.judge(&lottery.pool(), &vrf, &leader_value(lottery))
}

/// The pools of preprod, by the names of a node's answer.
#[test]
fn names_of_real_pools() {
    let Some(pools) = shared("preprod-pools-164.json") else {
        return;
    };
    let mut builder = Distribution::builder();
    for (name, pool) in pools.as_object().unwrap() {
        let id: PoolId = name.parse().unwrap();
        assert_eq!(id.to_string(), *name);
        assert_eq!(id.to_hex().parse(), Ok(id));
        let stake = pool["stake"]["ada"]["lovelace"].as_u64().unwrap();
        let vrf = pool["vrfVerificationKeyHash"].as_str().unwrap();
        builder.pool(id, stake, Some(vrf.parse().unwrap())).unwrap();
    }
    assert_eq!(builder.build().unwrap().pools().len(), 398);
}

/// 48 headers of Conway by 16 pools of equal stake, whose VRF keys are registered.
#[test]
fn a_simulated_chain() {
    let (Some(stake), Some(chain)) = (
        shared("sim-stake-distribution.json"),
        shared("sim-chain.json"),
    ) else {
        return;
    };
    let mut builder = Distribution::builder();
    for pool in stake.as_array().unwrap() {
        let stake = &pool["individualStake"];
        assert_eq!(stake["individualPoolStake"]["denominator"], 16);
        let vrf = stake["individualPoolStakeVrf"].as_str().unwrap();
        let id = pool["poolId"].as_str().unwrap().parse().unwrap();
        let amount = stake["individualTotalPoolStake"].as_u64().unwrap();
        builder
            .pool(id, amount, Some(vrf.parse().unwrap()))
            .unwrap();
    }
    let distribution = builder.build().unwrap();
    assert_eq!(distribution.pools().len(), 16);
    let leaders = Leaders::new(&distribution, &ActiveSlots::new(1, 20).unwrap());

    let headers = chain["stakePools"]["chains"].as_array().unwrap();
    assert_eq!(headers.len(), 48);
    for header in headers {
        let bytes = hex::decode(header["header"].as_str().unwrap()).unwrap();
        let mut lottery = Header::decode(7, &bytes, 21_600).unwrap().lottery.unwrap();
        let lead = judge(&leaders, &lottery).unwrap();
        assert_eq!(lead.stake.pool() * 16, lead.stake.total());
        assert!(lead.margin < 1.0);
        lottery.vrf_key[0] ^= 1;
        let other = judge(&leaders, &lottery);
        assert!(matches!(other, Err(NoLeader::OtherVrfKey { .. })));
    }
}
