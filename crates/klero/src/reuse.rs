//! The check that no secret key is used in two suites.

use alloc::collections::BTreeMap;

use thiserror::Error;

use crate::key::SecretKey;
use crate::suite::Suite;

/// Finds a secret key that is used in two suites, for callers that make keys from seeds
/// chosen by somebody else. Keys are added one by one, in any order; about 120 bytes are
/// kept for each distinct one.
///
/// ```
/// use klero::{ReuseCheck, SecretKey, Suite};
/// let key = SecretKey::from_seed(Suite::DRAFT10_TAI, &[7; 32]);
/// let same = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
/// let other = SecretKey::from_seed(Suite::RFC9381_TAI, &[8; 32]);
/// let mut check = ReuseCheck::new();
/// check.add(&key, 5)?;
/// check.add(&other, 6)?;
/// check.add(&key, 7)?;
/// let error = check.add(&same, 2).unwrap_err();
/// assert_eq!((error.first, error.second), (2, 5));
/// assert_eq!(error.suites, [Suite::RFC9381_TAI, Suite::DRAFT10_TAI]);
/// # Ok::<(), klero::ReusedKey>(())
/// ```
#[derive(Debug, Default)]
pub struct ReuseCheck {
    /// By public key, the place where it was first added, and its suite there.
    known: BTreeMap<[u8; 32], (u64, Suite)>,
}

impl ReuseCheck {
    /// A check that has seen no key.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            known: BTreeMap::new(),
        }
    }

    /// Adds a key. `place` is its position for the error: a row, or an index.
    ///
    /// # Errors
    /// [`ReusedKey`] if the key was added before in another suite. The check keeps the
    /// suite in which it came first.
    pub fn add(&mut self, key: &SecretKey, place: u64) -> Result<(), ReusedKey> {
        let here = (place, key.suite());
        let known = *self
            .known
            .entry(*key.public_key().as_bytes())
            .or_insert(here);
        if known.1 == here.1 {
            return Ok(());
        }
        let (first, second) = if known.0 <= here.0 {
            (known, here)
        } else {
            (here, known)
        };
        Err(ReusedKey {
            first: first.0,
            second: second.0,
            suites: [first.1, second.1],
        })
    }
}

/// One secret key in two suites; see [`SecretKey::dangerously_reuse_in`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "one secret key in two suites, {} and {} (places {first} and {second}): two such proofs can \
     reveal the key",
    suites[0], suites[1]
)]
#[non_exhaustive]
pub struct ReusedKey {
    /// The lower of the two places.
    pub first: u64,
    /// The higher of the two places.
    pub second: u64,
    /// The suites at these places.
    pub suites: [Suite; 2],
}
