//! Audits of blocks that an iterator gives, compared with audits of files with the same blocks.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::iter;
use std::ops::ControlFlow;

use klero_audit::{
    Audit, AuditError, Check, Epoch, ExpectedTip, Finding, Occurrence, Outcome, Progress, Report,
};
use klero_cardano::{Era, Network, WalkError};
use klero_forge::{Forged, Mutant, Recipe, forge};
use tempfile::TempDir;

/// Bytes of an entry of the secondary index.
const ENTRY: usize = 56;

/// A forged chain: its files, and its blocks.
struct Chain {
    dir: TempDir,
    /// As its files say.
    network: Network,
    forged: Forged,
    blocks: Vec<Stored>,
}

/// A block, the number of its chunk, and its entry in the index.
#[derive(Clone)]
struct Stored {
    chunk: u64,
    entry: [u8; ENTRY],
    bytes: Vec<u8>,
}

impl Stored {
    fn slot(&self) -> u64 {
        u64::from_be_bytes(self.entry[48..].try_into().unwrap())
    }
}

impl Chain {
    fn of(recipe: &Recipe) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let forged = forge(recipe, dir.path(), |_, _| {}).unwrap();
        let mut blocks = Vec::new();
        for chunk in 0.. {
            let file = |extension: &str| {
                let name = format!("immutable/{chunk:05}.{extension}");
                fs::read(dir.path().join(name))
            };
            let (Ok(bytes), Ok(index)) = (file("chunk"), file("secondary")) else {
                break;
            };
            let entries = index.as_chunks::<ENTRY>().0;
            let start =
                |entry: &[u8; ENTRY]| u64::from_be_bytes(entry[..8].try_into().unwrap()) as usize;
            let ends = entries.iter().skip(1).map(start).chain([bytes.len()]);
            blocks.extend(entries.iter().zip(ends).map(|(entry, end)| Stored {
                chunk,
                entry: *entry,
                bytes: bytes[start(entry)..end].to_vec(),
            }));
        }
        Self {
            network: Network::detect(dir.path()).unwrap(),
            dir,
            forged,
            blocks,
        }
    }

    /// From Byron to Conway.
    fn sample() -> Self {
        Self::of(&Recipe::sample())
    }

    /// An audit of its files.
    fn files(&self) -> Audit<'static> {
        Audit::new(self.dir.path()).unwrap()
    }

    /// An audit of blocks of its network.
    fn audit<'a>(&self, blocks: &'a [Stored]) -> Audit<'a> {
        let blocks = blocks.iter().map(|block| sure(&block.bytes[..]));
        Audit::of_blocks(self.network.clone(), blocks)
    }

    /// Files of these blocks, each in its chunk and with the CRC-32 that its bytes have. No index
    /// entry is right beyond that.
    fn write(&self, blocks: &[Stored]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let mut files: BTreeMap<u64, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
        for chunk in 0..=blocks.last().unwrap().chunk {
            files.entry(chunk).or_default();
        }
        for block in blocks {
            let (chunk, index) = files.get_mut(&block.chunk).unwrap();
            let mut entry = block.entry;
            entry[..8].copy_from_slice(&(chunk.len() as u64).to_be_bytes());
            entry[12..16].copy_from_slice(&crc32fast::hash(&block.bytes).to_be_bytes());
            index.extend(entry);
            chunk.extend(&block.bytes);
        }
        for (number, (chunk, index)) in files {
            fs::write(dir.path().join(format!("{number:05}.chunk")), chunk).unwrap();
            fs::write(dir.path().join(format!("{number:05}.secondary")), index).unwrap();
        }
        dir
    }

    /// An audit of files of these blocks.
    fn written(&self, dir: &TempDir) -> Audit<'static> {
        let audit = Audit::new(dir.path()).unwrap();
        audit.network(self.network.clone())
    }
}

fn sure<B>(block: B) -> Result<B, Infallible> {
    Ok(block)
}

/// What an audit reports, without what only files have: chunks, bytes and warnings.
#[derive(Debug, PartialEq)]
struct Seen {
    outcome: Outcome,
    tip: Option<(u64, String)>,
    epochs: BTreeMap<u64, Epoch>,
    faults: BTreeMap<&'static str, u64>,
    notes: BTreeMap<&'static str, u64>,
    unread_bytes: u64,
    expected_tip: Option<bool>,
    /// The name of each, slot and hash of its first block and of its last, their number.
    findings: Vec<(String, String, String, u64)>,
}

