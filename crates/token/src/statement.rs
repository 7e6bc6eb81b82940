//! Statements of third parties, each about one token. The holder sends a request, the third party signs a
//! statement, the holder appends it.
//!
//! A statement is one signature, in tokens of every scheme, by an Ed25519 key, an ES256 key or a
//! passkey, over
//! ```text
//! "klero-token/statement" ‖ 3 ‖ scheme ‖ state ‖ key ‖ le64 |payload| ‖ payload
//! ```
//! where the state is that of the token before the block with the statement. The payload of that block is
//! `key ‖ signature ‖ payload`; if a passkey signed, the data that it signed precedes the payload. The
//! holder's link covers all of it, so that no later holder can take the statement off. All holders of the
//! same token can use the statement. To keep one to yourself, append a block first, then ask.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_lanes::wiped;

use crate::algorithms::{self, refused, sign};
use crate::caveat::{self, Caveat};
use crate::codec::{Form, Reader, header, read_text, write_counted};
use crate::error::{Error, Place};
use crate::key::{Expanded, PublicKey, SecretKey};
use crate::limits::Limits;
use crate::scheme::{KeyKind, Scheme};
use crate::signature::{self, Signature};
use crate::state::{State, le64};
use crate::webauthn::{self, RelyingParty};

/// The request that a holder sends to a third party: 69 bytes that reveal nothing about the
/// token's content.
///
/// ```
/// use klero_token::{KeyKind, PublicKey, Scheme, SecretKey, Signature, Token};
/// # use ed25519_dalek::{Signer, SigningKey};
/// # let device = SigningKey::from_bytes(&[7; 32]);
/// # let key = PublicKey::from_bytes(KeyKind::Ed25519, device.verifying_key().as_bytes())?;
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let token = Token::mint(&root, 0, b"may read if of age", &[])?;
/// let request = token.request()?;
///
/// // A third party whose key is in a device.
/// let payload = b"account 17 is of age";
/// let signature = device.sign(&request.to_sign(&key, payload)).to_bytes();
/// let statement = request.assemble(&key, payload, Signature::Bytes(&signature))?;
/// let token = token.append_statement(&statement)?;
/// assert_eq!(token.unverified_blocks()[1].third_party(), Some((KeyKind::Ed25519, key.as_bytes())));
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub(crate) scheme: Scheme,
    pub(crate) state: State,
}

impl Request {
    /// Decodes a request, for a token of any scheme.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes);
        let scheme = reader.scheme()?;
        reader.form(&[Form::Request], "2 (request)")?;
        let state = State(reader.array("state")?);
        reader.finish()?;
        Ok(Self { scheme, state })
    }

    /// The encoding, 69 bytes: a header of 5, and the state of 64.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = header(self.scheme, Form::Request);
        out.extend(self.state.0);
        out
    }

    /// Decodes the text of a request: base64url without padding.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::decode(&read_text(text, &Limits::default())?)
    }

    /// The encoding in base64url without padding, 92 characters.
    pub fn to_text(&self) -> String {
        Base64UrlUnpadded::encode_string(&self.encode())
    }

    /// Signs a statement as the third party, for this token only. The signature says nothing
    /// about the token's other blocks. Constant time in the key.
    ///
    /// Sign no text that somebody else wrote, unless you have refused line feeds in it: a second line
    /// `before TIME` is an expiry, as in [`Statement::expiring`], and `vouched` compares the first line
    /// alone.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if `key` is not an Ed25519 key of a third party; [`Error::TooLarge`] if no holder
    /// could read the statement with the default [`Limits`].
    pub fn sign(&self, key: &SecretKey, payload: &[u8]) -> Result<Statement, Error> {
        let (KeyKind::Ed25519, Expanded::Ed25519(secret)) = (key.kind(), key.expanded()) else {
            return Err(Error::WrongKey(key.kind(), "ed25519"));
        };
        let to_sign = self.to_sign(key.public_key(), payload);
        let signature = wiped(|| sign(secret, &to_sign));
        Statement::new(self.scheme, key.public_key(), &signature, &[], payload)
    }

    /// The message that a device with the third party's key signs, with Ed25519 or ES256; for a passkey,
    /// the challenge for `navigator.credentials.get`, 32 bytes.
    #[must_use]
    pub fn to_sign(&self, key: &PublicKey, payload: &[u8]) -> Vec<u8> {
        let message = message(self.scheme, &self.state, key.as_bytes(), payload);
        signature::to_sign(key.kind(), message)
    }

    /// The statement with the signature that the device returned. The verifier checks for which relying
    /// party a passkey signed.
    ///
    /// # Errors
    /// [`Error::Signature`] or [`Error::Passkey`] if this is not the signature by the key;
    /// [`Error::WrongKey`] if such a key signs in another form or is an issuer's; [`Error::TooLarge`].
    pub fn assemble(
        &self,
        key: &PublicKey,
        payload: &[u8],
        signature: Signature<'_>,
    ) -> Result<Statement, Error> {
        let place = Place::Statement;
        let (signature, signed) = signature.parts(key.kind(), place)?;
        let statement = Statement::new(self.scheme, key, &signature, &signed, payload)?;
        statement.verify(self, place)?;
        Ok(statement)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({})", self.scheme)
    }
}

