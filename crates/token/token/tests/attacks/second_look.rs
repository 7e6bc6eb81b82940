//! Attacks on earlier forms of the library's schemes. Most tests first run the attack on a small model of the
//! earlier form: the present equations, in which one part is again as it was. On the model, the attack
//! succeeds. On the present schemes, all attacks fail.

use crate::equations::{Aggregate, Chain};
use ed25519_dalek::{Signer, SigningKey};
use klero_token::{Access, Caveat, Challenge, Error, Limits, Place, Revoked, RootKeys, Token};

use crate::encoding::{OPAQUE, Parts, STATEMENT, WITHOUT};
use crate::equations::{Summed, Twin, stated};
use crate::sound::{
    CHALLENGE, MY_SEED, fails, honest, parts, refused, root, root_key, statement, verified,
};
use crate::support::{decode, errors};

const THIRD_PARTY: [u8; 32] = [7; 32];

/// Removes the last block, and subtracts its signature from the sum.
fn strip<S: Summed>(token: &Parts, signature: &[u8]) -> Parts {
    let after = S::bound_to(&token.blocks);
    let mut stripped = token.clone();
    let last = stripped.blocks.pop().unwrap();
    stripped.end = S::total(&token.end, last.kind, &after, signature, true);
    stripped
}

/// If holders chose the next key of a chain, they could choose the same key in several tokens. Anyone who got
/// one of these tokens would have the secret of the key, and could shorten the other tokens, even sealed
/// tokens.
#[test]
fn block_with_a_key_of_choice_taken_off_chain() {
    // The gateway's key, made from MY_SEED, is the next key in both tokens. The attacker has `mine`.
    let mut mine = honest::<Chain>(&[b"my files"]);
    Chain::add(&mut mine, OPAQUE, &MY_SEED, b"via gateway");
    let mut yours = honest::<Chain>(&[b"your files"]);
    Chain::add(&mut yours, OPAQUE, &MY_SEED, b"via gateway");
    let mut narrowed = yours.clone();
    Chain::add(&mut narrowed, OPAQUE, &[9; 32], b"read only");
    let answer = CHALLENGE.encode().unwrap();
    Chain::seal_to(&mut narrowed, &answer);
    let root = root_key::<Chain>();
    assert!(Chain::holds(&narrowed, root.as_bytes(), Some(&answer)));
    let mut widened = narrowed.clone();
    (widened.sealed, widened.end) = (false, mine.end);
    widened.blocks.pop();
    verified::<Chain>(&widened);

    // Now no two tokens have a key in common, even if the same bytes are added to the same token.
    let token = verified::<Chain>(&honest::<Chain>(&[b"your files"]));
    let [mine, yours] = [(); 2].map(|()| parts(&token.append(b"via gateway").unwrap()));
    let mut widened = parts(&verified::<Chain>(&yours).append(b"read only").unwrap());
    widened.blocks.pop();
    widened.end = mine.end;
    refused::<Chain>(&widened, None, Error::Possession);
}

/// Earlier, a third party's signature was in the sum, and anyone who knew the statement could subtract the
/// signature. Now the statement is within the holder's block, and nobody knows the signature of that block.
fn statement_in_the_sum<S: Summed>() {
    let before = honest::<S>(&[b"everything"]);
    let state = S::bound_to(&before.blocks);
    let own = S::signed(&state, OPAQUE, &THIRD_PARTY, b"only for children");
    let mut token = before.clone();
    S::include(&mut token, OPAQUE, &own, b"only for children");
    verified::<S>(&token);
    let signature = &own[S::link_length(OPAQUE)..];
    assert_eq!(strip::<S>(&token, signature).blocks, before.blocks);
    verified::<S>(&strip::<S>(&token, signature));

    let token = verified::<S>(&before);
    let statement = statement(&token, &THIRD_PARTY, b"only for children");
    let token = parts(&token.append_statement(&statement).unwrap());
    // The attacker does not know the holder's signature, so he subtracts one by the third party's key.
    let bytes = statement.encode().unwrap();
    let own = S::signed(&state, STATEMENT, &THIRD_PARTY, &bytes[9..]);
    let stripped = strip::<S>(&token, &own[S::link_length(STATEMENT)..]);
    refused::<S>(&stripped, None, S::wrong(Place::Aggregate));
}