/// An audit on so many threads, with its findings.
fn run(audit: Audit<'_>, threads: usize) -> Result<(Report, Vec<Finding>), AuditError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let mut found = Vec::new();
    let observer = |progress: Progress<'_>| {
        if let Progress::Findings(findings) = progress {
            found.extend_from_slice(findings);
        }
        ControlFlow::Continue(())
    };
    let report = pool.build().unwrap().install(|| audit.run(observer))?;
    Ok((report, found))
}

/// What it reports, or why it cannot start.
fn seen(audit: Audit<'_>, threads: usize) -> Result<Seen, String> {
    let (report, findings) = run(audit, threads).map_err(|error| error.to_string())?;
    let name = |occurrence: &Occurrence| match occurrence {
        Occurrence::Fault(fault) => fault.kind.name().to_owned(),
        Occurrence::Note(note) => note.kind.name().to_owned(),
        other => format!("{other:?}")
            .split([' ', '('])
            .next()
            .unwrap()
            .into(),
    };
    let block =
        |occurrence: Option<&Occurrence>| format!("{:?}", occurrence.map(Occurrence::block));
    let findings = findings.iter();
    Ok(Seen {
        outcome: report.outcome(),
        expected_tip: report.has_expected_tip(),
        tip: report.tip.map(|tip| (tip.slot, tip.hash.to_string())),
        epochs: report.epochs,
        faults: report.faults,
        notes: report.notes,
        unread_bytes: report.unread_bytes,
        findings: findings
            .filter(|finding| !matches!(finding.first, Occurrence::Warning(_)))
            .map(|finding| {
                (
                    name(&finding.first),
                    block(Some(&finding.first)),
                    block(finding.last.as_ref()),
                    finding.count,
                )
            })
            .collect(),
    })
}

/// The same in files and from an iterator, on any number of threads.
fn same(chain: &Chain) -> Seen {
    let tip = chain.forged.tip.unwrap();
    let (slot, hash) = (tip.slot, tip.hash);
    let tip = ExpectedTip { slot, hash };
    let mut whole = None;
    for checks in [&Check::ALL[..], &[Check::Vrf], &[]] {
        let audit = |audit: Audit<'static>| audit.only(checks.iter().copied()).expect_tip(tip);
        let files = seen(audit(chain.files()), 2);
        for threads in [1, 2, 3] {
            let blocks = chain.blocks.clone().into_iter();
            let blocks = blocks.map(|block| sure(block.bytes));
            let blocks = Audit::of_blocks(chain.network.clone(), blocks);
            assert_eq!(seen(audit(blocks), threads), files);
        }
        whole.get_or_insert(files);
    }
    whole.unwrap().unwrap()
}

#[test]
fn honest_chains_are_valid() {
    let all_valid = |recipe| {
        let seen = same(&Chain::of(&recipe));
        assert_eq!(seen.outcome, Outcome::AllValid);
        assert_eq!(seen.expected_tip, Some(true));
        assert_eq!(seen.findings, []);
    };
    all_valid(Recipe::sample());
    all_valid(Recipe::of_renewals());
    all_valid(Recipe {
        // Chunks without blocks, and one block in several groups.
        silent: [1, 4].into(),
        body_bytes: 20_000,
        eras: vec![(Era::Mary, 2), (Era::Babbage, 4)],
        extra_entropy: BTreeMap::new(),
        ..Recipe::sample()
    });
}

#[test]
fn every_mutant_is_found() {
    let renewals = |mutants| Recipe {
        mutants,
        ..Recipe::of_renewals()
    };
    for mutant in Mutant::ALL {
        let chain = Chain::of(&renewals([(900, mutant)].into()));
        let seen = same(&chain);
        assert_eq!(seen.outcome, Outcome::SomeInvalid, "{mutant}");
        assert_eq!(seen.findings.len(), 1, "{mutant}");
    }
    let all = (800..).step_by(37).zip(Mutant::ALL).collect();
    let seen = same(&Chain::of(&renewals(all)));
    let found: u64 = seen.findings.iter().map(|finding| finding.3).sum();
    assert_eq!(found, Mutant::ALL.len() as u64);
}

