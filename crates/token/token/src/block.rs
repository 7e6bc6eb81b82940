//! Blocks of a token, verified or not, and links. A link holds the keys and signatures that a scheme adds to
//! a token for one block or for a seal.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::caveat::{self, Caveat};
use crate::codec::{Reader, write_counted};
use crate::error::{Error, Place};
use crate::scheme::{self, CAVEATS_ES256, CAVEATS_PASSKEY, KeyKind, Kind, Scheme};
use crate::state::Step;
use crate::statement::Parts;

/// A block of a token. Trust it only if it is from a [`Verified`](crate::Verified) token.
///
/// ```
/// use klero_token::{RootKeys, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let token = Token::mint(&root, 0, b"may read", &["method GET".parse()?])?;
/// let token = token.verify(&RootKeys::from(*root.public_key()), None)?;
/// let block = &token.blocks()[0];
/// assert_eq!(block.payload(), b"may read");
/// assert_eq!(block.caveats(), b"method GET");
/// assert_eq!(block.third_party(), None);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Block {
    /// The kind of the block, as the byte that is hashed. Unlike [`Kind`], it also contains a kind of key.
    pub(crate) byte: u8,
    pub(crate) link: Link,
    /// The whole payload, as it is hashed. In the first block it is
    /// `16 random bytes ‖ le32 |rights| ‖ rights ‖ caveats`.
    pub(crate) whole_payload: Vec<u8>,
    /// The ranges of the payload and of the caveats in `whole_payload`.
    payload: Range<usize>,
    caveats: Range<usize>,
}

/// The number of random bytes in the first block. These bytes make every token different.
const RANDOM: usize = 16;

impl Block {
    /// The kind of the block: the first block, caveats, a statement, or opaque bytes.
    pub fn kind(&self) -> Kind {
        Kind::of(self.byte).unwrap_or(Kind::Opaque)
    }

    /// The payload: the rights in the first block, the third party's payload in a statement, or the bytes of
    /// an opaque block. The application decides what these bytes mean. In a block of caveats, the payload is
    /// the caveats' text.
    pub fn payload(&self) -> &[u8] {
        &self.whole_payload[self.payload.clone()]
    }

    /// The text of the caveats, one per line, in the first block or in a block of caveats. It may be invalid
    /// UTF-8 or have unknown lines, but [`check`](crate::Verified::check) refuses such lines.
    pub fn caveats(&self) -> &[u8] {
        &self.whole_payload[self.caveats.clone()]
    }

