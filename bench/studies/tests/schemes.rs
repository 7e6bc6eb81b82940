//! The schemes of the studies work as intended: honest tokens verify and have the expected
//! sizes, and damaged bytes neither verify nor panic.

use curve25519_dalek::{RistrettoPoint, Scalar, traits::Identity};
use klero_studies::{
    Error, Place,
    challenge::{self, ChallengeToken},
    pairing,
    ristretto::KeyPair,
    vrf1, vrf2,
};
use proptest::prelude::*;

const BLOCKS: [usize; 5] = [1, 2, 5, 10, 20];

fn message(block: usize) -> Vec<u8> {
    format!("message of block {block}").into_bytes()
}

fn keys(block: usize) -> KeyPair {
    KeyPair::from_seed(&message(block))
}

fn pairing_keys(block: usize) -> pairing::KeyPair {
    pairing::KeyPair::from_seed(&[block as u8; 32])
}

fn vrf1_token(blocks: usize) -> vrf1::Token {
    let first = vrf1::Token::new(&keys(0), &message(0));
    (1..blocks).fold(first, |token, n| token.append(&keys(n), &message(n)))
}

fn vrf2_token(blocks: usize) -> vrf2::Token {
    let first = vrf2::Token::new(&keys(0), &message(0));
    (1..blocks).fold(first, |token, n| token.append(&keys(n), &message(n)))
}

fn pairing_token(blocks: usize) -> pairing::Token {
    let first = pairing::Token::new(&pairing_keys(0), &message(0));
    (1..blocks).fold(first, |token, n| {
        token.append(&pairing_keys(n), &message(n))
    })
}

fn challenge_token(blocks: usize) -> challenge::Token {
    let first = challenge::Token::new(&keys(0), &message(0)).unwrap();
    (1..blocks).fold(first, |token, n| token.append(&message(n)).unwrap())
}

/// The verifiers of bytes, by the name of the scheme.
type Verifier = (&'static str, fn(&[u8]) -> Result<bool, Error>);

const VERIFIERS: [Verifier; 5] = [
    ("VRF 1", |bytes| {
        Ok(vrf1::Token::decode(bytes)?.verify(&keys(0).public()))
    }),
    ("VRF 2", |bytes| {
        Ok(vrf2::Token::decode(bytes)?.verify(&keys(0).public()))
    }),
    ("pairing", |bytes| {
        Ok(pairing::Token::decode(bytes)?.verify(&pairing_keys(0).public()))
    }),
    ("challenge, base", |bytes| {
        Ok(challenge::Token::decode(bytes)?.verify())
    }),
    ("challenge, answer", |bytes| {
        Ok(ChallengeToken::decode(bytes)?.verify())
    }),
];

/// Honest tokens, in the order of the verifiers.
fn encoded(blocks: usize) -> [Vec<u8>; 5] {
    let challenge = challenge_token(blocks);
    [
        vrf1_token(blocks).encode(),
        vrf2_token(blocks).encode(),
        pairing_token(blocks).encode(),
        challenge.encode(),
        challenge.answer(b"a challenge").unwrap().encode(),
    ]
}

#[test]
fn honest_tokens_verify() {
    for blocks in [1, 2, 3, 5, 10, 20] {
        for ((scheme, verify), bytes) in VERIFIERS.iter().zip(encoded(blocks)) {
            assert_eq!(verify(&bytes), Ok(true), "{scheme}, {blocks} blocks");
        }
    }
}

#[test]
fn another_root_is_refused() {
    assert!(!vrf1_token(2).verify(&keys(1).public()));
    assert!(!vrf2_token(2).verify(&keys(1).public()));
    assert!(!pairing_token(2).verify(&pairing_keys(1).public()));
}

#[test]
fn no_blocks_have_no_root() {
    let (mut one, mut two, mut three) = (vrf1_token(1), vrf2_token(1), pairing_token(1));
    one.blocks.clear();
    two.blocks.clear();
    three.blocks.clear();
    assert!(!one.verify(&keys(0).public()));
    assert!(!two.verify(&keys(0).public()));
    assert!(!three.verify(&pairing_keys(0).public()));
}

/// In the equations the first VRF block is a block appended to an empty token.
#[test]
fn the_first_block_is_like_the_others() {
    let nothing = vrf1::Token {
        blocks: Vec::new(),
        w: RistrettoPoint::identity(),
        s: Scalar::ZERO,
    };
    assert_eq!(nothing.append(&keys(0), &message(0)), vrf1_token(1));
    let nothing = vrf2::Token {
        blocks: Vec::new(),
        gamma: RistrettoPoint::identity(),
        w: RistrettoPoint::identity(),
        s: Scalar::ZERO,
    };
    assert_eq!(nothing.append(&keys(0), &message(0)), vrf2_token(1));
}

/// The study's table of sizes: the bytes without messages, their lengths and the number of
/// blocks.
#[test]
fn sizes() {
    const TABLE: [(&str, [usize; 5]); 5] = [
        ("VRF 1", [160, 256, 544, 1024, 1984]),
        ("VRF 2", [160, 224, 416, 736, 1376]),
        ("pairing", [144, 192, 336, 576, 1056]),
        ("challenge, base", [128, 224, 512, 992, 1952]),
        ("challenge, answer", [192, 288, 576, 1056, 2016]),
    ];
    for (column, blocks) in BLOCKS.into_iter().enumerate() {
        let messages: usize = (0..blocks).map(|n| 4 + message(n).len()).sum();
        for ((scheme, sizes), bytes) in TABLE.iter().zip(encoded(blocks)) {
            let challenge = match *scheme {
                "challenge, answer" => 4 + b"a challenge".len(),
                _ => 0,
            };
            let size = bytes.len() - 4 - messages - challenge;
            assert_eq!(size, sizes[column], "{scheme}, {blocks} blocks");
        }
    }
}

/// The secret's bytes would stand there as numbers or as hexadecimal digits.
#[test]
fn secrets_stay_out_of_debug() {
    let secret = [0x0b; 32];
    let keys = KeyPair::from_secret(Scalar::from_canonical_bytes(secret).unwrap());
    let token = challenge::Token {
        blocks: Vec::new(),
        next: keys.clone(),
    };
    let pairing_keys = pairing::KeyPair::from_seed(&secret);
    for text in [
        format!("{keys:?}"),
        format!("{token:?}"),
        format!("{pairing_keys:?}"),
    ] {
        assert!(text.contains("public"), "{text}");
        let text = text.to_lowercase();
        let told = ["11, 11", "0b0b", "b, b", "secret", "scalar"];
        assert!(!told.iter().any(|told| text.contains(told)), "{text}");
    }
}

#[test]
fn errors_name_the_place() {
    let place = |block, field, offset| Place {
        block,
        field,
        offset,
    };
    // Blocks are 96 bytes, a length and 18 bytes; the second is at 4 + 118.
    let good = vrf1_token(2).encode();
    let with = |offset: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[offset..offset + 32].fill(byte);
        vrf1::Token::decode(&bytes).unwrap_err()
    };
    let second = 4 + 96 + 4 + 18;
    assert_eq!(
        with(second + 32, 0xff),
        Error::Point(place(Some(1), "gamma", second + 32))
    );
    assert_eq!(
        with(second + 64, 0xff),
        Error::Scalar(place(Some(1), "c", second + 64))
    );
    assert_eq!(
        with(good.len() - 32, 0xff),
        Error::Scalar(place(None, "S", good.len() - 32))
    );
    assert_eq!(
        vrf1::Token::decode(&[&good[..], b"more"].concat()),
        Err(Error::Trailing {
            offset: good.len(),
            bytes: 4
        })
    );
    let mut long = good.clone();
    long[4 + 96..][..4].fill(0xff);
    assert_eq!(
        vrf1::Token::decode(&long),
        Err(Error::Truncated {
            place: place(Some(0), "message", 4 + 100),
            needed: 0xffff_ffff,
            left: good.len() - 104
        })
    );
    // One block announced, then ten bytes of its key.
    let error = vrf1::Token::decode(&[&[1, 0, 0, 0], &[0; 10][..]].concat()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "block 0, public key, at byte 4: 32 bytes needed, 10 left"
    );
}

