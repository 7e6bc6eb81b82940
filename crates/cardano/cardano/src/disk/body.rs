//! Comparison of the bodies of blocks with their headers.
//!
//! A header contains the hash and the size of its block's body. To compute the hash of a body, each of its
//! stored parts is hashed, and then the list of these hashes. The size of a body is the total length of its
//! parts. In Dijkstra the body is one part, and its hash is the hash of its bytes. Byron has another rule,
//! which is not checked.

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256_each;
use crate::chain::header::Header;
use crate::fault::Fault;

/// Computes the hash of each body from the digests of its parts. A body without digests gets `None`.
pub(crate) fn hashes<'a>(
    bodies: impl Iterator<Item = Option<&'a [Hash<32>]>>,
) -> Vec<Option<Hash<32>>> {
    // If a body needs no more hashing, `known` contains its result. For any other body it contains an outer
    // `None`, which the hash of the body's message replaces at the end.
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

/// Compares the size and the hash of a body with its header. `hash` is `None` if the body does not have the
/// parts that its era requires. Returns `None` if the header contains no hash of a body. If the hash is
/// wrong, the size is not reported as a second fault.
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
