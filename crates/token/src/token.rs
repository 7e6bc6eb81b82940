//! Tokens: unverified on arrival, verified once they can be trusted. Both can be added to.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use base64ct::{Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

use crate::body::{Block, Body, End, RevocationId};
use crate::caveat::{self, Caveat};
use crate::codec::{name_of, read_text};
use crate::error::{Error, Place};
use crate::key::SecretKey;
use crate::kind::{Kind, ROOT, SEAL};
use crate::limits::Limits;
use crate::roots::FindRoot;
use crate::scheme::{Scheme, Signer};
use crate::seal::Challenge;
use crate::stack::wiped;
use crate::statement::{Request, Statement};
use crate::verify::{self, Presented};

/// A token: [`Unverified`] as it arrived, or [`Verified`]. S is the scheme.
///
/// A holder can add to either kind. What is added to a token that is not valid makes no valid one,
/// so a holder need not know the issuer's key:
///
/// ```
/// use klero_token::{Chain, Limits, SecretKey, Unverified, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let text = Verified::mint(&root, 0, b"may read", &[])?.to_text()?;
///
/// let token = Unverified::<Chain>::from_text(&text, &Limits::default())?;
/// let narrowed = token.narrow(&["path /files/17".parse()?])?;
/// assert!(narrowed.verify(root.public_key(), None).is_ok());
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct Token<S, T> {
    pub(crate) body: Body,
    types: PhantomData<(S, T)>,
}

/// A token as it arrived: well formed and within limits, but not verified. Anyone may have
/// written its blocks: read them for diagnostics, never act on them.
///
/// Whoever has the bytes of a token that is not sealed can use it and add to it: treat the
/// bytes as a password.
///
/// ```
/// use klero_token::{Chain, Limits, SecretKey, Unverified, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let bytes = Verified::mint(&root, 0, b"may read", &[])?.encode()?;
///
/// let token = Unverified::<Chain>::decode(&bytes, &Limits::default())?;
/// let token = token.verify(root.public_key(), None)?;
/// assert_eq!(token.blocks()[0].payload(), b"may read");
/// # Ok::<(), klero_token::Error>(())
/// ```
pub type Unverified<S> = Token<S, Untrusted>;

/// A token that can be trusted: it was minted here or verified, or made from such a token by
/// adding to it.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read and write", &[])?;
/// let narrowed = token.narrow(&["method GET".parse()?])?.narrow(&["path /files".parse()?])?;
/// assert_eq!(narrowed.blocks().len(), 3);
/// # Ok::<(), klero_token::Error>(())
/// ```
pub type Verified<S> = Token<S, Trusted>;

/// Marks [`Unverified`] tokens.
#[derive(Clone, Copy, Debug)]
pub struct Untrusted;

/// Marks [`Verified`] tokens.
#[derive(Clone, Copy, Debug)]
pub struct Trusted;

