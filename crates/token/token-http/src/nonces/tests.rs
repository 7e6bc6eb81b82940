//! Tests that each nonce is accepted only once, and that no user gets all the room for nonces.

use super::*;

const NOW: u64 = 1_800_000_000;

fn spend(nonces: &RecentNonces, nonce: u8, time: u64, now: u64) -> Result<(), Refusal> {
    spend_as(nonces, b"alice", nonce, time, now)
}

fn spend_as(
    nonces: &RecentNonces,
    rights: &[u8],
    nonce: u8,
    time: u64,
    now: u64,
) -> Result<(), Refusal> {
    nonces.spend(Spend {
        nonce: [nonce; 32],
        time,
        now,
        rights,
    })
}

#[test]
fn a_nonce_counts_once_as_long_as_its_time_does() {
    let nonces = RecentNonces::new(10);
    let time = NOW + WINDOW;
    assert_eq!(spend(&nonces, 1, time, NOW), Ok(()));
    for now in [NOW, NOW + 1, time, time + WINDOW] {
        assert_eq!(spend(&nonces, 1, time, now), Err(Refusal::Replayed));
    }
    let late = time + WINDOW + 1;
    assert_eq!(spend(&nonces, 1, time, late), Err(Refusal::OutOfTime));
    let spent = nonces.spent.lock().unwrap();
    assert!(spent.by_time.is_empty() && spent.of_user.is_empty());
}

#[test]
fn times_out_of_the_window_are_refused() {
    let nonces = RecentNonces::new(10);
    for time in [0, NOW - WINDOW - 1, NOW + WINDOW + 1, u64::MAX] {
        assert_eq!(spend(&nonces, 1, time, NOW), Err(Refusal::OutOfTime));
    }
    for time in [NOW - WINDOW, NOW + WINDOW] {
        assert_eq!(spend(&nonces, 1, time, NOW), Ok(()));
    }
}

#[test]
fn the_end_of_time_is_a_time() {
    let nonces = RecentNonces::new(10);
    assert_eq!(spend(&nonces, 1, u64::MAX, u64::MAX), Ok(()));
    let again = spend(&nonces, 1, u64::MAX, u64::MAX);
    assert_eq!(again, Err(Refusal::Replayed));
}

#[test]
fn a_full_store_refuses_until_times_pass() {
    let nonces = RecentNonces::new(4);
    assert_eq!(spend(&nonces, 1, NOW, NOW), Ok(()));
    assert_eq!(spend(&nonces, 2, NOW, NOW), Ok(()));
    let full = NOW + WINDOW;
    assert_eq!(spend(&nonces, 3, full, full), Err(Refusal::Full));
    assert_eq!(spend(&nonces, 1, NOW, full), Err(Refusal::Replayed));
    assert_eq!(spend(&nonces, 3, full, full + 1), Ok(()));
}

#[test]
fn a_clock_that_is_set_back_brings_nothing_back() {
    let nonces = RecentNonces::new(10);
    assert_eq!(spend(&nonces, 1, NOW, NOW), Ok(()));
    let later = NOW + WINDOW + 1;
    assert_eq!(spend(&nonces, 2, later, later), Ok(()));
    assert_eq!(spend(&nonces, 1, NOW, NOW), Err(Refusal::OutOfTime));
}

/// Each user in turn uses as many nonces as are accepted, and every user gets some room. At the end, a
/// further nonce of the first user is refused.
#[test]
fn each_user_finds_room_whatever_others_do() {
    let nonces = RecentNonces::new(64);
    let mut shares = Vec::new();
    let mut nonce = 0;
    for user in [b"a", b"b", b"c", b"d"] {
        let mut share = 0;
        nonce += 1;
        while spend_as(&nonces, user, nonce, NOW, NOW).is_ok() {
            (share, nonce) = (share + 1, nonce + 1);
        }
        shares.push(share);
    }
    assert_eq!(shares, [32, 16, 8, 4]);
    assert_eq!(spend_as(&nonces, b"a", 0, NOW, NOW), Err(Refusal::Full));
    // When the times of the nonces are before the window, there is room again.
    let later = NOW + WINDOW + 1;
    assert_eq!(spend_as(&nonces, b"a", 0, later, later), Ok(()));
}

#[test]
fn users_who_take_turns_get_equal_shares() {
    let nonces = RecentNonces::new(40);
    let mut shares = [0; 3];
    for nonce in 0..90 {
        let user = usize::from(nonce % 3);
        let spent = spend_as(&nonces, &[nonce % 3], nonce, NOW, NOW);
        shares[user] += usize::from(spent.is_ok());
    }
    assert_eq!(shares, [10, 10, 10]);
}
