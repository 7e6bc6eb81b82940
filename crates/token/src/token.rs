//! Tokens: unverified on arrival, verified once they can be trusted. Both can be added to.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_lanes::wiped;
use zeroize::Zeroizing;

use crate::body::{Block, Body};
use crate::caveat::{self, Caveat};
use crate::codec::read_text;
use crate::error::{Error, Place};
use crate::key::{KeyKind, SecretKey};
use crate::kind::{CAVEATS, OPAQUE, ROOT, SEAL};
use crate::limits::Limits;
use crate::link::{End, Link, Secret};
use crate::revocation::RevocationId;
use crate::roots::RootKeys;
use crate::scheme::Scheme;
use crate::seal::Challenge;
use crate::statement::{Request, Statement};
use crate::{links, verify};

/// A token: [`Unverified`] as it arrived, or [`Verified`]. It says of which [`Scheme`] it is, and
/// keeps the [`Limits`] with which it was read: nothing larger is made of it.
///
/// A holder can add to either kind. What is added to a token that is not valid makes no valid one,
/// so a holder need not know the issuer's key:
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
pub struct Token<T> {
    pub(crate) body: Body,
    /// The audience of the challenge that it was sealed to here, or verified with.
    pub(crate) answers: Option<Box<str>>,
    trust: PhantomData<T>,
}

/// A token as it arrived: well formed and within limits, but not verified. Anyone may have
/// written its blocks: read them for diagnostics, never act on them.
///
/// Whoever has the bytes of a token that is not sealed can use it and add to it: treat the
/// bytes as a password.
pub type Unverified = Token<Untrusted>;

/// A token that can be trusted: it was minted here or verified, or made from such a token by
/// adding to it.
pub type Verified = Token<Trusted>;

/// Marks [`Unverified`] tokens.
#[derive(Clone, Copy, Debug)]
pub struct Untrusted;

/// Marks [`Verified`] tokens.
#[derive(Clone, Copy, Debug)]
pub struct Trusted;

impl Unverified {
    /// Decodes a token, of either scheme. No signature is verified.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the token exceeds the limits, otherwise [`Error::Malformed`] or
    /// [`Error::Passkey`].
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        Body::decode(bytes, limits).map(Self::new)
    }

    /// Decodes the text of a token: base64url without padding. White space is an error, so
    /// trim the end of a line first.
    ///
    /// # Errors
    /// Those of [`decode`](Self::decode).
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        Self::decode(&read_text(text, limits)?, limits)
    }

    /// Verifies that a root key signed the first block, that every further block was added by
    /// a holder of the token before it, that third parties made the statements in it for
    /// this token, and that the token is sealed to the challenge if there is one. Variable time.
    ///
    /// # Errors
    /// The first reason to refuse the token. Without a challenge, a sealed token is refused
    /// ([`Error::Sealed`]), and one whose last key is in a device ([`Error::Held`]); with a
    /// challenge, a token that is not sealed ([`Error::NotSealed`]). What a passkey signed is
    /// refused unless the root keys come with a
    /// [relying party](RootKeys::set_relying_party) whose it is ([`Error::Passkey`]).
    ///
    /// ```
    /// use klero_token::{Challenge, Error, Limits, RootKeys, Scheme, SecretKey, Token};
    /// let root = SecretKey::generate(Scheme::Aggregate)?;
    /// let roots = RootKeys::from(*root.public_key());
    /// let token = Token::mint(&root, 0, b"may read", &[])?;
    ///
    /// // The verifier sets a challenge, the holder seals the token to it.
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealed = token.seal(&challenge)?.encode()?;
    ///
    /// let arrived = Token::decode(&sealed, &Limits::default())?;
    /// assert!(arrived.clone().verify(&roots, Some(&challenge)).is_ok());
    /// let other = Challenge { nonce: &[8; 16], ..challenge };
    /// assert!(arrived.verify(&roots, Some(&other)).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn verify(
        self,
        roots: &RootKeys,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Verified, Error> {
        // There is one verdict for each token.
        Self::verify_many([(self, challenge.copied())], roots).remove(0)
    }

    /// Verifies many tokens of any scheme together, each with its challenge if it must answer one.
    /// Returns the verdicts of [`verify`](Self::verify), in order, in less time.
    ///
    /// ```
    /// use klero_token::{RootKeys, Scheme, SecretKey, Token};
    /// let root = SecretKey::generate(Scheme::Chain)?;
    /// let token = Token::mint(&root, 0, b"may read", &[])?.into_unverified();
    /// let tokens = [token.clone(), token].map(|token| (token, None));
    /// let verdicts = Token::verify_many(tokens, &RootKeys::from(*root.public_key()));
    /// assert!(verdicts.iter().all(Result::is_ok));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    #[must_use = "the verdicts are the result"]
    pub fn verify_many<'a>(
        tokens: impl IntoIterator<Item = (Self, Option<Challenge<'a>>)>,
        roots: &RootKeys,
    ) -> Vec<Result<Verified, Error>> {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let asked = tokens.iter();
        let asked = asked.map(|(token, challenge)| (&token.body, challenge.as_ref()));
        let verdicts = verify::verdicts(asked, roots);
        tokens
            .into_iter()
            .zip(verdicts)
            .map(|((token, challenge), verdict)| {
                let audience = challenge.map(|challenge| challenge.audience);
                verdict.map(|()| Token::answering(token.body, audience))
            })
            .collect()
    }

    /// The blocks, not verified.
    pub fn unverified_blocks(&self) -> &[Block] {
        &self.body.blocks
    }
}

