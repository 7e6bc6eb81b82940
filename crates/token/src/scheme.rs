//! What a scheme is: its [keys](Keys), and how it signs a link and verifies a token. All else,
//! from framing to seals, is the same for every scheme and written once.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::error::{Error, Place};
use crate::key::{Keys, PublicKey, SecretKey};
use crate::link::{Lengths, Link};
use crate::state::State;

/// A signature scheme for tokens: [`Chain`](crate::Chain) or
/// [`Aggregate`](crate::Aggregate). Other crates cannot implement it.
///
/// ```
/// use klero_token::{Aggregate, Chain, Keys, Scheme};
/// fn name<S: Scheme>() -> &'static str {
///     S::NAME
/// }
/// assert_eq!([name::<Chain>(), name::<Aggregate>()], ["chain", "aggregate"]);
/// ```
#[allow(missing_docs, private_interfaces)]
pub trait Scheme: Keys {
    /// The number of the scheme in the encoding.
    const ID: u8;
    /// Whether a device can hold the last key of a token.
    const HELD: bool;

    /// The lengths of a link of this kind.
    fn link_lengths(kind: u8) -> Lengths;
    /// The bytes behind the last link: the secret of a bearer, or what is left of it when sealed.
    fn end_length(sealed: bool) -> usize;
    /// The link that follows this state, and the secret that follows the link. Constant time in
    /// the keys.
    fn sign(
        before: &State,
        kind: u8,
        signer: Signer<'_, Self>,
        payload: &[u8],
    ) -> Result<(Link, Secret), Error>;
    /// The verdict on the links of each token. Variable time; in `Chain` constant
    /// time in the secrets of bearers.
    fn verify(claims: &[Claim<'_, Self>]) -> Vec<Result<(), Error>>;
}

/// What only a bearer knows.
pub(crate) type Secret = Zeroizing<Vec<u8>>;

/// Who signs a link.
#[derive(Clone, Copy)]
pub enum Signer<'a, S: Keys> {
    /// The issuer, who signs the first.
    Root(&'a SecretKey<S>),
    /// Whoever has the secret of a token.
    Holder(&'a Secret),
}

impl<S: Keys> Signer<'_, S> {
    /// What nobody else knows.
    pub(crate) fn secret(&self) -> &[u8] {
        match self {
            Self::Root(key) => key.as_bytes(),
            Self::Holder(secret) => secret,
        }
    }
}

/// A link with all that its signature covers.
pub(crate) struct Signed<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) link: &'a Link,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) place: Place,
}

/// A token to verify, but for statements.
pub struct Claim<'a, S: Keys> {
    pub(crate) root: PublicKey<S>,
    pub(crate) root_id: u32,
    pub(crate) blocks: Vec<Signed<'a>>,
    pub(crate) proof: Proof<'a>,
}

/// Why whoever shows a token may use it. A seal comes with the challenge that the verifier set;
/// there is no other way to write one down.
pub(crate) enum Proof<'a> {
    /// Because of the bearer's secret.
    Bearer(&'a Secret),
    /// Because of the seal, whose payload is the verifier's challenge. The rest is public.
    Sealed(Signed<'a>, &'a Secret),
}

impl<'a, S: Keys> Claim<'a, S> {
    /// All links, that of the seal last.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Signed<'a>> {
        let seal = match &self.proof {
            Proof::Bearer(_) => None,
            Proof::Sealed(seal, _) => Some(seal),
        };
        self.blocks.iter().chain(seal)
    }

    /// The bytes behind the last link.
    pub(crate) fn end(&self) -> &'a Secret {
        match self.proof {
            Proof::Bearer(end) | Proof::Sealed(_, end) => end,
        }
    }

    /// The error of a token whose first link has another key than the root's.
    pub(crate) fn check_root(&self, key_in_link: Option<&[u8]>) -> Result<(), Error> {
        if key_in_link != Some(self.root.as_bytes()) {
            return Err(Error::WrongRoot(self.root_id));
        }
        Ok(())
    }
}
