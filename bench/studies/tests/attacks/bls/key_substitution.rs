//! A token of one key, shown as that of another.

use blst::min_pk::{AggregatePublicKey, PublicKey, SecretKey};

use super::*;

/// A token of one issuer, shown to who trusts another, with and without the other's key in
/// front.
#[test]
fn another_issuer() {
    let other = public_key(&[7; 32]);
    let mut token = honest(&["pay the bearer", "today"]);
    assert_eq!(verdict(&other, &token, None), Err("wrong root"));
    token.blocks[0].key = other;
    assert_eq!(verdict(&other, &token, None), Err("signature"));
    refused(&token, None, "wrong root");
}

/// S + d·H under P + d·g, with H of either key.
#[test]
fn related_key() {
    let mut d = [0; 32];
    d[31] = 42;
    let d = SecretKey::from_bytes(&d).unwrap();
    let key = PublicKey::uncompress(&root()).unwrap();
    let other = AggregatePublicKey::aggregate(&[&key, &d.sk_to_pk()], false).unwrap();
    let other = other.to_public_key().compress();
    let token = honest(&["your tenant's files"]);
    let mut moved = token.clone();
    moved.blocks[0].key = other;
    for state in [token.state(), moved.state()] {
        let own = d.sign(&state, DOMAIN, &[]).compress();
        moved.sum = add(&token.sum, &own);
        assert_eq!(verdict(&other, &moved, None), Err("signature"));
    }
}
