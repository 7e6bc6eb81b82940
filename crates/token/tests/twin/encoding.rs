//! A second implementation of the encoding: tokens in parts, which tests can change before they
//! encode them again.

// Each test uses only a part.
#![allow(dead_code)]

use klero_token::Limits;

use crate::equations::Twin;

pub const ROOT: u8 = 0;
pub const CAVEATS: u8 = 1;
pub const STATEMENT: u8 = 2;
pub const OPAQUE: u8 = 3;
pub const SEAL: u8 = 4;

/// A token in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    pub scheme: u8,
    pub sealed: bool,
    pub root_id: u32,
    pub blocks: Vec<Part>,
    pub end: Vec<u8>,
}

/// A block in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: u8,
    /// Keys and signatures.
    pub link: Vec<u8>,
    pub payload: Vec<u8>,
}

/// The payload of a first block with these rights and no caveats. Its random bytes are not.
pub fn rights(rights: &[u8]) -> Vec<u8> {
    [
        &[0x77; 16],
        &(rights.len() as u32).to_le_bytes()[..],
        rights,
    ]
    .concat()
}

impl Parts {
    /// Nothing yet, for the first block to be added to.
    pub fn nothing<S: Twin>(end: &[u8]) -> Self {
        Self {
            scheme: S::ID,
            sealed: false,
            root_id: 0,
            blocks: Vec::new(),
            end: end.to_vec(),
        }
    }

    /// Takes the encoding of a token of the scheme apart, if it is one and within the
    /// usual limits.
    pub fn read<S: Twin>(bytes: &[u8]) -> Option<Self> {
        let limits = Limits::default();
        if bytes.len() > limits.bytes {
            return None;
        }
        let mut left = bytes;
        let mut take = |n: usize| left.split_off(..n);
        let &[b'K', b'T', 2, scheme, form @ (0 | 1)] = take(5)? else {
            return None;
        };
        let sealed = form == 1;
        let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.try_into().ok()?));
        let root_id = number(take(4)?)?;
        let count = number(take(4)?)?;
        let most = match S::NAME {
            "bls" => limits.pairings,
            _ => limits.signatures,
        };
        let mut signatures = count.checked_add(form.into())?;
        if scheme != S::ID || count == 0 || signatures > most {
            return None;
        }
        let mut blocks = Vec::new();
        for i in 0..count {
            let kind = take(1)?[0];
            if !matches!((i, kind), (0, ROOT) | (1.., CAVEATS | STATEMENT | OPAQUE)) {
                return None;
            }
            let link = take(S::link_length(kind))?.to_vec();
            let length = number(take(4)?)?;
            let payload = take(length as usize)?.to_vec();
            match kind {
                ROOT => {
                    let rights = payload.get(16..)?;
                    let length = number(rights.get(..4)?)?;
                    rights.get(4..)?.get(..length as usize)?;
                }
                STATEMENT => {
                    payload.get(..96)?;
                    signatures += 1;
                }
                _ => {}
            }
            blocks.push(Part {
                kind,
                link,
                payload,
            });
        }
        if signatures > limits.signatures {
            return None;
        }
        let seal = if sealed { S::link_length(SEAL) } else { 0 };
        let end = take(seal + S::secret_length(sealed))?.to_vec();
        left.is_empty().then_some(Self {
            scheme,
            sealed,
            root_id,
            blocks,
            end,
        })
    }

    /// The encoding, whether it makes sense or not.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = vec![b'K', b'T', 2, self.scheme, u8::from(self.sealed)];
        out.extend(self.root_id.to_le_bytes());
        out.extend((self.blocks.len() as u32).to_le_bytes());
        for block in &self.blocks {
            out.push(block.kind);
            out.extend(&block.link);
            out.extend((block.payload.len() as u32).to_le_bytes());
            out.extend(&block.payload);
        }
        out.extend(&self.end);
        out
    }
}
