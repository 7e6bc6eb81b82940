//! The bodies of blocks, compared with what the headers say of them.
//!
//! A header names the hash of its block's body, which is the hash of the hashes of the body's
//! parts as stored, and the sum of their lengths. In Dijkstra the body is one part, and its hash is that of
//! its bytes. Byron has another rule, which is not checked.

use std::ops::Range;

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256_each;
use crate::chain::header::Header;
use crate::finding::Fault;

/// What was read of a body.
pub(crate) enum Body {
    /// Nothing: it is not checked.
    Unchecked,
    /// It does not have the parts of its era.
    Malformed,
    /// The places of the digests of its parts, and the sum of their lengths.
    Parts { digests: Range<usize>, size: u64 },
}

/// The hash of each body, if it has parts, from the digests of these.
pub(crate) fn hashes<'a>(
    bodies: impl Iterator<Item = &'a Body>,
    digests: &[Hash<32>],
) -> Vec<Option<Hash<32>>> {
    // What is known of each hash before the messages are hashed; nothing, if it is that of the next one.
    let (mut messages, mut known) = (Vec::new(), Vec::new());
    for body in bodies {
        let parts = match body {
            Body::Parts { digests: parts, .. } => digests.get(parts.clone()),
            _ => None,
        };
        known.push(match parts {
            None => Some(None),
            Some([whole]) => Some(Some(*whole)),
            Some(parts) => {
                let mut message: [&[u8]; 4] = [&[]; 4];
                for (part, digest) in message.iter_mut().zip(parts) {
                    *part = &digest[..];
                }
                messages.push(message);
                None
            }
        });
    }
    let mut hashes = blake2b_256_each(&messages);
    known
        .into_iter()
        .map(|known| known.unwrap_or_else(|| hashes.next()))
        .collect()
}

impl Body {
    /// What is wrong with it, which has this hash; `None` if it was not checked. A body of the
    /// wrong hash may have any size, so one fault is enough.
    pub(crate) fn compare(
        &self,
        hash: Option<Hash<32>>,
        header: &Header,
    ) -> Option<Result<(), Fault>> {
        let (expected, listed) = (header.body_hash?, header.body_size?);
        match *self {
            Body::Unchecked => None,
            Body::Parts { size, .. } if hash == Some(expected) => Some(if size == listed {
                Ok(())
            } else {
                Err(Fault::BodySize {
                    expected: listed,
                    found: size,
                })
            }),
            _ => Some(Err(Fault::BodyHash {
                expected,
                found: hash,
            })),
        }
    }
}
