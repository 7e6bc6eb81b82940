//! Tests of the ECVRF vectors in `vectors/ecvrf.json`. They make the vectors again, and compare them with the
//! file byte for byte. On each backend, the library must give each claim its verdict, alone and in batches.
//!
//! The code that makes a claim states its verdict, and the model must give the same verdict.

mod claims;
mod flags;
mod format;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use flags::FLAGS;
use format::{Group, Verdict};
use support::case::{Case, honest};
use support::compare::{check_among, check_batch, check_everywhere};
use support::rng::Rng;

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(claims::groups);

#[test]
fn the_file_is_what_is_made() {
    format::compare(FLAGS, &GROUPS);
}

#[test]
fn the_library_gives_the_verdicts() {
    let mut rng = Rng(18);
    for Group { suite, tests } in GROUPS.iter() {
        for test in tests {
            // The library validates keys, so an acceptable claim is invalid here.
            let valid = test.verdict == Verdict::Valid;
            assert_eq!(test.case.expected.is_ok(), valid, "{}", test.comment);
        }
        let cases: Vec<Case> = tests.iter().map(|test| test.case.clone()).collect();
        let neighbours = honest(suite, 64);
        for case in cases.iter().enumerate() {
            check_everywhere(suite, &neighbours, &mut rng, case);
        }
        check_batch(suite, &cases);
        check_among(suite, &neighbours, 64, 32, &cases);
        let (valid, _): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.expected.is_ok());
        check_batch(suite, valid);
    }
}

/// Tests that each flag is used, and that `docs/ecvrf-vectors.md` describes it with the words of the file.
#[test]
fn flags_are_described() {
    let used: BTreeSet<_> = GROUPS
        .iter()
        .flat_map(|group| &group.tests)
        .flat_map(|test| &test.flags)
        .copied()
        .collect();
    let described: BTreeSet<_> = FLAGS.iter().map(|flag| flag.name).collect();
    assert_eq!(used, described);

    let page = include_str!("../../../../../docs/ecvrf-vectors.md");
    for flag in FLAGS {
        let row = format!(
            "| `{}` | {} | {} |\n",
            flag.name, flag.description, flag.decided_by
        );
        assert!(page.contains(&row), "the page has no row {row}");
    }
    assert_eq!(page.matches("\n| `").count(), FLAGS.len());
}
