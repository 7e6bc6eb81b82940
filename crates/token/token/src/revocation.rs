//! Identifiers by which blocks are revoked, the text form of an identifier, and the revoked blocks of a
//! service.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// The identifier by which a block is revoked, 32 bytes. Revoking a block revokes every token that contains
/// the block. The identifier is a hash of the block and of all blocks before it, so no holder can change the
/// identifier. The first block contains random bytes, so no two minted tokens have an identifier in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevocationId(pub [u8; 32]);

/// 64 hexadecimal digits.
impl fmt::Display for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Reads 64 hexadecimal digits in lower case, and nothing else.
impl FromStr for RevocationId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut id = [0; 32];
        for (byte, digits) in id.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = core::str::from_utf8(digits).unwrap_or_default();
            *byte = u8::from_str_radix(digits, 16).unwrap_or_default();
        }
        let expected = "expected a revocation id: 64 hexadecimal digits in lower case";
        match Self(id).to_string() == text {
            true => Ok(Self(id)),
            false => Err(Error::Malformed(expected.into())),
        }
    }
}

impl fmt::Debug for RevocationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RevocationId({self})")
    }
}

/// The blocks that a service has revoked. A check of a request needs a `Revoked`, even if none is revoked.
///
/// ```
/// use klero_token::{Access, Reason, Revoked, RootKeys, Scheme, SecretKey, Token};
/// use std::collections::BTreeSet;
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let roots = RootKeys::from(*root.public_key());
/// let token = Token::mint(&root, 0, b"may read", &[])?.verify(&roots, None)?;
/// let narrowed = token.narrow(&["path /home".parse()?])?.verify(&roots, None)?;
/// assert!(token.check(&Access::at(0, Revoked::none())).is_ok());
///
/// // A revoked block revokes every token that contains the block.
/// let ids = token.revocation_ids();
/// assert_eq!(ids[0].to_string().parse(), Ok(ids[0])); // from its text in a list
/// let access = Access { path: Some("/home"), ..Access::at(0, Revoked::ids(&ids)) };
/// assert_eq!(narrowed.check(&access).unwrap_err().reason, Reason::Revoked);
///
/// // A service with many revoked ids looks each id up.
/// let set: BTreeSet<_> = narrowed.revocation_ids().into_iter().collect();
/// let by_set = |id: &_| set.contains(id);
/// assert!(token.check(&Access::at(0, Revoked::by(&by_set))).is_err());
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Revoked<'a> {
    ids: &'a [RevocationId],
    by: Option<&'a dyn Fn(&RevocationId) -> bool>,
}

impl<'a> Revoked<'a> {
    /// No blocks. Use this only if nothing is ever revoked: in a test, or if tokens expire so soon that
    /// nobody revokes them.
    #[must_use]
    pub const fn none() -> Self {
        Self::ids(&[])
    }

    /// The blocks with these ids.
    #[must_use]
    pub const fn ids(ids: &'a [RevocationId]) -> Self {
        Self { ids, by: None }
    }

    /// The blocks for whose ids the function returns true. The function must also return true if it cannot
    /// decide, for example because a database does not answer.
    #[must_use]
    pub const fn by(is_revoked: &'a dyn Fn(&RevocationId) -> bool) -> Self {
        Self {
            ids: &[],
            by: Some(is_revoked),
        }
    }

    /// The number and the id of the first revoked block, if any. `ids` calculates the ids of all blocks, and
    /// is called only if `self` has ids or a function with which to check them.
    pub(crate) fn first_of(
        &self,
        ids: impl FnOnce() -> Vec<RevocationId>,
    ) -> Option<(usize, RevocationId)> {
        if self.ids.is_empty() && self.by.is_none() {
            return None;
        }
        let is_revoked =
            |id: &RevocationId| self.ids.contains(id) || self.by.is_some_and(|by| by(id));
        ids().into_iter().enumerate().find(|(_, id)| is_revoked(id))
    }
}

impl fmt::Debug for Revoked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            None => write!(f, "Revoked({} ids)", self.ids.len()),
            Some(_) => f.write_str("Revoked(by a function)"),
        }
    }
}
