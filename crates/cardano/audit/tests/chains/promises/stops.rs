//! Tests that audits that share a state file end with the same results as a single audit of the chain.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fastrand::Rng;
use klero_audit::{Origin, Report, State};
use klero_cardano::{Finding, Severity};
use klero_damage::Database;
use rayon::ThreadPoolBuilder;
use tempfile::tempdir;

use super::damage::Damage;
use super::{Case, Ran, case, rounds, up_to};

impl Case {
    /// The differences between a single audit of the chain and the last of a series of audits that share a
    /// state file. The other audits of the series each see only the chunks before one of `stops`.
    fn stopped(&self, dir: &Path, stops: &BTreeSet<u64>) -> Vec<String> {
        let database = Database::create(dir.join(self.chain.name)).unwrap();
        let [whole, parts] = ["whole", "parts"].map(|name| dir.join(name));
        let one = self.audit(&database, &self.blocks, Some(&whole));
        for stop in stops {
            let _ = self.audit(&database, &up_to(&self.blocks, *stop), Some(&parts));
        }
        let last = self.audit(&database, &self.blocks, Some(&parts));
        let states = [&whole, &parts].map(|path| State::load(path).unwrap());
        for path in [whole, parts] {
            let _ = fs::remove_file(path);
        }
        let mut differences = match (one, last) {
            (Ok(one), Ok(last)) => differences(&one, &last),
            (Err(one), Err(last)) if one.to_string() == last.to_string() => vec![],
            (one, last) => vec![format!("{:?}, {:?}", one.err(), last.err())],
        };
        if states[0] != states[1] {
            differences.push(format!("{states:#?}"));
        }
        differences
    }
}

/// The differences between the reports of a single audit (`one`) and of the last audit of a series.
fn differences(one: &Ran, last: &Ran) -> Vec<String> {
    let network = &one.report.network;
    let state = match &last.report.origin {
        Origin::After(block) => Some(block.slot),
        _ => None,
    };
    // An audit that continues does not repeat all warnings about the state's chunk and the chunks before it.
    // So they are not compared.
    let chunk = state.map(|slot| slot / network.chunk_size());
    let of = |finding: &&Finding| {
        finding.fault.severity() != Severity::Warning || Some(finding.at.chunk) > chunk
    };
    let [one_found, last_found] = [one, last].map(|ran| ran.found.iter().filter(of));
    let mut differences = Vec::new();
    if !one_found.clone().eq(last_found.clone()) {
        let found = [one_found.collect::<Vec<_>>(), last_found.collect()];
        differences.push(format!("{found:#?}"));
    }
    let [epochs, others] = [one, last].map(|ran| {
        let mut epochs = ran.report.epochs.clone();
        epochs.retain(|number, _| Some(*number) > state.map(|slot| network.epoch(slot)));
        epochs
    });
    if epochs != others {
        differences.push(format!("{epochs:#?}, {others:#?}"));
    }
    let [ends, others] = [one, last].map(|ran| {
        let Report { tip, tied, .. } = &ran.report;
        (ran.report.outcome(), tip.clone(), *tied)
    });
    if ends != others {
        differences.push(format!("{ends:?}, {others:?}"));
    }
    differences
}

#[test]
fn stops_change_nothing() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let dir = tempdir().unwrap();
    let (mut all, mut failed) = (0, Vec::new());
    for damage in Damage::ALL {
        for round in rounds(damage, 24) {
            let case = case(damage, round);
            let random = &mut Rng::with_seed(round);
            let chunks = case.chain.files.len() as u64;
            let stops = (0..random.usize(1..=8)).map(|_| random.u64(1..=chunks));
            let stops = stops.collect();
            let differences = pool.install(|| case.stopped(dir.path(), &stops));
            all += 1;
            if !differences.is_empty() {
                let case = case.describe();
                let switch = format!("KLERO_TEST_PROMISES={damage:?}:{round}");
                failed.push(format!(
                    "{switch}: {case}: stops {stops:?}: {differences:#?}"
                ));
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {all}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
