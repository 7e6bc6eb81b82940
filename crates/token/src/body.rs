//! The body of a token: its content, verified or not, and the framing of it, which is the same in
//! every scheme.

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use klero_lanes::engine;

use crate::caveat::{self, Caveat};
use crate::codec::{Form, Reader, header, length, name_of, write_counted};
use crate::error::Error;
use crate::kind::{Kind, SEAL};
use crate::limits::Limits;
use crate::link::Link;
use crate::scheme::{Scheme, Secret};
use crate::state::{State, Step};
use crate::statement::Parts;

/// A block of a token. Trust it only if it is from a [`Verified`](crate::Verified) token.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read", &["method GET".parse()?])?;
/// let block = &token.blocks()[0];
/// assert_eq!(block.payload(), b"may read");
/// assert_eq!(block.caveats(), b"method GET");
/// assert_eq!(block.third_party(), None);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Block {
    kind: Kind,
    pub(crate) link: Link,
    /// All of the payload, as it is hashed: of the first block
    /// `16 random bytes ‖ le32 |rights| ‖ rights ‖ caveats`.
    pub(crate) whole_payload: Vec<u8>,
}

/// Random bytes of the first block, which make each token a different one.
const RANDOM: usize = 16;

impl Block {
    /// Whether it is the first block, caveats, a statement, or something else.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The payload. Its meaning is up to the application: the rights in the first block, what a
    /// third party states, or the bytes of an opaque block. Of a block of caveats it is their
    /// text.
    pub fn payload(&self) -> &[u8] {
        match self.kind {
            Kind::Root => self.root_parts().0,
            Kind::Statement => Parts::of(&self.whole_payload).map_or(&[], |parts| parts.payload),
            Kind::Caveats | Kind::Opaque => &self.whole_payload,
        }
    }

    /// The text of the caveats, one to a line, of the first block and of blocks of caveats. It
    /// need not be text, or of caveats: [`check`](crate::Verified::check) refuses what it does
    /// not know.
    pub fn caveats(&self) -> &[u8] {
        match self.kind {
            Kind::Root => self.root_parts().1,
            Kind::Caveats => &self.whole_payload,
            Kind::Statement | Kind::Opaque => &[],
        }
    }

    /// The lines of [`caveats`](Self::caveats).
    ///
    /// ```
    /// use klero_token::{Chain, SecretKey, Verified};
    /// let caveats = ["method GET".parse()?, "path /files".parse()?];
    /// let root = SecretKey::<Chain>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read", &caveats)?;
    /// let lines: Vec<_> = token.blocks()[0].caveat_lines().collect();
    /// assert_eq!(lines, [&b"method GET"[..], b"path /files"]);
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn caveat_lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.caveats();
        let lines = (!text.is_empty()).then(|| text.split(|byte| *byte == b'\n'));
        lines.into_iter().flatten()
    }

    /// The public key, 32 bytes, of the third party that made the statement in a block of kind
    /// [`Kind::Statement`]. Compare it with the keys that you trust for such statements.
    pub fn third_party(&self) -> Option<&[u8]> {
        Some(self.statement()?.key)
    }

    pub(crate) fn statement(&self) -> Option<Parts<'_>> {
        match self.kind {
            Kind::Statement => Parts::of(&self.whole_payload),
            _ => None,
        }
    }

    /// The payload of a first block.
    pub(crate) fn root_payload(rights: &[u8], caveats: &[Caveat]) -> Result<Vec<u8>, Error> {
        let mut payload = Vec::from([0; RANDOM]);
        getrandom::fill(&mut payload).map_err(Error::NoRandomness)?;
        write_counted(rights, &mut payload)?;
        payload.extend(caveat::write(caveats)?.bytes());
        Ok(payload)
    }

    /// Rights and caveats of a first block.
    fn root_parts(&self) -> (&[u8], &[u8]) {
        let mut reader = Reader::new(&self.whole_payload);
        // The parts were there when the block was made.
        let rights = read_rights(&mut reader).unwrap_or_default();
        (rights, reader.rest())
    }

    fn read<S: Scheme>(number: usize, reader: &mut Reader<'_>) -> Result<Self, Error> {
        let kind = Kind::read(number, reader)?;
        let link = read_link::<S>(kind.byte(), reader)?;
        let whole_payload = reader.counted("payload")?;
        let mut parts = reader.again(whole_payload.len());
        match kind {
            Kind::Root => drop(read_rights(&mut parts)?),
            Kind::Statement => Parts::read(&mut parts)?,
            Kind::Caveats | Kind::Opaque => {}
        }
        Ok(Self {
            kind,
            link,
            whole_payload: whole_payload.to_vec(),
        })
    }

    pub(crate) fn step(&self) -> Step<'_> {
        Step::new(self.kind.byte(), self.link.as_bytes(), &self.whole_payload)
    }
}

