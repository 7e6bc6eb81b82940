//! Damaged and invented bytes and texts. Each of them gives a typed error in every scheme.

#[path = "../twin/encoding.rs"]
mod encoding;
#[path = "../twin/equations/mod.rs"]
mod equations;
mod mixtures;
mod points;
mod statements;
#[path = "../support/mod.rs"]
mod support;
mod text;

use crate::equations::Chain;
use equations::Twin;
use klero_token::{
    Access, Caveat, Challenge, Error, KeyKind, Limits, Reason, Revoked, RootKeys, SecretKey,
    Statement, Token,
};
use support::errors::{
    MAGIC, NO_BLOCKS, malformed, of_truncated, scheme, too_large, trailing, truncated, version,
};
use support::{CHALLENGE, NO_LIMITS, ROOT_SEED, decode, on_all, root, roots};

const THIRD_PARTY: [u8; 32] = [0xcc; 32];

/// A statement by `THIRD_PARTY` for a token.
fn statement(token: &Token) -> Statement {
    support::statement(token, &THIRD_PARTY, b"of age")
}

/// A token with three blocks: a root block, a third party's statement, and a holder's block.
fn token<S: Twin>() -> Token {
    let root = root(S::SCHEME);
    let token = Token::mint(&root, 0, b"read", &[Caveat::Before(9)]).unwrap();
    let token = token.append_statement(&statement(&token)).unwrap();
    token.append(b"today").unwrap()
}

/// A bearer token, a sealed token, and a token that ends with a statement, each with its challenge, if any.
fn tokens<S: Twin>() -> [(Vec<u8>, Option<Challenge<'static>>); 3] {
    let token = token::<S>();
    let sealed = token.seal(&CHALLENGE).unwrap();
    let stated = token.append_statement(&statement(&token)).unwrap();
    [(token, None), (sealed, Some(CHALLENGE)), (stated, None)]
        .map(|(token, challenge)| (token.encode().unwrap().to_vec(), challenge))
}

fn cut_off<S: Twin>() {
    for (bytes, _) in tokens::<S>() {
        for length in 0..bytes.len() {
            let error = decode(&bytes[..length]).unwrap_err();
            let [end, at, n] = of_truncated(&error).expect("an error of the end");
            assert_eq!(end, length);
            assert!(at <= end && at + n > end && at + n <= bytes.len());
        }
        for more in [&[0][..], &[0; 64], &bytes] {
            let longer = [&bytes[..], more].concat();
            let (at, count) = (bytes.len(), more.len());
            let error = decode(&longer).unwrap_err();
            assert_eq!(error, trailing(at, count));
        }
    }
}

/// A token with one changed byte is refused, whether it is verified alone or in a group.
fn changed<S: Twin>() {
    for (bytes, challenge) in tokens::<S>() {
        let honest = decode(&bytes).unwrap();
        let mut group = vec![(honest, challenge)];
        let mut alone = vec![None];
        for at in 0..bytes.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= mask;
                let Ok(token) = decode(&bytes) else {
                    continue;
                };
                let verdict = token.clone().verify(&roots(S::SCHEME), challenge.as_ref());
                assert!(verdict.is_err(), "byte {at} ^ {mask}");
                group.push((token, challenge));
                alone.push(verdict.err());
            }
        }
        let many = Token::verify_many(group, &roots(S::SCHEME));
        let many: Vec<_> = many.into_iter().map(Result::err).collect();
        assert_eq!(many, alone);
    }
}

