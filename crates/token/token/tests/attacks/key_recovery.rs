//! Recovery of the secret key of a signer who appends the same message to two tokens.
//!
//! In the VRF schemes of `klero-studies`, the nonce k is a hash of only the secret key x and the message's
//! point h. So k is the same in both tokens, but the challenges differ. From s = k + c·x and s' = k + c'·x,
//! the attacker gets x = (s - s') / (c - c'). He knows s, by which the append increased the token's sum S.

use crate::equations::Chain;
use crate::equations::{Twin, challenge, multiple, scalar, statement_message};
use crate::sound::{fails, honest, parts, root, verified};
use curve25519_dalek::Scalar;
use klero_token::{KeyKind, Request, Scheme, SecretKey, Token};
use sha2::{Digest, Sha512};

/// Each nonce of the root key is hashed from new random bytes and the state. So no two tokens have the same
/// R, and the equation x = (s - s') / (c - c') gives a wrong x.
#[test]
fn aggregate_minted_twice() {
    let minted = [(); 3].map(|()| {
        let token = parts(&Token::mint(&root(Scheme::Aggregate), 0, b"mine", &[]).unwrap());
        let c = challenge(&token.blocks);
        (token.blocks[0].link[32..].to_vec(), scalar(&token.end), c)
    });
    let public = *root(Scheme::Aggregate).public_key();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let [(r, s, c), (q, t, d)] = [&minted[i], &minted[j]];
        assert_ne!(r, q);
        let x = (s - t) * (c - d).invert();
        assert_ne!(&multiple(x), public.as_bytes());
    }
}

/// Anyone who has a token both without and with its last block knows what that block's link added. But this
/// does not help: each link is made with a one-time key or nonce, which no other link has.
fn one_time_keys<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let links = [(); 3].map(|()| parts(&token.append(b"less").unwrap()).blocks.remove(1).link);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert_ne!(links[i][..32], links[j][..32]);
    }
}

fails!(one_time_keys);

/// Ed25519 derives the nonce from the message. So signing a message twice gives the same signature, and a
/// message with another state or text gets another nonce.
#[test]
fn stated_twice() {
    let victim = SecretKey::from_bytes(KeyKind::Ed25519, &[7; 32]).unwrap();
    let [one, two] = [(); 2].map(|()| Token::mint(&root(Scheme::Chain), 0, b"mine", &[]).unwrap());
    let requests = [&one, &two].map(|token| token.request().unwrap());
    let read = |request: &Request| {
        let bytes = request.sign(&victim, b"of age").unwrap().encode().unwrap();
        let (a, r, s) = (&bytes[9..41], &bytes[41..73], &bytes[73..105]);
        let state = request.encode()[5..].try_into().unwrap();
        let message = statement_message(Chain::ID, &state, a, b"of age");
        let k = Sha512::digest([r, a, &message].concat());
        let k = Scalar::from_bytes_mod_order_wide(&k.into());
        (r.to_vec(), scalar(s), k)
    };
    assert_eq!(read(&requests[0]), read(&requests[0]));
    let [(r, s, k), (q, t, l)] = requests.each_ref().map(read);
    assert_ne!(r, q);
    let x = (s - t) * (k - l).invert();
    let key = curve25519_dalek::EdwardsPoint::mul_base(&x).compress();
    assert_ne!(key.as_bytes(), victim.public_key().as_bytes());
}
