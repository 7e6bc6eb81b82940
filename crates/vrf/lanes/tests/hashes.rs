//! Tests of SHA-512 and BLAKE2b in lanes against the crates `sha2` and `blake2`.

use blake2::Blake2b;
use blake2::digest::FixedOutput;
use blake2::digest::consts::{U28, U32, U64};
use klero_lanes::{Engine, engines};
use sha2::{Digest, Sha512};

fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}

/// Tests the digests of messages on every engine. Each message is given in one or more parts, or if it is
/// empty, perhaps in none. For SHA-512, a prefix of `blocks` blocks comes before each message.
fn check(blocks: usize, messages: &[Vec<u8>]) {
    let parts: Vec<Vec<&[u8]>> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| match i % 3 {
            0 => vec![&message[..]],
            1 => message.chunks(1 + (i * 7 + message.len()) % 300).collect(),
            _ => {
                let (first, second) = message.split_at(message.len() / 3);
                vec![&[], first, &[], second, &[]]
            }
        })
        .collect();
    let parts: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();

    let prefix: Vec<[u8; 128]> = (0..blocks).map(|i| [i as u8; 128]).collect();
    let behind_prefix = Digest::chain_update(Sha512::new(), prefix.as_flattened());
    check_one("sha512", behind_prefix, messages, |engine, digests| {
        engine.sha512(&prefix, &parts, digests)
    });
    check_one(
        "blake2b 64",
        Blake2b::<U64>::new(),
        messages,
        |engine, digests| engine.blake2b::<64>(&parts, digests),
    );
    check_one(
        "blake2b 32",
        Blake2b::<U32>::new(),
        messages,
        |engine, digests| engine.blake2b::<32>(&parts, digests),
    );
    check_one(
        "blake2b 28",
        Blake2b::<U28>::new(),
        messages,
        |engine, digests| engine.blake2b::<28>(&parts, digests),
    );
}

/// Compares the digest that each engine computes for each message with the digest by `hasher`.
fn check_one<const N: usize>(
    name: &str,
    hasher: impl FixedOutput + Clone,
    messages: &[Vec<u8>],
    in_lanes: impl Fn(Engine, &mut [[u8; N]]),
) {
    let expected: Vec<_> = messages
        .iter()
        .map(|message| hasher.clone().chain(message).finalize_fixed())
        .collect();
    for engine in engines() {
        let mut digests = vec![[0; N]; messages.len()];
        in_lanes(engine, &mut digests);
        for (i, (digest, expected)) in digests.iter().zip(&expected).enumerate() {
            let length = messages[i].len();
            assert_eq!(digest[..], expected[..], "{name} {engine:?} {i} {length}");
        }
    }
}

fn message(seed: u64, length: usize) -> Vec<u8> {
    let blocks = (0..).flat_map(|i| random32(seed << 32 | i));
    blocks.take(length).collect()
}

#[test]
fn few_messages() {
    check(1, &[vec![], vec![1; 112], vec![2; 128]]);
}

#[test]
#[cfg_attr(miri, ignore = "a block takes a tenth of a second")]
fn any_length() {
    let around_blocks = (1..5).flat_map(|blocks| {
        let ends = [128 * blocks - 17, 128 * blocks - 16, 128 * blocks - 1];
        ends.into_iter().chain([128 * blocks, 128 * blocks + 1])
    });
    let mut messages: Vec<_> = (0..=300)
        .chain(around_blocks)
        .map(|length| message(length as u64, length))
        .collect();
    for blocks in 0..3 {
        check(blocks, &messages);
        // Different messages side by side.
        messages.sort_by_key(|message| random32(message.len() as u64 + blocks as u64));
    }
    for message in &messages {
        check(0, &vec![message.clone(); 9]);
    }
}

#[test]
#[cfg_attr(miri, ignore = "a block takes a tenth of a second")]
fn any_number() {
    for n in 0..=20 {
        let message = |i: u64| message(i, (random32(i)[0] as usize) << (i % 3));
        let messages: Vec<_> = (0..n).map(|i| message(100 * n + i)).collect();
        check((n % 2) as usize, &messages);
        check(0, &vec![Vec::new(); n as usize]);
    }
}

#[test]
#[cfg_attr(miri, ignore = "a block takes a tenth of a second")]
fn a_long_message_among_short_ones() {
    let long = 1 << 20;
    for at in [0, 3, 20] {
        let mut messages: Vec<_> = (0..21).map(|i| message(i, 10 * i as usize)).collect();
        messages[at] = vec![7; long];
        check(0, &messages);
        // A second long message beside the first.
        messages[20 - at] = vec![8; long / 2];
        check(1, &messages);
    }
}

#[test]
#[cfg_attr(miri, ignore = "a block takes a tenth of a second")]
fn random_messages() {
    for turn in 0..300 {
        let choice = random32(turn);
        let n = usize::from(choice[0]) % 40;
        let messages: Vec<_> = (0..n as u64)
            .map(|i| {
                let random = random32(turn << 16 | i);
                let length = usize::from(u16::from_le_bytes([random[0], random[1]]));
                // Most messages are short, and some have up to 64 KiB.
                message(turn << 16 | i, length >> (random[2] % 16))
            })
            .collect();
        check(usize::from(choice[1] % 3), &messages);
    }
}