/// Four thousand million announced blocks, none of which is there.
#[test]
fn announced_blocks_take_no_memory() {
    for (scheme, verify) in VERIFIERS {
        assert!(
            matches!(verify(&[0xff; 4]), Err(Error::Truncated { left: 0, .. })),
            "{scheme}"
        );
    }
}

#[test]
fn truncated_tokens_are_errors() {
    for ((scheme, verify), bytes) in VERIFIERS.iter().zip(encoded(3)) {
        for length in 0..bytes.len() {
            let result = verify(&bytes[..length]);
            assert!(
                matches!(result, Err(Error::Truncated { .. })),
                "{scheme}, {length} bytes: {result:?}"
            );
        }
    }
}

#[test]
fn no_byte_can_be_changed() {
    for ((scheme, verify), bytes) in VERIFIERS.iter().zip(encoded(2)) {
        for offset in 0..bytes.len() {
            for mask in [0x01, 0x20, 0x80] {
                let mut bytes = bytes.clone();
                bytes[offset] ^= mask;
                assert_ne!(verify(&bytes), Ok(true), "{scheme}, byte {offset}");
            }
        }
    }
}

/// Except for tokens without blocks in the challenge scheme, which any key can answer.
#[test]
fn a_challenge_token_without_blocks_can_be_changed() {
    let token = challenge::Token {
        blocks: Vec::new(),
        next: keys(0),
    };
    let mut bytes = token.encode();
    bytes[4] ^= 1;
    assert!(challenge::Token::decode(&bytes).unwrap().verify());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_changed_byte_verifies(offset: prop::sample::Index, mask in 1..=u8::MAX) {
        for ((scheme, verify), mut bytes) in VERIFIERS.iter().zip(encoded(3)) {
            let offset = offset.index(bytes.len());
            bytes[offset] ^= mask;
            prop_assert_ne!(verify(&bytes), Ok(true), "{}, byte {}", scheme, offset);
        }
    }

    /// They may verify: 32 bytes after no blocks are a challenge token.
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, blocks in 0..4u32) {
        let announced = [&blocks.to_le_bytes(), &bytes[..]].concat();
        for (_, verify) in VERIFIERS {
            let _ = verify(&bytes);
            let _ = verify(&announced);
        }
    }

    /// Valid points and scalars that satisfy no equation.
    #[test]
    fn no_invented_token_panics(numbers: [u8; 4], message: Vec<u8>) {
        let [a, b, c, d] = numbers.map(Scalar::from);
        let point = |x: Scalar| RistrettoPoint::mul_base(&x);
        let token = vrf1::Token {
            blocks: vec![vrf1::Block { key: point(a), gamma: point(b), c, message: message.clone() }; 2],
            w: point(d),
            s: a,
        };
        prop_assert!(!vrf1::Token::decode(&token.encode()).unwrap().verify(&point(a)));
        let token = vrf2::Token {
            blocks: vec![vrf2::Block { key: point(a), c, message }; 2],
            gamma: point(b),
            w: point(d),
            s: a,
        };
        prop_assert!(!vrf2::Token::decode(&token.encode()).unwrap().verify(&point(a)));
    }
}
