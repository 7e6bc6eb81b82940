//! Counters, which store the number of the last operational certificate of each issuer.
//!
//! A certificate with a higher number replaces the earlier certificates of the same issuer, so that a stolen
//! hot key can be revoked. In TPraos the number must not decrease. In Praos it also must not increase by more
//! than one. When TPraos changes to Praos, the counters keep their values.
//!
//! An invalid header changes no counter. But someone may have altered an honest header of any issuer, and the
//! honest header may have had that issuer's next number. So an invalid header puts the upper bound of every
//! issuer in doubt until the issuer's next valid header. Otherwise one altered header would make honest
//! headers invalid. The lower bounds are not in doubt, because they come from valid headers.

use std::collections::{BTreeMap, HashMap};

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;
use crate::chain::hash::blake2b_256;

/// Identifies the format of saved counters. A different format has a different number.
const FORM: &[u8] = b"klero counters 1";

/// The counters of all issuers, about 60 bytes each. An issuer is identified by the BLAKE2b-224 hash of its
/// cold key ([`Lottery::issuer`](crate::Lottery::issuer)).
///
/// A verifier owns the counters and checks the headers of a chain in order. For each header it calls
/// [`check`](Self::check), and then [`set`](Self::set) if the header is valid in every respect, or else
/// [`doubt`](Self::doubt). When it abandons a fork, it must restore the counters of the block where the fork
/// began, for example from a clone.
///
/// ```
/// use klero_cardano::{Bounds, Counters, Hash, Protocol};
/// let (pool, other) = (Hash::new([1; 28]), Hash::new([2; 28]));
/// let mut counters = Counters::since_any_block();
/// assert_eq!(counters.check(Protocol::Praos, pool, 7), Ok(Bounds::None)); // not known
/// counters.set(pool, 7);
/// assert_eq!(counters.check(Protocol::Praos, pool, 8), Ok(Bounds::All));
/// assert!(counters.check(Protocol::Praos, pool, 9).is_err());
///
/// // An invalid header may have been number 8 of this pool.
/// counters.doubt();
/// assert_eq!(counters.check(Protocol::Praos, pool, 9), Ok(Bounds::Lower));
/// assert!(counters.check(Protocol::Praos, pool, 6).is_err());
///
/// // All numbers since the first block are known, so that a new issuer begins at 0.
/// assert!(Counters::since_first_block().check(Protocol::Praos, other, 2).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    last: HashMap<Hash<28>, Last>,
    /// True if the counters begin with the first block. Then an issuer without a number made no valid block.
    complete: bool,
    /// The number of doubts recorded so far (see [`Counters::doubt`]).
    doubts: u64,
}

/// The certificate number of an issuer's last valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    number: u64,
    /// The number of doubts recorded before that header.
    doubts: u64,
}

/// The bounds that a certificate's number was checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bounds {
    /// No bound: the issuer is not known, and the counters do not begin with the first block.
    None,
    /// The lower bound. The upper bound, which only Praos has, is in doubt (see [`Counters::doubt`]).
    Lower,
    /// All bounds that the protocol has.
    All,
}

impl Counters {
    /// Empty counters for a check that begins with the first block after Byron. An unknown issuer is treated
    /// as one with number 0.
    #[must_use]
    pub fn since_first_block() -> Self {
        Self {
            last: HashMap::new(),
            complete: true,
            doubts: 0,
        }
    }

    /// Empty counters for a check that begins with a later block. The first number of an issuer cannot be
    /// checked, only recorded.
    #[must_use]
    pub fn since_any_block() -> Self {
        Self {
            complete: false,
            ..Self::since_first_block()
        }
    }

