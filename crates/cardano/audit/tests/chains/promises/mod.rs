//! Tests of two promises that hold whatever is done to a database.
//!
//! 1. No block is called invalid if its bytes, including the era tag, are those of a block of the network's
//!    chain.
//! 2. An audit that calls everything valid has read a valid chain and nothing else. It has read the chain
//!    from its beginning or, with given nonces, from any block on. There is one exception: if it is not known
//!    when eras begin, the era tags may be wrong.
//!
//! `KLERO_TEST_PROMISES=2000` runs 2,000 rounds of each kind of damage. `KLERO_TEST_PROMISES=Cut:17` runs
//! only round 17 of the damage `Cut`, for example to repeat a failure.

mod damage;
mod forked;
mod stops;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::LazyLock;

use fastrand::Rng;
use klero_audit::{Anchor, Audit, AuditError, Outcome, Progress, Report};
use klero_cardano::{Fault, Finding, Hash, Nonce};
use klero_damage::{Database, Repair, Stored};
use klero_forge::Entry;
use klero_leader::Distribution;
use rayon::ThreadPoolBuilder;
use tempfile::tempdir;

use damage::{Damage, Indexes, graft};
use forked::{Fork, Forked};

static CHAINS: LazyLock<[Forked; 2]> =
    LazyLock::new(|| [Forked::of_one_pool(), Forked::of_many_pools()]);

/// The names of faults that make a block invalid. The last six are found only if stake is given.
const INVALID: [&str; 12] = [
    "invalid-proof",
    "invalid-kes",
    "kes-period",
    "invalid-certificate",
    "certificate-number",
    "leader-value",
    "two-vrf-keys",
    "other-vrf-key",
    "unknown-pool",
    "no-leader",
    "wrong-delegate",
    "reserved-slot",
];

/// A database to audit, and the other inputs of its audits.
struct Case {
    chain: &'static Forked,
    blocks: Vec<Stored>,
    indexes: Indexes,
    /// True if it is known when the eras begin.
    starts: bool,
    given: BTreeMap<u64, Nonce>,
    stake: BTreeMap<u64, Distribution>,
    runs: Runs,
}

/// The audits of a database.
#[derive(Clone, Copy, Debug)]
enum Runs {
    /// One audit.
    Whole,
    /// Two audits of the same blocks. The second continues from the state of the first.
    Twice,
    /// An audit of the blocks before a chunk, and then, from its state, an audit of all blocks.
    Resumed(u64),
    /// An audit of the valid chain up to a chunk, and then, from its state, an audit of the damaged chain.
    Damaged(u64),
    /// An audit of the damaged chain up to a chunk, and then, from its state, an audit of the valid chain.
    Repaired(u64),
}

/// The results of an audit.
struct Ran {
    report: Report,
    found: Vec<Finding>,
}

/// The blocks before a chunk.
fn up_to(blocks: &[Stored], chunk: u64) -> Vec<Stored> {
    let end = blocks.partition_point(|block| block.chunk < chunk);
    blocks[..end].to_vec()
}

impl Case {
    /// A case of these blocks with right secondary indexes. It is audited once, without nonces or stake.
    fn new(chain: &'static Forked, blocks: Vec<Stored>) -> Self {
        Self {
            chain,
            blocks,
            indexes: Indexes {
                repair: Some(Repair::CrcAndHash),
                primary: false,
            },
            starts: true,
            given: BTreeMap::new(),
            stake: BTreeMap::new(),
            runs: Runs::Whole,
        }
    }

