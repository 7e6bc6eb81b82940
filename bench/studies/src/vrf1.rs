//! VRF 1: one proof for all blocks, 96n + 64 bytes. **Forgeable by anyone.**
//!
//! A VRF proof shows that γ = x·h for the key P = x·G and h, the message hashed to the
//! group. The scheme adds up the s of all proofs into one S; a point W compensates for the
//! cross terms that this adds to v. With G the base point, Hs the [hash of
//! points](crate::ristretto::hash_points), k = SHA-512(x ‖ h) mod L:
//!
//! ```text
//! new     c = Hs(h, γ, k·G, k·h)    S = k + c·x    W = 0
//! append  u = Σ -c_i·P_i + S·G + k·G
//!         v = W + Σ -c_i·γ_i + S·Σh_i + k·h
//!         c = Hs(h, Σγ_i + γ, u, v)    s = k + c·x
//!         S' = S + s    W' = W - s·Σh_i - S·h
//! verify  u = S·G - Σ c_i·P_i
//!         v = W + Σ (S·h_i - c_i·γ_i)
//!         c_n = Hs(h_n, Σγ_i, u, v)
//! ```
//!
//! The sums of `append` run over the blocks before the new one, those of `verify` over
//! all. W is Σ (s_i - S)·h_i, so that v is Σ s_i·h_i - c_i·γ_i = Σ k_i·h_i; `new` is
//! `append` to a token without blocks, with S = 0 and W = 0.
//!
//! Only the last challenge is checked, and W can be chosen so that v is right. So from two
//! blocks on, an attacker can choose c_0, the one number that should need the root's secret,
//! and compute the rest: five lines in `tests/attacks/universal_forgery.rs`. A token of one
//! block still takes the root's secret, since u is in the hash; but anyone can append a second
//! block.
//!
//! # Encoding
//!
//! A block is P ‖ γ ‖ c ‖ message; after the blocks come W ‖ S.

use curve25519_dalek::{RistrettoPoint, Scalar, traits::Identity};

use crate::{
    Error,
    encoding::{Reader, write_blocks, write_message, write_point, write_scalar},
    ristretto::{hash_points, hash_to_curve, nonce},
};

pub use crate::ristretto::KeyPair;

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// P, the key that added the block.
    pub key: RistrettoPoint,
    /// γ, the output of the VRF.
    pub gamma: RistrettoPoint,
    /// c, the challenge when the block was added.
    pub c: Scalar,
    /// m, opaque bytes.
    pub message: Vec<u8>,
}

impl Block {
    fn h(&self) -> RistrettoPoint {
        hash_to_curve(&self.key, &self.message)
    }
}

/// A token. It proves nothing: see the [module](self).
///
/// ```
/// use klero_studies::vrf1::{KeyPair, Token};
///
/// let root = KeyPair::generate()?;
/// let token = Token::new(&root, b"read and write")
///     .append(&KeyPair::generate()?, b"read only");
/// assert!(token.verify(&root.public()));
///
/// let bytes = token.encode();
/// assert_eq!(bytes.len(), 2 * 96 + 64 + 4 + (4 + 14) + (4 + 9));
/// assert_eq!(Token::decode(&bytes)?, token);
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The blocks, that of the root first.
    pub blocks: Vec<Block>,
    /// W, which compensates in v for the cross terms of S.
    pub w: RistrettoPoint,
    /// S, the sum of the s of all blocks.
    pub s: Scalar,
}

impl Token {
    /// A token of one block.
    pub fn new(keys: &KeyPair, message: &[u8]) -> Self {
        let h = hash_to_curve(&keys.public(), message);
        let gamma = keys.secret() * h;
        let k = nonce(keys, &h);
        let c = hash_points([h, gamma, RistrettoPoint::mul_base(&k), *k * h]);
        Self {
            blocks: vec![Block {
                key: keys.public(),
                gamma,
                c,
                message: message.to_vec(),
            }],
            w: RistrettoPoint::identity(),
            s: *k + c * keys.secret(),
        }
    }

    /// The token with one more block. It is valid even if this one is not.
    #[must_use]
    pub fn append(&self, keys: &KeyPair, message: &[u8]) -> Self {
        let h = hash_to_curve(&keys.public(), message);
        let gamma = keys.secret() * h;
        let k = nonce(keys, &h);
        let hashes: RistrettoPoint = self.blocks.iter().map(Block::h).sum();
        let gammas: RistrettoPoint = self.blocks.iter().map(|block| block.gamma).sum();

        let (mut u, mut v) = (RistrettoPoint::mul_base(&self.s), self.w + self.s * hashes);
        for block in &self.blocks {
            u -= block.c * block.key;
            v -= block.c * block.gamma;
        }
        u += RistrettoPoint::mul_base(&k);
        v += *k * h;
        let c = hash_points([h, gammas + gamma, u, v]);
        let s = *k + c * keys.secret();

        let mut blocks = self.blocks.clone();
        blocks.push(Block {
            key: keys.public(),
            gamma,
            c,
            message: message.to_vec(),
        });
        Self {
            blocks,
            w: self.w - s * hashes - self.s * h,
            s: self.s + s,
        }
    }

    /// Whether the first block has the root's key and the last challenge is right.
    pub fn verify(&self, root: &RistrettoPoint) -> bool {
        let (Some(first), Some(last)) = (self.blocks.first(), self.blocks.last()) else {
            return false;
        };
        if first.key != *root {
            return false;
        }
        let (mut u, mut v) = (RistrettoPoint::mul_base(&self.s), self.w);
        let mut gammas = RistrettoPoint::identity();
        let mut h = RistrettoPoint::identity();
        for block in &self.blocks {
            h = block.h();
            u -= block.c * block.key;
            v += self.s * h - block.c * block.gamma;
            gammas += block.gamma;
        }
        last.c == hash_points([h, gammas, u, v])
    }

    /// The token as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = write_blocks(&self.blocks, |out, block| {
            write_point(out, &block.key);
            write_point(out, &block.gamma);
            write_scalar(out, &block.c);
            write_message(out, &block.message);
        });
        write_point(&mut out, &self.w);
        write_scalar(&mut out, &self.s);
        out
    }

    /// The token in `bytes`, not verified.
    ///
    /// # Errors
    ///
    /// The bytes are not exactly one token in its one encoding.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes);
        let token = Self {
            blocks: reader.blocks(|reader| {
                Ok(Block {
                    key: reader.point("public key")?,
                    gamma: reader.point("gamma")?,
                    c: reader.scalar("c")?,
                    message: reader.message("message")?,
                })
            })?,
            w: reader.point("W")?,
            s: reader.scalar("S")?,
        };
        reader.finish()?;
        Ok(token)
    }
}
