//! What a scheme is: the cryptography under the tokens, and nothing of their handling.

use alloc::vec::Vec;
use core::fmt::Debug;

use crate::block::{Block, Body};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::error::{Error, KeyFault};
use crate::key::{PublicKey, SecretKey};

/// A scheme of signatures under tokens: [`Chain`](crate::Chain),
/// [`Aggregate`](crate::Aggregate) or `Bls` (feature `bls`). Closed: what it is made of
/// is not public.
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

/// What the next block, a seal, or a third party's statement is bound to: a hash of what the
/// token is so far, 64 bytes.
pub type Binding = [u8; 64];

/// What sets apart what is signed: its kind.
pub(crate) const ROOT: u8 = 0;
pub(crate) const BLOCK: u8 = 1;
pub(crate) const EXTERNAL: u8 = 2;
pub(crate) const SEAL: u8 = 3;
/// A third party's own signature, where it is not that of the block.
pub(crate) const STATEMENT: u8 = 4;
/// The holder's signature over a third party's block, where that has none of the holder's.
pub(crate) const COVER: u8 = 5;

/// A token that is to be verified.
pub struct Presented<'a, S: Construction> {
    pub(crate) body: &'a Body<S>,
    pub(crate) root: &'a PublicKey<S>,
    /// Set if and only if the token is sealed.
    pub(crate) challenge: Option<Challenge<'a>>,
}

/// The parts of a scheme; see [`Scheme`].
#[allow(missing_docs, private_interfaces)]
pub trait Construction: Copy + Debug + Eq + 'static {
    /// The name, as commands take it.
    const NAME: &'static str;
    /// The number in the encoding.
    const ID: u8;
    /// The bytes of a public key.
    const KEY_LENGTH: usize;

    type KeyBytes: Copy + Eq + Debug + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    /// What signing needs of a seed; wiped when dropped.
    type Expanded: Clone;
    /// What a block has beside its kind and payload.
    type Link: Clone + Eq;
    /// What stands behind the last block.
    type End: Clone;
    /// What a third party signed.
    type Statement: Clone + Eq;

    fn expand(seed: &[u8; 32]) -> Self::Expanded;
    fn public(secret: &Self::Expanded) -> Self::KeyBytes;
    fn check_key(bytes: &Self::KeyBytes) -> Result<(), KeyFault>;

    /// The first block of a token.
    fn mint(root: &SecretKey<Self>, payload: &[u8]) -> Result<(Self::Link, Self::End), Error>;
    /// One block more, with the appender's key.
    fn append(
        body: &Body<Self>,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<(Self::Link, Self::End), Error>;
    /// What the next block is bound to.
    fn binding(blocks: &[Block<Self>]) -> Binding;
    /// A third party's word.
    fn state(
        binding: &Binding,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<Self::Statement, Error>;
    /// One block more, with a third party's word, which is checked.
    fn append_external(
        body: &Body<Self>,
        payload: &[u8],
        statement: &Self::Statement,
    ) -> Result<(Self::Link, Self::End), Error>;
    /// The end of the sealed token.
    fn seal(body: &Body<Self>, challenge: &Challenge<'_>) -> Result<Self::End, Error>;

    /// The verdict on each.
    fn verify(tokens: &[Presented<'_, Self>]) -> Vec<Result<(), Error>>;

    fn is_sealed(end: &Self::End) -> bool;
    /// For each block 64 bytes from which its revocation id is hashed.
    fn digests(blocks: &[Block<Self>]) -> Vec<[u8; 64]>;
    /// The key of the holder, or in the first block the issuer, that a block carries.
    fn key(link: &Self::Link) -> &Self::KeyBytes;
    /// The third party's key.
    fn external_key(link: &Self::Link) -> Option<&Self::KeyBytes>;

    fn write_link(link: &Self::Link, out: &mut Vec<u8>);
    fn read_link(kind: u8, reader: &mut Reader<'_>) -> Result<Self::Link, Error>;
    fn write_end(end: &Self::End, out: &mut Vec<u8>);
    fn read_end(sealed: bool, reader: &mut Reader<'_>) -> Result<Self::End, Error>;
    fn write_statement(statement: &Self::Statement, out: &mut Vec<u8>);
    fn read_statement(reader: &mut Reader<'_>) -> Result<Self::Statement, Error>;
}
