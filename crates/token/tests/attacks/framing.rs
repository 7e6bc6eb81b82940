//! Bytes that can be parsed in two ways under one signature or one hash.

use curve25519_dalek::ristretto::CompressedRistretto;
use klero_token::hazmat::seed::challenge::{
    Block, KeyPair, Signature, Token, chain_hash, verify_blocks,
};
use klero_token::{Aggregate, Bls, Error, Place, Request, SecretKey};

use crate::encoding::{BLOCK, COVER, EXTERNAL, Part, Parts, ROOT, SEAL, STATEMENT};
use crate::equations::{Summed, Twin};
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, fails, honest, parts, refused, root, verified};

/// Hs(R ‖ message ‖ next) does not bind where the message ends.
#[test]
fn seed_challenge_moved_boundary() {
    let root = KeyPair::generate().unwrap();
    let signature = Signature::sign(&root, b"read", b"-only").unwrap();
    for (message, next) in [("", "read-only"), ("read-", "only"), ("read-only", "")] {
        assert!(signature.verify(&root.public(), message.as_bytes(), next.as_bytes()));
    }
}

/// A document of the attacker's, signed by the root for some other purpose, that ends in
/// the attacker's key: read as message ‖ next, it is a root block.
#[test]
fn seed_challenge_message_and_next_key() {
    let [root, mine] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let document = [b"everything", &mine.public().compress().as_bytes()[..]].concat();
    let signature = Signature::sign(&root, &document, b"").unwrap();

    let token = Token {
        blocks: vec![Block {
            key: root.public(),
            message: b"everything".to_vec(),
            signature,
        }],
        next: mine,
    };
    assert!(token.verify());
    assert!(token.answer(b"who are you?").unwrap().verify());
}

/// An answer signs challenge ‖ 64 bytes, a block signs message ‖ 32 bytes: the answer is
/// a block with the message challenge ‖ first half, as soon as the second half happens
/// to be a point. About one hash in sixteen is, and the attacker, who appended the last
/// block, can choose it. Nobody has the secret of that point, but the holder of
/// the token never signed such a block.
#[test]
fn seed_challenge_block_against_challenge() {
    let root = Token::new(&KeyPair::generate().unwrap(), b"read").unwrap();
    let (holder, chain, next) = (0..1000u32)
        .find_map(|n| {
            let token = root.append(&n.to_le_bytes()).unwrap();
            let chain = chain_hash(&token.blocks, &token.next.public());
            let next = CompressedRistretto::from_slice(&chain[32..]).unwrap();
            Some((token, chain, next.decompress()?))
        })
        .unwrap();

    let answer = holder.answer(b"everything").unwrap();
    let mut blocks = answer.blocks;
    blocks.push(Block {
        key: answer.next,
        message: [b"everything", &chain[..32]].concat(),
        signature: answer.response,
    });
    assert!(verify_blocks(&blocks, &next));
}

/// The hash of the chain concatenates the blocks: the first of two can be moved into the
/// message of the second, and an answer signs the same bytes.
#[test]
fn seed_challenge_two_chains_of_one_hash() {
    let root = KeyPair::generate().unwrap();
    let token = Token::new(&root, b"read").unwrap().append(b"less").unwrap();
    let [first, second] = &token.blocks[..] else {
        unreachable!()
    };

    let mut merged = second.clone();
    merged.message = [
        &first.message,
        &first.key.compress().as_bytes()[..],
        first.signature.s.as_bytes(),
        first.signature.e.as_bytes(),
        &second.message,
    ]
    .concat();
    let next = token.next.public();
    assert_eq!(
        chain_hash(&[merged], &next),
        chain_hash(&token.blocks, &next)
    );
}

/// Bytes moved from one block to its neighbour.
fn moved_boundary<S: Twin>() {
    let token = honest::<S>(&[b"read", b"only", b"this"]);
    for (first, second) in [
        ("rea", "donly"),
        ("reado", "nly"),
        ("", "readonly"),
        ("readonly", ""),
    ] {
        let mut token = token.clone();
        token.blocks[0].payload = first.into();
        token.blocks[1].payload = second.into();
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
}

/// A block within the payload of its neighbour, before or behind it.
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
        token.blocks[0].kind = ROOT;
        refused::<S>(&token, None, crate::sound::wrong_root::<S>());
    }
}

/// Every block relabelled as every other kind.
fn kinds_swapped<S: Twin>() {
    let token = honest::<S>(&[b"read", b"less"]);
    let second = 13 + 1 + S::link_length(ROOT) + 4 + 4;
    for (block, at, expected) in [(0, 13, "0 (root)"), (1, second, "1 or 2")] {
        for got in [ROOT, BLOCK, EXTERNAL, SEAL, STATEMENT, COVER, 0xff] {
            if (block == 0 && got == ROOT) || (block == 1 && (got == BLOCK || got == EXTERNAL)) {
                continue;
            }
            let mut token = token.clone();
            token.blocks[block].kind = got;
            refused::<S>(
                &token,
                None,
                Error::Kind {
                    block,
                    got,
                    at,
                    expected,
                },
            );
        }
    }
}

