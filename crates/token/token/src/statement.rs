//! Statements of third parties, each about one token. The holder sends a request, the third party signs a
//! statement, and the holder appends the statement to the token.
//!
//! In tokens of every scheme, an Ed25519 key, an ES256 key or a passkey signs the statement. The signature
//! covers
//! ```text
//! "klero-token/statement" ‖ 3 ‖ scheme ‖ state ‖ key ‖ le64 |payload| ‖ payload
//! ```
//! where `state` is the state of the token before the block with the statement. The whole payload of that
//! block is `key ‖ signature ‖ payload`. For a passkey, the data that it signed comes before `payload`. The
//! holder's link covers the whole payload, so no later holder can remove the statement. Others who hold the
//! same token could append the statement too. To prevent this, append a block before you make the request.

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

/// The request that a holder sends to a third party: 69 bytes that reveal nothing about the token's content.
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

    /// The encoding, 69 bytes: a header of 5 bytes, and the state of 64 bytes.
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

    /// Signs a statement as the third party, only for the token of the request. The signature does not vouch
    /// for the token's other blocks. The time does not depend on the secret key.
    ///
    /// If somebody else wrote the payload, check that it has no line feeds before you sign it: a second line
    /// `before TIME` would be an expiry (see [`Statement::expiring`]), and a caveat `vouched` would compare
    /// only the first line.
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

    /// The message that a device with the third party's key must sign with Ed25519 or ES256. If the key is a
    /// passkey, returns instead the challenge for `navigator.credentials.get`, 32 bytes.
    #[must_use]
    pub fn to_sign(&self, key: &PublicKey, payload: &[u8]) -> Vec<u8> {
        let message = message(self.scheme, &self.state, key.as_bytes(), payload);
        signature::to_sign(key.kind(), message)
    }

    /// The statement with the signature that the device returned. The relying party of a passkey is not
    /// checked here, but by the verifier.
    ///
    /// # Errors
    /// [`Error::Signature`] or [`Error::Passkey`] if `signature` is not a valid signature of the statement
    /// by `key`; [`Error::WrongKey`] if `key` is an issuer's, or makes signatures only of the other variant
    /// of [`Signature`]; [`Error::TooLarge`] as in [`sign`](Self::sign).
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
    /// The whole payload of a block: key, signature, the data that a passkey signed, and payload.
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

    /// The payload of a statement that expires: the text, and a second line `before TIME`. `before` is a time
    /// in seconds since 1970. From this time on, the statement no longer meets a caveat `vouched`.
    ///
    /// # Errors
    /// [`Error::Caveat`] if no caveat `vouched` can contain the text, or if the time cannot be written as
    /// text.
    pub fn expiring(text: &str, before: u64) -> Result<String, Error> {
        let said = caveat::text(text);
        let said = said.map_err(|what| caveat::no_caveat(text, what, None))?;
        let expiry = caveat::write(&[Caveat::Before(before)])?;
        Ok([said, expiry].join("\n"))
    }

    /// Decodes a statement, for a token of any scheme. The signature is not verified.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the statement exceeds the limit; [`Error::Passkey`] if a passkey's data is too
    /// long; [`Error::Malformed`] for all other bytes that are no statement.
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
    /// [`Error::Malformed`] if the part after `length` has 2^32 bytes or more.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        let mut out = header(self.scheme, form_of(self.by));
        write_counted(&self.whole_payload, &mut out)?;
        Ok(out)
    }

    /// Decodes the text of a statement: base64url without padding.
    ///
    /// # Errors
    /// The errors of [`decode`](Self::decode).
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        Self::decode(&read_text(text, limits)?, limits)
    }

    /// The text of the statement: its encoding in base64url without padding.
    ///
    /// # Errors
    /// The error of [`encode`](Self::encode).
    pub fn to_text(&self) -> Result<String, Error> {
        Ok(Base64UrlUnpadded::encode_string(&self.encode()?))
    }

    /// The payload. Its signature may still be wrong: it is verified when the statement is appended.
    pub fn payload(&self) -> &[u8] {
        Parts::of(self.by, &self.whole_payload).map_or(&[], |parts| parts.payload)
    }

    /// Verifies the statement for the token of the request. Any relying party is accepted.
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

/// The key, the signature and the payload of a statement. For a device's seal, the payload is empty.
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

    /// Reads only the parts before the payload: `payload` stays empty, and its bytes are left in the reader.
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

    /// Verifies the signature of a message. `party` is the verifier's relying party, or `None` for a holder,
    /// who does not know it. In the token, the key is at `key_place`, and the signature is at `place`.
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