/// Reads a first block up to the caveats, which are the rest.
fn read_rights<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    reader.bytes("random bytes", RANDOM)?;
    reader.counted("rights")
}

fn read_link<S: Scheme>(kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
    let lengths = S::link_lengths(kind);
    let committed = reader.bytes("key", lengths.committed)?;
    Ok(Link::new(
        committed,
        reader.bytes("signature", lengths.signature)?,
    ))
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind, self.payload().len())
    }
}

/// The identifier, 32 bytes, by which a block is revoked, and with it every token that
/// contains the block. It is a hash of this block and of all blocks before it, so that no holder
/// can change it, and of the random bytes of the first block, so that no two tokens have one.
///
/// ```
/// use klero_token::{Chain, RevocationId, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read", &[])?;
/// let narrowed = token.narrow(&["path /home".parse()?])?;
/// let id = token.revocation_ids()[0];
/// assert_eq!(narrowed.revocation_ids()[0], id);
/// // As a list of revoked tokens has it.
/// assert_eq!(id.to_string().parse::<RevocationId>()?, id);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevocationId(pub [u8; 32]);

/// 64 hexadecimal digits.
impl fmt::Display for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The text of `Display`, and no other.
impl FromStr for RevocationId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        read_id(text.as_bytes()).map(Self).ok_or(Error::IdText)
    }
}

fn read_id(text: &[u8]) -> Option<[u8; 32]> {
    let digits: &[u8; 64] = text.try_into().ok()?;
    let mut id = [0; 32];
    for (byte, [high, low]) in id.iter_mut().zip(digits.as_chunks().0) {
        *byte = read_digit(*high)? << 4 | read_digit(*low)?;
    }
    Some(id)
}

/// A digit in lower case.
fn read_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Debug for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevocationId({self})")
    }
}

/// The body of a token.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) scheme: u8,
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Block>,
    pub(crate) end: End,
}

/// What stands behind the blocks.
#[derive(Clone)]
pub(crate) enum End {
    /// The bearer's secret.
    Bearer(Secret),
    /// The seal, and what is left of the secret, which is public then.
    Sealed { seal: Link, rest: Secret },
    /// Nothing: the last key is in a device.
    Held,
}

impl Body {
    /// A token without blocks.
    pub(crate) fn begin<S: Scheme>(root_id: u32) -> Self {
        Self {
            scheme: S::ID,
            root_id,
            blocks: Vec::new(),
            end: End::Bearer(Secret::default()),
        }
    }

