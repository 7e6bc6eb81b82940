//! A key that evolves (KES), in the scheme Sum6: a binary tree whose 64 leaves are Ed25519 keys.
//!
//! Every node above the leaves has a left and a right half. Its verification key is the hash of the
//! verification keys of both halves. The left half signs first. The right half signs later, and is only a
//! seed until then. So a secret key consists of the path from the root to the leaf that signs now, this leaf,
//! and the seeds of the right halves on the path that have yet to sign. Secrets left of the path are wiped.
//!
//! Source: cardano-base, `Cardano/Crypto/KES/Sum.hs`.

use core::fmt;

use ed25519_dalek::{Signer, SigningKey};
use zeroize::Zeroizing;

use crate::hash::blake2b_256;

/// The number of halvings from the root to a leaf.
const DEPTH: usize = 6;

/// The secret key of a key-evolving signature scheme (KES) with 64 evolutions.
///
/// It is not constant time, and is only for made-up networks. Seeds and leaves are wiped when they are no
/// longer needed.
pub struct KesKey {
    /// The nodes from the root down to the last node above the leaf.
    path: Vec<Node>,
    leaf: SigningKey,
    evolution: u64,
}

/// The seed of a whole key or of a part of a key.
type Secret = Zeroizing<[u8; 32]>;

/// A node on the path from the root to the leaf that signs.
struct Node {
    /// The verification keys of the left half and the right half.
    keys: [[u8; 32]; 2],
    /// The seed of the right half while the left half signs, then `None`.
    right: Option<Secret>,
}

impl KesKey {
    /// Makes the key of a seed, at evolution 0.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let mut path = Vec::with_capacity(DEPTH);
        let leaf = descend(&mut path, Zeroizing::new(seed));
        Self {
            path,
            leaf,
            evolution: 0,
        }
    }

    /// The current evolution, from 0 to 63.
    pub fn evolution(&self) -> u64 {
        self.evolution
    }

    /// The verification key of 32 bytes. It is the same for all evolutions.
    pub fn verification_key(&self) -> [u8; 32] {
        match self.path.first() {
            Some(root) => *blake2b_256(&[&root.keys[0], &root.keys[1]]),
            None => self.leaf.verifying_key().to_bytes(),
        }
    }

    /// Moves to the next evolution and wipes the key of the current evolution. At the last evolution, returns
    /// `false` and leaves the key as it is.
    pub fn evolve(&mut self) -> bool {
        let Some(turn) = self.path.iter().rposition(|node| node.right.is_some()) else {
            return false;
        };
        self.path.truncate(turn + 1);
        if let Some(seed) = self.path[turn].right.take() {
            self.leaf = descend(&mut self.path, seed);
        }
        self.evolution += 1;
        true
    }

    /// Signs with the current evolution. The 448 bytes are the signature of the leaf, followed by the
    /// verification keys of both halves of each node on the path, from the deepest node to the root.
    pub fn sign(&self, message: &[u8]) -> [u8; 448] {
        let mut signature = [0; 448];
        let (leaf, pairs) = signature.split_at_mut(64);
        leaf.copy_from_slice(&self.leaf.sign(message).to_bytes());
        for (pair, node) in pairs.chunks_exact_mut(64).zip(self.path.iter().rev()) {
            pair.copy_from_slice(node.keys.as_flattened());
        }
        signature
    }
}

impl fmt::Debug for KesKey {
    /// Leaves out the secret parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KesKey")
            .field("evolution", &self.evolution)
            .finish_non_exhaustive()
    }
}

/// Extends the path downwards, always to the left, and returns the leaf. `seed` is the seed of the part of
/// the tree into which the path is extended.
fn descend(path: &mut Vec<Node>, mut seed: Secret) -> SigningKey {
    while path.len() < DEPTH {
        let [left, right] = halves(&seed);
        let below = DEPTH - path.len() - 1;
        path.push(Node {
            keys: [
                verification_key(&left, below),
                verification_key(&right, below),
            ],
            right: Some(right),
        });
        seed = left;
    }
    SigningKey::from_bytes(&seed)
}

/// The verification key of the part of the tree that has this seed, and `depth` halvings down to its leaves.
fn verification_key(seed: &Secret, depth: usize) -> [u8; 32] {
    let Some(below) = depth.checked_sub(1) else {
        return SigningKey::from_bytes(seed).verifying_key().to_bytes();
    };
    let [left, right] = halves(seed).map(|half| verification_key(&half, below));
    *blake2b_256(&[&left, &right])
}

/// The seeds of the left half and the right half.
fn halves(seed: &Secret) -> [Secret; 2] {
    [1, 2].map(|half| Zeroizing::new(*blake2b_256(&[&[half], &seed[..]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_64_evolutions() {
        let mut key = KesKey::from_seed([1; 32]);
        let root = key.verification_key();
        let mut leaves = std::collections::BTreeSet::new();
        loop {
            assert!(leaves.insert(key.leaf.verifying_key().to_bytes()));
            assert_eq!(key.verification_key(), root);
            assert_eq!(key.path.len(), DEPTH);
            // From the root down, each node of the path gives a binary digit of the evolution: 1 if it has no
            // right seed, else 0.
            let digits = key
                .path
                .iter()
                .fold(0, |n, node| 2 * n + u64::from(node.right.is_none()));
            assert_eq!(digits, key.evolution());
            if !key.evolve() {
                break;
            }
        }
        assert_eq!((leaves.len(), key.evolution()), (64, 63));
        let text = format!("{key:?}");
        assert_eq!(text, "KesKey { evolution: 63, .. }");
    }
}