    /// Checks the number of a certificate of this issuer against the bounds that are known. Changes nothing.
    ///
    /// # Errors
    /// The last number of the issuer, if `number` cannot follow it. A smaller number cannot follow. In Praos,
    /// a number that is larger by more than one cannot follow either.
    ///
    /// Sources: cardano-ledger, `TPraos/Rules/OCert.hs`; ouroboros-consensus, `Protocol/Praos.hs`.
    pub fn check(&self, protocol: Protocol, issuer: Hash<28>, number: u64) -> Result<Bounds, u64> {
        let new = Last {
            number: 0,
            doubts: 0,
        };
        let last = match self.last.get(&issuer) {
            Some(last) => *last,
            None if self.complete => new,
            None => return Ok(Bounds::None),
        };
        let has_upper_bound = protocol == Protocol::Praos;
        match number.checked_sub(last.number) {
            None => Err(last.number),
            Some(_) if has_upper_bound && last.doubts != self.doubts => Ok(Bounds::Lower),
            Some(2..) if has_upper_bound => Err(last.number),
            Some(_) => Ok(Bounds::All),
        }
    }

    /// Records the number of a valid header of an issuer, and ends the doubt about that issuer.
    pub fn set(&mut self, issuer: Hash<28>, number: u64) {
        let doubts = self.doubts;
        self.last.insert(issuer, Last { number, doubts });
    }

    /// Records that a header is invalid, cannot be decoded, or is missing. The next valid header of each
    /// issuer is then checked against the lower bound only.
    pub fn doubt(&mut self) {
        self.doubts += 1;
    }