    /// Runs the audits of the case in `dir`. Returns their results, and the promises that they broke.
    fn run(&self, dir: &Path) -> (Vec<Result<Ran, AuditError>>, Vec<String>) {
        let database = Database::create(dir.join(self.chain.name)).unwrap();
        let state = &*dir.join("state");
        let (damaged, honest) = (self.blocks.clone(), self.chain.blocks.clone());
        let (state, parts) = match self.runs {
            Runs::Whole => (None, vec![damaged]),
            Runs::Twice => (Some(state), vec![damaged.clone(), damaged]),
            Runs::Resumed(chunk) => (Some(state), vec![up_to(&damaged, chunk), damaged]),
            Runs::Damaged(chunk) => (Some(state), vec![up_to(&honest, chunk), damaged]),
            Runs::Repaired(chunk) => (Some(state), vec![up_to(&damaged, chunk), honest]),
        };
        let mut broken = Vec::new();
        let parts = parts.into_iter().map(|blocks| {
            let ran = self.audit(&database, &blocks, state)?;
            broken.extend(self.broken(&ran, &blocks));
            Ok(ran)
        });
        let all = parts.collect();
        if let Some(state) = state {
            let _ = fs::remove_file(state);
        }
        (all, broken)
    }

    /// Asserts that the case keeps the promises.
    #[track_caller]
    fn keeps(&self) -> Ran {
        let (ran, broken) = self.run(tempdir().unwrap().path());
        assert!(broken.is_empty(), "{:?}: {broken:#?}", self.runs);
        ran.into_iter().next_back().unwrap().unwrap()
    }

