//! Tokens that arrived or were made, and their encoding, which is the same in every scheme.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_lanes::{engine, wiped};
use zeroize::Zeroizing;

use crate::block::{Block, Link};
use crate::caveat::{self, Caveat};
use crate::challenge::Challenge;
use crate::codec::{Form, Reader, header, length, read_text, write_counted, wrong_form};
use crate::error::{Error, Place};
use crate::key::{Expanded, SecretKey};
use crate::limits::Limits;
use crate::revocation::RevocationId;
use crate::scheme::{CAVEATS, KeyKind, OPAQUE, ROOT, SEAL, Scheme, kinds};
use crate::signed::{End, Secret};
use crate::state::State;
use crate::statement::{Request, Statement};
use crate::{aggregate, chain, webauthn};

/// A token that arrived or was made. It is well formed and within its limits, but not verified. Anyone may
/// have written its blocks: read them for diagnostics, but never act on them. A token contains its
/// [`Scheme`], and keeps its [`Limits`] from decoding or minting: no token made from it can exceed them.
///
/// If a token is neither sealed nor held by a device, anyone with its bytes can use it and add to it. Treat
/// the bytes as a password. Adding to an invalid token never makes it valid. So a holder need not verify a
/// token first, and does not need the issuer's key:
///
/// ```
/// use klero_token::{Limits, RootKeys, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let text = Token::mint(&root, 0, b"may read", &[])?.to_text()?;
///
/// let token = Token::from_text(&text, &Limits::default())?;
/// let narrowed = token.narrow(&["path /files/17".parse()?])?;
/// assert!(narrowed.verify(&RootKeys::from(*root.public_key()), None).is_ok());
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Token {
    pub(crate) scheme: Scheme,
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Block>,
    pub(crate) end: End,
    /// The limits of the token, and of every token that is made from it.
    limits: Limits,
}

impl Token {
    /// Makes a token of one block, which the root key signs. The block has rights, whose meaning the
    /// application decides, and caveats. `root_id` is the number of the key in the verifiers'
    /// [`RootKeys`](crate::RootKeys). Use 0 unless the issuer changes keys. Constant time in the key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if `root` is not an issuer's key; [`Error::NoRandomness`], [`Error::Caveat`];
    /// [`Error::TooLarge`] if the token would exceed the default [`Limits`].
    pub fn mint(
        root: &SecretKey,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        Self::mint_within(&Limits::default(), root, root_id, rights, caveats)
    }

    /// Mints a token as [`mint`](Self::mint) does, but with these limits for the token and for every token
    /// made from it.
    ///
    /// # Errors
    /// The errors of [`mint`](Self::mint).
    pub fn mint_within(
        limits: &Limits,
        root: &SecretKey,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        let wrong_key = Error::WrongKey(root.kind(), "chain or aggregate");
        let scheme = root.kind().scheme().ok_or(wrong_key)?;
        let nothing = Self::begin(scheme, root_id, limits);
        let payload = Block::root_payload(rights, caveats)?;
        let before = nothing.state();
        let (link, secret) = wiped(|| match root.expanded() {
            Expanded::Ed25519(key) => chain::link(key, &before, ROOT, &payload),
            Expanded::Ristretto(x) => aggregate::first(x, root.public_key(), &before, &payload),
        })?;
        nothing.with(ROOT, payload, link, End::Bearer(secret))
    }

    /// Decodes a token, of either scheme. No signature is verified.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the token exceeds the limits, [`Error::Passkey`] if a passkey's data is too
    /// long, otherwise [`Error::Malformed`].
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
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
        let mut count = [usize::from(form == Form::Sealed), 0];
        limits.count(&mut count, [number as usize, 0])?;
        // Memory grows with the bytes that arrived, not with the announced number of blocks.
        let mut blocks = Vec::new();
        for number in 0..number as usize {
            let block = Block::read(scheme, number, blocks.last(), &mut reader)?;
            limits.count(&mut count, block.counts())?;
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

    /// Decodes the text of a token: base64url without padding. White space is an error, so first remove the
    /// line end.
    ///
    /// # Errors
    /// The errors of [`decode`](Self::decode).
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        Self::decode(&read_text(text, limits)?, limits)
    }

