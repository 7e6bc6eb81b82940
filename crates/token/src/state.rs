//! The state of a token: a hash of everything in it so far. What is signed next is bound to it.
//!
//! ```text
//! state before the first link = SHA-512("klero-token/begin" ‖ 2 ‖ scheme ‖ le32 root key id)
//! state after a link          = SHA-512("klero-token/link" ‖ 2 ‖ state before ‖ kind ‖ link
//!                                       ‖ le64 |payload| ‖ payload)
//! revocation id of a block    = SHA-512("klero-token/id" ‖ 2 ‖ state after)[..32]
//! ```
//! The 2 is the version. The scheme and the kind fix the length of a link, so no two tokens are
//! hashed from the same bytes.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::Engine;
use sha2::{Digest, Sha512};

/// The state of a token, 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(pub(crate) [u8; 64]);

/// A link and its payload, as they are hashed.
pub(crate) struct Step<'a> {
    kind: [u8; 1],
    link: &'a [u8],
    length: [u8; 8],
    payload: &'a [u8],
}

impl<'a> Step<'a> {
    pub(crate) fn new(kind: u8, link: &'a [u8], payload: &'a [u8]) -> Self {
        Self {
            kind: [kind],
            link,
            length: le64(payload),
            payload,
        }
    }
}

/// The length of a payload as it is hashed and signed.
pub(crate) fn le64(payload: &[u8]) -> [u8; 8] {
    (payload.len() as u64).to_le_bytes()
}

impl State {
    /// The state of a token without links.
    pub(crate) fn begin(scheme: u8, root_id: u32) -> Self {
        let hash = Sha512::new()
            .chain_update(b"klero-token/begin\x02")
            .chain_update([scheme])
            .chain_update(root_id.to_le_bytes());
        Self(hash.finalize().into())
    }

    /// The state after a link.
    pub(crate) fn absorb(&self, step: &Step<'_>) -> Self {
        let mut hash = Sha512::new();
        for part in self.parts(step) {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The states after each link of each token: a link of every token after the other, side by
    /// side in lanes.
    pub(crate) fn after_each(engine: Engine, tokens: &[(Self, Vec<Step<'_>>)]) -> Vec<Vec<Self>> {
        let lengths = tokens.iter().map(|(_, steps)| steps.len());
        let mut states: Vec<_> = lengths.clone().map(Vec::with_capacity).collect();
        for i in 0..lengths.max().unwrap_or(0) {
            let longer =
                |(row, (_, steps)): (usize, &(Self, Vec<_>))| (steps.len() > i).then_some(row);
            let rows: Vec<_> = tokens.iter().enumerate().filter_map(longer).collect();
            let parts = rows.iter().map(|&row| {
                let (begin, steps) = &tokens[row];
                states[row].last().unwrap_or(begin).parts(&steps[i])
            });
            let digests = hash_each(engine, &parts.collect::<Vec<_>>());
            for (row, digest) in rows.into_iter().zip(digests) {
                states[row].push(Self(digest));
            }
        }
        states
    }

    fn parts<'a>(&'a self, step: &'a Step<'_>) -> [&'a [u8]; 6] {
        [
            b"klero-token/link\x02",
            &self.0,
            &step.kind,
            step.link,
            &step.length,
            step.payload,
        ]
    }

    /// The revocation id of the block that led to this state.
    pub(crate) fn id(&self) -> [u8; 32] {
        let hash = Sha512::new()
            .chain_update(b"klero-token/id\x02")
            .chain_update(self.0)
            .finalize();
        let mut id = [0; 32];
        id.copy_from_slice(&hash[..32]);
        id
    }
}

/// SHA-512 of messages in parts, in lanes.
pub(crate) fn hash_each<const N: usize>(engine: Engine, parts: &[[&[u8]; N]]) -> Vec<[u8; 64]> {
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 64]; messages.len()];
    engine.sha512(&[], &messages, &mut digests);
    digests
}
