//! What a scheme is, in three layers: its [keys](crate::key::Keys), its [blocks](Blocks), and on them
//! how it [signs and verifies](Construction).

use alloc::vec::Vec;

use crate::block::{Block, Blocks, Body};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::error::Error;
use crate::key::{PublicKey, SecretKey};

/// A signature scheme for tokens: [`Chain`](crate::Chain),
/// [`Aggregate`](crate::Aggregate) or `Bls` (feature `bls`). Other crates cannot implement it.
///
/// ```
/// use klero_token::{Aggregate, Chain, Scheme};
/// fn name<S: Scheme>() -> &'static str {
///     S::NAME
/// }
/// assert_eq!([name::<Chain>(), name::<Aggregate>()], ["chain", "aggregate"]);
/// ```
pub trait Scheme: Construction {}

impl<S: Construction> Scheme for S {}

/// A hash, 64 bytes, of the token so far: the next block, a seal, or a third party's statement
/// is bound to it.
pub type Binding = [u8; 64];

/// A token to verify.
pub struct Presented<'a, S: Construction> {
    pub(crate) body: &'a Body<S>,
    pub(crate) root: &'a PublicKey<S>,
    /// Set if and only if the token is sealed.
    pub(crate) challenge: Option<Challenge<'a>>,
}

/// How a scheme signs and verifies; see [`Scheme`].
#[allow(missing_docs, private_interfaces)]
pub trait Construction: Blocks {
    /// A third party's signature and key.
    type Statement: Clone + Eq;

    /// Signs the first block of a token.
    fn mint(root: &SecretKey<Self>, payload: &[u8]) -> Result<(Self::Link, Self::End), Error>;
    /// Signs a further block with the holder's key.
    fn append(
        body: &Body<Self>,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<(Self::Link, Self::End), Error>;
    /// What the next block is bound to.
    fn binding(blocks: &[Block<Self>]) -> Binding;
    /// Signs a payload as a third party.
    fn state(
        binding: &Binding,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<Self::Statement, Error>;
    /// Verifies a third party's statement, and signs a further block that holds it.
    fn append_external(
        body: &Body<Self>,
        payload: &[u8],
        statement: &Self::Statement,
    ) -> Result<(Self::Link, Self::End), Error>;
    /// The end of the sealed token.
    fn seal(body: &Body<Self>, challenge: &Challenge<'_>) -> Result<Self::End, Error>;
    /// The verdict on each token.
    fn verify(tokens: &[Presented<'_, Self>]) -> Vec<Result<(), Error>>;

    fn write_statement(statement: &Self::Statement, out: &mut Vec<u8>);
    fn read_statement(reader: &mut Reader<'_>) -> Result<Self::Statement, Error>;
}