    /// The blocks, which are not verified.
    pub fn unverified_blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The token with a further block of caveats, which narrow the token. Constant time in the keys.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::Caveat`]; [`Error::TooLarge`] if
    /// the new token would exceed the limits of this token.
    pub fn narrow(&self, caveats: &[Caveat]) -> Result<Self, Error> {
        self.add(CAVEATS, caveat::write(caveats)?.into_bytes())
    }

    /// The token with a further block of bytes that mean nothing to the library. A verifier refuses the token
    /// unless it knows what the bytes mean. Constant time in the keys.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append(&self, payload: &[u8]) -> Result<Self, Error> {
        self.add(OPAQUE, payload.to_vec())
    }

    /// The request that a third party needs to make a statement for this token.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`].
    ///
    /// ```
    /// use klero_token::{Access, Caveat, KeyKind, Revoked, RootKeys, Scheme, SecretKey, Token};
    /// let registry = SecretKey::generate(KeyKind::Ed25519)?;
    /// let (key, text) = (*registry.public_key(), "account 17 is of age");
    /// let caveat = Caveat::Vouched { key, text: text.into() };
    /// let root = SecretKey::generate(Scheme::Chain)?;
    /// let roots = RootKeys::from(*root.public_key());
    /// let token = Token::mint(&root, 0, b"account 17", &[caveat])?.verify(&roots, None)?;
    /// let access = Access::at(0, Revoked::none());
    /// assert!(token.check(&access).is_err());
    ///
    /// let statement = token.request()?.sign(&registry, text.as_bytes())?;
    /// let token = token.append_statement(&statement)?.verify(&roots, None)?;
    /// assert!(token.check(&access).is_ok());
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn request(&self) -> Result<Request, Error> {
        self.secret()?;
        let (scheme, state) = (self.scheme, self.state());
        Ok(Request { scheme, state })
    }

    /// The token with a third party's statement as its next block. If the third party's key is a passkey, the
    /// relying party is checked only later, by [`verify`](Self::verify).
    ///
    /// # Errors
    /// [`Error::Signature`] or [`Error::Passkey`] if the statement is not valid for this token;
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append_statement(&self, statement: &Statement) -> Result<Self, Error> {
        let place = Place::ThirdParty(self.blocks.len());
        statement.verify(&self.request()?, place)?;
        let [_, kind, _] = kinds(statement.by);
        self.add(kind, statement.whole_payload.clone())
    }

    /// The token sealed to a challenge: no block can be added to it, and it is valid for no other challenge.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::EmptyNonce`], [`Error::NoRandomness`],
    /// [`Error::TooLarge`].
    pub fn seal(&self, challenge: &Challenge<'_>) -> Result<Self, Error> {
        // A fault of the token is reported before a fault of the challenge.
        self.secret()?;
        let (seal, rest) = self.sign(SEAL, &challenge.encode()?)?;
        self.sealed(seal, rest)
    }

    fn add(&self, kind: u8, payload: Vec<u8>) -> Result<Self, Error> {
        let (link, secret) = self.sign(kind, &payload)?;
        self.with(kind, payload, link, End::Bearer(secret))
    }

    /// Makes the next link. Returns the link, and the new secret of the bearer or the public rest of a seal.
    fn sign(&self, kind: u8, payload: &[u8]) -> Result<(Link, Secret), Error> {
        let (secret, before) = (self.secret()?, self.state());
        wiped(|| match self.scheme {
            Scheme::Chain => chain::link(&chain::bearer(secret), &before, kind, payload),
            Scheme::Aggregate => aggregate::further(secret, &before, kind, payload),
        })
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The number of the root key.
    pub fn root_id(&self) -> u32 {
        self.root_id
    }

    /// True if the token is sealed to a challenge, so that no block can be added.
    pub fn is_sealed(&self) -> bool {
        matches!(self.end, End::Sealed { .. })
    }

    /// The key of the device that holds or sealed the token: the kind of the key, ES256 or passkey, and its
    /// 33 bytes, which may be any bytes in an unverified token. `None` if the last key is of another kind.
    pub fn holder(&self) -> Option<(KeyKind, &[u8])> {
        self.blocks.last()?.entrusted_to()
    }

    /// True if the last key of the token is in a device, so that only the device can seal the token.
    pub fn is_held(&self) -> bool {
        matches!(self.end, End::Held)
    }

    /// The revocation id of each block. If the token is not verified, its ids can be a reason to refuse it,
    /// but never a reason to accept it.
    pub fn revocation_ids(&self) -> Vec<RevocationId> {
        let steps = self.blocks.iter().map(Block::step).collect();
        let states = State::all(engine(), &[(self.scheme.id(), self.root_id, steps)]).concat();
        states
            .iter()
            .skip(1)
            .map(|state| RevocationId(state.id()))
            .collect()
    }

    /// The encoding. Unless the token is sealed or held by a device, treat the encoding as a password: anyone
    /// who has it can use the token.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a payload of 2^32 bytes or more.
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
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
        Ok(Zeroizing::new(out))
    }

    /// The text of the token: its encoding in base64url without padding.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a payload of 2^32 bytes or more.
    pub fn to_text(&self) -> Result<Zeroizing<String>, Error> {
        let text = Base64UrlUnpadded::encode_string(&self.encode()?);
        Ok(Zeroizing::new(text))
    }

    /// A token that has no blocks yet.
    pub(crate) fn begin(scheme: Scheme, root_id: u32, limits: &Limits) -> Self {
        Self {
            scheme,
            root_id,
            blocks: Vec::new(),
            end: End::Bearer(Secret::default()),
            limits: *limits,
        }
    }

    /// The state after the last block.
    pub(crate) fn state(&self) -> State {
        let absorb = |state: State, block: &Block| state.absorb(&block.step());
        let begin = State::begin(self.scheme.id(), self.root_id);
        self.blocks.iter().fold(begin, absorb)
    }

    /// The secret of a bearer token, which is needed to extend the token.
    pub(crate) fn secret(&self) -> Result<&Secret, Error> {
        match &self.end {
            End::Bearer(secret) => Ok(secret),
            End::Sealed { .. } => Err(Error::Sealed),
            End::Held => Err(Error::Held),
        }
    }

    /// The token with a further block and another end, if the new token is within the limits.
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

    /// The token with a seal, if the sealed token is within the limits.
    pub(crate) fn sealed(&self, seal: Link, rest: Secret) -> Result<Self, Error> {
        Self {
            blocks: self.blocks.clone(),
            end: End::Sealed { seal, rest },
            ..*self
        }
        .within_limits()
    }

    /// Returns the token if it is within its limits. Counts what [`decode`](Self::decode) counts.
    fn within_limits(self) -> Result<Self, Error> {
        let blocks: usize = self.blocks.iter().map(Block::encoded_length).sum();
        let seal = match &self.end {
            End::Sealed { seal, .. } => seal.as_bytes().len(),
            _ => 0,
        };
        let length = 13 + blocks + seal + self.end.bytes().len();
        self.limits.check_bytes(length)?;
        let mut count = [usize::from(self.is_sealed()), 0];
        self.limits.count(&mut count, [self.blocks.len(), 0])?;
        for block in &self.blocks {
            self.limits.count(&mut count, block.counts())?;
        }
        Ok(self)
    }
}

