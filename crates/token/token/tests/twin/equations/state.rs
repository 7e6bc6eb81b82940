//! The state of a token: a hash of everything in it.

use sha2::{Digest, Sha512};

use crate::encoding::Part;

pub fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}

pub fn le64(bytes: &[u8]) -> [u8; 8] {
    (bytes.len() as u64).to_le_bytes()
}

/// The state of a token after these blocks.
pub fn state(scheme: u8, root_id: u32, blocks: &[Part]) -> [u8; 64] {
    let begin = sha512(&[b"klero-token/begin\x03", &[scheme], &root_id.to_le_bytes()]);
    blocks.iter().fold(begin, |state, block| {
        let (kind, payload) = ([block.kind], &block.payload);
        sha512(&[
            b"klero-token/link\x03",
            &state,
            &kind,
            &block.link,
            &le64(payload),
            payload,
        ])
    })
}
