//! Wherever a token needs a point, a key or a scalar, these tests put bytes that do not encode a valid one.
//! The error says what is wrong and where.

use crate::equations::{Aggregate, Chain};
use klero_token::{Challenge, Error, KeyKind, Place, PublicKey, RootKeys, Scheme};

use crate::encoding::{OPAQUE, Parts, ROOT, rights};
use crate::equations::{Twin, chain_message, stated};
use crate::support::errors::{
    self, NOT_A_POINT, NOT_CANONICAL, SMALL_ORDER, malformed, scalar, wrong,
};
use crate::support::{CHALLENGE, ROOT_SEED, decode, on_all, roots};
use crate::{THIRD_PARTY, token};

fn with<const N: usize>(fill: u8, bytes: &[(usize, u8)]) -> Vec<u8> {
    let mut out = [fill; N];
    for (at, byte) in bytes {
        out[*at] = *byte;
    }
    out.to_vec()
}

/// Ed25519 keys that are refused: encodings whose y is at least p (with both signs), encodings without a
/// point, and the eight points of small order.
fn ed25519_keys() -> Vec<(Vec<u8>, &'static str)> {
    let mut keys = Vec::new();
    for low in 0xed..=0xff {
        keys.push((with::<32>(0xff, &[(0, low)]), NOT_CANONICAL));
        let positive = with::<32>(0xff, &[(0, low), (31, 0x7f)]);
        keys.push((positive, NOT_CANONICAL));
    }
    keys.push((with::<32>(0, &[(0, 2)]), NOT_A_POINT));
    keys.push((with::<32>(0, &[(0, 2), (31, 0x80)]), NOT_A_POINT));
    for torsion in curve25519_dalek::constants::EIGHT_TORSION {
        keys.push((torsion.compress().to_bytes().to_vec(), SMALL_ORDER));
    }
    // The two points with x = 0, but with the sign bit set.
    keys.push((with::<32>(0, &[(0, 1), (31, 0x80)]), SMALL_ORDER));
    keys.push((with::<32>(0xff, &[(0, 0xec)]), SMALL_ORDER));
    keys
}

/// Keys of ristretto255 that are refused: the identity, and bytes that are not a canonical encoding.
fn ristretto_keys() -> Vec<(Vec<u8>, &'static str)> {
    let mut keys = vec![(vec![0; 32], SMALL_ORDER)];
    // Encodings with an odd s, with s = -1 (then y is 0), with s of at least p, and with the top bit set.
    keys.push((with::<32>(0, &[(0, 1)]), NOT_A_POINT));
    for low in 0xec..=0xff {
        for top in [0x7f, 0xff] {
            let bytes = with::<32>(0xff, &[(0, low), (31, top)]);
            keys.push((bytes, NOT_A_POINT));
        }
    }
    keys.push((with::<32>(0, &[(31, 0x80)]), NOT_A_POINT));
    // From the vectors of RFC 9496: x·y is negative; x^2 is not a square.
    for bad in [
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    ] {
        keys.push((hex::decode(bad).unwrap(), NOT_A_POINT));
    }
    keys
}

/// Asserts that the token is refused with this error, whether it is verified alone or in a group.
#[track_caller]
fn assert_refused<S: Twin>(token: &Parts, challenge: Option<&Challenge<'_>>, expected: Error) {
    let decoded = decode(&token.bytes()).unwrap();
    let group = vec![(decoded.clone(), challenge.copied()); 9];
    let alone = decoded.verify(&roots(S::SCHEME), challenge).unwrap_err();
    assert_eq!(alone, expected);
    for verdict in klero_token::Token::verify_many(group, &roots(S::SCHEME)) {
        assert_eq!(verdict.unwrap_err(), expected);
    }
}

fn parts<S: Twin>(sealed: bool) -> Parts {
    let mut token = token::<S>();
    if sealed {
        token = token.seal(&CHALLENGE).unwrap();
    }
    Parts::read::<S>(&token.encode().unwrap()).unwrap()
}

