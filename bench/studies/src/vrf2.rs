//! VRF 2: [`vrf1`](crate::vrf1) with one sum in place of all γ, 64n + 96 bytes.
//! **Forgeable by anyone.**
//!
//! ```text
//! new     c = Hs(h, P, k·G, k·h)    S = k + c·x    W = 0    Γ = -c·γ
//! append  u = Σ -c_i·P_i + S·G + k·G
//!         v = W + Γ + S·Σh_i + k·h
//!         c = Hs(h, ΣP_i + P, u, v)    s = k + c·x
//!         S' = S + s    W' = W - s·Σh_i - S·h    Γ' = Γ - c·γ
//! verify  u = S·G - Σ c_i·P_i
//!         v = W + Γ + S·Σh_i
//!         c_n = Hs(h_n, ΣP_i, u, v)
//! ```
//!
//! The names are those of [`vrf1`](crate::vrf1). Γ is the sum of all -c_i·γ_i. Since the token
//! does not contain the γ_i, the challenge takes the sum of the keys instead of their sum. W
//! and Γ occur only in their sum, so every attack on `vrf1` works here too.
//!
//! # Encoding
//!
//! A block is P ‖ c ‖ message; after the blocks come Γ ‖ W ‖ S.

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
/// use klero_studies::vrf2::{KeyPair, Token};
///
/// let root = KeyPair::generate()?;
/// let token = Token::new(&root, b"read and write")
///     .append(&KeyPair::generate()?, b"read only");
/// assert!(token.verify(&root.public()));
///
/// let bytes = token.encode();
/// assert_eq!(bytes.len(), 2 * 64 + 96 + 4 + (4 + 14) + (4 + 9));
/// assert_eq!(Token::decode(&bytes)?, token);
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The blocks, that of the root first.
    pub blocks: Vec<Block>,
    /// Γ, the sum of all -c·γ.
    pub gamma: RistrettoPoint,
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
        let c = hash_points([h, keys.public(), RistrettoPoint::mul_base(&k), *k * h]);
        Self {
            blocks: vec![Block {
                key: keys.public(),
                c,
                message: message.to_vec(),
            }],
            gamma: -(c * gamma),
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
        let sum: RistrettoPoint = self.blocks.iter().map(|block| block.key).sum();

        let mut u = RistrettoPoint::mul_base(&self.s) + RistrettoPoint::mul_base(&k);
        for block in &self.blocks {
            u -= block.c * block.key;
        }
        let v = self.w + self.gamma + self.s * hashes + *k * h;
        let c = hash_points([h, sum + keys.public(), u, v]);
        let s = *k + c * keys.secret();

        let mut blocks = self.blocks.clone();
        blocks.push(Block {
            key: keys.public(),
            c,
            message: message.to_vec(),
        });
        Self {
            blocks,
            gamma: self.gamma - c * gamma,
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
        let mut u = RistrettoPoint::mul_base(&self.s);
        let mut sum = RistrettoPoint::identity();
        let mut hashes = RistrettoPoint::identity();
        let mut h = RistrettoPoint::identity();
        for block in &self.blocks {
            h = block.h();
            u -= block.c * block.key;
            sum += block.key;
            hashes += h;
        }
        let v = self.w + self.gamma + self.s * hashes;
        last.c == hash_points([h, sum, u, v])
    }

    /// The token as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = write_blocks(&self.blocks, |out, block| {
            write_point(out, &block.key);
            write_scalar(out, &block.c);
            write_message(out, &block.message);
        });
        write_point(&mut out, &self.gamma);
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
                    c: reader.scalar("c")?,
                    message: reader.message("message")?,
                })
            })?,
            gamma: reader.point("Gamma")?,
            w: reader.point("W")?,
            s: reader.scalar("S")?,
        };
        reader.finish()?;
        Ok(token)
    }
}
