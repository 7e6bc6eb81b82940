//! Tests of ledger states: a real state, and synthetic states of every layout, whole and changed.

mod checksum;
mod golden;
mod refused;
mod synthetic;

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use klero_cardano::{Era, LedgerError, LedgerState, Nonce};
use klero_forge::ledger::State;

use crate::synthetic::{in_era, synthetic};

/// The state that the doc examples load: `synthetic(3, 6)` in the form that nodes 9.0 to 10.6 write.
const OLDER: &[u8] = include_bytes!("../../testdata/ledger.state");

/// A state of five pools in their first epoch. If the file does not exist, prints a line and returns `None`.
fn real() -> Option<PathBuf> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/vectors/leader/state.86392");
    if path.is_file() {
        return Some(path);
    }
    eprintln!("SKIPPED: no ledger state at {}", path.display());
    None
}

#[track_caller]
fn read(bytes: &[u8]) -> LedgerState {
    LedgerState::read(bytes).unwrap()
}

fn expect(state: &LedgerState, expected: &State) {
    assert_eq!(state.last, expected.last);
    assert_eq!(state.nonces, expected.nonces);
    let (epoch, mark) = (expected.nonces.epoch, expected.snapshots[0].distribution());
    let stake = [(epoch, expected.stake.clone()), (epoch + 1, mark)];
    assert_eq!(state.stake, stake.into());
}

#[test]
fn every_layout() {
    for (pools, delegators) in [(1, 0), (2, 1), (3, 30), (40, 900)] {
        for era in [Era::Babbage, Era::Conway] {
            let expected = in_era(era, synthetic(pools, delegators));
            let bytes = expected.write();
            let state = read(&bytes);
            expect(&state, &expected);
            assert_eq!(state.previous_nonce, Some(expected.previous));
            // A reader that supplies one byte at a time.
            let slow = BufReader::with_capacity(1, &bytes[..]);
            assert_eq!(LedgerState::read(slow).unwrap(), state);
        }
    }
    let state = read(OLDER);
    expect(&state, &synthetic(3, 6));
    assert_eq!(state.previous_nonce, None);
}

/// With Peras, each bound of an era has a round, and the ledger has a latest round.
#[test]
fn a_state_with_peras() {
    let state = synthetic(2, 5);
    let bytes = state.write();
    let [without, with] = [&[][..], &[0]].map(|round| eras(&state, round));
    let with_rounds = replaced(&bytes, &without, &with, 2);
    assert_eq!(read(&with_rounds), read(&bytes));
    // The latest round is encoded right after the number of blocks since voting ended.
    for bytes in [&bytes, &with_rounds] {
        let latest = replaced(bytes, &[0x0a, 0x59, 0x80], &[0x0a, 0x59, 0x81, 0x18, 42], 1);
        assert_eq!(read(&latest), read(bytes));
    }
}

/// The encoded bounds of the state's eras. Each bound has `round` at its end.
fn eras(state: &State, round: &[u8]) -> Vec<u8> {
    let number = |n: u64| match n {
        0..=23 => vec![n as u8],
        24..=0xffff_ffff => [&[0x1a], &(n as u32).to_be_bytes()[..]].concat(),
        _ => [&[0x1b], &n.to_be_bytes()[..]].concat(),
    };
    let bounds = state.eras.iter().map(|&(slot, epoch)| {
        let numbers = [slot * 1_000_000_000_000, slot, epoch].map(number);
        [&[0x83 + round.len() as u8], &numbers.concat()[..], round].concat()
    });
    let bounds: Vec<Vec<u8>> = bounds.collect();
    let eras = bounds.iter().enumerate().map(|(n, begin)| {
        let end = bounds.get(n + 1).map_or(&[][..], |end| end);
        [&[0x82], &begin[..], end].concat()
    });
    [
        vec![0x80 + bounds.len() as u8],
        eras.collect::<Vec<_>>().concat(),
    ]
    .concat()
}

/// Replaces bytes that occur exactly `times` times.
#[track_caller]
fn replaced(bytes: &[u8], old: &[u8], new: &[u8], times: usize) -> Vec<u8> {
    let places = (0..=bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old));
    let places: Vec<usize> = places.collect();
    assert_eq!(places.len(), times, "{old:02x?}");
    let mut changed = bytes.to_vec();
    for at in places.into_iter().rev() {
        changed.splice(at..at + old.len(), new.iter().copied());
    }
    changed
}

