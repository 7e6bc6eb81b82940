//! A pool's share of the stake.

use core::fmt;

use crate::pool::PoolId;

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

/// Amounts that are no share of stake, or no distribution of it over pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadStake {
    /// There is no stake to have a share of.
    #[error("the total stake is 0 lovelace, expected more")]
    NoTotal,
    /// A pool has more than all.
    #[error("a stake of {stake} lovelace is above the total of {total}")]
    AboveTotal {
        /// The stake of the pool.
        stake: u64,
        /// The total.
        total: u64,
    },
    /// A pool of a distribution has more than its total.
    #[error("pool {pool} has {stake} lovelace, above the total of {total}")]
    PoolAboveTotal {
        /// The pool.
        pool: PoolId,
        /// Its stake.
        stake: u64,
        /// The total that was given.
        total: u64,
    },
    /// The pools together have more than the total.
    #[error("the pools have {sum} lovelace together, above the total of {total}")]
    SumAboveTotal {
        /// What the pools have.
        sum: u64,
        /// The total that was given.
        total: u64,
    },
    /// A pool was added twice.
    #[error("pool {pool} is there twice")]
    Twice {
        /// The pool.
        pool: PoolId,
    },
    /// The sum does not fit 64 bits.
    #[error("the sum of stake is 2^64 lovelace or more from pool {pool} on")]
    Overflow {
        /// The pool with which it became too large.
        pool: PoolId,
    },
}

impl Stake {
    /// `pool` lovelace of `total`. An error if the total is zero or the pool has more.
    pub fn new(pool: u64, total: u64) -> Result<Stake, BadStake> {
        match total {
            0 => Err(BadStake::NoTotal),
            _ if pool > total => Err(BadStake::AboveTotal { stake: pool, total }),
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
