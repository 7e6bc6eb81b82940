//! A second implementation of the encoding. It splits a token into parts, which tests can change before they
//! encode the token again.

// Each test uses only a part of this module.
#![allow(dead_code)]

use std::cell::Cell;

use klero_token::{Limits, Place};

use crate::equations::{Twin, split_counted};

pub const ROOT: u8 = 0;
pub const CAVEATS: u8 = 1;
pub const STATEMENT: u8 = 2;
pub const OPAQUE: u8 = 3;
pub const SEAL: u8 = 4;
pub const CAVEATS_ES256: u8 = 6;
pub const CAVEATS_PASSKEY: u8 = 7;
pub const STATEMENT_ES256: u8 = 8;
pub const STATEMENT_PASSKEY: u8 = 9;
pub const SEAL_ES256: u8 = 10;
pub const SEAL_PASSKEY: u8 = 11;

/// The reason why a token is refused, in the words of `vectors/`, and the place of the fault.
pub type Refusal = (&'static str, Option<Place>);

const TRUNCATED: Refusal = ("truncated", None);

thread_local! {
    /// The reason of the check that is left out, if any. Leaving it out shows that nothing else is wrong.
    pub static WITHOUT: Cell<&'static str> = const { Cell::new("") };
}

/// Returns a refusal for this reason, unless the condition holds or the check with this reason is left out.
pub fn ensure(holds: bool, reason: &'static str, place: Option<Place>) -> Result<(), Refusal> {
    match holds || WITHOUT.get() == reason {
        true => Ok(()),
        false => Err((reason, place)),
    }
}

/// A token in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    pub scheme: u8,
    pub sealed: bool,
    /// True if a device has the last key.
    pub held: bool,
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

/// The payload of a first block with these rights, no caveats, and fixed bytes in place of random bytes.
pub fn rights(rights: &[u8]) -> Vec<u8> {
    [
        &[0x77; 16],
        &(rights.len() as u32).to_le_bytes()[..],
        rights,
    ]
    .concat()
}

/// Key, signature, the data that a passkey signed, and the stated payload.
pub type Statement<'a> = (&'a [u8], &'a [u8], Option<[&'a [u8]; 2]>, &'a [u8]);

impl Part {
    /// The payload as the parts of a statement, if it is long enough.
    pub fn statement(&self) -> Option<Statement<'_>> {
        let length = if self.kind == STATEMENT { 32 } else { 33 };
        let (key, rest) = self.payload.split_at_checked(length)?;
        let (signature, rest) = rest.split_at_checked(64)?;
        if self.kind == STATEMENT_PASSKEY {
            let (signed, stated) = split_counted(rest)?;
            return Some((key, signature, Some(signed), stated));
        }
        Some((key, signature, None, rest))
    }

    /// True if the block entrusts the token to a key of P-256.
    pub fn entrusts(&self) -> bool {
        matches!(self.kind, CAVEATS_ES256 | CAVEATS_PASSKEY)
    }

    /// True if the block is a statement.
    pub fn states(&self) -> bool {
        matches!(self.kind, STATEMENT | STATEMENT_ES256 | STATEMENT_PASSKEY)
    }

    /// The rights and the caveats of a first block.
    pub fn root(&self) -> Option<(&[u8], &[u8])> {
        let (length, rest) = self.payload.get(16..)?.split_first_chunk()?;
        rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    }

    /// The lines of the block's caveats.
    pub fn lines(&self) -> Vec<&[u8]> {
        let text = match self.kind {
            ROOT => self.root().map_or(&[][..], |(_, caveats)| caveats),
            CAVEATS | CAVEATS_ES256 | CAVEATS_PASSKEY => &self.payload,
            _ => &[],
        };
        match text {
            [] => Vec::new(),
            text => text.split(|byte| *byte == b'\n').collect(),
        }
    }
}

/// True if authenticator data and client data have at most 1024 bytes each.
fn are_short(signed: Option<[&[u8]; 2]>) -> bool {
    signed.is_none_or(|parts| parts.iter().all(|part| part.len() <= 1024))
}

impl Parts {
    /// A token without blocks, to which the first block can be added.
    pub fn nothing<S: Twin>(end: &[u8]) -> Self {
        Self {
            scheme: S::ID,
            sealed: false,
            held: false,
            root_id: 0,
            blocks: Vec::new(),
            end: end.to_vec(),
        }
    }

