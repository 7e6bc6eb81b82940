//! Challenge: a chain of Schnorr signatures, 96n + 32 bytes, and 96n + 96 when it
//! answers a challenge. **Replayable, and valid under any root key.**
//!
//! Each block signs its message and the next block's key; the token contains the secret
//! of the key after its last block. The holder uses the token by answering a challenge with
//! that secret, without revealing it. With G the base point and Hs = SHA-512 mod L:
//!
//! ```text
//! sign(x, m, next)           e = Hs(R ‖ m ‖ next), R = k·G, k random    s = k - x·e
//! verify(P, m, next, (s,e))  e = Hs((s·G + e·P) ‖ m ‖ next)
//!
//! new, append                block n = P_n, m_n, sign(x_n, m_n, P_n+1), and x_n+1 drawn
//! answer                     sign(x_n+1, challenge, chain)
//! chain                      SHA-512(m_0 ‖ P_0 ‖ s_0 ‖ e_0 ‖ … ‖ P_n+1)
//! ```
//!
//! Verification compares neither the first key with the root's nor the challenge with
//! one that the verifier chose, and accepts a token without blocks: all of that is left to
//! the caller. P is not hashed into e, so if (s, e) is valid under P, then (s - e·d, e) is
//! valid under P + d·G. No hash contains a length or a tag: a message may end in a key, an
//! answer is a signed block, and two chains can have the same hash.
//!
//! The original code kept messages, keys and signatures in three lists, and panicked when
//! their lengths differed. Here a token is one list of blocks.
//!
//! # Encoding
//!
//! A block is P ‖ s ‖ e ‖ message. After the blocks comes x_n+1; in an answer, P_n+1 ‖ s ‖
//! e ‖ challenge, the challenge as a message.

use curve25519_dalek::{RistrettoPoint, Scalar};
use sha2::{Digest, Sha512};

use crate::{
    Error,
    encoding::{Reader, write_blocks, write_message, write_point, write_scalar},
    ristretto::{hash_to_scalar, random_scalar},
};

pub use crate::ristretto::KeyPair;

/// A Schnorr signature, with neither the key nor a length in its hash.
///
/// ```
/// use klero_studies::challenge::{KeyPair, Signature};
///
/// let keys = KeyPair::generate()?;
/// let signature = Signature::sign(&keys, b"message", b"next")?;
/// assert!(signature.verify(&keys.public(), b"message", b"next"));
/// // The signature does not bind where the message ends.
/// assert!(signature.verify(&keys.public(), b"mess", b"agenext"));
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// s = k - x·e.
    pub s: Scalar,
    /// e = Hs(R ‖ message ‖ next).
    pub e: Scalar,
}

impl Signature {
    /// Signs `message ‖ next`.
    ///
    /// # Errors
    ///
    /// The operating system gave no random bytes.
    pub fn sign(keys: &KeyPair, message: &[u8], next: &[u8]) -> Result<Self, Error> {
        let k = random_scalar()?;
        let e = hash(&RistrettoPoint::mul_base(&k), message, next);
        Ok(Self {
            s: *k - keys.secret() * e,
            e,
        })
    }

    /// Whether this is a signature by `key` of `message ‖ next`.
    pub fn verify(&self, key: &RistrettoPoint, message: &[u8], next: &[u8]) -> bool {
        let r = RistrettoPoint::mul_base(&self.s) + self.e * key;
        self.e == hash(&r, message, next)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self {
            s: reader.scalar("s")?,
            e: reader.scalar("e")?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_scalar(out, &self.s);
        write_scalar(out, &self.e);
    }
}

fn hash(r: &RistrettoPoint, message: &[u8], next: &[u8]) -> Scalar {
    *hash_to_scalar(
        Sha512::new()
            .chain_update(r.compress().as_bytes())
            .chain_update(message)
            .chain_update(next),
    )
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// P, the key that signed the block.
    pub key: RistrettoPoint,
    /// m, opaque bytes.
    pub message: Vec<u8>,
    /// The signature of the message and the next key.
    pub signature: Signature,
}

impl Block {
    fn sign(keys: &KeyPair, message: &[u8], next: &RistrettoPoint) -> Result<Self, Error> {
        Ok(Self {
            key: keys.public(),
            message: message.to_vec(),
            signature: Signature::sign(keys, message, next.compress().as_bytes())?,
        })
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self {
            key: reader.point("public key")?,
            signature: Signature::read(reader)?,
            message: reader.message("message")?,
        })
    }

    fn write(out: &mut Vec<u8>, block: &Self) {
        write_point(out, &block.key);
        block.signature.write(out);
        write_message(out, &block.message);
    }
}

/// Whether each block signed its message and the key after it, `next` after the last.
pub fn verify_blocks(blocks: &[Block], next: &RistrettoPoint) -> bool {
    let keys = blocks.iter().skip(1).map(|block| &block.key).chain([next]);
    blocks.iter().zip(keys).all(|(block, next)| {
        let next = next.compress();
        block
            .signature
            .verify(&block.key, &block.message, next.as_bytes())
    })
}

