//! Pairing: one sum of BLS signatures on BLS12-381, 48n + 96 bytes. **Forgeable by
//! anyone.**
//!
//! With g the generator of G1, keys P = x·g in G1 and signatures in G2:
//!
//! ```text
//! new     S = x·H(m)
//! append  S' = S + x·H(m)
//! verify  e(g, S) = Π e(P_i, H(m_i))
//! ```
//!
//! BLS signatures may be added up if each key is hashed with its message, or if each
//! signer proves knowledge of its secret, or if no two messages are equal. None of this
//! holds here: m is hashed alone, so a key can be chosen to cancel another in the
//! product. The shortest forgery needs no secret at all: the root's block, a block
//! with the key -P and the same message, and S = 0.
//!
//! # Points that `blst` refuses
//!
//! Points are read without checking that they are in their subgroups, and the point at
//! infinity is a valid key: e(0, ·) = 1, so such a block does not change the product. `blst`
//! refuses that key, so it is left out of the product, which gives the same equation. Only the
//! keys (0, ±2), which have order 3, cannot be used: `blst` does not decode them.
//!
//! # Encoding
//!
//! A block is P ‖ message, P compressed to 48 bytes; after the blocks comes S,
//! compressed to 96.

use core::fmt;

use blst::{
    BLST_ERROR, Pairing, blst_fp12, blst_p1_affine, blst_p2_affine,
    min_pk::{AggregateSignature, PublicKey, SecretKey, Signature},
};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::{
    Error,
    encoding::{Reader, write_blocks, write_message},
};

/// The domain separation tag of H, the hash to G2. Public, since H is.
pub const DOMAIN: &[u8] = b"klero-hazmat-seed-pairing_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_";

/// A secret scalar x and its public key P = x·g.
///
/// The secret is wiped from memory when the pair is dropped, and is not in its `Debug`
/// form.
///
/// ```
/// use klero_studies::pairing::KeyPair;
///
/// let keys = KeyPair::from_seed(&[1; 32]);
/// assert_eq!(keys.public(), KeyPair::from_seed(&[1; 32]).public());
/// assert_ne!(keys.public(), KeyPair::generate()?.public());
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone)]
pub struct KeyPair {
    secret: SecretKey,
    public: PublicKey,
}

impl KeyPair {
    /// A pair from random bytes of the operating system.
    ///
    /// # Errors
    ///
    /// The operating system gave none.
    pub fn generate() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice())?;
        Ok(Self::from_seed(&seed))
    }

    /// The pair derived from these bytes: the same bytes give the same pair.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let secret = SecretKey::key_gen(seed, &[]).expect("32 bytes are enough");
        let public = secret.sk_to_pk();
        Self { secret, public }
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// x·H(m).
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.secret.sign(message, DOMAIN, &[])
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

// `SecretKey` wipes itself.
impl ZeroizeOnDrop for KeyPair {}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// P, the key that added the block: any point of the curve.
    pub key: PublicKey,
    /// m, opaque bytes.
    pub message: Vec<u8>,
}

/// A token. It proves nothing: see the [module](self).
///
/// ```
/// use klero_studies::pairing::{KeyPair, Token};
///
/// let root = KeyPair::generate()?;
/// let token = Token::new(&root, b"read and write")
///     .append(&KeyPair::generate()?, b"read only");
/// assert!(token.verify(&root.public()));
///
/// let bytes = token.encode();
/// assert_eq!(bytes.len(), 2 * 48 + 96 + 4 + (4 + 14) + (4 + 9));
/// assert_eq!(Token::decode(&bytes)?, token);
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The blocks, that of the root first.
    pub blocks: Vec<Block>,
    /// S, the sum of the signatures of all blocks: any point of the curve.
    pub signature: Signature,
}

impl Token {
    /// A token of one block.
    pub fn new(keys: &KeyPair, message: &[u8]) -> Self {
        Self {
            blocks: vec![Block {
                key: keys.public,
                message: message.to_vec(),
            }],
            signature: keys.sign(message),
        }
    }

    /// The token with one more block.
    #[must_use]
    pub fn append(&self, keys: &KeyPair, message: &[u8]) -> Self {
        let mut blocks = self.blocks.clone();
        blocks.push(Block {
            key: keys.public,
            message: message.to_vec(),
        });
        let mut sum = AggregateSignature::from_signature(&self.signature);
        sum.add_aggregate(&AggregateSignature::from_signature(&keys.sign(message)));
        Self {
            blocks,
            signature: sum.to_signature(),
        }
    }

    /// Whether the first block has the root's key and the equation holds.
    pub fn verify(&self, root: &PublicKey) -> bool {
        if self.blocks.first().is_none_or(|block| block.key != *root) {
            return false;
        }
        let mut product = Pairing::new(true, DOMAIN);
        let mut factors = 0;
        for block in &self.blocks {
            let point: &blst_p1_affine = (&block.key).into();
            // The type that is not a signature says that there is none to add.
            match product.aggregate(point, false, &(), false, &block.message, &[]) {
                BLST_ERROR::BLST_SUCCESS => factors += 1,
                BLST_ERROR::BLST_PK_IS_INFINITY => {}
                _ => return false,
            }
        }
        let right = if factors == 0 {
            blst_fp12::default()
        } else {
            product.as_fp12()
        };
        let mut left = blst_fp12::default();
        Pairing::aggregated(&mut left, &blst_p2_affine::from(self.signature));
        blst_fp12::finalverify(&left, &right)
    }

    /// The token as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = write_blocks(&self.blocks, |out, block| {
            out.extend_from_slice(&block.key.compress());
            write_message(out, &block.message);
        });
        out.extend_from_slice(&self.signature.compress());
        out
    }

    /// The token in `bytes`, not verified. Its points may be in any subgroup.
    ///
    /// # Errors
    ///
    /// The bytes are not exactly one token in its one encoding.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes);
        let blocks = reader.blocks(|reader| {
            let (key, place) = reader.array::<48>("public key")?;
            Ok(Block {
                key: PublicKey::uncompress(key).map_err(|_| Error::Point(place))?,
                message: reader.message("message")?,
            })
        })?;
        let (signature, place) = reader.array::<96>("signature")?;
        let signature = Signature::uncompress(signature).map_err(|_| Error::Point(place))?;
        reader.finish()?;
        Ok(Self { blocks, signature })
    }
}
