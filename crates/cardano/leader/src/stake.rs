//! A pool's share of the stake.

use alloc::format;
use core::fmt;

use crate::error::BadInput;

/// The stake of a pool and the total active stake of its epoch, in lovelace. Their ratio is σ.
///
/// ```
/// use klero_leader::Stake;
/// let stake = Stake::new(63_000_000_000_000, 22_000_000_000_000_000)?;
/// assert_eq!(stake.pool(), 63_000_000_000_000);
/// assert!(Stake::new(2, 1).is_err());
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stake {
    pool: u64,
    total: u64,
}

/// The message of the error for a total of zero.
pub(crate) const NO_TOTAL: &str = "the total stake is 0 lovelace, expected more";

impl Stake {
    /// Creates a stake of `pool` lovelace out of `total`. It is an error if the total is zero or below
    /// `pool`.
    pub fn new(pool: u64, total: u64) -> Result<Stake, BadInput> {
        match total {
            0 => Err(BadInput(NO_TOTAL.into())),
            _ if pool > total => Err(BadInput(format!(
                "a stake of {pool} lovelace is above the total of {total}"
            ))),
            _ => Ok(Stake { pool, total }),
        }
    }

    /// The stake of the pool, in lovelace.
    #[must_use]
    pub fn pool(self) -> u64 {
        self.pool
    }

    /// The total active stake, in lovelace; not zero.
    #[must_use]
    pub fn total(self) -> u64 {
        self.total
    }
}

impl fmt::Display for Stake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} lovelace", self.pool, self.total)
    }
}