/// Keys that are read alone, outside of a token.
#[test]
fn keys_alone() {
    fn check(kind: KeyKind, keys: Vec<(Vec<u8>, &'static str)>) {
        for (key, fault) in keys {
            let expected = Err(malformed(format!("key: {fault}")));
            assert_eq!(PublicKey::from_bytes(kind, &key), expected, "{key:02x?}");
        }
        for got in [0, 1, 31, 33, 47, 49, 96] {
            let refusal = PublicKey::from_bytes(kind, &vec![1; got]);
            let expected = format!("key: the key has {got} bytes, expected 32");
            assert_eq!(refusal, Err(malformed(expected)));
        }
    }
    check(KeyKind::Chain, ed25519_keys());
    check(KeyKind::Ed25519, ed25519_keys());
    check(KeyKind::Aggregate, ristretto_keys());
}

/// Refused encodings as the root's key, as the point of each block, and as the point of the seal.
#[test]
fn aggregate_points() {
    for (point, _) in ristretto_keys() {
        for (block, at) in [(0, 32), (1, 0), (2, 0)] {
            let mut token = parts::<Aggregate>(false);
            token.blocks[block].link[at..at + 32].copy_from_slice(&point);
            assert_refused::<Aggregate>(&token, None, errors::point(Place::Block(block)));
        }
        let mut token = parts::<Aggregate>(true);
        token.end[..32].copy_from_slice(&point);
        assert_refused::<Aggregate>(&token, Some(&CHALLENGE), errors::point(Place::Seal));

        let mut token = parts::<Aggregate>(false);
        token.blocks[0].link[..32].copy_from_slice(&point);
        assert_refused::<Aggregate>(&token, None, Error::WrongRoot(0));
    }
}

/// Numbers of 32 bytes that are not below the group order L: L, 2^256 - 1, 2^255, 2^253 and L + 1.
fn scalars() -> Vec<Vec<u8>> {
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let mut order = hex::decode(order).unwrap();
    let mut scalars = vec![order.clone(), vec![0xff; 32], with::<32>(0, &[(31, 0x80)])];
    scalars.push(with::<32>(0, &[(31, 0x20)]));
    order[0] += 1;
    scalars.push(order);
    scalars
}

#[test]
fn aggregate_scalars() {
    for s in scalars() {
        for challenge in [None, Some(&CHALLENGE)] {
            let mut token = parts::<Aggregate>(challenge.is_some());
            let at = token.end.len() - 32;
            token.end[at..].copy_from_slice(&s);
            assert_refused::<Aggregate>(&token, challenge, scalar(Place::Aggregate));
        }
    }
}

/// The numbers of [`scalars`] in every signature of a chain: in the signatures of the blocks and of the seal.
#[test]
fn chain_scalars() {
    for s in scalars() {
        for block in 0..3 {
            let mut token = parts::<Chain>(false);
            token.blocks[block].link[64..].copy_from_slice(&s);
            assert_refused::<Chain>(&token, None, scalar(Place::Block(block)));
        }
        let mut token = parts::<Chain>(true);
        token.end[32..].copy_from_slice(&s);
        assert_refused::<Chain>(&token, Some(&CHALLENGE), scalar(Place::Seal));
    }
}

/// Values of R that no valid signature has: points of small order, and bytes that are not a canonical point.
#[test]
fn chain_nonces() {
    for (r, _) in ed25519_keys() {
        for block in 0..2 {
            for s in [None, Some([0; 32])] {
                let mut token = parts::<Chain>(false);
                let link = &mut token.blocks[block].link;
                link[32..64].copy_from_slice(&r);
                if let Some(s) = s {
                    link[64..].copy_from_slice(&s);
                }
                assert_refused::<Chain>(&token, None, wrong(Place::Block(block)));
            }
        }
    }
}

/// Refused encodings as the next key in a block that a holder signed correctly.
#[test]
fn chain_keys() {
    for (key, fault) in ed25519_keys() {
        let mut token = Parts::nothing::<Chain>(&ROOT_SEED);
        let (mine, next) = ([2; 32], [3; 32]);
        Chain::add(&mut token, ROOT, &mine, &rights(b"read"));
        let state = Chain::bound_to(&token.blocks);
        Chain::add(&mut token, OPAQUE, &next, b"less");
        let message = chain_message(OPAQUE, &state, &key, b"less");
        let mine = ed25519_dalek::SigningKey::from_bytes(&mine);
        let signature = ed25519_dalek::Signer::sign(&mine, &message);
        token.blocks[1].link = [&key[..], &signature.to_bytes()].concat();
        // The secret at the end of the token does not belong to this key.
        assert_refused::<Chain>(&token, None, Error::Possession);
        // A seal or a block that follows would have to be verified with this key.
        let expected = errors::signature(Place::Block(1), fault);
        let mut sealed = token.clone();
        Chain::seal_to(&mut sealed, &CHALLENGE.encode().unwrap());
        assert_refused::<Chain>(&sealed, Some(&CHALLENGE), expected.clone());
        Chain::add(&mut token, OPAQUE, &next, b"more");
        assert_refused::<Chain>(&token, None, expected);
    }
}

/// Wrong keys and signatures of a third party, first in a statement that a holder gets, then in a token.
fn statements<S: Twin>() {
    let place = Place::ThirdParty(3);
    let mut cases: Vec<_> = ed25519_keys()
        .into_iter()
        .flat_map(|(key, fault)| {
            let nonce = (32, key.clone(), wrong(place));
            [(0, key, errors::signature(place, fault)), nonce]
        })
        .collect();
    cases.extend(scalars().into_iter().map(|s| (64, s, scalar(place))));
    let valid = token::<S>();
    let before = Parts::read::<S>(&valid.encode().unwrap()).unwrap();
    let honest = stated(S::ID, &S::bound_to(&before.blocks), &THIRD_PARTY, b"of age");
    for (at, field, expected) in cases {
        let mut statement = honest.clone();
        statement[at..at + 32].copy_from_slice(&field);
        let length = (statement.len() as u32).to_le_bytes();
        let bytes = [&[b'K', b'T', 3, S::ID, 3], &length[..], &statement].concat();
        let limits = klero_token::Limits::default();
        let arrived = klero_token::Statement::decode(&bytes, &limits).unwrap();
        let refusal = valid.append_statement(&arrived).unwrap_err();
        assert_eq!(refusal, expected, "{field:02x?}");

        let mut token = before.clone();
        S::add_statement(&mut token, &statement);
        assert_refused::<S>(&token, None, expected);
    }
}

on_all!(statements);

/// No refused key gets into a list of root keys.
#[test]
fn no_key_of_small_order_is_a_root() {
    let mut roots = RootKeys::new();
    for (key, _) in ed25519_keys() {
        if let Ok(key) = PublicKey::from_bytes(Scheme::Chain, &key) {
            roots.insert(0, key);
        }
    }
    assert_eq!(roots.get(Scheme::Chain, 0), None);
}
