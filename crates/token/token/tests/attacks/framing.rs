//! Attacks with bytes that can be parsed in two ways under the same signature or the same hash.

use crate::encoding::{CAVEATS, OPAQUE, Part, Parts, ROOT, SEAL, STATEMENT, rights};
use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, signed_by_root, stated};
use crate::sound::{
    CHALLENGE, MY_SEED, ROOT_SEED, fails, honest, refused, root_key, statement, verified,
};
use crate::support::decode;
use crate::support::errors;
use klero_token::{KeyKind, Place, Request, SecretKey};

/// Moves bytes from one block to its neighbour.
fn moved_boundary<S: Twin>() {
    let token = honest::<S>(&[b"read", b"only", b"this"]);
    for (first, second) in [
        ("rea", "donly"),
        ("reado", "nly"),
        ("", "readonly"),
        ("readonly", ""),
    ] {
        let mut token = token.clone();
        token.blocks[0].payload = rights(first.as_bytes());
        token.blocks[1].payload = second.into();
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
}

/// Puts a block into the payload of the block before it or after it.
fn merged_blocks<S: Twin>() {
    let token = honest::<S>(&[b"read", b"only", b"this"]);
    let [a, b, _] = &token.blocks[..] else {
        unreachable!()
    };
    let length = |part: &Part| (part.payload.len() as u32).to_le_bytes();
    let into_first = [&a.payload, &[b.kind][..], &b.link, &length(b), &b.payload].concat();
    let into_second = [&a.payload[..], &a.link, &length(b), &b.payload].concat();
    for payload in [into_first, into_second] {
        let mut token = token.clone();
        token.blocks[0].payload = payload.clone();
        token.blocks.remove(1);
        refused::<S>(&token, None, S::wrong(Place::Block(0)));

        let mut token = honest::<S>(&[b"read", b"only", b"this"]);
        token.blocks[1].payload = payload;
        token.blocks.remove(0);
        let first = &mut token.blocks[0];
        (first.kind, first.payload) = (ROOT, rights(b"only"));
        if S::NAME == "aggregate" {
            // The new first link has only one point, so the root's key is put before it.
            first.link = [root_key::<S>().as_bytes(), &first.link[..]].concat();
        }
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
}

/// Gives a block each kind that is not allowed at its position.
fn kinds_swapped<S: Twin>() {
    let token = honest::<S>(&[b"read", b"less"]);
    let second = 13 + 1 + S::link_length(ROOT) + 4 + 20 + 4;
    let further = match S::NAME {
        "chain" => "1, 2, 3, 6, 7, 8 or 9",
        _ => "1, 2, 3, 8 or 9",
    };
    for (block, at, expected) in [(0, 13, "0 (root)"), (1, second, further)] {
        for got in [ROOT, CAVEATS, STATEMENT, OPAQUE, SEAL, 5, 0xff] {
            if (block == 0) == (got == ROOT) && got < SEAL {
                continue;
            }
            let mut token = token.clone();
            token.blocks[block].kind = got;
            let refusal = errors::kind(block, got, at, expected);
            refused::<S>(&token, None, refusal);
        }
    }
}

/// A block of one kind is not accepted as a block of another kind.
fn kind_against_kind<S: Twin>() {
    let state = S::bound_to(&honest::<S>(&[b"read"]).blocks);
    let statement = stated(S::ID, &state, &MY_SEED, b"of age");
    for signed in [CAVEATS, STATEMENT, OPAQUE] {
        for read in [CAVEATS, STATEMENT, OPAQUE] {
            let mut token = honest::<S>(&[b"read"]);
            S::add(&mut token, signed, &MY_SEED, &statement);
            token.blocks[1].kind = read;
            match signed == read {
                true => drop(verified::<S>(&token)),
                false => refused::<S>(&token, None, S::wrong(Place::Block(1))),
            }
        }
    }
}

/// Puts a third party's statement for one token into another token, or at another place of the same token.
/// Each attack is tried with the library and by hand.
fn statement_moved<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let statement = statement(&token, &[7; 32], b"of age");
    let bytes = statement.encode().unwrap();
    let stated = &bytes[9..];
    let wrong = |count| errors::wrong(Place::ThirdParty(count));

    let other = honest::<S>(&[b"another"]);
    let later = honest::<S>(&[b"read", b"less"]);
    let mut twice = honest::<S>(&[b"read"]);
    S::add_statement(&mut twice, stated);
    for mut other in [other, later, twice] {
        let count = other.blocks.len();
        let refusal = verified::<S>(&other)
            .append_statement(&statement)
            .unwrap_err();
        assert_eq!(refusal, wrong(count));
        S::add_statement(&mut other, stated);
        refused::<S>(&other, None, wrong(count));
    }
    // The statement with another payload, with another third party's key, or with a changed signature.
    let known = SecretKey::from_bytes(KeyKind::Ed25519, &[8; 32]).unwrap();
    let renamed = [known.public_key().as_bytes(), &stated[32..]].concat();
    let mut changed = stated.to_vec();
    changed[40] ^= 1;
    for stated in [
        [stated, b"."].concat(),
        stated[..100].to_vec(),
        renamed,
        changed,
    ] {
        let mut other = honest::<S>(&[b"read"]);
        S::add_statement(&mut other, &stated);
        refused::<S>(&other, None, wrong(1));
    }
}

/// A statement for a token of one scheme is invalid for a token of another scheme in the same state.
#[test]
fn statement_of_another_scheme() {
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, &[7; 32]).unwrap();
    let token = verified::<Chain>(&honest::<Chain>(&[b"read"]));
    let mut request = token.request().unwrap().encode();
    request[3] = Aggregate::ID;
    let request = Request::decode(&request).unwrap();
    let statement = request.sign(&third_party, b"of age").unwrap();
    let wrong = Chain::wrong(Place::ThirdParty(1));
    assert_eq!(token.append_statement(&statement).unwrap_err(), wrong);
    let mut bytes = statement.encode().unwrap();
    bytes[3] = Chain::ID;
    let mut token = honest::<Chain>(&[b"read"]);
    Chain::add_statement(&mut token, &bytes[9..]);
    refused::<Chain>(&token, None, wrong);
}