    pub(crate) fn decode<S: Scheme>(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        limits.check(bytes.len())?;
        let mut reader = Reader::new(bytes);
        reader.this_scheme(S::ID, S::NAME)?;
        let form = read_form::<S>(&mut reader)?;
        let root_id = reader.le32("root key id")?;
        let count = reader.le32("number of blocks")?;
        if count == 0 {
            return Err(Error::NoBlocks);
        }
        let sealed = form == Form::Sealed;
        let mut signatures = count.saturating_add(sealed.into());
        refuse_above(signatures, limits.signatures)?;
        // Memory grows with the bytes that arrived, not with the announced number of blocks.
        let mut blocks = Vec::new();
        let mut caveats = 0u32;
        for number in 0..count as usize {
            let block = Block::read::<S>(number, &mut reader)?;
            if block.kind == Kind::Statement {
                signatures = signatures.saturating_add(1);
                refuse_above(signatures, limits.signatures)?;
            }
            let more = block.caveat_lines().count();
            caveats = caveats.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
            if caveats > limits.caveats {
                let limit = limits.caveats;
                return Err(Error::TooManyCaveats { caveats, limit });
            }
            blocks.push(block);
        }
        let end = match form {
            Form::Sealed => End::Sealed {
                seal: read_link::<S>(SEAL, &mut reader)?,
                rest: read_end::<S>(true, &mut reader)?,
            },
            Form::Held => End::Held,
            _ => End::Bearer(read_end::<S>(false, &mut reader)?),
        };
        reader.finish()?;
        Ok(Self {
            scheme: S::ID,
            root_id,
            blocks,
            end,
        })
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        let form = match self.end {
            End::Bearer(_) => Form::Bearer,
            End::Sealed { .. } => Form::Sealed,
            End::Held => Form::Held,
        };
        let mut out = header(self.scheme, form);
        out.extend(self.root_id.to_le_bytes());
        out.extend(length(self.blocks.len())?);
        for block in &self.blocks {
            out.push(block.kind.byte());
            out.extend(block.link.as_bytes());
            write_counted(&block.whole_payload, &mut out)?;
        }
        match &self.end {
            End::Bearer(secret) => out.extend(&**secret),
            End::Sealed { seal, rest } => {
                out.extend(seal.as_bytes());
                out.extend(&**rest);
            }
            End::Held => {}
        }
        Ok(out)
    }

    /// The state after the last block.
    pub(crate) fn state(&self) -> State {
        let absorb = |state: State, block: &Block| state.absorb(&block.step());
        let begin = State::begin(self.scheme, self.root_id);
        self.blocks.iter().fold(begin, absorb)
    }

    pub(crate) fn revocation_ids(&self) -> Vec<RevocationId> {
        let steps = self.blocks.iter().map(Block::step).collect();
        let states = State::all(engine(), self.scheme, &[(self.root_id, steps)]).concat();
        states
            .iter()
            .skip(1)
            .map(|state| RevocationId(state.id()))
            .collect()
    }

    /// The secret of a bearer, by which the token can be extended.
    pub(crate) fn secret(&self) -> Result<&Secret, Error> {
        match &self.end {
            End::Bearer(secret) => Ok(secret),
            End::Sealed { .. } => Err(Error::Sealed),
            End::Held => Err(Error::Held),
        }
    }

    /// The body with a further block.
    pub(crate) fn with(
        &self,
        kind: Kind,
        whole_payload: Vec<u8>,
        (link, secret): (Link, Secret),
    ) -> Result<Self, Error> {
        length(whole_payload.len())?;
        length(self.blocks.len() + 1)?;
        let mut blocks = self.blocks.clone();
        blocks.push(Block {
            kind,
            link,
            whole_payload,
        });
        Ok(Self {
            blocks,
            end: End::Bearer(secret),
            ..*self
        })
    }
}

/// Reads the form, which must be that of a token.
fn read_form<S: Scheme>(reader: &mut Reader<'_>) -> Result<Form, Error> {
    let got = reader.form()?;
    [Form::Bearer, Form::Sealed, Form::Held]
        .into_iter()
        .filter(|form| S::HELD || *form != Form::Held)
        .find(|form| *form as u8 == got)
        .ok_or(Error::Form {
            got,
            expected: if S::HELD {
                "0 (bearer), 1 (sealed) or 4 (held by a device)"
            } else {
                "0 (bearer) or 1 (sealed)"
            },
        })
}

fn read_end<S: Scheme>(sealed: bool, reader: &mut Reader<'_>) -> Result<Secret, Error> {
    let bytes = reader.bytes("end", S::end_length(sealed))?;
    Ok(Secret::new(bytes.to_vec()))
}

fn refuse_above(signatures: u32, limit: u32) -> Result<(), Error> {
    if signatures > limit {
        return Err(Error::TooManySignatures { signatures, limit });
    }
    Ok(())
}

/// Shows no secrets, and of payloads only the length.
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sealed = matches!(self.end, End::Sealed { .. });
        let held = matches!(self.end, End::Held);
        f.debug_struct(name_of(self.scheme).unwrap_or_default())
            .field("root_id", &self.root_id)
            .field("blocks", &self.blocks)
            .field("sealed", &sealed)
            .field("held", &held)
            .finish()
    }
}
