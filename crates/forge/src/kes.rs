//! A key that evolves: Sum6, a binary tree over 64 Ed25519 keys.
//!
//! A node's verification key is the hash of the verification keys of its halves. A node signs with its left
//! half first, then with the right one, which until then is a seed. So the key holds a path from the root to
//! the leaf that signs, and the seeds of everything to the right of the path. Everything to the left is gone:
//! it is wiped as the key evolves.
//!
//! Source: cardano-base, `Cardano/Crypto/KES/Sum.hs`.

use core::fmt;

use ed25519_dalek::{Signer, SigningKey};
use zeroize::Zeroizing;

use crate::hash::blake2b_256;

/// Halvings from the root to a leaf.
const DEPTH: usize = 6;

/// The secret key of a KES with 64 evolutions.
///
/// Not constant time, and for made-up networks only. Seeds and leaves are wiped when they are
/// not needed any more.
pub struct KesKey {
    /// The path, the root first.
    path: Vec<Node>,
    leaf: SigningKey,
    evolution: u64,
}

/// A seed of a key or of a part of it.
type Secret = Zeroizing<[u8; 32]>;

/// A node on the path from the root to the leaf that signs.
struct Node {
    /// The verification keys of its halves.
    keys: [[u8; 32]; 2],
    /// The seed of its right half, while the left one signs.
    right: Option<Secret>,
}

impl KesKey {
    /// The key of a seed, at evolution 0.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let mut path = Vec::with_capacity(DEPTH);
        let leaf = descend(&mut path, Zeroizing::new(seed));
        Self {
            path,
            leaf,
            evolution: 0,
        }
    }

    /// The evolution, from 0 to 63.
    pub fn evolution(&self) -> u64 {
        self.evolution
    }

    /// The verification key, 32 bytes: the same for all evolutions.
    pub fn verification_key(&self) -> [u8; 32] {
        match self.path.first() {
            Some(root) => *blake2b_256(&[&root.keys[0], &root.keys[1]]),
            None => self.leaf.verifying_key().to_bytes(),
        }
    }

    /// Goes on to the next evolution and wipes the key of this one. At the last evolution, returns `false`
    /// and leaves the key as it is.
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

    /// The signature of this evolution, 448 bytes: that of the leaf, then the pairs of verification keys,
    /// from the deepest node to the root.
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

/// Descends to the left from the end of the path, where the key has this seed, and returns the leaf.
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

/// The verification key of a seed that is `depth` halvings above the leaves.
fn verification_key(seed: &Secret, depth: usize) -> [u8; 32] {
    let Some(below) = depth.checked_sub(1) else {
        return SigningKey::from_bytes(seed).verifying_key().to_bytes();
    };
    let [left, right] = halves(seed).map(|half| verification_key(&half, below));
    *blake2b_256(&[&left, &right])
}

/// The seeds of both halves.
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
            // A node without a right seed is a 1 in the binary digits of the evolution, the root first.
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