/// A payload that a third party signed for one token.
///
/// ```
/// use klero_token::{KeyKind, Limits, Scheme, SecretKey, Statement, Token};
/// let root = SecretKey::generate(Scheme::Aggregate)?;
/// let token = Token::mint(&root, 0, b"may read", &[])?;
/// let third_party = SecretKey::generate(KeyKind::Ed25519)?;
/// let statement = token.request()?.sign(&third_party, b"account 17 is of age")?;
/// let again = Statement::decode(&statement.encode()?, &Limits::default())?;
/// assert_eq!(again.payload(), b"account 17 is of age");
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Statement {
    scheme: Scheme,
    pub(crate) by: KeyKind,
    /// Key, signature, the data that a passkey signed, and payload: together the payload of a block.
    pub(crate) whole_payload: Vec<u8>,
}

/// The form of statements by keys of this kind.
const fn form_of(key: KeyKind) -> Form {
    match key {
        KeyKind::Es256 => Form::StatementEs256,
        KeyKind::Passkey => Form::StatementPasskey,
        _ => Form::Statement,
    }
}

impl Statement {
    fn new(
        scheme: Scheme,
        key: &PublicKey,
        signature: &[u8; 64],
        signed: &[u8],
        payload: &[u8],
    ) -> Result<Self, Error> {
        let whole_payload = [key.as_bytes(), signature, signed, payload].concat();
        Limits::default().check_bytes(5 + 4 + whole_payload.len())?;
        Ok(Self {
            scheme,
            by: key.kind(),
            whole_payload,
        })
    }

    /// The payload of a statement that expires: the text, and a second line `before TIME`. From this time on,
    /// in seconds since 1970, the statement no longer meets a caveat `vouched`.
    ///
    /// # Errors
    /// [`Error::Caveat`] if no caveat can ask for the text, or the time has no text.
    pub fn expiring(text: &str, before: u64) -> Result<String, Error> {
        let said = caveat::text(text);
        let said = said.map_err(|what| caveat::no_caveat(text, what, None))?;
        let expiry = caveat::write(&[Caveat::Before(before)])?;
        Ok([said, expiry].join("\n"))
    }

