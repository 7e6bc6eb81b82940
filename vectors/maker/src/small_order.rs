//! Signatures whose key or R is the point of order 1. Their equation holds, so only the rule on small orders
//! rejects them.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha512};

use crate::context::Maker;
use crate::group::Making;
use crate::header::{Certificate, Draft, Header, hash_256};

/// The encoding of the point of order 1.
const IDENTITY: [u8; 32] = {
    let mut encoding = [0; 32];
    encoding[0] = 1;
    encoding
};

/// Headers with such signatures, of the certificate and at the leaf.
pub fn make(to: &mut Making<'_>, maker: &Maker, base: &Draft) {
    let honest = &base.certificate;
    let certificate = certify(&maker.cold, honest.hot_key, honest);
    let comment = "R of order 1 in the signature of the certificate";
    let header = base.with(|draft| draft.certificate = certificate).sign();
    to.broken("opcert-signature", comment, &header);

    // R = sB is a signature by this key of every message.
    let s = Scalar::from_bytes_mod_order(hash_256(&[b"s for a key of order 1"]));
    let r = EdwardsPoint::mul_base(&s).compress();
    let leaf = [r.to_bytes(), s.to_bytes()].concat();
    let (hot_key, signature) = path(IDENTITY, base.evolution, leaf);
    let certificate = Certificate {
        hot_key,
        signature: maker.cold.sign(&signed(hot_key, honest)).to_bytes(),
        ..honest.clone()
    };
    let comment = "key of order 1 at the leaf";
    let header = Header {
        signature,
        ..base.with(|draft| draft.certificate = certificate).sign()
    };
    to.broken("kes-signature", comment, &header);
}

fn signed(hot_key: [u8; 32], of: &Certificate) -> Vec<u8> {
    let (number, start) = (of.number.to_be_bytes(), of.start.to_be_bytes());
    [&hot_key[..], &number, &start].concat()
}

/// The certificate, signed with the nonce 0: R = 1, and s = k·a.
fn certify(cold: &SigningKey, hot_key: [u8; 32], of: &Certificate) -> Certificate {
    let hash = Sha512::new()
        .chain_update(IDENTITY)
        .chain_update(cold.verifying_key().as_bytes())
        .chain_update(signed(hot_key, of));
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
    let s = k * cold.to_scalar();
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&IDENTITY);
    signature[32..].copy_from_slice(s.as_bytes());
    Certificate {
        signature,
        ..of.clone()
    }
}

/// The key of the tree in which this key is the leaf of the evolution, and the signature up to it. The
/// other key of each pair is made up.
fn path(key: [u8; 32], evolution: u64, mut signature: Vec<u8>) -> ([u8; 32], Vec<u8>) {
    let mut root = key;
    for level in 0..6 {
        let other = hash_256(&[b"the other half at level ", &[level]]);
        let pair = match evolution >> level & 1 {
            0 => [root, other],
            _ => [other, root],
        };
        signature.extend_from_slice(&pair.concat());
        root = hash_256(&[&pair.concat()]);
    }
    (root, signature)
}
