//! Blocks, and the body of a token: what it says, before anyone asked whether it may.

use alloc::vec::Vec;
use core::fmt;

use sha2::{Digest, Sha512};

use crate::codec::{Form, Reader, header, length, write_counted};
use crate::error::Error;
use crate::limits::Limits;
use crate::scheme::{self, Construction, Scheme};

/// What a block is.
///
/// ```
/// use klero_token::{Chain, Kind, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?;
/// assert_eq!(token.blocks()[0].kind(), Kind::Root);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The first block, signed by a root key.
    Root,
    /// A block that a holder added.
    Block,
    /// A block that a holder added, with a payload that a third party signed. Anyone can be
    /// a third party, the holder too: what counts is [`Block::external_key`].
    External,
}

impl Kind {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Root => scheme::ROOT,
            Self::Block => scheme::BLOCK,
            Self::External => scheme::EXTERNAL,
        }
    }

    /// The kind of the block of this number.
    fn read(block: usize, reader: &mut Reader<'_>) -> Result<Self, Error> {
        let at = reader.at;
        let [got] = reader.array("kind")?;
        match (block, got) {
            (0, scheme::ROOT) => Ok(Self::Root),
            (1.., scheme::BLOCK) => Ok(Self::Block),
            (1.., scheme::EXTERNAL) => Ok(Self::External),
            _ => Err(Error::Kind {
                block,
                got,
                at,
                expected: if block == 0 { "0 (root)" } else { "1 or 2" },
            }),
        }
    }
}

/// A block of a token. Whether it can be trusted depends on where it came from.
#[derive(Clone)]
pub struct Block<S: Scheme> {
    pub(crate) kind: Kind,
    pub(crate) payload: Vec<u8>,
    pub(crate) link: S::Link,
}

impl<S: Scheme> Block<S> {
    /// Root block, a holder's, or a third party's.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the block says: opaque bytes.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The public key of the holder in the block, or in the first block of the issuer: in
    /// [`Chain`](crate::Chain) the one that signs what comes next, in the other schemes the
    /// one that signed this block.
    pub fn key(&self) -> &[u8] {
        S::key(&self.link).as_ref()
    }

    /// The public key of the third party that signed the payload of a block of kind
    /// [`Kind::External`]: to be compared with the keys that are trusted for what it says.
    pub fn external_key(&self) -> Option<&[u8]> {
        S::external_key(&self.link).map(AsRef::as_ref)
    }
}

impl<S: Scheme> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind, self.payload.len())
    }
}

/// By which a block can be revoked, and with it every token that has it: 32 bytes, from
/// what the block and those before it say. No part of a signature that a holder could
/// make again in another form has a part in it.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?;
/// let narrowed = token.append(b"only the page /home")?;
/// assert_eq!(token.revocation_ids()[0], narrowed.revocation_ids()[0]);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevocationId(pub [u8; 32]);

/// In hexadecimal.
impl fmt::Display for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevocationId({self})")
    }
}

/// The body of a token.
#[derive(Clone)]
pub struct Body<S: Construction> {
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Block<S>>,
    pub(crate) end: S::End,
}

impl<S: Scheme> Body<S> {
    pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        if bytes.len() > limits.bytes {
            return Err(Error::TooLong {
                bytes: bytes.len(),
                limit: limits.bytes,
            });
        }
        let mut reader = Reader::new(bytes);
        let form = reader.header(S::ID, S::NAME)?;
        if form > Form::Sealed as u8 {
            return Err(Error::Form {
                got: form,
                expected: "0 (bearer) or 1 (sealed)",
            });
        }
        let root_id = reader.le32("root key id")?;
        let count = reader.le32("number of blocks")?;
        if count == 0 {
            return Err(Error::NoBlocks);
        }
        if count > limits.blocks {
            return Err(Error::TooManyBlocks {
                blocks: count,
                limit: limits.blocks,
            });
        }
        // Grows with the bytes that are there, not with the blocks announced.
        let mut blocks = Vec::new();
        for block in 0..count as usize {
            let kind = Kind::read(block, &mut reader)?;
            let link = S::read_link(kind.byte(), &mut reader)?;
            let payload = reader.counted("payload")?.to_vec();
            blocks.push(Block {
                kind,
                payload,
                link,
            });
        }
        let end = S::read_end(form == Form::Sealed as u8, &mut reader)?;
        reader.finish()?;
        Ok(Self {
            root_id,
            blocks,
            end,
        })
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        let form = if S::is_sealed(&self.end) {
            Form::Sealed
        } else {
            Form::Bearer
        };
        let mut out = header(S::ID, form);
        out.extend(self.root_id.to_le_bytes());
        out.extend(length(self.blocks.len())?);
        for block in &self.blocks {
            out.push(block.kind.byte());
            S::write_link(&block.link, &mut out);
            write_counted(&block.payload, &mut out)?;
        }
        S::write_end(&self.end, &mut out);
        Ok(out)
    }

    pub(crate) fn revocation_ids(&self) -> Vec<RevocationId> {
        let id = |digest: [u8; 64]| {
            let hash = Sha512::new()
                .chain_update(b"klero-token/v1/revocation")
                .chain_update([S::ID])
                .chain_update(digest)
                .finalize();
            let mut id = [0; 32];
            id.copy_from_slice(&hash[..32]);
            RevocationId(id)
        };
        S::digests(&self.blocks).into_iter().map(id).collect()
    }

    /// The body with one block more.
    pub(crate) fn with(
        &self,
        kind: Kind,
        payload: &[u8],
        (link, end): (S::Link, S::End),
    ) -> Result<Self, Error> {
        length(payload.len())?;
        length(self.blocks.len() + 1)?;
        let mut blocks = self.blocks.clone();
        blocks.push(Block {
            kind,
            payload: payload.to_vec(),
            link,
        });
        Ok(Self {
            root_id: self.root_id,
            blocks,
            end,
        })
    }
}

/// Says nothing of secrets, and little of payloads.
impl<S: Scheme> fmt::Debug for Body<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sealed = S::is_sealed(&self.end);
        f.debug_struct(S::NAME)
            .field("root_id", &self.root_id)
            .field("blocks", &self.blocks)
            .field("sealed", &sealed)
            .finish()
    }
}
