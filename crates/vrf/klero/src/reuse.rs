//! The check that no secret key is used in two suites.

use alloc::collections::BTreeMap;

use crate::error::Error;
use crate::key::SecretKey;
use crate::suite::Suite;

/// Finds a secret key that is used in two suites. Meant for callers that make keys from seeds chosen by
/// somebody else. Keys can be added in any order. The check keeps about 120 bytes for each distinct key.
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
    /// Maps each public key to the place where it was first added, and to its suite there.
    known: BTreeMap<[u8; 32], (u64, Suite)>,
}

impl ReuseCheck {
    /// Makes a check without keys.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            known: BTreeMap::new(),
        }
    }

    /// Adds a key at a place, such as the number of a row. An error reports both places of the reused key.
    ///
    /// # Errors
    /// [`Error::ReusedKey`] if the key was first added in another suite. The check remembers that first suite
    /// even after an error.
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
