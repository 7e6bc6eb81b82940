//! Tokens: unverified on arrival, verified once they can be trusted and extended.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

use crate::block::{Block, Body, RevocationId};
use crate::challenge::Challenge;
use crate::error::Error;
use crate::key::{RootKeys, SecretKey};
use crate::kind::Kind;
use crate::limits::Limits;
use crate::scheme::{Presented, Scheme};
use crate::third_party::{Request, Statement};

/// A token as it arrived: well formed and within limits, but not verified. Anyone may have
/// written its blocks: read them for diagnostics, never act on them.
///
/// Whoever has the bytes of a token that is not sealed can use it and add to it: treat the
/// bytes as a password.
///
/// ```
/// use klero_token::{Chain, Limits, RootKeys, SecretKey, Unverified, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let bytes = Verified::mint(&root, 0, b"may read")?.encode()?;
///
/// let token = Unverified::<Chain>::decode(&bytes, &Limits::default())?;
/// let roots = RootKeys::from(*root.public_key());
/// let token = token.verify(&roots, None)?;
/// assert_eq!(token.blocks()[0].payload(), b"may read");
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Unverified<S: Scheme>(Body<S>);

impl<S: Scheme> Unverified<S> {
    /// Decodes a token. No signature is verified.
    ///
    /// # Errors
    /// [`Error::TooLong`] and [`Error::TooManyBlocks`] if the token exceeds the limits;
    /// otherwise an error that says what is wrong with the bytes, and where.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        Body::decode(bytes, limits).map(Self)
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
    /// let text = Verified::mint(&root, 0, b"may read")?.to_text()?;
    /// assert!(text.starts_with("S1QB"));
    /// Unverified::<Chain>::from_text(&text, &Limits::default())?;
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        // Four characters encode three bytes.
        limits.check(text.len() / 4 * 3)?;
        let bytes = Base64UrlUnpadded::decode_vec(text).map_err(|_| Error::Text)?;
        Self::decode(&Zeroizing::new(bytes), limits)
    }

    /// The number of the root key by which the token claims to be signed.
    pub fn root_id(&self) -> u32 {
        self.0.root_id
    }

    /// Whether the token answers a challenge, and so cannot be added to.
    pub fn is_sealed(&self) -> bool {
        S::is_sealed(&self.0.end)
    }

    /// The blocks, not verified.
    pub fn unverified_blocks(&self) -> &[Block<S>] {
        &self.0.blocks
    }

    /// The revocation id of each block. They are not verified: use them to refuse a token,
    /// not to accept it.
    pub fn revocation_ids(&self) -> Vec<RevocationId> {
        self.0.revocation_ids()
    }

    /// Verifies that a root key signed the first block, that every further block was added by
    /// a holder of the token before it, and that the token is sealed to the challenge if
    /// there is one. Variable time.
    ///
    /// # Errors
    /// The first reason to refuse the token. Without a challenge, a sealed token is refused
    /// ([`Error::Sealed`]); with a challenge, a token that is not sealed
    /// ([`Error::NotSealed`]).
    ///
    /// ```
    /// use klero_token::{Aggregate, Challenge, Error, Limits, SecretKey, Unverified, Verified};
    /// let root = SecretKey::<Aggregate>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read")?.append(b"until noon")?;
    ///
    /// // The verifier sets a challenge, the holder seals the token to it.
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealed = token.seal(&challenge)?.encode()?;
    ///
    /// let roots = (*root.public_key()).into();
    /// let arrived = Unverified::<Aggregate>::decode(&sealed, &Limits::default())?;
    /// assert!(arrived.clone().verify(&roots, Some(&challenge)).is_ok());
    /// let other = Challenge { nonce: &[8; 16], ..challenge };
    /// assert!(arrived.verify(&roots, Some(&other)).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn verify(
        self,
        roots: &RootKeys<S>,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Verified<S>, Error> {
        Self::verify_many(vec![(self, challenge.copied())], roots)
            .pop()
            .unwrap_or(Err(Error::NoBlocks))
    }

    /// Verifies many tokens together, each with its challenge if it must answer one. Returns
    /// the verdicts of [`verify`](Self::verify), in order, in less time.
    ///
    /// ```
    /// use klero_token::{Chain, Limits, SecretKey, Unverified, Verified};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let bytes = Verified::mint(&root, 0, b"may read")?.encode()?;
    /// let token = Unverified::<Chain>::decode(&bytes, &Limits::default())?;
    /// let roots = (*root.public_key()).into();
    /// let verdicts = Unverified::verify_many(vec![(token.clone(), None), (token, None)], &roots);
    /// assert!(verdicts.iter().all(Result::is_ok));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn verify_many(
        tokens: Vec<(Self, Option<Challenge<'_>>)>,
        roots: &RootKeys<S>,
    ) -> Vec<Result<Verified<S>, Error>> {
        let present = |(token, challenge): &(Self, Option<Challenge<'_>>)| {
            let id = token.root_id();
            match (token.is_sealed(), challenge) {
                (true, None) => Err(Error::Sealed),
                (false, Some(_)) => Err(Error::NotSealed),
                _ => roots.get(id).copied().ok_or(Error::UnknownRoot(id)),
            }
        };
        let keys: Vec<_> = tokens.iter().map(present).collect();
        let presented: Vec<_> = tokens
            .iter()
            .zip(&keys)
            .filter_map(|((token, challenge), root)| {
                Some(Presented {
                    body: &token.0,
                    root: root.as_ref().ok()?,
                    challenge: *challenge,
                })
            })
            .collect();
        let mut verdicts = S::verify(&presented).into_iter();
        let verdicts: Vec<_> = keys
            .into_iter()
            .map(|key| key.and_then(|_| verdicts.next().unwrap_or(Err(Error::NoBlocks))))
            .collect();
        tokens
            .into_iter()
            .zip(verdicts)
            .map(|((token, _), verdict)| verdict.map(|()| Verified(token.0)))
            .collect()
    }
}

