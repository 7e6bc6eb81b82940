//! Tokens of any scheme, for services that accept several.

use core::ops::Deref;

use crate::aggregate::Aggregate;
use crate::body::Body;
use crate::chain::Chain;
use crate::codec::{read_text, scheme_of};
use crate::error::Error;
use crate::limits::Limits;
use crate::roots::RootKeys;
use crate::scheme::Scheme;
use crate::seal::Challenge;
use crate::token::{Token, Unverified, Verified};

/// A token as it arrived, whose scheme is read from its bytes. It is verified with root keys of
/// every scheme that is accepted, or made into an [`Unverified`] token of one.
///
/// ```
/// use klero_token::{Access, AnyRootKeys, AnyToken, Chain, Limits, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let bytes = Verified::mint(&root, 0, b"may read", &[])?.encode()?;
///
/// let mut roots = AnyRootKeys::default();
/// roots.chain = (*root.public_key()).into();
/// let token = AnyToken::decode(&bytes, &Limits::default())?;
/// assert_eq!(token.scheme(), "chain");
/// let verified = token.verify(&roots, None)?;
/// assert_eq!(&*verified.check(&Access::at(0)).unwrap(), b"may read");
/// # Ok::<(), klero_token::Error>(())
/// ```
///
/// By `Deref` it shows what an unverified token does.
#[derive(Clone, Debug)]
pub struct AnyToken(Unverified<Any>);

/// Marks tokens whose scheme is not known to the compiler. They cannot be added to.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl Deref for AnyToken {
    type Target = Unverified<Any>;

    fn deref(&self) -> &Unverified<Any> {
        &self.0
    }
}

/// The root keys of every scheme. A token of a scheme without root keys is refused.
///
/// ```
/// assert_eq!(klero_token::AnyRootKeys::default().chain.get(0), None);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AnyRootKeys {
    /// Those of [`Chain`].
    pub chain: RootKeys<Chain>,
    /// Those of [`Aggregate`].
    pub aggregate: RootKeys<Aggregate>,
}

impl AnyToken {
    /// Decodes a token of any scheme. No signature is verified.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`], and those of [`Unverified::decode`].
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        match scheme_of(bytes)? {
            "chain" => Body::decode::<Chain>(bytes, limits),
            "aggregate" => Body::decode::<Aggregate>(bytes, limits),
            _ => Err(Error::UnknownScheme(bytes.get(3).copied().unwrap_or(0))),
        }
        .map(|body| Self(Token::new(body)))
    }

    /// Decodes the text of a token: base64url without padding.
    ///
    /// # Errors
    /// [`Error::Text`], and those of [`decode`](Self::decode).
    pub fn from_text(text: &str, limits: &Limits) -> Result<Self, Error> {
        Self::decode(&read_text(text, limits)?, limits)
    }

    /// Verifies the token as [`Unverified::verify`] does.
    ///
    /// # Errors
    /// The first reason to refuse the token.
    pub fn verify(
        self,
        roots: &AnyRootKeys,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Verified<Any>, Error> {
        let body = self.0.body;
        let verified = match body.scheme {
            Chain::ID => {
                Unverified::<Chain>::new(body)
                    .verify(&roots.chain, challenge)?
                    .body
            }
            Aggregate::ID => {
                let token = Unverified::<Aggregate>::new(body);
                token.verify(&roots.aggregate, challenge)?.body
            }
            unknown => return Err(Error::UnknownScheme(unknown)),
        };
        Ok(Token::new(verified))
    }

    /// The token of a scheme, if it is of that scheme: to verify many together, or to add to it.
    ///
    /// # Errors
    /// [`Error::Scheme`].
    ///
    /// ```
    /// use klero_token::{Aggregate, AnyToken, Chain, Limits, SecretKey, Verified};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let bytes = Verified::mint(&root, 0, b"may read", &[])?.encode()?;
    /// let token = AnyToken::decode(&bytes, &Limits::default())?;
    /// assert!(token.clone().of_scheme::<Aggregate>().is_err());
    /// token.of_scheme::<Chain>()?.verify(root.public_key(), None)?;
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn of_scheme<S: Scheme>(self) -> Result<Unverified<S>, Error> {
        if self.0.body.scheme != S::ID {
            return Err(Error::Scheme {
                got: self.0.body.scheme,
                expected: S::ID,
                name: S::NAME,
            });
        }
        Ok(Token::new(self.0.body))
    }
}
