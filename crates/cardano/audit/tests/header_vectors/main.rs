//! Compares the library with `vectors/headers.json`, which `vectors/maker` makes. Checks the verdicts on
//! single headers and on batches, the thresholds, and the turns of slots.

mod library;

use std::sync::LazyLock;

use klero_cardano::Turn;
use klero_leader::{ActiveSlots, LeaderValue, Stake, Threshold};
use serde_json::Value;

use library::{amount, groups, ratio, tests};

static FILE: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../../vectors/headers.json")).unwrap()
});

#[test]
fn the_library_judges_each_header_alone() {
    library::agrees_alone(&FILE);
}

#[test]
fn the_library_judges_headers_together() {
    for group in groups(&FILE, "headers") {
        for stake in FILE["stakes"].as_object().unwrap().keys() {
            let of_stake = tests(group).iter().filter(|test| test["stake"] == **stake);
            let mut of_stake: Vec<_> = of_stake.collect();
            for _ in 0..2 {
                library::agrees_together(&FILE, group, stake, &of_stake);
                of_stake.reverse();
            }
        }
    }
}

#[test]
fn the_library_has_the_thresholds() {
    for group in groups(&FILE, "thresholds") {
        let (f, of) = ratio(&group["f"]);
        let slots = ActiveSlots::new(f, of).unwrap();
        for test in tests(group) {
            let stake = Stake::new(amount(&test["stake"]), amount(&test["total"])).unwrap();
            let value = hex::decode(test["value"].as_str().unwrap()).unwrap();
            let value = match value.len() {
                32 => LeaderValue::Praos(value.try_into().unwrap()),
                _ => LeaderValue::TPraos(value.try_into().unwrap()),
            };
            let leads = Threshold::new(stake, &slots).leads(&value);
            assert_eq!(test["leads"], leads, "f = {f}/{of}: {test}");
        }
    }
}

#[test]
fn the_library_has_the_turns() {
    // The first group is an epoch of Shelley with all seven delegates.
    let shelley = groups(&FILE, "headers").next().unwrap();
    for group in groups(&FILE, "overlay") {
        let mut context = shelley.clone();
        context["d"] = group["d"].clone();
        context["f"] = group["f"].clone();
        let count = group["delegates"].as_u64().unwrap() as usize;
        let delegates = context["delegates"].as_array_mut().unwrap();
        delegates.truncate(count);
        assert_eq!(delegates.len(), count);
        let network = library::network(&context);
        let first_slot = context["firstSlot"].as_u64().unwrap();
        for test in tests(group) {
            let slot = first_slot + test["slot"].as_u64().unwrap();
            let stated = match (test["turn"].as_str().unwrap(), test["delegate"].as_u64()) {
                ("lottery", None) => Turn::Pools,
                ("reserved", None) => Turn::Nobody,
                ("delegate", Some(which)) => {
                    let key = &context["delegates"][which as usize]["genesisKey"];
                    let of = network.delegations().unwrap();
                    Turn::Delegate(of[&key.as_str().unwrap().parse().unwrap()])
                }
                other => panic!("{other:?}"),
            };
            let found = network.turn(slot, library::d(group));
            assert_eq!(found, Some(stated), "d = {}: {test}", group["d"]);
        }
    }
}
