//! The state of a token: a hash of everything in the token so far. The next signature covers the state.
//!
//! ```text
//! state before the first link = SHA-512("klero-token/begin" ‖ 3 ‖ scheme ‖ le32 root key id)
//! state after a link          = SHA-512("klero-token/link" ‖ 3 ‖ state before ‖ kind ‖ link
//!                                       ‖ le64 |payload| ‖ payload)
//! revocation id of a block    = SHA-512("klero-token/id" ‖ 3 ‖ state after)[..32]
//! ```
//! Here, 3 is a byte, the version. The scheme and the kind determine the length of a link, so two different
//! tokens never have the same hashed bytes.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::Engine;
use sha2::{Digest, Sha512};

/// The state of a token, 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(pub(crate) [u8; 64]);

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

/// The length of a payload in eight bytes, little-endian. Hashes and signatures cover this encoding.
pub(crate) fn le64(payload: &[u8]) -> [u8; 8] {
    (payload.len() as u64).to_le_bytes()
}

impl State {
    /// The state of a token without links.
    pub(crate) fn begin(scheme: u8, root_id: u32) -> Self {
        Self(hash(&Self::beginning(&[scheme], &root_id.to_le_bytes())))
    }

    /// The state after one more link.
    pub(crate) fn absorb(&self, step: &Step<'_>) -> Self {
        Self(hash(&self.parts(step)))
    }

    /// All states of each token: the state before the first link, and the state after each link. A token is
    /// given by the number of its scheme, the number of its root key, and its links. Each round hashes, in
    /// lanes, the next link of every token that still has one.
    pub(crate) fn all(engine: Engine, tokens: &[(u8, u32, Vec<Step<'_>>)]) -> Vec<Vec<Self>> {
        let ids = tokens
            .iter()
            .map(|(scheme, id, _)| ([*scheme], id.to_le_bytes()));
        let ids: Vec<_> = ids.collect();
        let parts: Vec<_> = ids
            .iter()
            .map(|(scheme, id)| Self::beginning(scheme, id))
            .collect();
        let digests = hash_each(engine, &parts).into_iter();
        let mut states: Vec<_> = digests.map(|digest| vec![Self(digest)]).collect();
        let longest = tokens.iter().map(|(_, _, steps)| steps.len()).max();
        for i in 0..longest.unwrap_or(0) {
            let (rows, parts): (Vec<_>, Vec<_>) = tokens
                .iter()
                .zip(&states)
                .enumerate()
                .filter_map(|(row, ((_, _, steps), states))| {
                    let step = steps.get(i)?;
                    Some((row, states[i].parts(step)))
                })
                .unzip();
            for (row, digest) in rows.into_iter().zip(hash_each(engine, &parts)) {
                states[row].push(Self(digest));
            }
        }
        states
    }

    /// The parts that are hashed to the state of a token without links.
    fn beginning<'a>(scheme: &'a [u8; 1], root_id: &'a [u8; 4]) -> [&'a [u8]; 3] {
        [b"klero-token/begin\x03", scheme, root_id]
    }

    /// The parts that are hashed to the state after a link.
    fn parts<'a>(&'a self, step: &'a Step<'_>) -> [&'a [u8]; 6] {
        [
            b"klero-token/link\x03",
            &self.0,
            &step.kind,
            step.link,
            &step.length,
            step.payload,
        ]
    }

    /// The revocation id of the block that led to this state.
    pub(crate) fn id(&self) -> [u8; 32] {
        let hash = hash(&[b"klero-token/id\x03", &self.0]);
        let mut id = [0; 32];
        id.copy_from_slice(&hash[..32]);
        id
    }
}

/// The SHA-512 hash of a message that is given in parts.
fn hash(parts: &[&[u8]]) -> [u8; 64] {
    let hash = Sha512::new();
    let hash = parts
        .iter()
        .fold(hash, |hash, part| hash.chain_update(part));
    hash.finalize().into()
}

/// The SHA-512 hashes of messages that are given in parts, computed in lanes.
pub(crate) fn hash_each<const N: usize>(engine: Engine, parts: &[[&[u8]; N]]) -> Vec<[u8; 64]> {
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 64]; messages.len()];
    engine.sha512(&[], &messages, &mut digests);
    digests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::{OPAQUE, ROOT};

    /// In `aggregate`, a first link has two points, and a further link has one. Without the kind, the bytes
    /// after the first point could be read either as a second point or as the length of a payload.
    #[test]
    fn kinds_tell_links_of_different_lengths_apart() {
        let payload = b"may read";
        let mut two_points = [7; 64];
        let rest = [&two_points[40..], &le64(payload), payload].concat();
        two_points[32..40].copy_from_slice(&le64(&rest));
        let before = State::begin(2, 0);
        let long = |kind| before.absorb(&Step::new(kind, &two_points, payload));
        let short = |kind| before.absorb(&Step::new(kind, &two_points[..32], &rest));
        assert_eq!(long(OPAQUE), short(OPAQUE));
        assert_ne!(long(ROOT), short(OPAQUE));
    }
}
