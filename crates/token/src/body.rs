//! The body of a token: its content, verified or not, and the framing of it, which is the same in
//! every scheme.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use klero_lanes::engine;

use crate::caveat::{self, Caveat};
use crate::codec::{Form, Reader, header, length, write_counted, wrong_form};
use crate::error::{Error, Place};
use crate::key::KeyKind;
use crate::kind::{self, CAVEATS_ES256, CAVEATS_PASSKEY, Kind, sealed_by};
use crate::limits::{Count, Limits};
use crate::link::{End, Link, Secret};
use crate::revocation::RevocationId;
use crate::scheme::Scheme;
use crate::state::{State, Step};
use crate::statement::Parts;
use crate::webauthn;

/// A block of a token. Trust it only if it is from a [`Verified`](crate::Verified) token.
///
/// ```
/// use klero_token::{Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let token = Token::mint(&root, 0, b"may read", &["method GET".parse()?])?;
/// let block = &token.blocks()[0];
/// assert_eq!(block.payload(), b"may read");
/// assert_eq!(block.caveats(), b"method GET");
/// assert_eq!(block.third_party(), None);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Block {
    kind: Kind,
    /// As it is hashed: it tells kinds of keys apart.
    byte: u8,
    link: Link,
    /// All of the payload, as it is hashed: of the first block
    /// `16 random bytes ‖ le32 |rights| ‖ rights ‖ caveats`.
    whole_payload: Vec<u8>,
    /// Where in it the payload and the caveats stand.
    payload: Range<usize>,
    caveats: Range<usize>,
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
        &self.whole_payload[self.payload.clone()]
    }

    /// The text of the caveats, one to a line, of the first block and of blocks of caveats. It
    /// need not be text, or of caveats: [`check`](crate::Verified::check) refuses what it does
    /// not know.
    pub fn caveats(&self) -> &[u8] {
        &self.whole_payload[self.caveats.clone()]
    }

    /// The lines of [`caveats`](Self::caveats).
    pub fn caveat_lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.caveats();
        let lines = (!text.is_empty()).then(|| text.split(|byte| *byte == b'\n'));
        lines.into_iter().flatten()
    }

    /// The public key of the third party that made the statement in a block of kind
    /// [`Kind::Statement`]: how it signs, and 32 or 33 bytes. Compare both with the keys that you
    /// trust for such statements.
    pub fn third_party(&self) -> Option<(KeyKind, &[u8])> {
        let statement = self.statement()?;
        Some((statement.by, statement.key))
    }

    /// The public key of the device to which this block entrusts the token, if it is an ES256 key or
    /// a passkey: how it signs, and 33 bytes. (An Ed25519 key looks like that of a bearer.)
    pub fn entrusted_to(&self) -> Option<(KeyKind, &[u8])> {
        match self.byte {
            CAVEATS_ES256 | CAVEATS_PASSKEY => Some((self.key_kind(), self.link.committed())),
            _ => None,
        }
    }

    /// Of the key that the block names or by which its statement is.
    pub(crate) fn key_kind(&self) -> KeyKind {
        kind::key_of(self.byte)
    }

    pub(crate) fn statement(&self) -> Option<Parts<'_>> {
        match self.kind {
            Kind::Statement => Parts::of(self.key_kind(), &self.whole_payload),
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

    /// A block of a kind that there is.
    fn new(byte: u8, link: Link, whole_payload: Vec<u8>) -> Result<Self, Error> {
        let kind = Kind::of(byte).unwrap_or(Kind::Opaque);
        let reader = Reader::new(&whole_payload);
        let parts = read_parts((byte, kind), 0, reader, whole_payload.len())?;
        Ok(Self::of_parts((byte, kind), link, whole_payload, parts))
    }

    fn of_parts(
        (byte, kind): (u8, Kind),
        link: Link,
        whole_payload: Vec<u8>,
        [payload, caveats]: [Range<usize>; 2],
    ) -> Self {
        Self {
            kind,
            byte,
            link,
            whole_payload,
            payload,
            caveats,
        }
    }

    fn read(
        scheme: Scheme,
        number: usize,
        previous: Option<&Self>,
        reader: &mut Reader<'_>,
    ) -> Result<Self, Error> {
        let kind = reader.kind(scheme, number, previous.map(|block| block.byte))?;
        let link = read_link(scheme, kind.0, reader)?;
        let whole_payload = reader.counted("payload")?;
        let length = whole_payload.len();
        let parts = read_parts(kind, number, reader.again(length), length)?;
        Ok(Self::of_parts(kind, link, whole_payload.to_vec(), parts))
    }

    pub(crate) fn step(&self) -> Step<'_> {
        Step::new(self.byte, self.link.as_bytes(), &self.whole_payload)
    }

    pub(crate) fn byte(&self) -> u8 {
        self.byte
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }

    pub(crate) fn whole_payload(&self) -> &[u8] {
        &self.whole_payload
    }

    /// Counts what is limited.
    fn count(&self, count: &mut Count) -> Result<(), Error> {
        if self.kind == Kind::Statement {
            count.statement()?;
        }
        count.caveats(self.caveat_lines().count())
    }

    /// The length of the encoding.
    fn encoded_length(&self) -> usize {
        1 + self.link.as_bytes().len() + 4 + self.whole_payload.len()
    }
}

