//! What whoever knows the key of a block can take off again, and what tokens share.

use super::*;

/// x·H(h) needs nothing but the key, so whoever has the key of a block takes it off again:
/// holders' keys must be fresh, and forgotten.
#[test]
fn block_with_a_key_of_choice_taken_off() {
    let strip = |mut token: Token, seed: &[u8; 32]| {
        let last = token.blocks.pop().unwrap();
        let own = token.sign(last.kind, seed, &last.payload);
        token.sum = add(&token.sum, &negated(own));
        token
    };
    let mut token = honest(&["everything"]);
    token.add(OPAQUE, &MY_SEED, b"less");
    accepted(&token);
    accepted(&strip(token, &MY_SEED));
    let token = honest(&["everything", "less"]);
    refused(&strip(token, &MY_SEED), None, "signature");
}

/// A third party's signature in the sum can be subtracted by who heard it. As a part of the
/// holder's payload it cannot.
#[test]
fn statement_taken_off() {
    let party = [7; 32];
    let before = honest(&["everything"]);
    let own = before.sign(OPAQUE, &party, b"only for children");
    let mut token = before.clone();
    token.add(OPAQUE, &party, b"only for children");
    accepted(&token);
    token.blocks.pop();
    token.sum = add(&token.sum, &negated(own));
    accepted(&token);
    assert_eq!(token, before);

    token.add(OPAQUE, &[100; 32], b"what the third party signed");
    token.blocks.pop();
    let own = token.sign(OPAQUE, &party, b"what the third party signed");
    token.sum = add(&token.sum, &negated(own));
    refused(&token, None, "signature");
}

/// x·H of equal payloads is equal: without random bytes in the first block, two tokens of the
/// same rights are one, and who has one of them revoked revokes the other.
#[test]
fn revoked_with_another() {
    let mint = |payload: &[u8]| {
        let mut token = Token::new(0);
        token.add(ROOT, &ROOT_SEED, payload);
        token
    };
    let [mine, yours] = [mint(&rights(b"read")), mint(&rights(b"read"))];
    assert_eq!(mine.state(), yours.state());
    let mut other = rights(b"read");
    other[0] ^= 1;
    assert_ne!(mint(&other).state(), yours.state());
}

/// The number of the root key is hashed: where one key stands under two numbers, no token of one
/// is a token of the other.
#[test]
fn root_number_changed() {
    let mut token = honest(&["read"]);
    token.root_id = 1;
    refused(&token, None, "signature");
}

/// Each block takes a pairing, so fewer are allowed.
#[test]
fn the_limit_on_pairings_is_lower() {
    let most = Limits::default().pairings as usize;
    let mut token = honest(&["read"]);
    while token.blocks.len() < most {
        token.blocks.push(block(public_key(&MY_SEED), b""));
    }
    let decode = |token: &Token| Token::decode(&token.encode(), &Limits::default());
    assert!(decode(&token).is_ok());
    token.seal = Some(public_key(&MY_SEED));
    assert_eq!(decode(&token).unwrap_err().reason, "too many signatures");
}
