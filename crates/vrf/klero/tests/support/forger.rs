//! The tools of attackers: points of small order, encodings that are not canonical, and proofs by a key owner
//! who does not follow the protocol.

use std::sync::LazyLock;

use klero_reference::curve::{B, L, Point, decode};
use klero_reference::field::{P, bytes_le, int, int_le};
use klero_reference::{self as reference, BigUint, Suite, expand, hash_to_curve};

use super::case::{Case, owner};

/// 0, T, 2T, … 7T for a point T of order 8.
pub static TORSION: LazyLock<[Point; 8]> = LazyLock::new(|| {
    let generator = (2..)
        .filter_map(|y| decode(&bytes_le(&int(y))).ok())
        .map(|point| point.mul(&L))
        .find(|point| !point.mul(&int(4)).is_identity())
        .unwrap();
    std::array::from_fn(|multiple| generator.mul(&int(multiple as u128)))
});

/// The scalar x and the key Y of each attacking key owner.
pub static OWNERS: LazyLock<[(BigUint, Point); 4]> = LazyLock::new(|| {
    std::array::from_fn(|who| {
        let key = expand(&owner(who));
        (key.x, decode(&key.public).unwrap())
    })
});

/// A fixed nonce. No attack depends on its value.
pub fn nonce() -> BigUint {
    int(0x1234_5678_9abc_def0) << 180u32
}

/// The encoding of y (canonical or not, below 2^255) with a sign bit.
pub fn encoding(y: &BigUint, sign: bool) -> [u8; 32] {
    let mut bytes = bytes_le(y);
    bytes[31] |= u8::from(sign) << 7;
    bytes
}

/// Returns the 14 encodings of points of small order. The eight points have five different y. Two of these, 0
/// and 1, are also encoded as p and p + 1. Each of the seven encoded numbers occurs with either sign bit.
pub fn small_order_encodings() -> Vec<[u8; 32]> {
    let mut ys: Vec<BigUint> = TORSION
        .iter()
        .map(|point| int_le(&point.encode()) % (int(1) << 255))
        .chain([P.clone(), &*P + int(1)])
        .collect();
    ys.sort();
    ys.dedup();
    ys.iter()
        .flat_map(|y| [encoding(y, false), encoding(y, true)])
        .collect()
}

/// The 38 encodings with p <= y < 2^255.
pub fn non_canonical_encodings() -> Vec<[u8; 32]> {
    (0..19)
        .map(|above| &*P + int(above))
        .flat_map(|y| [encoding(&y, false), encoding(&y, true)])
        .collect()
}

/// Makes a proof with a known x. An error can be added to each point, and other bytes can replace each
/// encoding.
#[derive(Clone)]
pub struct Forger<'a> {
    pub suite: &'a Suite,
    pub alpha: Vec<u8>,
    pub x: BigUint,
    pub key: [u8; 32],
    pub h: Point,
    pub gamma: Point,
    /// The bytes to send for Γ instead of its encoding, if any.
    pub gamma_bytes: Option<[u8; 32]>,
    /// The first nonce k to try. Before errors are added, U = kB and V = kH.
    pub k: BigUint,
    pub u: Point,
    pub v: Point,
    /// The bytes to send for U and V instead of their encodings, if any.
    pub u_bytes: Option<[u8; 32]>,
    pub v_bytes: Option<[u8; 32]>,
    /// The residue mod 8 that the challenge must have, if any.
    pub c_mod_8: Option<u8>,
}

impl<'a> Forger<'a> {
    /// Makes the owner `who` a forger. The error `y_error`·T is added to the key Y, and Γ = xH.
    pub fn new(suite: &'a Suite, who: usize, y_error: usize, alpha: &[u8], k: BigUint) -> Self {
        let (x, y) = &OWNERS[who];
        let key = y.add(&TORSION[y_error]).encode();
        Self::with_key(suite, x.clone(), key, alpha, k)
    }

    /// Makes a forger with any 32 bytes as the key.
    pub fn with_key(suite: &'a Suite, x: BigUint, key: [u8; 32], alpha: &[u8], k: BigUint) -> Self {
        let h = hash_to_curve(suite, &key, alpha).unwrap();
        Self {
            suite,
            alpha: alpha.to_vec(),
            key,
            gamma: h.mul(&x),
            gamma_bytes: None,
            u: B.mul(&k),
            v: h.mul(&k),
            u_bytes: None,
            v_bytes: None,
            x,
            h,
            k,
            c_mod_8: None,
        }
    }

    /// Returns the same forger with multiples of T added to Γ, U and V.
    pub fn with_errors(&self, [gamma, u, v]: [usize; 3]) -> Self {
        Self {
            gamma: self.gamma.add(&TORSION[gamma]),
            u: self.u.add(&TORSION[u]),
            v: self.v.add(&TORSION[v]),
            ..self.clone()
        }
    }

    /// Makes the proof with s = k + cx. Adds 1 to k, B to U and H to V until the challenge has the required
    /// residue.
    fn proof(&self) -> Vec<u8> {
        let gamma = self.gamma_bytes.unwrap_or_else(|| self.gamma.encode());
        let h = self.h.encode();
        let (mut k, mut u, mut v) = (self.k.clone(), self.u.clone(), self.v.clone());
        loop {
            let u_bytes = self.u_bytes.unwrap_or_else(|| u.encode());
            let v_bytes = self.v_bytes.unwrap_or_else(|| v.encode());
            let c = reference::challenge(self.suite, &self.key, [h, gamma, u_bytes, v_bytes]);
            if self.c_mod_8.is_none_or(|wanted| c[0] % 8 == wanted) {
                let s = bytes_le(&((k + int_le(&c) * &self.x) % &*L));
                return reference::proof_bytes(self.suite, [gamma, u_bytes, v_bytes, s], c);
            }
            k += 1u32;
            u = u.add(&B);
            v = v.add(&self.h);
        }
    }

    /// Makes the claim with the forger's proof.
    pub fn case(&self, name: impl Into<String>) -> Case {
        Case::new(self.suite, name, &self.key, &self.alpha, &self.proof())
    }
}