/// Announces lengths of up to 2^32 - 1 for each payload, and a length of 2^32 - 1 for the rights.
fn absurd_lengths<S: Twin>() {
    for (bytes, _) in tokens::<S>() {
        let mut at = 13;
        let parts = encoding::Parts::read::<S>(&bytes).unwrap();
        // The position of the rights' length, within the first payload.
        let rights = at + 1 + S::link_length(encoding::ROOT) + 4 + 16;
        let mut long = bytes.clone();
        long[rights..rights + 4].fill(0xff);
        let end = rights - 16 + parts.blocks[0].payload.len();
        let expected = truncated(end, "rights", rights + 4, u32::MAX as usize);
        assert_eq!(decode(&long).unwrap_err(), expected);
        for part in parts.blocks {
            at += 1 + part.link.len();
            for length in [u32::MAX, u32::MAX - 3, 1 << 31, bytes.len() as u32] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
                for limits in [Limits::default(), NO_LIMITS] {
                    let error = Token::decode(&bytes, &limits).unwrap_err();
                    let expected = truncated(bytes.len(), "payload", at + 4, length as usize);
                    assert_eq!(error, expected);
                }
            }
            at += 4 + part.payload.len();
        }
    }
}

/// A token that announces 65 to 2^32 - 1 blocks exceeds the limit. Without the limit, decoding fails where
/// the bytes end or where a kind is wrong. A token that announces 0 blocks is always refused.
fn absurd_counts<S: Twin>() {
    for (bytes, _) in tokens::<S>() {
        for blocks in [65, 1_000_000, u32::MAX] {
            let mut bytes = bytes.clone();
            bytes[9..13].copy_from_slice(&blocks.to_le_bytes());
            let Error::TooLarge { what, got, limit } = decode(&bytes).unwrap_err() else {
                panic!("{blocks} blocks");
            };
            assert_eq!((what, limit), ("signatures or more", 64));
            assert!(got >= blocks as usize);
            let error = Token::decode(&bytes, &NO_LIMITS).unwrap_err();
            let of_kind = error.to_string().contains(": kind ");
            assert!(of_kind || of_truncated(&error).is_some(), "{error:?}");
        }
        let mut bytes = bytes.clone();
        bytes[9..13].fill(0);
        assert_eq!(decode(&bytes).unwrap_err(), malformed(NO_BLOCKS));
    }
}

/// Tokens just within the limits, and just beyond the limits.
fn limits<S: Twin>() {
    // The number of blocks and the number of statements in each token.
    for ((encoded, challenge), (blocks, statements)) in
        tokens::<S>().into_iter().zip([(3, 1), (3, 1), (4, 2)])
    {
        let signatures = blocks + u32::from(challenge.is_some()) + statements;
        let bytes = encoded.len();
        let decode = |signatures, bytes| {
            let limits = Limits {
                signatures,
                bytes,
                ..NO_LIMITS
            };
            Token::decode(&encoded, &limits).map(drop)
        };
        assert_eq!(decode(signatures, bytes), Ok(()));
        let limit = signatures - 1;
        let error = too_large(signatures as usize, "signatures or more", limit as usize);
        assert_eq!(decode(limit, bytes), Err(error));
        // The limit on bytes is checked first.
        let limit = bytes - 1;
        for signatures in [0, signatures] {
            let error = too_large(bytes, "bytes", limit);
            assert_eq!(decode(signatures, limit), Err(error));
        }
    }
}

/// A token can have many caveats, because each takes few bytes. So caveats have their own limit.
fn limit_of_caveats<S: Twin>() {
    let root = SecretKey::from_seed(S::SCHEME, &[7; 32]);
    let caveats = vec![klero_token::Caveat::After(0); 200];
    let token = Token::mint(&root, 0, b"rights", &caveats).unwrap();
    let decode = |token: &Token, caveats| {
        let limits = Limits {
            caveats,
            ..Limits::default()
        };
        Token::decode(&token.encode().unwrap(), &limits).map(drop)
    };
    let more = &caveats[..56];
    let most = token.narrow(more).unwrap();
    assert_eq!(decode(&most, 256), Ok(()));
    let error = too_large(256, "caveats or more", 255);
    assert_eq!(decode(&most, 255), Err(error));
    // Narrowing a token also keeps the limit: 256 + 56 caveats would be too many.
    let error = too_large(312, "caveats or more", 256);
    assert_eq!(most.narrow(more).unwrap_err(), error);
}