/// Damages a block since Shelley, or two of one chunk. Byron's have no hash of their body, so only
/// files can have an index that vouches for any bytes there.
fn damage(random: &mut fastrand::Rng, blocks: &mut Vec<Stored>) {
    let byron = blocks.iter().filter(|block| block.bytes[1] < 2).count();
    let at = random.usize(byron..blocks.len() - 1);
    let after = blocks[at + 1].clone();
    let one_chunk = blocks[at].chunk == after.chunk;
    let bytes = &mut blocks[at].bytes;
    let byte = random.usize(..bytes.len());
    match random.u8(..13) {
        0..3 => bytes[byte] ^= 1 << random.u8(..8),
        3 => bytes[byte] = random.u8(..),
        // In the first fields of the header.
        4 => bytes[random.usize(..20)] ^= 1 << random.u8(..8),
        5 => bytes.truncate(byte.max(1)),
        6 => bytes.extend(iter::repeat_with(|| random.u8(..)).take(9)),
        7 => bytes.fill_with(|| random.u8(..)),
        8 => bytes[1] = random.u8(2..10),
        9 => {
            bytes.extend(after.bytes);
            blocks.remove(at + 1);
        }
        10 => drop(blocks.remove(at)),
        11 => {
            let twice = blocks[at].clone();
            blocks.insert(at, twice);
        }
        _ if one_chunk => blocks.swap(at, at + 1),
        _ => {}
    }
}

/// Without what an index tells beyond the bytes: the slot of bytes that are no block, and that the
/// block before them is intact. Without it, doubt begins with that block, and can hold for more
/// proofs.
fn without_index(mut seen: Seen) -> Seen {
    let lost = seen.faults.contains_key("unreadable");
    for epoch in seen.epochs.values_mut() {
        epoch.unverifiable_since = epoch.unverifiable_since.map(|_| 0);
        if lost {
            (epoch.nonce, epoch.unverifiable_since) = (None, None);
            epoch.counts.valid += std::mem::take(&mut epoch.counts.unverifiable);
        }
    }
    for (name, first, last, _) in &mut seen.findings {
        if name == "unreadable" {
            (*first, *last) = Default::default();
        }
    }
    seen
}

/// Proofs that are valid.
fn valid(seen: &Seen) -> u64 {
    let epochs = seen.epochs.values();
    epochs.map(|epoch| epoch.counts.valid).sum()
}

/// Copies of a chain that are damaged.
fn damages() -> usize {
    match std::env::var("KLERO_TEST_DAMAGES") {
        Ok(count) => count.parse().expect("KLERO_TEST_DAMAGES is a number"),
        Err(_) => 20,
    }
}

#[test]
fn random_damage_is_the_same_in_files() {
    let mut random = fastrand::Rng::with_seed(16);
    for chain in [Chain::sample(), Chain::of(&Recipe::of_renewals())] {
        for round in 0..damages() {
            let mut blocks = chain.blocks.clone();
            for _ in 0..random.u8(1..4) {
                damage(&mut random, &mut blocks);
            }
            let dir = chain.write(&blocks);
            let files = seen(chain.written(&dir), 2);
            let given = seen(chain.audit(&blocks), 1 + round % 3);
            if let (Ok(files), Ok(given)) = (&files, &given) {
                assert!(valid(given) <= valid(files), "round {round}");
            }
            let (files, given) = (files.map(without_index), given.map(without_index));
            assert_eq!(given, files, "round {round}");
        }
    }
}

/// Damage of Byron is found by its links, or where a block does not end with its bytes.
#[test]
fn random_damage_of_byron() {
    let mut random = fastrand::Rng::with_seed(17);
    let chain = Chain::sample();
    for round in 0..damages() {
        let mut blocks = chain.blocks.clone();
        let at = random.usize(2..300);
        let bytes = &mut blocks[at].bytes;
        // The header alone: a body is not checked.
        let byte = random.usize(..200);
        bytes[byte] ^= 1 << random.u8(..8);
        let seen = seen(chain.audit(&blocks), 1 + round % 3).unwrap();
        assert_eq!(
            seen.outcome,
            Outcome::SomeInvalid,
            "block {at}, byte {byte}"
        );
    }
}

