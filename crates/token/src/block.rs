//! Blocks, and the body of a token: its content, verified or not.

use alloc::vec::Vec;
use core::fmt;

use sha2::{Digest, Sha512};

use crate::codec::{Form, Reader, header, length, write_counted};
use crate::error::Error;
use crate::key::Keys;
use crate::kind::Kind;
use crate::limits::Limits;

/// The blocks of a scheme: what they hold beside their payload, and how it is encoded.
#[allow(missing_docs, private_interfaces)]
pub trait Blocks: Keys {
    /// The number of the scheme in the encoding.
    const ID: u8;

    /// What a block holds beside its kind and payload.
    type Link: Clone + Eq;
    /// What follows the last block.
    type End: Clone;

    fn is_sealed(end: &Self::End) -> bool;
    /// For each block 64 bytes, from which its revocation id is hashed.
    fn digests(blocks: &[Block<Self>]) -> Vec<[u8; 64]>;
    /// The key of the holder, or in the first block of the issuer.
    fn key(link: &Self::Link) -> &Self::KeyBytes;
    /// The third party's key.
    fn external_key(link: &Self::Link) -> Option<&Self::KeyBytes>;

    fn write_link(link: &Self::Link, out: &mut Vec<u8>);
    fn read_link(kind: u8, reader: &mut Reader<'_>) -> Result<Self::Link, Error>;
    fn write_end(end: &Self::End, out: &mut Vec<u8>);
    fn read_end(sealed: bool, reader: &mut Reader<'_>) -> Result<Self::End, Error>;
}

/// A block of a token. Trust it only if it is from a [`Verified`](crate::Verified) token.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?;
/// let block = &token.blocks()[0];
/// assert_eq!(block.payload(), b"may read");
/// assert_eq!(block.external_key(), None);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Block<S: Blocks> {
    pub(crate) kind: Kind,
    pub(crate) payload: Vec<u8>,
    pub(crate) link: S::Link,
}

impl<S: Blocks> Block<S> {
    /// Whether it is the root block, a holder's, or a third party's.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The payload: bytes whose meaning is up to the application.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The public key of the holder who added the block, or of the issuer in the first block.
    /// In [`Chain`](crate::Chain) it is the key that signs the next block, in the other
    /// schemes the key that signed this one.
    pub fn key(&self) -> &[u8] {
        S::key(&self.link).as_ref()
    }

    /// The public key of the third party that signed the payload of a block of kind
    /// [`Kind::External`]. Compare it with the keys that you trust for such payloads.
    pub fn external_key(&self) -> Option<&[u8]> {
        S::external_key(&self.link).map(AsRef::as_ref)
    }
}

impl<S: Blocks> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind, self.payload.len())
    }
}

/// The identifier, 32 bytes, by which a block is revoked, and with it every token that
/// contains the block. It is a hash of the content of this block and of all blocks before it.
/// Signatures are not hashed where a holder could replace them with other valid ones, so a
/// holder cannot change it.
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

/// Hexadecimal.
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
pub struct Body<S: Blocks> {
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Block<S>>,
    pub(crate) end: S::End,
}

impl<S: Blocks> Body<S> {
    pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        limits.check(bytes.len())?;
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
        // Memory grows with the bytes that arrived, not with the announced number of blocks.
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

    /// The body with a further block.
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

/// Shows no secrets, and of payloads only the length.
impl<S: Blocks> fmt::Debug for Body<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sealed = S::is_sealed(&self.end);
        f.debug_struct(S::NAME)
            .field("root_id", &self.root_id)
            .field("blocks", &self.blocks)
            .field("sealed", &sealed)
            .finish()
    }
}