/// Where payload and caveats stand in the payload as it is hashed, which has this length.
fn read_parts(
    (byte, kind): (u8, Kind),
    number: usize,
    mut reader: Reader<'_>,
    length: usize,
) -> Result<[Range<usize>; 2], Error> {
    let (all, none) = (0..length, length..length);
    Ok(match kind {
        Kind::Root => {
            reader.bytes("random bytes", RANDOM)?;
            let rights = reader.counted("rights")?;
            let begin = RANDOM + 4;
            let end = begin + rights.len();
            [begin..end, end..length]
        }
        Kind::Statement => {
            let place = Place::ThirdParty(number);
            let parts = Parts::read(kind::key_of(byte), &mut reader, place)?;
            [parts.length()..length, none]
        }
        Kind::Caveats => [all.clone(), all],
        Kind::Opaque => [all, none],
    })
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind, self.payload().len())
    }
}

/// The body of a token.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) scheme: Scheme,
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Block>,
    pub(crate) end: End,
    /// Those that the token is within, and all that is made of it.
    limits: Limits,
}

impl Body {
    /// A token without blocks.
    pub(crate) fn begin(scheme: Scheme, root_id: u32, limits: &Limits) -> Self {
        Self {
            scheme,
            root_id,
            blocks: Vec::new(),
            end: End::Bearer(Secret::default()),
            limits: *limits,
        }
    }

    pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        limits.check_bytes(bytes.len())?;
        let mut reader = Reader::new(bytes);
        let scheme = reader.scheme()?;
        let form = read_form(scheme, &mut reader)?;
        let root_id = reader.le32("root key id")?;
        let number = reader.le32("number of blocks")?;
        if number == 0 {
            return Err(Error::Malformed(
                "the token announces no blocks at byte 9".into(),
            ));
        }
        let mut count = Count::new(*limits, number, form == Form::Sealed)?;
        // Memory grows with the bytes that arrived, not with the announced number of blocks.
        let mut blocks = Vec::new();
        for number in 0..number as usize {
            let block = Block::read(scheme, number, blocks.last(), &mut reader)?;
            block.count(&mut count)?;
            blocks.push(block);
        }
        let entrusted = blocks.last().and_then(Block::entrusted_to);
        let end = read_end(scheme, form, entrusted.map(|(key, _)| key), &mut reader)?;
        reader.finish()?;
        Ok(Self {
            scheme,
            root_id,
            blocks,
            end,
            limits: *limits,
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
            out.push(block.byte);
            out.extend(block.link.as_bytes());
            write_counted(&block.whole_payload, &mut out)?;
        }
        if let End::Sealed { seal, .. } = &self.end {
            out.extend(seal.as_bytes());
        }
        out.extend(self.end.bytes());
        Ok(out)
    }

    /// The state after the last block.
    pub(crate) fn state(&self) -> State {
        let absorb = |state: State, block: &Block| state.absorb(&block.step());
        let begin = State::begin(self.scheme.id(), self.root_id);
        self.blocks.iter().fold(begin, absorb)
    }