impl<S: Scheme> Unverified<S> {
    /// Decodes a token. No signature is verified.
    ///
    /// # Errors
    /// [`Error::TooLong`] and [`Error::TooManySignatures`] if the token exceeds the limits;
    /// otherwise an error that says what is wrong with the bytes, and where.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        Body::decode::<S>(bytes, limits).map(Self::new)
    }

    /// Decodes the text of a token: base64url without padding. White space is an error, so
    /// trim the end of a line first.
    ///
    /// # Errors
    /// [`Error::Text`], and those of [`decode`](Self::decode).
    ///
    /// ```
    /// use klero_token::{Chain, Limits, SecretKey, Unverified, Verified};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let text = Verified::mint(&root, 0, b"may read", &[])?.to_text()?;
    /// assert!(text.starts_with("S1QC"));
    /// Unverified::<Chain>::from_text(&text, &Limits::default())?;
    /// # Ok::<(), klero_token::Error>(())
    /// ```
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
    /// challenge, a token that is not sealed ([`Error::NotSealed`]).
    ///
    /// ```
    /// use klero_token::{Aggregate, Challenge, Error, Limits, SecretKey, Unverified, Verified};
    /// let root = SecretKey::<Aggregate>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read", &[])?;
    ///
    /// // The verifier sets a challenge, the holder seals the token to it.
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealed = token.seal(&challenge)?.encode()?;
    ///
    /// let arrived = Unverified::<Aggregate>::decode(&sealed, &Limits::default())?;
    /// assert!(arrived.clone().verify(root.public_key(), Some(&challenge)).is_ok());
    /// let other = Challenge { nonce: &[8; 16], ..challenge };
    /// assert!(arrived.verify(root.public_key(), Some(&other)).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn verify(
        self,
        roots: &impl FindRoot<S>,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Verified<S>, Error> {
        Self::verify_many([(self, challenge.copied())], roots)
            .pop()
            .unwrap_or(Err(Error::NoBlocks))
    }

    /// Verifies many tokens together, each with its challenge if it must answer one. Returns
    /// the verdicts of [`verify`](Self::verify), in order, in less time.
    ///
    /// ```
    /// use klero_token::{Chain, Limits, SecretKey, Unverified, Verified};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read", &[])?.into_unverified();
    /// let tokens = [token.clone(), token].map(|token| (token, None));
    /// let verdicts = Unverified::verify_many(tokens, root.public_key());
    /// assert!(verdicts.iter().all(Result::is_ok));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    #[must_use = "the verdicts are the result"]
    pub fn verify_many<'a>(
        tokens: impl IntoIterator<Item = (Self, Option<Challenge<'a>>)>,
        roots: &impl FindRoot<S>,
    ) -> Vec<Result<Verified<S>, Error>> {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut presented = Vec::with_capacity(tokens.len());
        let mut verdicts = Vec::with_capacity(tokens.len());
        for (token, challenge) in &tokens {
            let token = Presented::new(&token.body, roots, challenge.as_ref());
            verdicts.push(token.map(|token| presented.push(token)));
        }
        let mut verified = verify::verdicts(&presented).into_iter();
        for verdict in &mut verdicts {
            if verdict.is_ok() {
                // There is one for each token that was presented.
                *verdict = verified.next().unwrap_or(Err(Error::NoBlocks));
            }
        }
        drop(presented);
        tokens
            .into_iter()
            .zip(verdicts)
            .map(|((token, _), verdict)| verdict.map(|()| Token::new(token.body)))
            .collect()
    }
}

impl<S> Unverified<S> {
    /// The blocks, not verified.
    pub fn unverified_blocks(&self) -> &[Block] {
        &self.body.blocks
    }
}

impl<S: Scheme> Verified<S> {
    /// A new token of one block, signed by a root key: rights, whose meaning is up to the
    /// application, and caveats. `root_id` is the number of the key in the verifiers'
    /// [`RootKeys`](crate::RootKeys): 0 unless keys change. Constant time in the key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`], [`Error::TooLarge`], [`Error::Caveat`].
    pub fn mint(
        root: &SecretKey<S>,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        let nothing = Body::begin::<S>(root_id);
        let payload = Block::root_payload(rights, caveats)?;
        let made = wiped(|| S::sign(&nothing.state(), ROOT, Signer::Root(root), &payload))?;
        nothing.with(Kind::Root, payload, made).map(Self::new)
    }
}

impl<S> Verified<S> {
    /// The blocks, the first one first.
    pub fn blocks(&self) -> &[Block] {
        &self.body.blocks
    }

    /// The same token, as it would arrive.
    pub fn into_unverified(self) -> Unverified<S> {
        Token::new(self.body)
    }
}

impl<S: Scheme, T> Token<S, T> {
    /// The token with a further block of caveats, which narrow it. Constant time in the keys. The
    /// verifiers' [`Limits`] are not checked here.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`],
    /// [`Error::Caveat`].
    pub fn narrow(&self, caveats: &[Caveat]) -> Result<Self, Error> {
        self.add(Kind::Caveats, caveat::write(caveats)?.into_bytes())
    }

