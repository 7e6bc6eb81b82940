//! Any token, made from the root's public key alone.

use curve25519_dalek::traits::Identity;
use curve25519_dalek::{RistrettoPoint, Scalar};
use klero_studies::{
    ristretto::{KeyPair, hash_points, hash_to_curve},
    vrf1, vrf2,
};

/// With all γ and v = 0: u = k·G - c_0·P_0 whatever c_0 is, so c_1 = Hs(h_1, 0, u, 0) and
/// S = k + c_1·x_1 give u = S·G - c_0·P_0 - c_1·P_1 again; W = -S·(h_0 + h_1) gives v = 0.
#[test]
fn seed_vrf1() {
    let root = KeyPair::generate().unwrap().public();
    let (m0, m1) = (b"everything".to_vec(), b"nothing less".to_vec());
    let o = RistrettoPoint::identity();

    let [x, k, c0] = [2u8, 3, 5].map(Scalar::from);
    let key = RistrettoPoint::mul_base(&x);
    let (h0, h1) = (hash_to_curve(&root, &m0), hash_to_curve(&key, &m1));
    let c1 = hash_points([h1, o, RistrettoPoint::mul_base(&k) - c0 * root, o]);
    let (s, w) = (k + c1 * x, -(k + c1 * x) * (h0 + h1));

    let block = |key, c, message| vrf1::Block {
        key,
        gamma: o,
        c,
        message,
    };
    let blocks = vec![block(root, c0, m0), block(key, c1, m1)];
    assert!(vrf1::Token { blocks, w, s }.verify(&root));
}

/// The same with Γ = 0, the sum of the keys in the hash.
#[test]
fn seed_vrf2() {
    let root = KeyPair::generate().unwrap().public();
    let (m0, m1) = (b"everything".to_vec(), b"nothing less".to_vec());
    let o = RistrettoPoint::identity();

    let [x, k, c0] = [2u8, 3, 5].map(Scalar::from);
    let key = RistrettoPoint::mul_base(&x);
    let (h0, h1) = (hash_to_curve(&root, &m0), hash_to_curve(&key, &m1));
    let c1 = hash_points([h1, root + key, RistrettoPoint::mul_base(&k) - c0 * root, o]);
    let (s, w) = (k + c1 * x, -(k + c1 * x) * (h0 + h1));

    let block = |key, c, message| vrf2::Block { key, c, message };
    let (blocks, gamma) = (vec![block(root, c0, m0), block(key, c1, m1)], o);
    assert!(
        vrf2::Token {
            blocks,
            gamma,
            w,
            s
        }
        .verify(&root)
    );
}