/// A holder's block is not accepted as a third party's, nor a third party's as a holder's.
fn block_against_external<S: Twin>() {
    let mut token = honest::<S>(&[b"read", b"of age"]);
    let binding = S::bound_to(&token.blocks[..1]);
    token.blocks[1].kind = EXTERNAL;
    S::cover(&mut token, &MY_SEED);
    let mut place = Place::Block(1);
    if S::NAME == "chain" {
        // With a statement of the holder's own, so that all fields are there.
        let statement = S::stated(&binding, &MY_SEED, b"of age");
        token.blocks[1].link.extend(&statement);
        refused::<S>(&token, None, S::wrong(place));
        // And with the block's own signature for one.
        let own = token.blocks[1].link[..96].to_vec();
        token.blocks[1].link.splice(96.., own);
        place = Place::ThirdParty(1);
    }
    refused::<S>(&token, None, S::wrong(place));

    let statement = verified::<S>(&honest::<S>(&[b"read"]));
    let statement = statement
        .request()
        .unwrap()
        .sign(&root(), b"of age")
        .unwrap();
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let same = token.append_external(&statement);
    // `honest` draws no fresh keys: it is the same token, and valid.
    let mut token = parts(&same.unwrap());
    token.blocks[1].kind = BLOCK;
    let behind = token.blocks[1].link.split_off(S::link_length(BLOCK));
    refused::<S>(&token, None, S::wrong(Place::Block(1)));
    // What stood behind, the third party's part or the cover, moved into the payload: what
    // is signed differs by the kind and the length.
    token.blocks[1].payload.extend(behind);
    refused::<S>(&token, None, S::wrong(Place::Block(1)));
}

/// A third party's statement for one token, placed in another token or elsewhere in the same
/// one, with the library and by hand.
fn statement_moved<S: Twin>() {
    let third_party = SecretKey::<S>::from_seed(&[7; 32]);
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let statement = token
        .request()
        .unwrap()
        .sign(&third_party, b"of age")
        .unwrap();
    let bytes = statement.encode().unwrap();
    let stated = &bytes[5..bytes.len() - 10];

    let other = honest::<S>(&[b"another"]);
    let later = honest::<S>(&[b"read", b"less"]);
    let mut twice = honest::<S>(&[b"read"]);
    S::add_external(&mut twice, stated, b"of age");
    for mut other in [other, later, twice] {
        let count = other.blocks.len();
        let place = Place::ThirdParty(count);
        let refusal = verified::<S>(&other)
            .append_external(&statement)
            .unwrap_err();
        assert_eq!(refusal, Error::Signature { place });
        S::add_external(&mut other, stated, b"of age");
        refused::<S>(&other, None, S::wrong(place));
    }
    // With another payload.
    let mut other = honest::<S>(&[b"read"]);
    S::add_external(&mut other, stated, b"of old age");
    refused::<S>(&other, None, S::wrong(Place::ThirdParty(1)));
    // In the name of another third party.
    let mut other = honest::<S>(&[b"read"]);
    let mut stated = stated.to_vec();
    let known = SecretKey::<S>::from_seed(&[8; 32]);
    stated[..S::KEY_LENGTH].copy_from_slice(known.public_key().as_bytes());
    S::add_external(&mut other, &stated, b"of age");
    refused::<S>(&other, None, S::wrong(Place::ThirdParty(1)));
}

/// A root key that also signs statements: a statement bound as a first block would be is not
/// accepted as a first block.
fn statement_as_root<S: Twin>() {
    let binding = S::bound_to(&[]);
    let request = [&[b'K', b'T', 1, S::ID, 2][..], &binding].concat();
    let request = Request::<S>::decode(&request).unwrap();
    let statement = request
        .sign(&root(), b"everything")
        .unwrap()
        .encode()
        .unwrap();
    let stated = &statement[5..statement.len() - 4 - 10];
    let (link, mut end) = stated.split_at(S::link_length(ROOT).min(stated.len()));
    let mut link = link.to_vec();
    if S::NAME == "chain" {
        // A statement has zeros for a next key.
        link[..32].fill(0);
        end = &MY_SEED;
    }
    let mut token = Parts::nothing::<S>(end);
    token.blocks.push(Part {
        kind: ROOT,
        link,
        payload: b"everything".to_vec(),
    });
    refused::<S>(&token, None, S::wrong(Place::Block(0)));
}

