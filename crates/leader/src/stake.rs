//! A pool's share of the stake.

use core::fmt;

/// The stake of a pool and the total active stake of its epoch, in lovelace. Their ratio is σ.
///
/// ```
/// use klero_leader::Stake;
/// let stake = Stake::new(63_000_000_000_000, 22_000_000_000_000_000)?;
/// assert_eq!(stake.pool(), 63_000_000_000_000);
/// assert!(Stake::new(2, 1).is_err());
/// # Ok::<(), klero_leader::BadStake>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stake {
    pool: u64,
    total: u64,
}

/// Two amounts that are no share of stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadStake {
    /// There is no stake to have a share of.
    #[error("the total stake is 0 lovelace, expected more")]
    NoTotal,
    /// A pool has more than all.
    #[error("a stake of {pool} lovelace is above the total of {total}")]
    AboveTotal {
        /// The stake of the pool.
        pool: u64,
        /// The total.
        total: u64,
    },
}

impl Stake {
    /// `pool` lovelace of `total`. An error if the total is zero or the pool has more.
    pub fn new(pool: u64, total: u64) -> Result<Stake, BadStake> {
        match total {
            0 => Err(BadStake::NoTotal),
            _ if pool > total => Err(BadStake::AboveTotal { pool, total }),
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
