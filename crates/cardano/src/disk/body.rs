//! The bodies of blocks, compared with what the headers say of them.
//!
//! A header names the hash and the size of its block's body: the hash of the hashes of the body's parts as
//! stored, and the sum of their lengths. In Dijkstra the body is one part, and the header names the hash of
//! its bytes. Byron has another rule, which is not checked.

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256_each;
use crate::chain::header::Header;
use crate::fault::Fault;

/// The hash of each body from the digests of its parts, if there are any.
pub(crate) fn hashes<'a>(
    bodies: impl Iterator<Item = Option<&'a [Hash<32>]>>,
) -> Vec<Option<Hash<32>>> {
    // The hashes that need no message; an outer `None` stands for the hash of the next message.
    let (mut messages, mut known) = (Vec::new(), Vec::new());
    for parts in bodies {
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

/// Compares the size and the hash of a body with its header; `hash` is `None` if the body does not have the
/// parts of its era. Returns `None` if the header names no body. A body of the wrong hash may have any size,
/// so one fault is enough.
pub(crate) fn compare(
    header: &Header,
    hash: Option<Hash<32>>,
    size: u64,
) -> Option<Result<(), Fault>> {
    let (expected, listed) = (header.body_hash?, header.body_size?);
    Some(match hash == Some(expected) {
        true if size == listed => Ok(()),
        true => Err(Fault::BodySize {
            expected: listed,
            found: size,
        }),
        false => Err(Fault::BodyHash {
            expected,
            found: hash,
        }),
    })
}
