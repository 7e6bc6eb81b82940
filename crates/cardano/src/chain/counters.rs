//! Counters: the number of the last certificate of each issuer.
//!
//! A certificate with a higher number replaces those before it, so that a stolen hot key can be
//! revoked. TPraos wants numbers that do not fall; Praos allows one step at a time as well. The
//! counters go over from TPraos to Praos as they are.

use std::collections::HashMap;

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;

/// The number of a certificate is not one that may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadNumber {
    /// A newer certificate was used already.
    #[error("certificate number is {found}, but number {last} was used before")]
    TooSmall {
        /// The last number of the issuer.
        last: u64,
        /// The number of this certificate.
        found: u64,
    },
    /// Praos: more than one certificate was skipped.
    #[error("certificate number is {found}, the last was {last}: expected at most one more")]
    TooLarge {
        /// The last number of the issuer.
        last: u64,
        /// The number of this certificate.
        found: u64,
    },
}

impl Protocol {
    /// Whether a certificate with number `found` may follow one with number `last`, of the same
    /// issuer: `last <= found`, and in Praos `found <= last + 1`. Byron has no certificates.
    ///
    /// # Errors
    /// [`BadNumber`].
    ///
    /// Sources: cardano-ledger, `TPraos/Rules/OCert.hs`; ouroboros-consensus, `Protocol/Praos.hs`.
    ///
    /// ```
    /// use klero_cardano::Protocol;
    /// // Mainnet, slot 10,816,539.
    /// assert!(Protocol::TPraos.check_number(2, 4).is_ok());
    /// assert!(Protocol::Praos.check_number(2, 4).is_err());
    /// ```
    pub fn check_number(self, last: u64, found: u64) -> Result<(), BadNumber> {
        if found < last {
            Err(BadNumber::TooSmall { last, found })
        } else if self == Protocol::Praos && found > last.saturating_add(1) {
            Err(BadNumber::TooLarge { last, found })
        } else {
            Ok(())
        }
    }
}

/// The counters of all issuers, known by the BLAKE2b-224 of their cold keys
/// ([`Lottery::issuer`](crate::Lottery::issuer)), about 50 bytes each.
///
/// Whoever verifies headers owns them, saves them and, when a fork is left, puts back those of
/// the block at which it began (a clone will do). Move them with valid headers only.
///
/// ```
/// use klero_cardano::{Counters, Hash, Protocol};
/// let (pool, other) = (Hash::new([1; 28]), Hash::new([2; 28]));
/// let mut counters = Counters::since_any_block();
/// assert_eq!(counters.check(Protocol::Praos, pool, 7), Ok(false)); // not known, not judged
/// counters.set(pool, 7);
/// assert_eq!(counters.check(Protocol::Praos, pool, 8), Ok(true));
/// assert!(counters.check(Protocol::Praos, pool, 9).is_err());
///
/// // All numbers since the first block are known, so that a new issuer begins at 0.
/// assert!(Counters::since_first_block().check(Protocol::Praos, other, 2).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    last: HashMap<Hash<28>, u64>,
    /// An issuer that is not among them has made no block.
    complete: bool,
}

impl Counters {
    /// No counters, before the first block since Byron: an issuer that is not known has number 0.
    pub fn since_first_block() -> Self {
        Self {
            last: HashMap::new(),
            complete: true,
        }
    }

    /// No counters, before any other block: the first number of an issuer cannot be judged, and
    /// only be recorded.
    pub fn since_any_block() -> Self {
        Self {
            last: HashMap::new(),
            complete: false,
        }
    }

    /// The last number of an issuer; `None` if it is not known.
    pub fn get(&self, issuer: Hash<28>) -> Option<u64> {
        let unknown = self.complete.then_some(0);
        self.last.get(&issuer).copied().or(unknown)
    }

    /// Sets the number of an issuer: that of a header that is valid.
    pub fn set(&mut self, issuer: Hash<28>, number: u64) {
        self.last.insert(issuer, number);
    }

    /// Whether the number could be judged, if nothing is wrong with it.
    ///
    /// # Errors
    /// [`BadNumber`].
    pub fn check(
        &self,
        protocol: Protocol,
        issuer: Hash<28>,
        number: u64,
    ) -> Result<bool, BadNumber> {
        match self.get(issuer) {
            Some(last) => protocol.check_number(last, number).map(|()| true),
            None => Ok(false),
        }
    }

    /// The issuers that have made a block, with their numbers, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Hash<28>, u64)> + '_ {
        self.last.iter().map(|(issuer, number)| (*issuer, *number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_both_protocols() {
        let (tpraos, praos) = (Protocol::TPraos, Protocol::Praos);
        for last in [0, 5, u64::MAX - 1, u64::MAX] {
            for found in [0, 4, 5, 6, 7, u64::MAX - 1, u64::MAX] {
                let too_small = found < last;
                let too_large = found > last && found - last > 1;
                assert_eq!(tpraos.check_number(last, found).is_err(), too_small);
                let verdict = match (too_small, too_large) {
                    (true, _) => Err(BadNumber::TooSmall { last, found }),
                    (_, true) => Err(BadNumber::TooLarge { last, found }),
                    _ => Ok(()),
                };
                assert_eq!(praos.check_number(last, found), verdict);
            }
        }
    }

    #[test]
    fn new_issuers() {
        let issuer = Hash::new([3; 28]);
        let complete = Counters::since_first_block();
        assert_eq!(complete.check(Protocol::Praos, issuer, 1), Ok(true));
        assert!(complete.check(Protocol::Praos, issuer, 2).is_err());
        assert_eq!(complete.check(Protocol::TPraos, issuer, 9), Ok(true));
        assert_eq!(complete.iter().count(), 0);
        let any = Counters::since_any_block();
        assert_eq!(any.check(Protocol::Praos, issuer, u64::MAX), Ok(false));
    }
}