impl<S: Scheme> fmt::Debug for Unverified<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unverified").field(&self.0).finish()
    }
}

/// A token that can be trusted: it was minted here or verified, or made from such a token by
/// adding to it.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read and write")?;
/// let narrowed = token.append(b"read only")?.append(b"until noon")?;
/// assert_eq!(narrowed.blocks().len(), 3);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Verified<S: Scheme>(Body<S>);

impl<S: Scheme> Verified<S> {
    /// A new token of one block, signed by a root key. `root_id` is the number of the key in
    /// the verifiers' [`RootKeys`]: 0 unless keys change. Constant time in the key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn mint(root: &SecretKey<S>, root_id: u32, payload: &[u8]) -> Result<Self, Error> {
        let (link, end) = S::mint(root, payload)?;
        let nothing = Body {
            root_id,
            blocks: Vec::new(),
            end: end.clone(),
        };
        nothing.with(Kind::Root, payload, (link, end)).map(Self)
    }

    /// The token with a further block, signed with a fresh key. Constant time in the keys. The
    /// verifiers' [`Limits`] are not checked here.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append(&self, payload: &[u8]) -> Result<Self, Error> {
        self.append_with(&SecretKey::generate()?, payload)
    }

    /// The token with a further block and a chosen key, which verifiers can recognise
    /// ([`Block::key`]). In [`Chain`](crate::Chain) the token contains this secret key, and
    /// everyone who gets the token can read it: use the key for nothing else.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::NoRandomness`], [`Error::TooLarge`].
    ///
    /// ```
    /// use klero_token::{Aggregate, SecretKey, Verified};
    /// let root = SecretKey::<Aggregate>::generate()?;
    /// let gateway = SecretKey::<Aggregate>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read")?.append_with(&gateway, b"via gateway")?;
    /// assert_eq!(token.blocks()[1].key(), gateway.public_key().as_bytes());
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn append_with(&self, key: &SecretKey<S>, payload: &[u8]) -> Result<Self, Error> {
        self.open()?;
        let made = S::append(&self.0, payload, key)?;
        self.0.with(Kind::Block, payload, made).map(Self)
    }

    /// What a third party needs to sign a payload for this token.
    ///
    /// # Errors
    /// [`Error::Sealed`].
    ///
    /// ```
    /// use klero_token::{Chain, Kind, SecretKey, Verified};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read if of age")?;
    ///
    /// let registry = SecretKey::<Chain>::generate()?;
    /// let statement = token.request()?.sign(&registry, b"of age")?;
    ///
    /// let token = token.append_external(&statement)?;
    /// assert_eq!(token.blocks()[1].kind(), Kind::External);
    /// assert_eq!(token.blocks()[1].external_key(), Some(registry.public_key().as_bytes()));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn request(&self) -> Result<Request<S>, Error> {
        self.open()?;
        Ok(Request::new(S::binding(&self.0.blocks)))
    }

    /// The token with a third party's statement as its next block.
    ///
    /// The holder signs as well, with a fresh key. Without that the third party, which knows
    /// its own signature, could remove the block again.
    ///
    /// # Errors
    /// [`Error::Key`], [`Error::SignaturePoint`], [`Error::SignatureScalar`] or
    /// [`Error::Signature`] if the statement is not valid for this token;
    /// [`Error::Sealed`], [`Error::NoRandomness`], [`Error::TooLarge`].
    pub fn append_external(&self, statement: &Statement<S>) -> Result<Self, Error> {
        self.open()?;
        let payload = statement.payload();
        let made = S::append_external(&self.0, payload, statement.signed())?;
        self.0.with(Kind::External, payload, made).map(Self)
    }

    /// The token sealed to a challenge: no block can be added to it, and it is valid for no
    /// other challenge.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::NoRandomness`].
    pub fn seal(&self, challenge: &Challenge<'_>) -> Result<Self, Error> {
        self.open()?;
        Ok(Self(Body {
            end: S::seal(&self.0, challenge)?,
            ..self.0.clone()
        }))
    }

    /// The number of the root key.
    pub fn root_id(&self) -> u32 {
        self.0.root_id
    }

    /// Whether the token answers a challenge, and so cannot be added to.
    pub fn is_sealed(&self) -> bool {
        S::is_sealed(&self.0.end)
    }

    /// The blocks, the root block first.
    pub fn blocks(&self) -> &[Block<S>] {
        &self.0.blocks
    }

    /// The revocation id of each block.
    pub fn revocation_ids(&self) -> Vec<RevocationId> {
        self.0.revocation_ids()
    }

    /// The encoding. Unless the token is sealed, treat it as a password: whoever has it can use
    /// the token.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.0.encode().map(Zeroizing::new)
    }

    /// The encoding in base64url without padding.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn to_text(&self) -> Result<Zeroizing<String>, Error> {
        let text = Base64UrlUnpadded::encode_string(&self.encode()?);
        Ok(Zeroizing::new(text))
    }

    fn open(&self) -> Result<(), Error> {
        if self.is_sealed() {
            return Err(Error::Sealed);
        }
        Ok(())
    }
}

impl<S: Scheme> fmt::Debug for Verified<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Verified").field(&self.0).finish()
    }
}