#[test]
fn stake_adds_up() {
    let expected = synthetic(7, 200);
    let stake = &read(&expected.write()).stake[&164];
    // One of the seven pools has no delegators. The delegators of a retired pool add only to the total.
    assert_eq!(stake.pools().len(), 6);
    let sum: u64 = stake.pools().map(|(_, pool)| pool.stake.pool()).sum();
    assert!(sum < stake.total());
}

#[test]
fn delegators_in_any_order() {
    let mut shuffled = synthetic(5, 100);
    let expected = synthetic(5, 100);
    for snapshot in &mut shuffled.snapshots {
        fastrand::Rng::with_seed(3).shuffle(&mut snapshot.delegators);
    }
    expect(&read(&shuffled.write()), &expected);
    // Three delegators of the mark snapshot, with 41 bytes each, change places.
    let state = synthetic(3, 6);
    let first = &state.snapshots[0].delegators[0].hash[..];
    let at = OLDER.windows(28).position(|here| here == first).unwrap() - 4;
    let mut changed = OLDER.to_vec();
    changed[at..at + 3 * 41].rotate_left(41);
    assert_eq!(read(&changed), read(OLDER));
}

#[test]
fn the_epochs_in_which_stake_decides() {
    let expected = synthetic(3, 30);
    let stake = read(&expected.write()).stake;
    let [mark, set, _] = expected.snapshots.map(|of| of.distribution());
    assert_eq!(stake, [(164, set), (165, mark)].into());
}

#[test]
fn a_real_state() {
    let Some(path) = real() else { return };
    let state = LedgerState::load(&path).unwrap();
    let last = &state.last;
    assert_eq!(
        (last.era, last.slot, last.number),
        (Era::Conway, 86_392, 4_357)
    );
    let hash = "1d38de4ffae6090c24151578d331b1021adb8f37d158011616db4d47d1704968";
    assert_eq!(last.hash.to_string(), hash);
    assert_eq!((state.nonces.epoch, state.previous_nonce), (0, None));
    for (nonce, expected) in [
        (
            state.nonces.eta0,
            "9c85404aa9c0871d85ce51091694e0a848bd4c2400ffd26e5ae033525fdfc7bd",
        ),
        (
            state.nonces.eta_v,
            "e288fb53c1f354d9b30a6b6181314e5ac6af448a148e38f0813f5900e3ee823b",
        ),
        (
            state.nonces.eta_c,
            "4cbd9e99d8ef9184269eeacdfeb7fae4a05139f5d89835e2bf7b95add4ba2524",
        ),
        (
            state.nonces.lab,
            "d32f2674321b87b0c6bbbadc4cafcc3ea0c03b06324348a3605761d8b45887d0",
        ),
        (state.nonces.eta_h, "neutral"),
    ] {
        assert_eq!(nonce, expected.parse::<Nonce>().unwrap());
    }
    five_equal_pools(&state);
}

/// Checks the stake of the five pools. The chain began with this stake, so it decides in epochs 0 and 1.
fn five_equal_pools(state: &LedgerState) {
    let stake = &state.stake[&0];
    let pools: Vec<_> = stake.pools().collect();
    assert_eq!((pools.len(), stake.total()), (5, 600_000_000_000_000));
    assert!(
        pools
            .iter()
            .all(|(_, of)| of.stake.pool() == 120_000_000_000_000)
    );
    let (id, first) = pools[0];
    assert_eq!(
        (id.to_hex(), first.vrf.unwrap().to_string()),
        (
            "14f3abc153c13b3d8681e0e0bbde70594ac27f70d156a3727aac184a".to_owned(),
            "ead46578f501e6a26edd8ea62683d72b736010ff46d4756c24a4eb9a00b55050".to_owned()
        )
    );
    assert_eq!(state.stake[&1], *stake);
}

#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let missing = LedgerState::load(&dir.path().join("state")).unwrap_err();
    assert!(matches!(&missing, LedgerError::File(error) if error.is_not_found()));
    let empty = LedgerState::load(dir.path()).unwrap_err();
    assert!(matches!(&empty, LedgerError::File(error) if error.is_not_found()));
    // A device that fails after some bytes.
    let bytes = synthetic(2, 9).write();
    let failing = bytes[..500].chain(Failing);
    let error = LedgerState::read(BufReader::new(failing)).unwrap_err();
    assert!(matches!(error, LedgerError::Io { at: 500, .. }), "{error}");
    // The path of the file and the path of its directory give the same state.
    let path = dir.path().join("state");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(LedgerState::load(&path).unwrap(), read(&bytes));
    assert_eq!(LedgerState::load(dir.path()).unwrap(), read(&bytes));
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("the device has failed"))
    }
}