/// The third party's key is also the root key, or the last key of the token. A statement by such a key is
/// accepted neither as a link nor as a seal.
#[test]
fn statement_as_link() {
    let state = Chain::bound_to(&[]);
    let next = *SecretKey::from_seed(Chain::SCHEME, &MY_SEED).public_key();
    // The third party signs every payload that it receives.
    for said in [rights(b"everything"), Vec::new()] {
        let stated = stated(Chain::ID, &state, &ROOT_SEED, &said);
        let mut token = Parts::nothing::<Chain>(&MY_SEED);
        token.blocks.push(Part {
            kind: ROOT,
            link: [next.as_bytes(), &stated[32..96]].concat(),
            payload: rights(b"everything"),
        });
        refused::<Chain>(&token, None, Chain::wrong(Place::Block(0)));
    }

    let mut token = honest::<Chain>(&[b"read"]);
    let state = Chain::bound_to(&token.blocks);
    let last: [u8; 32] = token.end.clone().try_into().unwrap();
    token.end = stated(Chain::ID, &state, &last, &CHALLENGE.encode().unwrap())[32..96].to_vec();
    token.sealed = true;
    refused::<Chain>(&token, Some(&CHALLENGE), Chain::wrong(Place::Seal));
}

/// A seal is not accepted as a block, so a sealed token cannot become a longer bearer token. A block is not
/// accepted as a seal, even if its payload is an encoded challenge.
fn seal_against_block<S: Twin>() {
    let answer = CHALLENGE.encode().unwrap();
    let token = honest::<S>(&[b"read"]);
    let mut sealed = token.clone();
    S::seal_to(&mut sealed, &answer);
    let (seal, rest) = sealed.end.split_at(S::link_length(SEAL));
    let mine = *SecretKey::from_seed(S::SCHEME, &MY_SEED).public_key();
    let (link, end) = match S::NAME {
        // A seal has no next key, so mine is added.
        "chain" => ([mine.as_bytes(), seal].concat(), MY_SEED.to_vec()),
        _ => (seal.to_vec(), rest.to_vec()),
    };
    for kind in [CAVEATS, OPAQUE] {
        let mut bearer = token.clone();
        bearer.blocks.push(Part {
            kind,
            link: link.clone(),
            payload: answer.clone(),
        });
        bearer.end = end.clone();
        refused::<S>(&bearer, None, S::wrong(Place::Block(1)));
    }

    let mut block = token.clone();
    S::add(&mut block, OPAQUE, &[100; 32], &answer);
    let last = block.blocks.pop().unwrap();
    block.end = match S::NAME {
        "chain" => last.link[32..].to_vec(),
        _ => [last.link, block.end].concat(),
    };
    block.sealed = true;
    refused::<S>(&block, Some(&CHALLENGE), S::wrong(Place::Seal));
}

/// Bytes of another scheme, of a request or of a statement are not accepted as a token.
fn forms<S: Twin>() {
    let token = honest::<S>(&[b"read"]);
    let mut bytes = token.bytes();
    let refusal = |bytes: &[u8]| decode(bytes).unwrap_err();
    let expected = match S::NAME {
        "chain" => "0 (bearer), 1 (sealed) or 4 (held by a device)",
        _ => "0 (bearer) or 1 (sealed)",
    };
    let form = |got| errors::form(got, expected);
    for got in [2, 3, 5, 0xff] {
        bytes[4] = got;
        assert_eq!(refusal(&bytes), form(got));
    }
    bytes[4] = 0;
    for scheme in [0, 3, 4] {
        bytes[3] = scheme;
        assert_eq!(refusal(&bytes), errors::scheme(scheme));
    }
    // Links of the other scheme have another length, so the token seems to be cut short.
    bytes[3] = 3 - S::ID;
    assert!(errors::of_truncated(&refusal(&bytes)).is_some());
    let token = verified::<S>(&token);
    assert_eq!(refusal(&token.request().unwrap().encode()), form(2));
    let statement = statement(&token, &[7; 32], b"");
    assert_eq!(refusal(&statement.encode().unwrap()), form(3));
}

/// A first block that was signed as a block of another kind.
fn root_of_another_kind<S: Twin>() {
    for kind in [CAVEATS, STATEMENT, OPAQUE] {
        let mut token = Parts::nothing::<S>(&S::beginning(&ROOT_SEED));
        let payload = rights(b"read");
        if S::NAME == "aggregate" {
            let (link, s) = signed_by_root(&S::bound_to(&[]), kind, &ROOT_SEED, &payload);
            token.end = s.to_bytes().to_vec();
            token.blocks.push(Part {
                kind,
                link,
                payload,
            });
        } else {
            S::add(&mut token, kind, &MY_SEED, &payload);
        }
        token.blocks[0].kind = ROOT;
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
}

fails!(
    moved_boundary,
    merged_blocks,
    kinds_swapped,
    kind_against_kind,
    statement_moved,
    seal_against_block,
    forms,
    root_of_another_kind
);