    /// The token with a further block of bytes that mean nothing to the library. A verifier
    /// refuses it unless it knows what they mean. Constant time in the keys.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append(&self, payload: &[u8]) -> Result<Self, Error> {
        self.add(Kind::Opaque, payload.to_vec())
    }

    /// What a third party needs to make a statement for this token.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`].
    ///
    /// ```
    /// use klero_token::{Access, Caveat, Chain, SecretKey, ThirdParty, Verified};
    /// let registry = SecretKey::<ThirdParty>::generate()?;
    /// let (key, text) = (*registry.public_key(), "account 17 is of age");
    /// let caveat = Caveat::Vouched { key, text: text.into() };
    /// let root = SecretKey::<Chain>::generate()?;
    /// let token = Verified::mint(&root, 0, b"account 17", &[caveat])?;
    /// assert!(token.check(&Access::at(0)).is_err());
    ///
    /// let statement = token.request()?.sign(&registry, text.as_bytes());
    /// let token = token.append_statement(&statement)?;
    /// assert!(token.check(&Access::at(0)).is_ok());
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn request(&self) -> Result<Request, Error> {
        self.body.secret()?;
        Ok(Request::new(S::ID, self.body.state()))
    }

    /// The token with a third party's statement as its next block.
    ///
    /// # Errors
    /// [`Error::Key`], [`Error::SignatureScalar`] or [`Error::Signature`] if the statement is not
    /// valid for this token; [`Error::Sealed`], [`Error::Held`], [`Error::NoRandomness`],
    /// [`Error::TooLarge`].
    pub fn append_statement(&self, statement: &Statement) -> Result<Self, Error> {
        let place = Place::ThirdParty(self.body.blocks.len());
        statement.verify(&self.request()?, place)?;
        self.add(Kind::Statement, statement.whole_payload().to_vec())
    }

    /// The token sealed to a challenge: no block can be added to it, and it is valid for no
    /// other challenge.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::EmptyNonce`], [`Error::NoRandomness`].
    pub fn seal(&self, challenge: &Challenge<'_>) -> Result<Self, Error> {
        let signer = Signer::Holder(self.body.secret()?);
        let payload = challenge.encode()?;
        let (seal, rest) = wiped(|| S::sign(&self.body.state(), SEAL, signer, &payload))?;
        Ok(Self::new(Body {
            end: End::Sealed { seal, rest },
            ..self.body.clone()
        }))
    }

    fn add(&self, kind: Kind, payload: Vec<u8>) -> Result<Self, Error> {
        let signer = Signer::Holder(self.body.secret()?);
        let made = wiped(|| S::sign(&self.body.state(), kind.byte(), signer, &payload))?;
        self.body.with(kind, payload, made).map(Self::new)
    }
}

impl<S, T> Token<S, T> {
    pub(crate) fn new(body: Body) -> Self {
        Self {
            body,
            types: PhantomData,
        }
    }

    /// The name of the scheme.
    pub fn scheme(&self) -> &'static str {
        name_of(self.body.scheme).unwrap_or_default()
    }

    /// The number of the root key.
    pub fn root_id(&self) -> u32 {
        self.body.root_id
    }

    /// Whether the token answers a challenge, and so cannot be added to.
    pub fn is_sealed(&self) -> bool {
        matches!(self.body.end, End::Sealed { .. })
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
    /// [`Error::TooLarge`].
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.body.encode().map(Zeroizing::new)
    }

    /// The encoding in base64url without padding.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn to_text(&self) -> Result<Zeroizing<String>, Error> {
        let text = Base64UrlUnpadded::encode_string(&self.encode()?);
        Ok(Zeroizing::new(text))
    }
}

impl<S, T> Clone for Token<S, T> {
    fn clone(&self) -> Self {
        Self::new(self.body.clone())
    }
}

/// Shows no secrets, and of payloads only the length.
impl<S, T> fmt::Debug for Token<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Token").field(&self.body).finish()
    }
}