    /// The lines of [`caveats`](Self::caveats).
    pub fn caveat_lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.caveats();
        let lines = (!text.is_empty()).then(|| text.split(|byte| *byte == b'\n'));
        lines.into_iter().flatten()
    }

    /// The public key of the third party in a block of kind [`Kind::Statement`]: the kind and the 32 or 33
    /// bytes of the key. Compare the kind and the bytes with the keys that you trust for such statements.
    pub fn third_party(&self) -> Option<(KeyKind, &[u8])> {
        let statement = self.statement()?;
        Some((statement.by, statement.key))
    }

    /// The public key of the device to which this block entrusts the token: the kind of the key, ES256 or
    /// passkey, and its 33 bytes. `None` for all other blocks, and also for an Ed25519 device, because its
    /// key looks like a bearer's key.
    pub fn entrusted_to(&self) -> Option<(KeyKind, &[u8])> {
        match self.byte {
            CAVEATS_ES256 | CAVEATS_PASSKEY => {
                Some((scheme::key_of(self.byte), self.link.committed()))
            }
            _ => None,
        }
    }

    pub(crate) fn statement(&self) -> Option<Parts<'_>> {
        match self.kind() {
            Kind::Statement => Parts::of(scheme::key_of(self.byte), &self.whole_payload),
            _ => None,
        }
    }

    /// The whole payload of a new first block.
    pub(crate) fn root_payload(rights: &[u8], caveats: &[Caveat]) -> Result<Vec<u8>, Error> {
        let mut payload = Vec::from([0; RANDOM]);
        getrandom::fill(&mut payload).map_err(Error::NoRandomness)?;
        write_counted(rights, &mut payload)?;
        payload.extend(caveat::write(caveats)?.bytes());
        Ok(payload)
    }

    /// Makes a block. `byte` must be the kind of a block, not of a seal.
    pub(crate) fn new(byte: u8, link: Link, whole_payload: Vec<u8>) -> Result<Self, Error> {
        let reader = Reader::new(&whole_payload);
        let [payload, caveats] = read_parts(byte, 0, reader, whole_payload.len())?;
        Ok(Self {
            byte,
            link,
            whole_payload,
            payload,
            caveats,
        })
    }

    pub(crate) fn read(
        scheme: Scheme,
        number: usize,
        previous: Option<&Self>,
        reader: &mut Reader<'_>,
    ) -> Result<Self, Error> {
        let byte = reader.kind(scheme, number, previous.map(|block| block.byte))?;
        let link = Link::read(scheme, byte, reader)?;
        let whole_payload = reader.counted("payload")?;
        let length = whole_payload.len();
        let [payload, caveats] = read_parts(byte, number, reader.again(length), length)?;
        Ok(Self {
            byte,
            link,
            whole_payload: whole_payload.to_vec(),
            payload,
            caveats,
        })
    }

    pub(crate) fn step(&self) -> Step<'_> {
        Step::new(self.byte, self.link.as_bytes(), &self.whole_payload)
    }

    /// The length of the block's encoding.
    pub(crate) fn encoded_length(&self) -> usize {
        1 + self.link.as_bytes().len() + 4 + self.whole_payload.len()
    }

    /// Two numbers: the signatures in the payload (1 in a statement, otherwise 0), and the caveats.
    pub(crate) fn counts(&self) -> [usize; 2] {
        let statements = usize::from(self.kind() == Kind::Statement);
        [statements, self.caveat_lines().count()]
    }
}

/// Returns the ranges of the payload and of the caveats in a whole payload of this length.
fn read_parts(
    byte: u8,
    number: usize,
    mut reader: Reader<'_>,
    length: usize,
) -> Result<[Range<usize>; 2], Error> {
    let (all, none) = (0..length, length..length);
    Ok(match Kind::of(byte) {
        Some(Kind::Root) => {
            reader.bytes("random bytes", RANDOM)?;
            let rights = reader.counted("rights")?;
            let begin = RANDOM + 4;
            let end = begin + rights.len();
            [begin..end, end..length]
        }
        Some(Kind::Statement) => {
            let place = Place::ThirdParty(number);
            let parts = Parts::read(scheme::key_of(byte), &mut reader, place)?;
            [parts.length()..length, none]
        }
        Some(Kind::Caveats) => [all.clone(), all],
        _ => [all, none],
    })
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind(), self.payload().len())
    }
}

/// The bytes of a link: up to 97. The committed part, keys and points, comes first. In `Chain`, a signature
/// follows, which covers that part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    bytes: [u8; Self::LONGEST],
    committed: usize,
    length: usize,
}

impl Link {
    const LONGEST: usize = 97;

    /// A link of these two parts, which together have at most 97 bytes.
    pub(crate) fn new(committed: &[u8], signature: &[u8]) -> Self {
        let mut bytes = [0; Self::LONGEST];
        let (front, back) = bytes.split_at_mut(committed.len());
        front.copy_from_slice(committed);
        back[..signature.len()].copy_from_slice(signature);
        Self {
            bytes,
            committed: committed.len(),
            length: committed.len() + signature.len(),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(crate) fn committed(&self) -> &[u8] {
        &self.bytes[..self.committed]
    }

    pub(crate) fn signature(&self) -> &[u8] {
        &self.bytes[self.committed..self.length]
    }

    /// Reads a link of this kind.
    pub(crate) fn read(scheme: Scheme, kind: u8, reader: &mut Reader<'_>) -> Result<Self, Error> {
        let [committed, signature] = scheme.link_lengths(kind);
        let committed = reader.bytes("key", committed)?;
        Ok(Self::new(committed, reader.bytes("signature", signature)?))
    }
}
