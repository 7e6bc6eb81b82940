//! The library's verdicts: `HeaderCheck` with stake, the leader rule, and the turns of slots.

use std::collections::{BTreeMap, BTreeSet};

use klero_audit::{HeaderCheck, RawHeader};
use klero_cardano::{Counters, Decentralization, EraStarts, Fault, Hash, Network, Nonce};
use klero_leader::{Distribution, PoolId, VrfKeyHash, VrfKeys};
use serde_json::json;

use super::context::{ALLEGRA, ALONZO, BABBAGE, CONWAY, Context, Era, MARY};
use super::format::{HeaderTest, Stake, Vectors};

/// The network of a context.
pub fn network(context: &Context) -> Network {
    let delegates: BTreeMap<String, _> = context
        .delegates
        .iter()
        .map(|(genesis_key, maker)| {
            let delegate = json!({
                "delegate": hex::encode(maker.pool()),
                "vrf": hex::encode(maker.vrf_hash()),
            });
            (hex::encode(genesis_key), delegate)
        })
        .collect();
    let genesis = json!({
        "epochLength": context.epoch_length,
        "genDelegs": delegates,
        "maxKESEvolutions": context.max_kes_evolutions,
        "securityParam": 2160,
        "slotsPerKESPeriod": context.slots_per_kes_period,
    });
    // f has more digits than a number of serde_json keeps.
    let f = format!(r#"{{"activeSlotsCoeff":{}e-{},"#, context.f.0, context.f.1);
    let genesis = genesis.to_string().replacen('{', &f, 1);
    let start = |era: Era| {
        let first = if era.tag <= context.era.tag {
            0
        } else {
            context.epoch + 1
        };
        Some(first)
    };
    let starts = EraStarts {
        shelley: 0,
        allegra: start(ALLEGRA),
        mary: start(MARY),
        alonzo: start(ALONZO),
        babbage: start(BABBAGE),
        conway: start(CONWAY),
        ..EraStarts::default()
    };
    let mut network = Network::from_shelley_genesis("vectors", genesis.as_bytes(), starts).unwrap();
    network.set_decentralization(context.epoch, d(context.d));
    network
}

/// A share of the slots.
pub fn d((numerator, denominator): (u64, u64)) -> Decentralization {
    format!("{numerator}/{denominator}").parse().unwrap()
}

/// Each header, judged alone, breaks the rule that is stated, and no other.
pub fn agrees_alone(vectors: &Vectors) {
    for (context, tests) in vectors.headers() {
        for test in tests {
            let found = alone(context, vectors.stake(&test.stake), test);
            let stated = test.broken.into_iter().collect();
            assert_eq!(found, stated, "{}: {}", context.era.name, test.comment);
        }
    }
}

/// So do those that are judged by the same stake, together, whatever stands beside a header. What
/// depends on the headers before it is left out.
pub fn agrees_together(context: &Context, stake: &Stake, tests: &[&HeaderTest]) {
    let depends = |rule: &str| rule.starts_with("opcert-number") || rule == "two-vrf-keys";
    let found = together(context, stake, tests);
    for (test, mut found) in tests.iter().zip(found) {
        found.retain(|rule| !depends(rule));
        let stated = test.broken.into_iter().filter(|rule| !depends(rule));
        assert_eq!(found, stated.collect(), "{}", test.comment);
    }
}

/// The verdicts of `HeaderCheck` on headers that are judged together: the rules that each breaks.
fn together(
    context: &Context,
    stake: &Stake,
    tests: &[&HeaderTest],
) -> Vec<BTreeSet<&'static str>> {
    let check = check(context, stake);
    let headers: Vec<_> = tests.iter().map(|test| raw(test)).collect();
    let mut counters = Counters::since_any_block();
    let verdicts = check.verify(&headers, &nonces(context), &mut counters);
    verdicts
        .iter()
        .map(|verdict| rules(&verdict.faults))
        .collect()
}

/// The same of a header alone, after the last one of its issuer.
fn alone(context: &Context, stake: &Stake, test: &HeaderTest) -> BTreeSet<&'static str> {
    let check = check(context, stake);
    let mut counters = Counters::since_first_block();
    let issuer = test
        .draft
        .as_ref()
        .map(|draft| super::header::hash_224(&draft.issuer_key));
    if let (Some(last), Some(issuer)) = (test.last_number, issuer) {
        counters.set(Hash::new(issuer), last);
    }
    let verdicts = check.verify(&[raw(test)], &nonces(context), &mut counters);
    let judged = verdicts[0].header.as_ref().is_some_and(|header| {
        let slot = header.place.slot;
        slot / context.epoch_length == context.epoch
    });
    assert_eq!(verdicts[0].judged_by_stake, judged, "{}", test.comment);
    let mut broken = rules(&verdicts[0].faults);
    if let (Some(seen), Some(draft), Some(issuer)) = (test.vrf_seen, &test.draft, issuer) {
        let (pool, mut keys) = (PoolId::new(issuer), VrfKeys::new());
        keys.note(pool, VrfKeyHash::new(seen)).unwrap();
        let found = keys.note(pool, VrfKeyHash::of_key(&draft.vrf_key));
        broken.extend(found.is_err().then_some("two-vrf-keys"));
    }
    broken
}

fn check(context: &Context, stake: &Stake) -> HeaderCheck {
    let mut builder = Distribution::builder();
    for of in &stake.pools {
        let vrf = of.vrf.map(VrfKeyHash::new);
        builder.pool(PoolId::new(of.pool), of.stake, vrf).unwrap();
    }
    builder.total(stake.total);
    let stake = BTreeMap::from([(context.epoch, builder.build().unwrap())]);
    HeaderCheck::new(network(context)).unwrap().stake(&stake)
}

fn raw(test: &HeaderTest) -> RawHeader<'_> {
    RawHeader {
        tag: test.tag,
        bytes: &test.header,
    }
}

fn nonces(context: &Context) -> BTreeMap<u64, Nonce> {
    BTreeMap::from([(context.epoch, Nonce::Value(Hash::new(context.nonce)))])
}

/// The names of the rules, in the file, that the faults are of.
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
        // A value that is not below f is too large for any stake, too.
        Fault::LeaderValue {} | Fault::NoLeader { .. } => "leader-value",
        Fault::WrongDelegate { .. } => "wrong-delegate",
        Fault::ReservedSlot {} => "reserved-slot",
        Fault::KesPeriod { why } if why.period < why.first => "kes-before-start",
        Fault::KesPeriod { .. } => "kes-after-end",
        Fault::InvalidCertificate { .. } => "opcert-signature",
        Fault::InvalidKes { .. } => "kes-signature",
        Fault::CertificateNumber { why } if why.is_too_small() => "opcert-number-too-small",
        Fault::CertificateNumber { .. } => "opcert-number-too-large",
        other => panic!("{other}"),
    });
    names.collect()
}
