//! Recipes that no chain can follow.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use klero_cardano::Era;
use klero_forge::{ForgeError, Mutant, Recipe, forge};
use klero_leader::ActiveSlots;

use crate::checks::small;

fn f(numerator: u64, denominator: u64) -> ActiveSlots {
    ActiveSlots::new(numerator, denominator).unwrap()
}

/// Each change makes a good recipe bad, and the error says why.
#[test]
fn recipes_that_cannot_be_followed() {
    use Era::{Babbage, Byron, Mary, Shelley};
    let good = small(&[(Shelley, 1), (Babbage, 1)]);
    type Change = fn(&mut Recipe);
    let bad: [(Change, &str); _] = [
        (|r| r.k = 0, "k = 0"),
        (|r| r.k = 1 << 40, "k = 1099511627776"),
        (|r| r.k = u64::MAX, "k = 18446744073709551615"),
        (|r| r.f = f(1, 1), "below 1"),
        (
            |r| r.f = f(3, 10),
            "f = 3/10: expected f below 1 and 10k/f whole",
        ),
        (|r| r.f = f(1, 3), "f = 1/3 has too many digits"),
        (|r| r.eras = vec![], "eras"),
        (|r| r.eras = vec![(Mary, 0)], "no epochs"),
        (|r| r.eras = vec![(Mary, 1), (Shelley, 1)], "oldest first"),
        (|r| r.eras = vec![(Mary, 1), (Mary, 1)], "once each"),
        (|r| r.eras = vec![(Mary, u64::MAX), (Babbage, 9)], "epochs"),
        (|r| (r.k, r.eras) = (60_000, vec![(Byron, 90_000)]), "slots"),
        (|r| r.stakes = vec![], "stakes"),
        (|r| r.stakes = vec![0, 0], "stakes"),
        (|r| r.stakes = vec![u32::MAX, 1], "stakes"),
        (|r| r.overlay_percent = vec![101], "101 percent"),
        (|r| r.silent = BTreeSet::from([2]), "epoch 2"),
        (|r| r.kes.slots = 0, "slotsPerKESPeriod is 0"),
        (|r| r.kes.evolutions = 0, "0 evolutions"),
        (|r| r.kes.evolutions = 64, "64 evolutions"),
        (|r| r.extra_entropy = [(1, [0; 32])].into(), "Babbage"),
        (|r| r.extra_entropy = [(9, [0; 32])].into(), "epoch 9"),
    ];
    for (change, reason) in bad {
        let mut recipe = good.clone();
        change(&mut recipe);
        let dir = tempfile::tempdir().unwrap();
        let error = forge(&recipe, dir.path(), |_, _| {}).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(reason), "{error:?} does not say {reason:?}");
        let written = fs::read_dir(dir.path()).unwrap();
        assert_eq!(written.count(), 0, "nothing was written");
    }
    // A database is never overwritten.
    let dir = tempfile::tempdir().unwrap();
    forge(&good, dir.path(), |_, _| {}).unwrap();
    let error = forge(&good, dir.path(), |_, _| {}).unwrap_err();
    assert!(
        matches!(&error, ForgeError::Io { path, .. } if path.ends_with("00000.chunk")),
        "{error}"
    );
}

#[test]
fn a_mutant_that_no_block_can_be() {
    // Near the start of this chain, no block can be any of these mutants. The first certificates have number
    // 0, the lowest. An expired one would have begun before KES period 0. In TPraos, no number is too large.
    for mutant in [
        Mutant::NumberTooSmall,
        Mutant::Expired,
        Mutant::NumberTooLarge,
    ] {
        let dir = tempfile::tempdir().unwrap();
        let recipe = Recipe {
            mutants: BTreeMap::from([(1, mutant)]),
            ..small(&[(Era::Shelley, 1)])
        };
        let error = forge(&recipe, dir.path(), |_, _| {}).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(&mutant.to_string()), "{error}");
    }
}