    /// Splits the encoding of a token into parts, if the token is of this scheme and within the default
    /// limits.
    pub fn read<S: Twin>(bytes: &[u8]) -> Option<Self> {
        Self::read_within::<S>(bytes, &Limits::default()).ok()
    }

    /// Reads as [`read`](Self::read) does, but within given limits, and returns the reason for a refusal.
    /// This long function is not split, because it reads field by field and stops at the first fault.
    pub fn read_within<S: Twin>(bytes: &[u8], limits: &Limits) -> Result<Self, Refusal> {
        ensure(bytes.len() <= limits.bytes, "too long", None)?;
        let mut left = bytes;
        let mut take = |n: usize| left.split_off(..n).ok_or(TRUNCATED);
        let number = |bytes: &[u8]| Ok(u32::from_le_bytes(bytes.try_into().or(Err(TRUNCATED))?));
        ensure(take(2)? == b"KT", "magic", None)?;
        ensure(take(1)? == [3], "version", None)?;
        ensure(take(1)? == [S::ID], "scheme", None)?;
        let form = take(1)?[0];
        let forms: &[u8] = if S::NAME == "chain" {
            &[0, 1, 4]
        } else {
            &[0, 1]
        };
        ensure(forms.contains(&form), "form", None)?;
        let sealed = form == 1;
        let root_id = number(take(4)?)?;
        let count = number(take(4)?)?;
        ensure(count > 0, "no blocks", None)?;
        let mut signatures = count.saturating_add(sealed.into());
        ensure(signatures <= limits.signatures, "too many signatures", None)?;
        let mut caveats = 0;
        let mut blocks = Vec::new();
        for i in 0..count {
            let kind = take(1)?[0];
            let entrusts = matches!(kind, CAVEATS_ES256 | CAVEATS_PASSKEY);
            let further = matches!(kind, CAVEATS | STATEMENT | OPAQUE)
                || matches!(kind, STATEMENT_ES256 | STATEMENT_PASSKEY)
                || entrusts && S::NAME == "chain";
            let known = if i == 0 { kind == ROOT } else { further };
            let known = known && !blocks.last().is_some_and(Part::entrusts);
            ensure(known, "kind", Some(Place::Block(i as usize)))?;
            let link = take(S::link_length(kind))?.to_vec();
            let length = number(take(4)?)?;
            let block = Part {
                kind,
                link,
                payload: take(length as usize)?.to_vec(),
            };
            match kind {
                ROOT => drop(block.root().ok_or(TRUNCATED)?),
                STATEMENT | STATEMENT_ES256 | STATEMENT_PASSKEY => {
                    let (_, _, signed, _) = block.statement().ok_or(TRUNCATED)?;
                    let place = Some(Place::ThirdParty(i as usize));
                    ensure(are_short(signed), "assertion too long", place)?;
                    signatures += 1;
                    ensure(signatures <= limits.signatures, "too many signatures", None)?;
                }
                _ => {}
            }
            caveats += block.lines().len();
            ensure(caveats <= limits.caveats as usize, "too many caveats", None)?;
            blocks.push(block);
        }
        let seal = if sealed { S::link_length(SEAL) } else { 0 };
        let held = form == 4;
        let secret = if held { 0 } else { S::secret_length(sealed) };
        let entrusted = blocks.last().filter(|block| block.entrusts());
        ensure(form != 0 || entrusted.is_none(), "form", None)?;
        let mut end = take(seal + secret)?.to_vec();
        if sealed && entrusted.is_some_and(|block| block.kind == CAVEATS_PASSKEY) {
            for _ in 0..2 {
                let length = take(4)?;
                let signed = take(number(length)? as usize)?;
                end.extend([length, signed].concat());
            }
            let signed = split_counted(&end[64..]).map(|(signed, _)| signed);
            ensure(are_short(signed), "assertion too long", Some(Place::Seal))?;
        }
        ensure(left.is_empty(), "trailing", None)?;
        Ok(Self {
            scheme: S::ID,
            sealed,
            held,
            root_id,
            blocks,
            end,
        })
    }

    /// The encoding of the parts, even if they are not a valid token.
    pub fn bytes(&self) -> Vec<u8> {
        let form = if self.held { 4 } else { self.sealed.into() };
        let mut out = vec![b'K', b'T', 3, self.scheme, form];
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