    /// Returns the issuers that have made a valid block, with their numbers, in no particular order. Calling
    /// [`set`](Self::set) with each pair restores the numbers, but not the doubt.
    pub fn iter(&self) -> impl Iterator<Item = (Hash<28>, u64)> + '_ {
        self.last
            .iter()
            .map(|(issuer, last)| (*issuer, last.number))
    }

    /// Saves the counters and the doubt, so that a later run can continue with them. The result has 82 bytes,
    /// and 37 more for each issuer. `genesis` is the hash of the genesis file, which identifies the network.
    #[must_use]
    pub fn to_bytes(&self, genesis: Hash<32>) -> Vec<u8> {
        let flags = [self.complete.into(), (self.doubts > 0).into()];
        let mut bytes = [FORM, &*genesis, &flags].concat();
        for (issuer, last) in self.last.iter().collect::<BTreeMap<_, _>>() {
            bytes.extend_from_slice(&**issuer);
            bytes.extend(last.number.to_be_bytes());
            bytes.push((last.doubts != self.doubts).into());
        }
        let hash = blake2b_256(&[&bytes]);
        bytes.extend_from_slice(&*hash);
        bytes
    }

    /// Restores saved counters. Also returns the saved genesis hash, which the caller must compare with the
    /// hash of the network. Returns `None` if the bytes are not a result of [`to_bytes`](Self::to_bytes). The
    /// hash at the end of the bytes detects accidental changes, but not forgery.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<(Hash<32>, Self)> {
        let (content, _) = bytes.split_last_chunk::<32>()?;
        let (genesis, rest) = content.strip_prefix(FORM)?.split_first_chunk::<32>()?;
        let (&[complete, doubts], rest) = rest.split_first_chunk()?;
        let mut counters = Self {
            complete: complete == 1,
            doubts: (doubts == 1).into(),
            ..Self::since_first_block()
        };
        for entry in rest.as_chunks::<37>().0 {
            let (issuer, rest) = entry.split_first_chunk::<28>()?;
            let (number, doubt) = rest.split_first_chunk()?;
            let number = u64::from_be_bytes(*number);
            let doubts = counters.doubts & u64::from(*doubt == [0]);
            counters
                .last
                .insert(Hash::new(*issuer), Last { number, doubts });
        }
        let genesis = Hash::new(*genesis);
        (counters.to_bytes(genesis) == bytes).then_some((genesis, counters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_both_protocols() {
        let issuer = Hash::new([3; 28]);
        for last in [0, 5, u64::MAX - 1, u64::MAX] {
            for found in [0, 4, 5, 6, 7, u64::MAX - 1, u64::MAX] {
                let too_small = found < last;
                let too_large = found > last && found - last > 1;
                let mut counters = Counters::since_any_block();
                counters.set(issuer, last);
                for (protocol, bad) in [
                    (Protocol::TPraos, too_small),
                    (Protocol::Praos, too_small || too_large),
                ] {
                    let expected = if bad { Err(last) } else { Ok(Bounds::All) };
                    assert_eq!(counters.check(protocol, issuer, found), expected);
                }
            }
        }
    }

    #[test]
    fn new_issuers() {
        let issuer = Hash::new([3; 28]);
        let mut complete = Counters::since_first_block();
        assert_eq!(complete.check(Protocol::Praos, issuer, 1), Ok(Bounds::All));
        assert!(complete.check(Protocol::Praos, issuer, 2).is_err());
        assert_eq!(complete.check(Protocol::TPraos, issuer, 9), Ok(Bounds::All));
        assert_eq!(complete.iter().count(), 0);
        complete.doubt();
        let after_doubt = complete.check(Protocol::Praos, issuer, 2);
        assert_eq!(after_doubt, Ok(Bounds::Lower));
        let any = Counters::since_any_block();
        let unknown = any.check(Protocol::Praos, issuer, u64::MAX);
        assert_eq!(unknown, Ok(Bounds::None));
        assert!(complete.complete && !any.complete);
    }

    /// A header in the history that [`twin`] searches.
    struct Past {
        issuer: Hash<28>,
        number: u64,
        valid: bool,
    }

    /// A slow copy of [`Counters::check`] that follows the rules word for word and searches the whole
    /// history.
    fn twin(
        history: &[Past],
        complete: bool,
        protocol: Protocol,
        issuer: Hash<28>,
        number: u64,
    ) -> Result<Bounds, u64> {
        let of_issuer = |past: &Past| past.valid && past.issuer == issuer;
        let (last, since) = match history.iter().rposition(of_issuer) {
            Some(at) => (history[at].number, &history[at..]),
            None if complete => (0, history),
            None => return Ok(Bounds::None),
        };
        let (found, doubt) = (number, since.iter().any(|past| !past.valid));
        if found < last {
            return Err(last);
        }
        match (protocol, doubt) {
            (Protocol::Praos, true) => Ok(Bounds::Lower),
            (Protocol::Praos, false) if found > last && found - last > 1 => Err(last),
            _ => Ok(Bounds::All),
        }
    }

    #[test]
    fn random_histories_are_judged_as_by_the_slow_twin() {
        let mut random = fastrand::Rng::with_seed(41);
        let mut below = |n: u64| random.u64(..n);
        let genesis = Hash::new([4; 32]);
        let mut seen = [0; 5];
        for history_of in 0..400 {
            let mut counters = match history_of % 2 {
                0 => Counters::since_first_block(),
                _ => Counters::since_any_block(),
            };
            let mut history = Vec::new();
            let wrong = below(6);
            for i in 0..120 {
                let issuer = Hash::new([below(5) as u8; 28]);
                let number = i / 30 + below(4);
                let protocol = match history_of % 4 < 2 && i < 40 {
                    true => Protocol::TPraos,
                    false => Protocol::Praos,
                };
                let verdict = counters.check(protocol, issuer, number);
                let complete = counters.complete;
                let expected = twin(&history, complete, protocol, issuer, number);
                assert_eq!(verdict, expected);
                seen[match verdict {
                    Ok(Bounds::None) => 0,
                    Ok(Bounds::Lower) => 1,
                    Ok(Bounds::All) => 2,
                    Err(last) if number < last => 3,
                    Err(_) => 4,
                }] += 1;
                // A header may also be invalid for a reason other than its number.
                let valid = verdict.is_ok() && below(10) >= wrong;
                match valid {
                    true => counters.set(issuer, number),
                    false => counters.doubt(),
                }
                if i % 8 == 0 {
                    // The test continues with restored counters.
                    let bytes = counters.to_bytes(genesis);
                    let mut changed = bytes.clone();
                    changed[below(bytes.len() as u64) as usize] ^= 1;
                    assert_eq!(Counters::from_bytes(&changed), None);
                    assert_eq!(Counters::from_bytes(&bytes[1..]), None);
                    counters = Counters::from_bytes(&bytes).unwrap().1;
                    assert_eq!(counters.to_bytes(genesis), bytes);
                }
                history.push(Past {
                    issuer,
                    number,
                    valid,
                });
            }
        }
        assert!(seen.iter().all(|times| *times > 100), "{seen:?}");
    }
}
