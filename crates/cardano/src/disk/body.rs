//! The bodies of blocks, compared with what the headers say of them.
//!
//! A header names the hash of its block's body, which is the hash of the hashes of the body's
//! parts as stored, and the sum of their lengths. Byron has another rule, which is not checked.

use std::ops::Range;

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256_each;
use crate::chain::header::Header;
use crate::disk::finding::FindingKind;

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
    let (mut messages, mut has_parts) = (Vec::new(), Vec::new());
    for body in bodies {
        let parts = match body {
            Body::Parts { digests: parts, .. } => digests.get(parts.clone()),
            _ => None,
        };
        has_parts.push(parts.is_some());
        if let Some(parts) = parts {
            let mut message: [&[u8]; 4] = [&[]; 4];
            for (part, digest) in message.iter_mut().zip(parts) {
                *part = &digest[..];
            }
            messages.push(message);
        }
    }
    let mut hashes = blake2b_256_each(&messages);
    let of = |has_parts| if has_parts { hashes.next() } else { None };
    has_parts.into_iter().map(of).collect()
}

impl Body {
    /// What is wrong with it, which has this hash; `None` if it was not checked. A body of the
    /// wrong hash may have any size, so one fault is enough.
    pub(crate) fn compare(
        &self,
        hash: Option<Hash<32>>,
        header: &Header,
    ) -> Option<Result<(), FindingKind>> {
        let (expected, listed) = (header.body_hash?, header.body_size?);
        match *self {
            Body::Unchecked => None,
            Body::Parts { size, .. } if hash == Some(expected) => Some(if size == listed {
                Ok(())
            } else {
                Err(FindingKind::BodySize {
                    expected: listed,
                    found: size,
                })
            }),
            _ => Some(Err(FindingKind::BodyHash {
                expected,
                found: hash,
            })),
        }
    }
}