/// A block's key that also signs statements: its statement over the bytes of an answer is not
/// accepted as a seal.
fn statement_as_seal<S: Twin>() {
    let mut token = honest::<S>(&[b"read"]);
    let key = [100; 32];
    let binding = S::bound_to(&token.blocks);
    let stated = S::stated(&binding, &key, &CHALLENGE.encode());
    // As an external block it is valid,
    let mut external = token.clone();
    S::add_external(&mut external, &stated, &CHALLENGE.encode());
    verified::<S>(&external);
    // but for the kind.
    token.end = match S::NAME {
        "chain" => stated[32..].to_vec(),
        // The sum with the statement in it, and no cover.
        "aggregate" => {
            Aggregate::include(&mut token, EXTERNAL, &stated, &CHALLENGE.encode());
            [token.blocks.pop().unwrap().link, token.end].concat()
        }
        _ => {
            Bls::include(&mut token, EXTERNAL, &stated, &CHALLENGE.encode());
            [token.blocks.pop().unwrap().link, token.end].concat()
        }
    };
    token.sealed = true;
    refused::<S>(&token, Some(&CHALLENGE), S::wrong(Place::Seal));
}

/// A seal is not accepted as a block, so a sealed token cannot become a longer bearer token. A
/// block is not accepted as a seal, even if its payload is an answer.
fn seal_against_block<S: Twin>() {
    let answer = CHALLENGE.encode();
    let token = honest::<S>(&[b"read"]);
    let mut sealed = token.clone();
    S::seal_to(&mut sealed, &answer);
    let (link, end) = match S::NAME {
        // Zeros for the next key, as in a seal.
        "chain" => ([&[0; 32], &sealed.end[..]].concat(), MY_SEED.to_vec()),
        _ => {
            let (link, end) = sealed.end.split_at(S::link_length(SEAL));
            (link.to_vec(), end.to_vec())
        }
    };
    for kind in [BLOCK, EXTERNAL] {
        let (mut bearer, mut link) = (token.clone(), link.clone());
        let mut place = Place::Block(1);
        if kind == EXTERNAL && S::NAME == "chain" {
            link.extend(bearer.blocks[0].link[..32].to_vec());
            link.extend(&sealed.end);
            place = Place::ThirdParty(1);
        }
        bearer.blocks.push(Part {
            kind,
            link,
            payload: answer.clone(),
        });
        bearer.end = end.clone();
        if kind == EXTERNAL {
            S::cover(&mut bearer, &MY_SEED);
        }
        refused::<S>(&bearer, None, S::wrong(place));
    }

    let mut block = token.clone();
    S::add(&mut block, BLOCK, &[100; 32], &answer);
    let last = block.blocks.pop().unwrap();
    block.end = match S::NAME {
        "chain" => last.link[32..].to_vec(),
        _ => [last.link, block.end].concat(),
    };
    block.sealed = true;
    refused::<S>(&block, Some(&CHALLENGE), S::wrong(Place::Seal));
}

/// The bytes of a token are not accepted as those of another scheme, a request or a statement.
fn forms<S: Twin>() {
    let token = honest::<S>(&[b"read"]);
    let mut bytes = token.bytes();
    let decode = |bytes: &[u8]| {
        let limits = klero_token::Limits::default();
        klero_token::Unverified::<S>::decode(bytes, &limits)
            .map(drop)
            .unwrap_err()
    };
    for form in [2, 3, 4, 0xff] {
        bytes[4] = form;
        let expected = "0 (bearer) or 1 (sealed)";
        assert_eq!(
            decode(&bytes),
            Error::Form {
                got: form,
                expected
            }
        );
    }
    for scheme in [0, 1, 2, 3, 4] {
        if scheme != S::ID {
            let (got, expected, name) = (scheme, S::ID, S::NAME);
            bytes[3] = scheme;
            assert_eq!(
                decode(&bytes),
                Error::Scheme {
                    got,
                    expected,
                    name
                }
            );
        }
    }
    let token = verified::<S>(&token);
    let request = token.request().unwrap();
    let statement = request.sign(&root(), b"").unwrap().encode().unwrap();
    for (form, bytes) in [(2, request.encode()), (3, statement)] {
        let expected = "0 (bearer) or 1 (sealed)";
        assert_eq!(
            decode(&bytes),
            Error::Form {
                got: form,
                expected
            }
        );
    }
}

/// A first block signed as every other kind.
fn root_of_another_kind<S: Twin>() {
    let first = if S::NAME == "chain" {
        MY_SEED
    } else {
        ROOT_SEED
    };
    for kind in [BLOCK, EXTERNAL, SEAL, STATEMENT, COVER] {
        let mut token = Parts::nothing::<S>(&S::beginning(&ROOT_SEED));
        S::add(&mut token, kind, &first, b"read");
        token.blocks[0].kind = ROOT;
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
}

fails!(
    moved_boundary,
    merged_blocks,
    kinds_swapped,
    block_against_external,
    statement_moved,
    statement_as_root,
    statement_as_seal,
    seal_against_block,
    forms,
    root_of_another_kind
);