/// What is found where it can be named in advance.
#[test]
fn bytes_that_are_no_block_are_found_at_their_number() {
    let chain = Chain::sample();
    let at = chain.blocks.len() / 2;
    let block = chain.blocks[at].bytes.clone();
    let slot = chain.blocks[at].slot();
    let joined = [&block[..], &chain.blocks[at + 1].bytes].concat();
    let header = "body-hash: the body does not have the parts of its era";
    for (bytes, known, says) in [
        (vec![], false, "unreadable: the block does not end"),
        (
            b"not a block".to_vec(),
            false,
            "unreadable: no block begins here",
        ),
        (block[..block.len() - 1].to_vec(), true, header),
        (
            block[..100].to_vec(),
            true,
            "unreadable: the block does not end",
        ),
        (joined, true, header),
        (vec![0; 9 << 20], false, "unreadable: no block begins here"),
        (
            [&block[..], &vec![0; 9 << 20]].concat(),
            true,
            "unreadable: the block ends at byte",
        ),
        // A list that goes on for 9 MiB.
        (
            [
                &block[..block.len() - 1],
                &[0x9b, 0, 0, 0, 0, 1, 0, 0, 0],
                &vec![0; 9 << 20],
            ]
            .concat(),
            true,
            "unreadable: no block ends within 4194304 bytes",
        ),
    ] {
        let mut blocks = chain.blocks.clone();
        blocks[at].bytes = bytes;
        let length = blocks[at].bytes.len() as u64;
        let (report, findings) = run(chain.audit(&blocks), 2).unwrap();
        assert_eq!(report.outcome(), Outcome::SomeInvalid);
        let Occurrence::Fault(fault) = &findings[0].first else {
            panic!("{}", findings[0])
        };
        let location = &fault.location;
        assert_eq!((location.item, location.offset), (Some(at as u64), None));
        assert_eq!(location.slot, known.then_some(slot), "{says}");
        let (name, reason) = says.split_once(": ").unwrap();
        assert_eq!(fault.kind.name(), name);
        assert!(findings[0].to_string().contains(reason), "{}", findings[0]);
        assert!(
            findings[0].to_string().contains(&format!(": item {at}")),
            "{}",
            findings[0]
        );
        let lost = name == "unreadable";
        let read = chain.blocks.len() - usize::from(lost);
        assert_eq!(report.totals.blocks, read as u64);
        assert_eq!(report.unread_bytes, if lost { length } else { 0 });
    }
}

/// In Byron, and where bodies are not checked, nothing else shows where a block ends.
#[test]
fn a_block_ends_where_its_bytes_do() {
    let chain = Chain::sample();
    let byron = 3;
    let babbage = chain.blocks.len() - 300;
    for (at, checks) in [(byron, &Check::ALL[..]), (babbage, &[Check::Vrf])] {
        for cut in [false, true] {
            let mut blocks = chain.blocks.clone();
            let bytes = &mut blocks[at].bytes;
            if cut {
                bytes.pop();
            } else {
                bytes.push(0);
            }
            let audit = chain.audit(&blocks).only(checks.iter().copied());
            let (report, _) = run(audit, 1).unwrap();
            assert_eq!(report.faults, [("unreadable", 1)].into(), "{at} {cut}");
        }
    }
}

/// Blocks of an unknown era at the end are not read, and in the middle damaged, as in files.
#[test]
fn eras_to_come() {
    let chain = Chain::sample();
    let n = chain.blocks.len();
    for (range, outcome) in [
        (n - 4..n, Outcome::NotAllRead),
        (n / 2..n / 2 + 4, Outcome::SomeInvalid),
    ] {
        let mut blocks = chain.blocks.clone();
        for block in &mut blocks[range.clone()] {
            block.bytes[1] = 8;
        }
        let (report, findings) = run(chain.audit(&blocks), 2).unwrap();
        assert_eq!(report.outcome(), outcome);
        let text = findings[0].to_string();
        assert!(text.contains(&format!(": item {}", range.start)), "{text}");
        assert!(text.contains("tag 8"), "{text}");
    }
}

/// An iterator that fails: it is not asked again, what came before is reported and saved, and
/// another run goes on.
#[test]
fn an_error_is_no_end_of_the_chain() {
    let chain = Chain::sample();
    let network = || chain.network.clone();
    for at in [0, 1, 700, chain.blocks.len()] {
        let failing = || {
            let blocks = chain.blocks[..at].iter().map(|block| Ok(&block.bytes[..]));
            let after = iter::once_with(|| panic!("asked again"));
            blocks.chain([Err("the line is dead")]).chain(after)
        };
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state.json");
        let audit = Audit::of_blocks(network(), failing())
            .state(&state)
            .unwrap();
        let (report, findings) = run(audit, 2).unwrap();
        assert_eq!(report.outcome(), Outcome::NotAllRead);
        assert_eq!(report.totals.blocks, at as u64);
        assert_eq!(report.totals.valid, report.totals.proofs);
        assert_eq!(report.notes, [("io", 1)].into());
        let text = findings.last().unwrap().to_string();
        let expected = format!("note: item {at}: cannot be read: the line is dead");
        assert_eq!(text, expected);
        let saved = report.state.unwrap();
        assert_eq!(saved.totals.blocks, at.saturating_sub(1) as u64);

        let audit = chain.audit(&chain.blocks).state(&state).unwrap();
        let (rest, _) = run(audit, 1).unwrap();
        assert_eq!(rest.outcome(), Outcome::AllValid);
        let all = rest.state.unwrap().totals;
        assert_eq!(all.blocks, chain.blocks.len() as u64);

        // It fails before the block of the state: that cannot be told from another chain.
        let audit = Audit::of_blocks(network(), failing())
            .state(&state)
            .unwrap();
        if at < chain.blocks.len() {
            let error = run(audit, 1).unwrap_err().to_string();
            assert!(
                error.ends_with("cannot be read: the line is dead"),
                "{error}"
            );
        }
    }
}

