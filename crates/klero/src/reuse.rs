//! The check that no secret key is used in two suites.

use alloc::collections::BTreeMap;

use crate::error::Error;
use crate::key::SecretKey;
use crate::suite::Suite;

/// Finds a secret key that is used in two suites, for callers that make keys from seeds
/// chosen by somebody else. Keys are added one by one, in any order; about 120 bytes are
/// kept for each distinct one.
///
/// ```
/// use klero::{Error, ReuseCheck, SecretKey, Suite};
/// let key = SecretKey::from_seed(Suite::DRAFT10_TAI, &[7; 32]);
/// let same = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
/// let other = SecretKey::from_seed(Suite::RFC9381_TAI, &[8; 32]);
/// let mut check = ReuseCheck::new();
/// check.add(&key, 5)?;
/// check.add(&other, 6)?;
/// check.add(&key, 7)?;
/// let suites = [Suite::RFC9381_TAI, Suite::DRAFT10_TAI];
/// assert_eq!(check.add(&same, 2), Err(Error::ReusedKey { places: [2, 5], suites }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ReuseCheck {
    /// For each public key, the place where it was first added, and its suite there.
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
    /// [`Error::ReusedKey`] if the key was added before in another suite. The check keeps the
    /// suite in which the key came first.
    pub fn add(&mut self, key: &SecretKey, place: u64) -> Result<(), Error> {
        let here = (place, key.suite());
        let known = *self
            .known
            .entry(*key.public_key().as_bytes())
            .or_insert(here);
        if known.1 == here.1 {
            return Ok(());
        }
        let [first, second] = match known.0 <= here.0 {
            true => [known, here],
            false => [here, known],
        };
        Err(Error::ReusedKey {
            places: [first.0, second.0],
            suites: [first.1, second.1],
        })
    }
}