    /// Decodes a statement, for a token of any scheme. The signature is not verified.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if it exceeds the limit, [`Error::Malformed`], [`Error::Passkey`].
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        limits.check_bytes(bytes.len())?;
        let mut reader = Reader::new(bytes);
        let scheme = reader.scheme()?;
        let signers = [KeyKind::Ed25519, KeyKind::Es256, KeyKind::Passkey];
        let form = reader.form(&signers.map(form_of), "3, 6 or 7 (statement)")?;
        let by = signers.into_iter().find(|by| form_of(*by) == form);
        let by = by.unwrap_or(KeyKind::Ed25519);
        let whole_payload = reader.counted("statement")?;
        Parts::read(by, &mut reader.again(whole_payload.len()), Place::Statement)?;
        reader.finish()?;
        Ok(Self {
            scheme,
            by,
            whole_payload: whole_payload.to_vec(),
        })
    }

    /// The encoding: `header ‖ le32 length ‖ key ‖ signature ‖ data that a passkey signed ‖ payload`.
    ///
    /// # Errors
    /// [`Error::Malformed`] from 2^32 bytes on.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        let mut out = header(self.scheme, form_of(self.by));
        write_counted(&self.whole_payload, &mut out)?;
        Ok(out)
    }

    /// Decodes the text of a statement: base64url without padding.
    ///
    /// # Errors
    /// Those of [`decode`](Self::decode).
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        Self::decode(&read_text(text, limits)?, limits)
    }

    /// The text of the statement: its encoding in base64url without padding.
    ///
    /// # Errors
    /// [`Error::Malformed`] from 2^32 bytes on.
    pub fn to_text(&self) -> Result<String, Error> {
        Ok(Base64UrlUnpadded::encode_string(&self.encode()?))
    }

    /// The payload. The signature is verified when the statement is appended.
    pub fn payload(&self) -> &[u8] {
        Parts::of(self.by, &self.whole_payload).map_or(&[], |parts| parts.payload)
    }

    /// Verifies the statement for the token of the request, and for any relying party.
    pub(crate) fn verify(&self, request: &Request, place: Place) -> Result<(), Error> {
        let parts = Parts::of(self.by, &self.whole_payload);
        let parts = parts.filter(|_| self.scheme == request.scheme);
        let parts = parts.ok_or(Error::signature(place))?;
        let message = parts.message(request.scheme, &request.state);
        parts.verify(&message, None, place, place)
    }
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Statement({} bytes)", self.payload().len())
    }
}

/// Key, signature and payload of a statement; or key and signature of a device's seal, with an empty payload.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) by: KeyKind,
    pub(crate) key: &'a [u8],
    pub(crate) signature: &'a [u8],
    /// The data that a passkey signed; `None` for other keys.
    pub(crate) signed: Option<webauthn::Signed<'a>>,
    pub(crate) payload: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The parts of these bytes, if they can be read.
    pub(crate) fn of(by: KeyKind, whole_payload: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(whole_payload);
        let parts = Self::read(by, &mut reader, Place::Statement).ok()?;
        let payload = &whole_payload[parts.length()..];
        Some(Self { payload, ..parts })
    }

    /// Reads the parts before the payload, which is the rest.
    pub(crate) fn read(by: KeyKind, reader: &mut Reader<'a>, place: Place) -> Result<Self, Error> {
        Ok(Self {
            by,
            key: reader.bytes("third party's key", by.key_length())?,
            signature: reader.bytes("third party's signature", 64)?,
            signed: webauthn::Signed::read(by, reader, place)?,
            payload: &[],
        })
    }

    /// The number of bytes before the payload.
    pub(crate) fn length(&self) -> usize {
        let signed = self.signed.as_ref();
        self.key.len() + 64 + signed.map_or(0, webauthn::Signed::encoded_length)
    }

    /// Verifies the signature of a message, for the verifier's relying party if there is one: a holder
    /// knows none. The key may stand at another place than the signature.
    pub(crate) fn verify(
        &self,
        message: &[u8],
        party: Option<&RelyingParty>,
        key_place: Place,
        place: Place,
    ) -> Result<(), Error> {
        let (key, signature) = ((self.key, key_place), self.signature);
        match (self.by, &self.signed) {
            (KeyKind::Es256, _) => algorithms::verify_es256(key, message, signature, place),
            (_, Some(signed)) => {
                let challenge = webauthn::challenge(message);
                signed.verify(key, &challenge, signature, (party, place))
            }
            _ => klero_ed25519::verify(self.key, message, signature)
                .map_err(|invalid| refused(invalid, key_place, place)),
        }
    }

    /// The message that the third party signs.
    pub(crate) fn message(&self, scheme: Scheme, before: &State) -> Vec<u8> {
        message(scheme, before, self.key, self.payload)
    }
}

/// The message of a statement.
fn message(scheme: Scheme, before: &State, key: &[u8], payload: &[u8]) -> Vec<u8> {
    [
        b"klero-token/statement\x03",
        &[scheme.id()][..],
        &before.0,
        key,
        &le64(payload),
        payload,
    ]
    .concat()
}