#[test]
fn state_files_are_those_of_files() {
    let chain = Chain::sample();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let whole = path("whole.json");
    run(chain.files().state(&whole).unwrap(), 2).unwrap();
    let whole = fs::read(whole).unwrap();
    let n = chain.blocks.len();
    for at in [1, 2, 5, 400, 1_111, n - 1, n] {
        // To block `at`, and on from it: wherever the blocks begin that has it, or after it.
        let state = path("state.json");
        for from in [0, at / 2, at - 1, at] {
            let _ = fs::remove_file(&state);
            let (first, _) =
                run(chain.audit(&chain.blocks[..at]).state(&state).unwrap(), 1).unwrap();
            assert_eq!(first.outcome(), Outcome::AllValid, "{at}");
            let audit = chain.audit(&chain.blocks[from..]).state(&state).unwrap();
            let (rest, findings) = run(audit, 2).unwrap();
            assert_eq!(
                rest.outcome(),
                Outcome::AllValid,
                "{at} {from} {findings:?}"
            );
            assert_eq!(rest.totals.blocks, (n - at) as u64, "{at} {from}");
            assert_eq!(rest.unread_bytes, 0);
            assert_eq!(fs::read(&state).unwrap(), whole, "{at} {from}");
        }
        // Files go on from the state of blocks.
        let _ = fs::remove_file(&state);
        run(chain.audit(&chain.blocks[..at]).state(&state).unwrap(), 2).unwrap();
        run(chain.files().state(&state).unwrap(), 1).unwrap();
        assert_eq!(fs::read(&state).unwrap(), whole);
    }
}

#[test]
fn blocks_that_do_not_go_on_from_a_state() {
    let chain = Chain::sample();
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state.json");
    run(chain.audit(&chain.blocks[..500]).state(&state).unwrap(), 1).unwrap();
    let refused = |blocks: &[Stored]| {
        let audit = chain.audit(blocks).state(&state).unwrap();
        run(audit, 2).unwrap_err().to_string()
    };
    let short = refused(&chain.blocks[..490]);
    assert!(short.contains("ends at slot"), "{short}");
    for from in [501, 502, 900] {
        let late = refused(&chain.blocks[from..]);
        assert!(late.contains("no readable block"), "{late}");
    }
    let mut other = chain.blocks.clone();
    let at = other[499].bytes.len() / 2;
    other[499].bytes[at] ^= 1;
    let other = refused(&other);
    assert!(
        other.contains("has block") || other.contains("no readable"),
        "{other}"
    );
}

#[test]
fn blocks_of_given_epochs_begin_anywhere() {
    let chain = Chain::sample();
    let epoch = chain.forged.epochs[9].clone();
    let nonces = BTreeMap::from([(9, epoch.nonce.unwrap())]);
    for from in [0, 700, 1_200] {
        let audit = chain
            .audit(&chain.blocks[from..])
            .epoch_nonces(nonces.clone());
        let (report, findings) = run(audit, 2).unwrap();
        assert_eq!(report.totals.valid, epoch.proofs, "{from}: {findings:?}");
        assert!(report.faults.is_empty());
    }
    let error = run(chain.audit(&chain.blocks[700..]), 1).unwrap_err();
    let AuditError::Walk(WalkError::NotGenesis { first }) = error else {
        panic!("{error}")
    };
    assert!(first.starts_with("block "), "{first}");
    let error = run(
        Audit::of_blocks(Network::mainnet(), [sure(chain.blocks[0].bytes.clone())]),
        1,
    );
    let error = error.unwrap_err();
    assert!(matches!(
        error,
        AuditError::Walk(WalkError::OtherNetwork { .. })
    ));
}

#[test]
fn no_blocks_at_all() {
    let chain = Chain::sample();
    let (report, _) = run(chain.audit(&[]), 1).unwrap();
    assert_eq!(report.outcome(), Outcome::NotAllChecked);
    assert!(report.is_empty());
}