/// Only tokens of the scheme `chain` can have their last key in a device.
fn held_by_a_device<S: Twin>() {
    let (mut bytes, _) = tokens::<S>()[0].clone();
    bytes[4] = 4;
    let end = bytes.len() - 32;
    let decoded = decode(&bytes[..end]);
    assert_eq!(decoded.is_ok(), S::NAME == "chain", "{decoded:?}");
}

/// A block of caveats with a line that is not a known caveat, or not even text. The token verifies, but
/// refuses every request, even if all opaque blocks are accepted.
fn unknown_lines<S: Twin>() {
    for line in [
        &b"weekday Monday"[..],
        b"before noon",
        b"\xff",
        b"\n",
        b"before 2026-11-23T06:15:00Z\n",
    ] {
        let mut token = equations::token::<S>(&ROOT_SEED, &[b"all"]);
        S::add(&mut token, encoding::CAVEATS, &[9; 32], line);
        let token = decode(&token.bytes()).unwrap();
        let token = token.verify(&roots(S::SCHEME), None).unwrap();
        let access = Access::at(0, Revoked::none());
        let refused = token.check_with(&access, |_| true).unwrap_err();
        assert_eq!((refused.block, refused.reason), (Some(1), Reason::Unknown));
        assert_eq!(refused.parsed, None);
    }
}

/// `Debug` shows no seed, no payload and no secret of a bearer, neither as numbers nor as hex digits.
fn debug_tells_no_secret<S: Twin>() {
    let seed = std::array::from_fn(|i| 201 + i as u8);
    let key = SecretKey::from_seed(S::SCHEME, &seed);
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &seed).unwrap();
    let root = root(S::SCHEME);
    let token = Token::mint(&root, 0, b"top secret", &[]).unwrap();
    let token = token.append(b"top secret").unwrap();
    let bytes = token.encode().unwrap();
    let request = token.request().unwrap();
    let statement = request.sign(&third_party, b"top secret").unwrap();
    let arrived = decode(&bytes).unwrap();
    let refusal = arrived.clone().verify(&RootKeys::new(), None);
    let shown = [
        format!("{key:?} {key:#?}"),
        format!("{token:?} {token:#?} {:?}", token.unverified_blocks()),
        format!("{arrived:?} {refusal:?}"),
        format!("{request:?} {statement:?}"),
        format!("{third_party:?} {third_party:#?}"),
    ];
    let secrets = [&seed[..], &bytes[bytes.len() - 32..], b"top secret"];
    for shown in shown {
        let lower = shown.to_lowercase();
        for secret in secrets {
            for four in secret.windows(4) {
                let (numbers, lines) = (format!("{four:?}"), format!("{four:#?}"));
                for told in [&numbers, &lines, &hex::encode(four)] {
                    let told = told.trim_matches(['[', ']', '\n']);
                    assert!(!lower.contains(told), "{told} in {shown}");
                }
            }
        }
        assert!(!shown.contains("top"), "{shown}");
    }
}

on_all!(
    cut_off,
    changed,
    absurd_lengths,
    absurd_counts,
    limits,
    limit_of_caveats,
    held_by_a_device,
    unknown_lines,
    debug_tells_no_secret
);

/// Changed bytes of the header.
#[test]
fn headers() {
    let bytes = token::<Chain>().encode().unwrap().to_vec();
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        decode(&bytes).unwrap_err()
    };
    assert_eq!(with(0, b'k'), malformed(MAGIC));
    assert_eq!(with(1, 0), malformed(MAGIC));
    assert_eq!(with(2, 2), version(2));
    assert_eq!(with(2, 0), version(0));
    for got in [0, 3, 255] {
        assert_eq!(with(3, got), scheme(got));
    }
}