#[test]
fn statement_taken_off_aggregate() {
    statement_in_the_sum::<Aggregate>();
}

/// A statement is bound to its state, and the holder's link covers the statement. If the statement is
/// replaced, changed or moved, the token is invalid.
fn statement_replaced<S: Twin>() {
    let before = verified::<S>(&honest::<S>(&[b"everything"]));
    let statement = statement(&before, &THIRD_PARTY, b"less");
    let token = parts(&before.append_statement(&statement).unwrap());
    let state = S::bound_to(&token.blocks[..1]);
    for (seed, text) in [(&THIRD_PARTY, &b"more"[..]), (&MY_SEED, b"less")] {
        let mut other = token.clone();
        other.blocks[1].payload = stated(S::ID, &state, seed, text);
        refused::<S>(&other, None, S::wrong(Place::Block(1)));
    }
    let mut other = token.clone();
    other.blocks[1].payload.truncate(96);
    other.blocks[1].payload.extend(b"more");
    refused::<S>(&other, None, S::wrong(Place::Block(1)));
    // The same statement at another place of the same token.
    let mut later = token.clone();
    S::add_statement(&mut later, &token.blocks[1].payload);
    let place = Place::ThirdParty(2);
    refused::<S>(&later, None, errors::wrong(place));
}

/// If a signature depended only on the key and the payload, all tokens with the same rights would be equal,
/// and revoking one token would revoke all of them. Random bytes in the first block make every token
/// different.
#[test]
fn revoked_with_another() {
    // The model: the random bytes are always the same, and so are the keys.
    let [mine, yours] = [(); 2].map(|()| honest::<Chain>(&[b"read"]));
    verified::<Chain>(&yours);
    let revoked = Chain::bound_to(&mine.blocks);
    assert_eq!(Chain::bound_to(&yours.blocks), revoked);

    fn now<S: Twin>() {
        let mint = || Token::mint(&root(S::SCHEME), 0, b"read", &[]).unwrap();
        let (mine, yours) = (mint(), mint());
        let [revoked] = mine.revocation_ids()[..] else {
            unreachable!()
        };
        assert!(!yours.revocation_ids().contains(&revoked));
    }
    now::<Chain>();
    now::<Aggregate>();
}

/// Earlier, no signature covered the number of the root key. If one key had two numbers, anybody could turn a
/// token with one number into a token with the other number.
fn root_number_changed<S: Twin>() {
    let token = honest::<S>(&[b"read"]);
    let mut other = token.clone();
    other.root_id = 1;
    let key = root_key::<S>();
    let roots: RootKeys = [(0, key), (1, key)].into_iter().collect();
    // The model: the number chooses the key, and no hash covers the number.
    let holds = |token: &Parts| {
        let key = roots.get(S::SCHEME, token.root_id).unwrap();
        let mut hashed = token.clone();
        hashed.root_id = 0;
        S::holds(&hashed, key.as_bytes(), None)
    };
    assert!(holds(&token) && holds(&other));

    let verify = |token: &Parts| decode(&token.bytes()).unwrap().verify(&roots, None);
    assert!(verify(&token).is_ok());
    assert_eq!(verify(&other).unwrap_err(), S::wrong(Place::Block(0)));
}

/// A sealed token of `Chain` has no secret. Earlier, if a verifier forgot the challenge, it checked neither a
/// secret nor the seal. So anyone who had seen the token could remove its last blocks and add any seal. Now
/// no seal is accepted without a challenge.
#[test]
fn seal_without_a_challenge() {
    // The model: all blocks of a sealed token are verified, but neither its seal nor a secret.
    let holds = |token: &Parts| {
        let mut blocks = token.clone();
        (blocks.sealed, blocks.end) = (false, vec![0; 32]);
        WITHOUT.set("possession");
        let held = Chain::holds(&blocks, root_key::<Chain>().as_bytes(), None);
        WITHOUT.set("");
        held && token.sealed
    };
    let mut token = honest::<Chain>(&[b"everything", b"less"]);
    Chain::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    assert!(holds(&token));
    token.blocks.pop();
    let anybody = SigningKey::from_bytes(&MY_SEED).sign(b"anything");
    token.end = anybody.to_bytes().to_vec();
    assert!(holds(&token));

    refused::<Chain>(&token, None, Error::Sealed);
    refused::<Chain>(&token, Some(&CHALLENGE), Chain::wrong(Place::Seal));
}

