//! Compares verdicts of a `HeaderCheck` with those in a file like `vectors/headers.json`. The stake and
//! the genesis file of the network are made from the JSON of this file. No other file is read.

use std::collections::{BTreeMap, BTreeSet};

use klero_audit::{HeaderCheck, RawHeader};
use klero_cardano::{Counters, Decentralization, EraStarts, Fault, Header, Network, Nonce};
use klero_leader::{Distribution, VrfKeyHash};
use serde_json::{Value, json};

/// The groups of this type. There must be at least one.
pub fn groups<'a>(file: &'a Value, of_type: &str) -> impl Iterator<Item = &'a Value> {
    let groups = file["testGroups"].as_array().unwrap().iter();
    let mut groups = groups
        .filter(move |group| group["type"] == of_type)
        .peekable();
    assert!(groups.peek().is_some());
    groups
}

/// The tests of a group.
pub fn tests(group: &Value) -> &[Value] {
    group["tests"].as_array().unwrap()
}

/// Judges each header on its own. Asserts that it breaks exactly the rule that the file states, or none.
pub fn agrees_alone(file: &Value) {
    for group in groups(file, "headers") {
        for test in tests(group) {
            let found = alone(file, group, test);
            assert_eq!(found, stated(test).collect(), "{}", test["comment"]);
        }
    }
}

/// Judges these headers in one call, by the same stake. Asserts that each breaks exactly the rule that the
/// file states for it, or none. Rules that depend on earlier headers of the issuer are left out.
pub fn agrees_together(file: &Value, group: &Value, stake: &str, tests: &[&Value]) {
    let depends = |rule: &str| rule.starts_with("opcert-number") || rule == "two-vrf-keys";
    let headers: Vec<_> = tests.iter().map(|test| header(test)).collect();
    let headers: Vec<_> = headers.iter().map(raw).collect();
    let mut counters = Counters::since_any_block();
    let check = check(group, &file["stakes"][stake]);
    let verdicts = check.verify(&headers, &nonces(group), &mut counters);
    assert_eq!(verdicts.len(), tests.len());
    for (test, verdict) in tests.iter().zip(verdicts) {
        let mut found = rules(&verdict.faults);
        found.retain(|rule| !depends(rule));
        let stated = stated(test).filter(|rule| !depends(rule));
        assert_eq!(found, stated.collect(), "{}", test["comment"]);
    }
}

/// The rules that a header breaks on its own. The issuer's last certificate number is set from the file.
fn alone(file: &Value, group: &Value, test: &Value) -> BTreeSet<&'static str> {
    let check = check(group, &file["stakes"][text(&test["stake"])]);
    let header = header(test);
    let lottery = Header::decode(header.0, &header.1, 1).ok();
    let lottery = lottery.and_then(|header| header.lottery);
    let mut counters = Counters::since_first_block();
    if let (Some(last), Some(lottery)) = (test["lastNumber"].as_u64(), &lottery) {
        counters.set(lottery.issuer(), last);
    }
    let verdicts = check.verify(&[raw(&header)], &nonces(group), &mut counters);
    let judged = verdicts[0].header.as_ref().is_some_and(|header| {
        let epoch = header.place.slot / number(&group["epochLength"]);
        epoch == number(&group["epoch"])
    });
    assert_eq!(verdicts[0].judged_by_stake, judged, "{}", test["comment"]);
    let mut broken = rules(&verdicts[0].faults);
    if let (Some(seen), Some(lottery)) = (test.get("vrfSeen"), &lottery) {
        let has_two = text(seen).parse() != Ok(VrfKeyHash::of_key(&lottery.vrf_key));
        broken.extend(has_two.then_some("two-vrf-keys"));
    }
    broken
}