impl Verified {
    /// A new token of one block, signed by a root key: rights, whose meaning is up to the
    /// application, and caveats. `root_id` is the number of the key in the verifiers'
    /// [`RootKeys`]: 0 unless keys change. Constant time in the key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if it is not an issuer's; [`Error::NoRandomness`], [`Error::Caveat`];
    /// [`Error::TooLarge`] if the token would exceed the default [`Limits`].
    pub fn mint(
        root: &SecretKey,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        Self::mint_within(&Limits::default(), root, root_id, rights, caveats)
    }

    /// [`mint`](Self::mint) with other limits, for this token and for all that is made of it.
    ///
    /// # Errors
    /// Those of [`mint`](Self::mint).
    pub fn mint_within(
        limits: &Limits,
        root: &SecretKey,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        let nothing = Body::begin(root.kind().issues()?, root_id, limits);
        let payload = Block::root_payload(rights, caveats)?;
        let (link, secret) = wiped(|| links::first(root, &nothing.state(), &payload))?;
        let body = nothing.with(ROOT, payload, link, End::Bearer(secret))?;
        Ok(Self::new(body))
    }

    /// The blocks, the first one first.
    pub fn blocks(&self) -> &[Block] {
        &self.body.blocks
    }

    /// The same token, as it would arrive.
    pub fn into_unverified(self) -> Unverified {
        Token::new(self.body)
    }
}

impl<T> Token<T> {
    /// The token with a further block of caveats, which narrow it. Constant time in the keys.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::Caveat`];
    /// [`Error::TooLarge`] if it would exceed the limits of this token.
    pub fn narrow(&self, caveats: &[Caveat]) -> Result<Self, Error> {
        self.add(CAVEATS, caveat::write(caveats)?.into_bytes())
    }