    /// Writes these blocks, and audits them.
    fn audit(
        &self,
        database: &Database,
        blocks: &[Stored],
        state: Option<&Path>,
    ) -> Result<Ran, AuditError> {
        self.indexes.write(self.chain, database, blocks);
        let network = match self.starts {
            true => self.chain.network(),
            false => &self.chain.without_starts,
        };
        let mut audit = Audit::new(database.dir())?
            .network(network.clone())
            .expect(
                self.given
                    .iter()
                    .map(|(&epoch, &nonce)| Anchor::Nonce { epoch, nonce }),
            )
            .stake(self.stake.clone());
        if let Some(path) = state {
            audit = audit.state(path)?;
        }
        let mut found = Vec::new();
        let report = audit.run(|progress| {
            if let Progress::Findings(findings) = progress {
                found.extend_from_slice(findings);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Ran { report, found })
    }

    /// The promises that an audit of these blocks broke.
    fn broken(&self, ran: &Ran, blocks: &[Stored]) -> Vec<String> {
        let is_honest = |block: &&Stored| self.chain.has(&block.bytes);
        let (honest, others): (Vec<&Stored>, Vec<&Stored>) = blocks.iter().partition(is_honest);
        let altered = others
            .iter()
            .filter_map(|block| Entry::of(&block.bytes).ok());
        let altered: BTreeSet<Hash<32>> = altered.map(|entry| entry.hash).collect();
        let mut honest: BTreeSet<Hash<32>> = honest.iter().map(|block| block.entry.hash).collect();
        honest.retain(|hash| !altered.contains(hash));

        let is_about_others = |finding: &&Finding| {
            let mut places = finding.last.iter().chain([&finding.at]);
            let in_chunk = others
                .iter()
                .filter(|block| block.chunk == finding.at.chunk);
            places.all(|at| at.hash.is_some_and(|hash| !honest.contains(&hash)))
                && finding.count <= in_chunk.count() as u64
        };
        let invalid = |finding: &&Finding| INVALID.contains(&finding.fault.name());
        let called_invalid = ran.found.iter().filter(invalid);
        let called_invalid = called_invalid.filter(|finding| !is_about_others(finding));
        let mut broken: Vec<String> = called_invalid.map(Finding::to_string).collect();
        for (number, epoch) in &ran.report.epochs {
            let most: u64 = others.iter().map(|block| self.proofs(block, *number)).sum();
            if epoch.counts.invalid > most {
                broken.push(format!(
                    "epoch {number}: {} of {most}",
                    epoch.counts.invalid
                ));
            }
        }
        // Blocks before the saved state are not read, so it is not noticed if they are of another chain.
        let is_read = !matches!(self.runs, Runs::Damaged(_));
        // A half-written block is not read, either.
        let blocks = &blocks[..blocks.len() - usize::from(ran.report.half_written)];
        if ran.report.outcome() == Outcome::AllValid && is_read && !self.is_valid(blocks) {
            broken.push("all is valid, and the chain is another".into());
        }
        broken
    }

    /// The most proofs that a block can have in an epoch. If its header is altered, it may be in any epoch.
    fn proofs(&self, block: &Stored, epoch: u64) -> u64 {
        let is_altered = Entry::of(&block.bytes).is_ok_and(|entry| entry.hash != block.entry.hash);
        let is_there = self.chain.epoch(epoch).contains(&block.listed);
        if is_altered || is_there { 2 } else { 0 }
    }

    /// True if these are the first blocks of the chain or of a valid fork. If nonces are given, the blocks
    /// may begin later.
    fn is_valid(&self, blocks: &[Stored]) -> bool {
        let bytes = |block: &Stored| {
            let mut bytes = block.bytes.clone();
            // If the starts of eras are not known, tags are not checked, so the tag is removed.
            bytes.drain(1..if self.starts { 1 } else { bytes.len().min(2) });
            bytes
        };
        let all = |blocks: &[Stored]| blocks.iter().map(bytes).collect::<Vec<_>>();
        let blocks = all(blocks);
        let forks = self.chain.forks.iter().map(|fork| &fork.blocks);
        forks.chain([&self.chain.blocks]).any(|chain| {
            let chain = all(chain);
            let last = if self.given.is_empty() {
                0
            } else {
                chain.len() - 1
            };
            (0..=last).any(|first| chain[first..].starts_with(&blocks))
        })
    }
}

/// Counts over all rounds.
#[derive(Debug, Default)]
struct Met {
    rounds: u64,
    not_started: u64,
    all_valid: u64,
    valid: u64,
    invalid: u64,
    unverifiable: u64,
}

impl Met {
    fn add(&mut self, audits: &[Result<Ran, AuditError>]) {
        self.rounds += 1;
        for ran in audits {
            let Ok(Ran { report, .. }) = ran else {
                self.not_started += 1;
                continue;
            };
            self.all_valid += u64::from(report.outcome() == Outcome::AllValid);
            self.valid += report.totals.valid;
            self.invalid += report.totals.invalid;
            self.unverifiable += report.totals.unverifiable;
        }
    }
}

/// Chooses nonces to give to an audit, for none, some or all epochs. One of them may be wrong.
fn given(chain: &Forked, random: &mut Rng) -> BTreeMap<u64, Nonce> {
    let of_4 = [0, 0, 2, 4][random.usize(..4)];
    let mut given = chain.nonces.clone();
    given.retain(|_, _| random.u8(..4) < of_4);
    if random.u8(..4) == 0 {
        let epoch = random.u64(..chain.epochs());
        let of_fork = chain.forks[random.usize(..chain.forks.len())].nonces[&epoch];
        let of_another = chain.nonces[&random.u64(..chain.epochs())];
        let wrong = [of_fork, of_another, Nonce::Value(Hash::new([7; 32]))];
        given.insert(epoch, wrong[random.usize(..3)]);
    }
    given
}

/// The stake of every epoch, with or without VRF keys, or no stake.
fn stake(chain: &Forked, random: &mut Rng) -> BTreeMap<u64, Distribution> {
    let mut stake = chain.forged.stake_by_epoch();
    match random.u8(..3) {
        0 => stake.clear(),
        1 => {
            let mut builder = Distribution::builder();
            for (id, pool) in chain.forged.stake.pools() {
                builder.pool(*id, pool.stake.pool(), None).unwrap();
            }
            let without_keys = builder.build().unwrap();
            stake.values_mut().for_each(|of| *of = without_keys.clone());
        }
        _ => {}
    }
    stake
}

/// A case of a damaged chain.
fn case(damage: Damage, round: u64) -> Case {
    let random = &mut Rng::with_seed((damage as u64) << 32 | round);
    let chain = &CHAINS[random.usize(..2)];
    let mut blocks = chain.blocks.clone();
    damage.apply(chain, &mut blocks, random);
    Case {
        indexes: Indexes::random(random),
        starts: random.u8(..3) > 0,
        given: given(chain, random),
        stake: stake(chain, random),
        runs: match random.u8(..4) {
            0 => Runs::Twice,
            1 => {
                let chunk = random.u64(1..chain.files.len() as u64);
                [Runs::Resumed, Runs::Damaged, Runs::Repaired][random.usize(..3)](chunk)
            }
            _ => Runs::Whole,
        },
        ..Case::new(chain, blocks)
    }
}

impl Case {
    /// Describes a case that broke promises.
    fn describe(&self) -> String {
        let wrong = self
            .given
            .iter()
            .filter(|(epoch, nonce)| self.chain.nonces[epoch] != **nonce);
        format!(
            "{}, {:?}, {:?}, era starts known: {}, nonces given: {:?}, wrong: {:?}, stake: {}",
            self.chain.name,
            self.indexes,
            self.runs,
            self.starts,
            self.given.keys(),
            wrong.map(|(epoch, _)| epoch).collect::<Vec<_>>(),
            !self.stake.is_empty(),
        )
    }
}

/// The rounds to run for a kind of damage: `usual` in a release build, 10 in a debug build. The variable
/// `KLERO_TEST_PROMISES` replaces this number in either build, or selects a single round.
fn rounds(damage: Damage, usual: u64) -> Range<u64> {
    let most = if cfg!(debug_assertions) { 10 } else { usual };
    let Ok(text) = std::env::var("KLERO_TEST_PROMISES") else {
        return 0..most;
    };
    let number = |text: &str| text.parse().expect("a number, or Cut:17");
    match text.split_once(':') {
        None => 0..number(&text),
        Some((name, round)) if name == format!("{damage:?}") => number(round)..number(round) + 1,
        Some(_) => 0..0,
    }
}

#[test]
fn random_damage_breaks_no_promise() {
    assert!(INVALID.iter().all(|name| Fault::NAMES.contains(name)));
    // Such small chains are audited fastest on one thread.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let dir = tempdir().unwrap();
    let (mut met, mut failed) = (Met::default(), Vec::new());
    for damage in Damage::ALL {
        for round in rounds(damage, 60) {
            let case = case(damage, round);
            let (audits, broken) = pool.install(|| case.run(dir.path()));
            met.add(&audits);
            if !broken.is_empty() {
                let case = case.describe();
                let switch = format!("KLERO_TEST_PROMISES={damage:?}:{round}");
                failed.push(format!("{switch}: {case}: {broken:#?}"));
            }
        }
    }
    println!("{met:?}");
    assert!(failed.is_empty(), "{met:?}:\n{}", failed.join("\n"));
    let started = [met.all_valid, met.valid, met.invalid, met.unverifiable];
    let all_met = met.not_started > 0 && started.iter().all(|count| *count > 0);
    assert!(all_met || met.rounds < 90, "{met:?}");
}

/// Returns a fork and the number of the epoch in which it begins: in the window if `in_window`, otherwise
/// after it. At least two more epochs follow.
fn fork_of(chain: &Forked, in_window: bool) -> (&Fork, u64) {
    let forks = chain.forks.iter();
    let begins = forks.map(|fork| (fork, &chain.honest.blocks[fork.from]));
    let mut begins = begins.filter(|(_, block)| block.epoch + 2 < chain.epochs());
    let (fork, block) = begins
        .find(|(_, block)| block.in_window == in_window)
        .unwrap();
    (fork, block.epoch)
}

/// Three copies of the chain in which a fork replaces the end of an epoch, each with the number of that
/// epoch. In the first copy, the fork begins in the window, and in the second after it. In the third, it
/// begins in the window, but replaces only the last ten slots.
fn ends_of_forks(chain: &Forked) -> [(Vec<Stored>, u64); 3] {
    [(true, 0), (false, 0), (true, 10)].map(|(in_window, slots)| {
        let (fork, epoch) = fork_of(chain, in_window);
        let end = chain.epoch(epoch).end;
        let start = if slots > 0 {
            end - slots
        } else {
            fork.first_slot()
        };
        let mut blocks = chain.blocks.clone();
        graft(&mut blocks, fork, start..end);
        (blocks, epoch)
    })
}

#[test]
fn the_end_of_an_epoch_from_a_fork_makes_no_honest_proof_invalid() {
    for chain in &*CHAINS {
        for (blocks, epoch) in ends_of_forks(chain) {
            let ran = Case::new(chain, blocks).keeps();
            let next = &chain.blocks[chain.of_slots(chain.epoch(epoch + 1)).start];
            let is_link = |finding: &Finding| {
                let is_of_next = finding.at.hash == Some(next.entry.hash);
                finding.fault.name() == "hash-link" && is_of_next
            };
            assert!(ran.found.iter().any(is_link), "{:?}", ran.found);
        }
    }
}

/// A fork up to the end of an epoch, then one chunk of that fork or another, and then the honest chain.
#[test]
fn chunks_of_two_forks_make_no_honest_proof_invalid() {
    for chain in &*CHAINS {
        let (fork, epoch) = fork_of(chain, true);
        let border = chain.epoch(epoch).end;
        let others = chain
            .forks
            .iter()
            .filter(|other| other.first_slot() < border);
        for other in others {
            let mut blocks = chain.blocks.clone();
            graft(&mut blocks, fork, fork.first_slot()..border);
            graft(
                &mut blocks,
                other,
                border..border + chain.network().chunk_size(),
            );
            Case::new(chain, blocks).keeps();
        }
    }
}

#[test]
fn a_state_makes_no_honest_proof_invalid() {
    for chain in &*CHAINS {
        let size = chain.network().chunk_size();
        let mut cases: Vec<(Vec<Stored>, u64)> = ends_of_forks(chain).into();
        // The fork also replaces the next epoch's first chunk. Its proofs are valid for the fork's own nonce.
        let (fork, epoch) = fork_of(chain, true);
        let mut blocks = chain.blocks.clone();
        graft(
            &mut blocks,
            fork,
            fork.first_slot()..chain.epoch(epoch).end + size,
        );
        cases.push((blocks, epoch));
        for (blocks, epoch) in cases {
            let border = chain.epoch(epoch).end / size;
            let resumed = (border - 1..border + 2).map(Runs::Resumed);
            for runs in resumed.chain([Runs::Twice]) {
                let case = Case::new(chain, blocks.clone());
                Case { runs, ..case }.keeps();
            }
        }
    }
}

#[test]
fn a_wrong_nonce_makes_no_honest_proof_invalid() {
    let wrong = Nonce::Value(Hash::new([7; 32]));
    for chain in &*CHAINS {
        for epoch in [1, 3, 4] {
            let case = |blocks| Case {
                given: BTreeMap::from([(epoch, wrong)]),
                ..Case::new(chain, blocks)
            };
            let Report { found, totals, .. } = case(chain.blocks.clone()).keeps().report;
            assert_eq!(found, BTreeMap::from([("epoch-nonce", 1)]));
            assert_eq!(totals.valid, totals.proofs);
            // After a lost block, nonces are in doubt.
            let before = chain.of_slots(chain.epoch(epoch - 1));
            for lost in [before.start, before.start + 1, before.end - 2] {
                let mut blocks = chain.blocks.clone();
                blocks.remove(lost);
                case(blocks).keeps();
            }
        }
    }
}