/// A verifier that forgets to make a nonce would accept a seal that somebody has seen.
fn empty_nonce<S: Twin>() {
    let forgotten = Challenge {
        nonce: b"",
        ..CHALLENGE
    };
    // The model: every nonce is accepted, even an empty nonce.
    let answer = |nonce: &[u8]| {
        let [nonce_length, name_length] = [nonce.len(), 4].map(|n| (n as u64).to_le_bytes());
        let time = CHALLENGE.time.to_le_bytes();
        [&nonce_length, nonce, &name_length, b"shop", &time].concat()
    };
    let shown_twice = |nonces: [&[u8]; 2]| {
        let mut seen = honest::<S>(&[b"read"]);
        S::seal_to(&mut seen, &answer(nonces[0]));
        nonces.map(|nonce| S::holds(&seen, root_key::<S>().as_bytes(), Some(&answer(nonce))))
    };
    assert_eq!(shown_twice([b"one", b"two"]), [true, false]);
    assert_eq!(shown_twice([b"", b""]), [true, true]);

    let token = verified::<S>(&honest::<S>(&[b"read"]));
    assert_eq!(token.seal(&forgotten).unwrap_err(), Error::EmptyNonce);
    // A token that was sealed to an empty nonce by other means is refused as well.
    let mut sealed = honest::<S>(&[b"read"]);
    S::seal_to(&mut sealed, &answer(b""));
    refused::<S>(&sealed, Some(&forgotten), Error::EmptyNonce);
}

/// A limit on the number of blocks would allow twice as many signatures, because each statement in a block
/// and the seal have signatures of their own.
fn work_beyond_blocks<S: Twin>() {
    let mut token = honest::<S>(&[b"read"]);
    for _ in 1..64 {
        let state = S::bound_to(&token.blocks);
        let statement = stated(S::ID, &state, &THIRD_PARTY, b"");
        S::add_statement(&mut token, &statement);
    }
    let answer = CHALLENGE.encode().unwrap();
    S::seal_to(&mut token, &answer);
    // The model allows 64 blocks and 64 KiB. It verifies 64 blocks, 63 statements and a seal.
    assert!(token.blocks.len() <= 64 && token.bytes().len() <= 65_536);
    assert!(S::holds(&token, root_key::<S>().as_bytes(), Some(&answer)));

    let decode = |signatures| {
        let limits = Limits {
            signatures,
            ..Limits::default()
        };
        Token::decode(&token.bytes(), &limits).map(drop)
    };
    let too_many = |signatures| {
        Err(errors::too_large(
            signatures,
            "signatures or more",
            signatures - 1,
        ))
    };
    assert_eq!(decode(128), Ok(()));
    assert_eq!(decode(127), too_many(128));
    assert_eq!(decode(64), too_many(65));
}

fails!(
    statement_replaced,
    root_number_changed,
    empty_nonce,
    work_beyond_blocks,
    overlooked
);

/// An application could forget to read an opaque block. Now `check` refuses such a block.
fn overlooked<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"everything", b"only until noon"]));
    let access = Access::at(u64::MAX, Revoked::none());
    // The model: the application reads only the first block.
    assert_eq!(token.blocks()[0].payload(), b"everything");
    assert!(token.check(&access).is_err());
    let narrowed = verified::<S>(&honest::<S>(&[b"everything"]));
    let narrowed = narrowed.narrow(&[Caveat::Before(1)]).unwrap();
    let narrowed = crate::support::verified(&narrowed);
    assert!(narrowed.check(&access).is_err());
}
