//! Recovery of the secret key of a signer who appends one message to two tokens.
//!
//! In the VRF schemes of `klero-studies`, k is a hash of x and h only: the same both times, with two
//! challenges. So s = k + c·x and s' = k + c'·x give x = (s - s') / (c - c'), and s is the increase of S.

use crate::equations::Chain;
use crate::equations::{Twin, challenge, multiple, scalar, statement_message};
use crate::sound::{fails, honest, parts, root, verified};
use curve25519_dalek::Scalar;
use klero_token::{KeyKind, Request, Scheme, SecretKey, Token};
use sha2::{Digest, Sha512};

/// The nonce of the root key is random and hashed with the state. No two blocks have the same R,
/// and the equation gives a wrong x.
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

/// Anyone with the token before and after a block knows what the block's link adds. The link is made with a
/// one-time key or nonce, which no two blocks have in common.
fn one_time_keys<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let links = [(); 3].map(|()| parts(&token.append(b"less").unwrap()).blocks.remove(1).link);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert_ne!(links[i][..32], links[j][..32]);
    }
}

fails!(one_time_keys);

/// Ed25519 derives the nonce from the message. One message has one signature; another state or
/// another text gives another nonce.
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