/// The network of a group of headers.
pub fn network(group: &Value) -> Network {
    let delegates = group["delegates"].as_array().unwrap().iter();
    let delegates: BTreeMap<_, _> = delegates
        .map(|of| {
            (
                text(&of["genesisKey"]),
                json!({"delegate": of["delegate"], "vrf": of["vrf"]}),
            )
        })
        .collect();
    let (numerator, denominator) = ratio(&group["f"]);
    let genesis = json!({
        "activeSlotsCoeff": {"numerator": numerator, "denominator": denominator},
        "epochLength": group["epochLength"],
        "genDelegs": delegates,
        "maxKESEvolutions": group["maxKesEvolutions"],
        "securityParam": 2160,
        "slotsPerKESPeriod": group["slotsPerKesPeriod"],
    });
    let (tag, epoch) = (number(&group["tag"]), number(&group["epoch"]));
    let start = |of: u64| Some(if of <= tag { 0 } else { epoch + 1 });
    let starts = EraStarts {
        shelley: 0,
        allegra: start(3),
        mary: start(4),
        alonzo: start(5),
        babbage: start(6),
        conway: start(7),
        ..EraStarts::default()
    };
    let genesis = genesis.to_string();
    let mut network = Network::from_shelley_genesis("vectors", genesis.as_bytes(), starts).unwrap();
    network.set_decentralization(epoch, d(group));
    network
}

/// The value of d: the share of slots that are taken out of the lottery (the overlay).
pub fn d(group: &Value) -> Decentralization {
    text(&group["d"]).parse().unwrap()
}

fn check(group: &Value, stake: &Value) -> HeaderCheck {
    let mut builder = Distribution::builder();
    for of in stake["pools"].as_array().unwrap() {
        let vrf = of.get("vrf").map(|vrf| text(vrf).parse().unwrap());
        let pool = text(&of["pool"]).parse().unwrap();
        builder.pool(pool, amount(&of["stake"]), vrf).unwrap();
    }
    builder.total(amount(&stake["total"]));
    let stake = BTreeMap::from([(number(&group["epoch"]), builder.build().unwrap())]);
    HeaderCheck::new(network(group)).unwrap().stake(&stake)
}

fn nonces(group: &Value) -> BTreeMap<u64, Nonce> {
    let nonce = Nonce::Value(text(&group["nonce"]).parse().unwrap());
    BTreeMap::from([(number(&group["epoch"]), nonce)])
}

/// The tag and the bytes of a header.
fn header(test: &Value) -> (u8, Vec<u8>) {
    let bytes = hex::decode(text(&test["header"])).unwrap();
    (number(&test["tag"]) as u8, bytes)
}

fn raw((tag, bytes): &(u8, Vec<u8>)) -> RawHeader<'_> {
    RawHeader { tag: *tag, bytes }
}

/// The rule that a header must break, if any.
fn stated(test: &Value) -> impl Iterator<Item = &str> {
    let broken = test.get("broken").and_then(Value::as_str);
    assert_eq!(test["result"] == "valid", broken.is_none());
    broken.into_iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// A number of lovelace.
pub fn amount(value: &Value) -> u64 {
    text(value).parse().unwrap()
}

/// A ratio, such as `1/20`.
pub fn ratio(value: &Value) -> (u64, u64) {
    let (a, b) = text(value).split_once('/').unwrap();
    (a.parse().unwrap(), b.parse().unwrap())
}

/// The rules that a header with these faults breaks, under the names that the file uses.
fn rules(faults: &[Fault]) -> BTreeSet<&'static str> {
    let names = faults.iter().map(|fault| match fault {
        Fault::BadHeader { .. } => "bad-header",
        Fault::Era { .. } => "era",
        Fault::InvalidProof {
            why: klero::Invalid::OutputMismatch,
            ..
        } => "vrf-output",
        Fault::InvalidProof { .. } => "vrf-proof",
        Fault::UnknownPool { .. } => "unknown-pool",
        Fault::OtherVrfKey { .. } => "other-vrf-key",
        // A value that is not below f is also too large for any stake.
        Fault::LeaderValue {} | Fault::NoLeader { .. } => "leader-value",
        Fault::WrongDelegate { .. } => "wrong-delegate",
        Fault::ReservedSlot {} => "reserved-slot",
        Fault::KesPeriod { period, first, .. } if period < first => "kes-before-start",
        Fault::KesPeriod { .. } => "kes-after-end",
        Fault::InvalidCertificate { .. } => "opcert-signature",
        Fault::InvalidKes { .. } => "kes-signature",
        Fault::CertificateNumber { last_number, found } if found < last_number => {
            "opcert-number-too-small"
        }
        Fault::CertificateNumber { .. } => "opcert-number-too-large",
        other => panic!("{other}"),
    });
    names.collect()
}