/// Secrets are left out, and each payload is shown only as its length.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token")
            .field("scheme", &self.scheme)
            .field("root_id", &self.root_id)
            .field("blocks", &self.blocks)
            .field("sealed", &self.is_sealed())
            .field("held", &self.is_held())
            .finish()
    }
}

/// Reads the form, which must be a form of tokens of this scheme.
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

/// Reads the end of a token. `entrusted` is the kind of the P-256 key in the last block, if there is one.
fn read_end(
    scheme: Scheme,
    form: Form,
    entrusted: Option<KeyKind>,
    reader: &mut Reader<'_>,
) -> Result<End, Error> {
    match (form, entrusted) {
        (Form::Held, _) => Ok(End::Held),
        (Form::Sealed, key) => {
            let key = key.unwrap_or(KeyKind::Ed25519);
            let [.., kind] = kinds(key);
            let seal = Link::read(scheme, kind, reader)?;
            let rest = match webauthn::Signed::read(key, reader, Place::Seal)? {
                Some(signed) => Secret::new(signed.encode()?),
                None => read_secret(scheme, true, reader)?,
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

/// Reads a bearer's secret, or the public rest of a seal: nothing in `Chain`, the sum S in `Aggregate`.
fn read_secret(scheme: Scheme, sealed: bool, reader: &mut Reader<'_>) -> Result<Secret, Error> {
    let length = match scheme {
        Scheme::Chain if sealed => 0,
        _ => 32,
    };
    let bytes = reader.bytes("end", length)?;
    Ok(Secret::new(bytes.to_vec()))
}