/// The hash that an answer signs after the challenge: that of all blocks and the key after
/// them, concatenated.
pub fn chain_hash(blocks: &[Block], next: &RistrettoPoint) -> [u8; 64] {
    let hash = blocks.iter().fold(Sha512::new(), |hash, block| {
        hash.chain_update(&block.message)
            .chain_update(block.key.compress().as_bytes())
            .chain_update(block.signature.s.as_bytes())
            .chain_update(block.signature.e.as_bytes())
    });
    hash.chain_update(next.compress().as_bytes())
        .finalize()
        .into()
}

/// A token to which blocks can be appended. It proves nothing: see the [module](self).
///
/// ```
/// use klero_studies::challenge::{KeyPair, Token};
///
/// let token = Token::new(&KeyPair::generate()?, b"read and write")?.append(b"read only")?;
/// assert!(token.verify());
/// assert!(token.answer(b"a number used once")?.verify());
///
/// let bytes = token.encode();
/// assert_eq!(bytes.len(), 2 * 96 + 32 + 4 + (4 + 14) + (4 + 9));
/// assert_eq!(Token::decode(&bytes)?.blocks, token.blocks);
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Token {
    /// The blocks, that of the root first.
    pub blocks: Vec<Block>,
    /// The key after the last block, with its secret.
    pub next: KeyPair,
}

impl Token {
    /// A token of one block.
    ///
    /// # Errors
    ///
    /// The operating system gave no random bytes.
    pub fn new(keys: &KeyPair, message: &[u8]) -> Result<Self, Error> {
        let next = KeyPair::generate()?;
        let blocks = vec![Block::sign(keys, message, &next.public())?];
        Ok(Self { blocks, next })
    }

    /// The token with one more block, signed with the secret it carries.
    ///
    /// # Errors
    ///
    /// The operating system gave no random bytes.
    pub fn append(&self, message: &[u8]) -> Result<Self, Error> {
        let next = KeyPair::generate()?;
        let mut blocks = self.blocks.clone();
        blocks.push(Block::sign(&self.next, message, &next.public())?);
        Ok(Self { blocks, next })
    }

    /// Whether the signatures chain. The caller must compare the first key with the root's.
    pub fn verify(&self) -> bool {
        verify_blocks(&self.blocks, &self.next.public())
    }

    /// The token for the verifier who sent this challenge.
    ///
    /// # Errors
    ///
    /// The operating system gave no random bytes.
    pub fn answer(&self, challenge: &[u8]) -> Result<ChallengeToken, Error> {
        let next = self.next.public();
        let chain = chain_hash(&self.blocks, &next);
        Ok(ChallengeToken {
            blocks: self.blocks.clone(),
            next,
            challenge: challenge.to_vec(),
            response: Signature::sign(&self.next, challenge, &chain)?,
        })
    }

    /// The token as bytes, which contain its secret.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = write_blocks(&self.blocks, Block::write);
        write_scalar(&mut out, self.next.secret());
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
            blocks: reader.blocks(Block::read)?,
            next: KeyPair::from_secret(reader.scalar("next secret")?),
        };
        reader.finish()?;
        Ok(token)
    }
}

/// A token with the answer to a challenge instead of the secret. It proves nothing: see the
/// [module](self).
///
/// ```
/// use klero_studies::challenge::{ChallengeToken, KeyPair, Token};
///
/// let answer = Token::new(&KeyPair::generate()?, b"read")?.answer(b"1234")?;
/// assert!(answer.verify());
///
/// let bytes = answer.encode();
/// assert_eq!(bytes.len(), 96 + 96 + 4 + (4 + 4) + (4 + 4));
/// assert_eq!(ChallengeToken::decode(&bytes)?, answer);
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengeToken {
    /// The blocks, that of the root first.
    pub blocks: Vec<Block>,
    /// The key after the last block.
    pub next: RistrettoPoint,
    /// The challenge, according to the holder.
    pub challenge: Vec<u8>,
    /// The signature by the key after the last block, over the challenge and the chain.
    pub response: Signature,
}

impl ChallengeToken {
    /// Whether the signatures chain and the response is to the challenge in the token.
    /// The caller must compare the first key with the root's, and the challenge with its own.
    pub fn verify(&self) -> bool {
        let chain = chain_hash(&self.blocks, &self.next);
        self.response.verify(&self.next, &self.challenge, &chain)
            && verify_blocks(&self.blocks, &self.next)
    }

    /// The token as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = write_blocks(&self.blocks, Block::write);
        write_point(&mut out, &self.next);
        self.response.write(&mut out);
        write_message(&mut out, &self.challenge);
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
            blocks: reader.blocks(Block::read)?,
            next: reader.point("next key")?,
            response: Signature::read(&mut reader)?,
            challenge: reader.message("challenge")?,
        };
        reader.finish()?;
        Ok(token)
    }
}