    pub(crate) fn revocation_ids(&self) -> Vec<RevocationId> {
        let steps = self.blocks.iter().map(Block::step).collect();
        let states = State::all(engine(), &[(self.scheme.id(), self.root_id, steps)]).concat();
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

    /// The body with a further block and another end, if it is within the limits.
    pub(crate) fn with(
        &self,
        kind: u8,
        whole_payload: Vec<u8>,
        link: Link,
        end: End,
    ) -> Result<Self, Error> {
        let mut blocks = self.blocks.clone();
        blocks.push(Block::new(kind, link, whole_payload)?);
        Self {
            blocks,
            end,
            ..*self
        }
        .within_limits()
    }

    /// The body with a seal, if it is within the limits.
    pub(crate) fn sealed(&self, seal: Link, rest: Secret) -> Result<Self, Error> {
        Self {
            blocks: self.blocks.clone(),
            end: End::Sealed { seal, rest },
            ..*self
        }
        .within_limits()
    }

    /// As [`decode`](Self::decode) checks them.
    fn within_limits(self) -> Result<Self, Error> {
        let blocks: usize = self.blocks.iter().map(Block::encoded_length).sum();
        let seal = match &self.end {
            End::Sealed { seal, .. } => seal.as_bytes().len(),
            _ => 0,
        };
        let length = 13 + blocks + seal + self.end.bytes().len();
        self.limits.check_bytes(length)?;
        let number = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        let mut count = Count::new(self.limits, number, self.end.is_sealed())?;
        for block in &self.blocks {
            block.count(&mut count)?;
        }
        Ok(self)
    }
}

/// Shows no secrets, and of payloads only the length.
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = matches!(self.end, End::Held);
        f.debug_struct(self.scheme.name())
            .field("root_id", &self.root_id)
            .field("blocks", &self.blocks)
            .field("sealed", &self.end.is_sealed())
            .field("held", &held)
            .finish()
    }
}

/// Reads the form, which must be that of a token.
fn read_form(scheme: Scheme, reader: &mut Reader<'_>) -> Result<Form, Error> {
    let (forms, expected): (&[_], _) = match scheme.has_devices() {
        true => (
            &[Form::Bearer, Form::Sealed, Form::Held],
            "0 (bearer), 1 (sealed) or 4 (held by a device)",
        ),
        false => (&[Form::Bearer, Form::Sealed], "0 (bearer) or 1 (sealed)"),
    };
    reader.form(forms, expected)
}

/// Reads a link of this kind.
fn read_link(scheme: Scheme, kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
    let [committed, signature] = scheme.link_lengths(kind);
    let committed = reader.bytes("key", committed)?;
    Ok(Link::new(committed, reader.bytes("signature", signature)?))
}

/// Reads the end of a token, whose last block entrusted it to a key if it is of P-256.
fn read_end(
    scheme: Scheme,
    form: Form,
    entrusted: Option<KeyKind>,
    reader: &mut Reader<'_>,
) -> Result<End, Error> {
    match (form, entrusted) {
        (Form::Held, _) => Ok(End::Held),
        (Form::Sealed, key) => {
            let kind = sealed_by(key.unwrap_or(KeyKind::Ed25519));
            let seal = read_link(scheme, kind, reader)?;
            let rest = match key {
                Some(KeyKind::Passkey) => {
                    let signed = webauthn::Signed::read(reader, Place::Seal)?;
                    Secret::new(signed.encode()?)
                }
                _ => read_secret(scheme, true, reader)?,
            };
            Ok(End::Sealed { seal, rest })
        }
        (form, Some(_)) => {
            let expected = "1 or 4, since the last block is of kind 6 or 7";
            Err(wrong_form(form as u8, expected))
        }
        (_, None) => Ok(End::Bearer(read_secret(scheme, false, reader)?)),
    }
}

fn read_secret(scheme: Scheme, sealed: bool, reader: &mut Reader<'_>) -> Result<Secret, Error> {
    let bytes = reader.bytes("end", scheme.end_length(sealed))?;
    Ok(Secret::new(bytes.to_vec()))
}