    /// The token with a further block of bytes that mean nothing to the library. A verifier
    /// refuses it unless it knows what they mean. Constant time in the keys.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append(&self, payload: &[u8]) -> Result<Self, Error> {
        self.add(OPAQUE, payload.to_vec())
    }

    /// What a third party needs to make a statement for this token.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`].
    ///
    /// ```
    /// use klero_token::{Access, Caveat, KeyKind, Revoked, Scheme, SecretKey, Token};
    /// let registry = SecretKey::generate(KeyKind::Ed25519)?;
    /// let (key, text) = (*registry.public_key(), "account 17 is of age");
    /// let caveat = Caveat::Vouched { key, text: text.into() };
    /// let root = SecretKey::generate(Scheme::Chain)?;
    /// let token = Token::mint(&root, 0, b"account 17", &[caveat])?;
    /// let access = Access::at(0, Revoked::none());
    /// assert!(token.check(&access).is_err());
    ///
    /// let statement = token.request()?.sign(&registry, text.as_bytes())?;
    /// let token = token.append_statement(&statement)?;
    /// assert!(token.check(&access).is_ok());
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn request(&self) -> Result<Request, Error> {
        self.body.secret()?;
        Ok(Request::new(self.body.scheme, self.body.state()))
    }

    /// The token with a third party's statement as its next block. For which relying party a passkey
    /// made it is not compared: [`verify`](Unverified::verify) does that.
    ///
    /// # Errors
    /// [`Error::Signature`] if the statement is not valid for this token, or [`Error::Passkey`] if it
    /// is by one; [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append_statement(&self, statement: &Statement) -> Result<Self, Error> {
        let place = Place::ThirdParty(self.body.blocks.len());
        statement.verify(&self.request()?, place)?;
        self.add(statement.kind(), statement.whole_payload().to_vec())
    }

    /// The token sealed to a challenge: no block can be added to it, and it is valid for no
    /// other challenge.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::EmptyNonce`], [`Error::NoRandomness`],
    /// [`Error::TooLarge`].
    pub fn seal(&self, challenge: &Challenge<'_>) -> Result<Self, Error> {
        // What is wrong with the token is named before what is wrong with the challenge.
        self.body.secret()?;
        let (seal, rest) = self.sign(SEAL, &challenge.encode()?)?;
        let body = self.body.sealed(seal, rest)?;
        Ok(Self::answering(body, Some(challenge.audience)))
    }

    fn add(&self, kind: u8, payload: Vec<u8>) -> Result<Self, Error> {
        let (link, secret) = self.sign(kind, &payload)?;
        let body = self.body.with(kind, payload, link, End::Bearer(secret))?;
        Ok(Self::new(body))
    }

    /// The next link, and the secret that follows it.
    fn sign(&self, kind: u8, payload: &[u8]) -> Result<(Link, Secret), Error> {
        let (body, secret) = (&self.body, self.body.secret()?);
        wiped(|| links::further(body.scheme, secret, &body.state(), kind, payload))
    }

    pub(crate) fn new(body: Body) -> Self {
        Self::answering(body, None)
    }

    /// A token that is sealed to a challenge for this audience, if to any that is known.
    pub(crate) fn answering(body: Body, audience: Option<&str>) -> Self {
        Self {
            body,
            answers: audience.map(Into::into),
            trust: PhantomData,
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.body.scheme
    }

    /// The number of the root key.
    pub fn root_id(&self) -> u32 {
        self.body.root_id
    }

    /// Whether the token answers a challenge, and so cannot be added to.
    pub fn is_sealed(&self) -> bool {
        self.body.end.is_sealed()
    }

    /// The key of a device that holds the token, or sealed it, if it is an ES256 key or a passkey:
    /// how it signs, and 33 bytes. Of an unverified token it can be any bytes.
    pub fn holder(&self) -> Option<(KeyKind, &[u8])> {
        self.body.blocks.last()?.entrusted_to()
    }

    /// Whether the last key of the token is in a device, so that only the device can seal it.
    pub fn is_held(&self) -> bool {
        matches!(self.body.end, End::Held)
    }

    /// The revocation id of each block. Of an unverified token, use them to refuse it, not to
    /// accept it.
    pub fn revocation_ids(&self) -> Vec<RevocationId> {
        self.body.revocation_ids()
    }

    /// The encoding. Unless the token is sealed or held by a device, treat it as a password:
    /// whoever has it can use the token.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a payload of 2^32 bytes or more.
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.body.encode().map(Zeroizing::new)
    }

    /// The encoding in base64url without padding.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a payload of 2^32 bytes or more.
    pub fn to_text(&self) -> Result<Zeroizing<String>, Error> {
        let text = Base64UrlUnpadded::encode_string(&self.encode()?);
        Ok(Zeroizing::new(text))
    }
}

impl<T> Clone for Token<T> {
    fn clone(&self) -> Self {
        Self::answering(self.body.clone(), self.answers.as_deref())
    }
}

/// Shows no secrets, and of payloads only the length.
impl<T> fmt::Debug for Token<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Token").field(&self.body).finish()
    }
}
