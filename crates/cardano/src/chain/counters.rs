//! Counters: the number of the last certificate of each issuer.
//!
//! A certificate with a higher number replaces those before it, so that a stolen hot key can be revoked. In
//! TPraos numbers must not fall; in Praos they also must not rise by more than one. Praos takes over the
//! counters of TPraos as they are.
//!
//! A header that is invalid moves no counter. But it may be an honest header that someone altered, with any
//! issuer's next number. So it leaves the upper bound of every issuer in doubt, until the next valid header
//! of that issuer; otherwise one altered header would make honest ones invalid. The lower bound stays: the
//! last number of a valid header was used.

use std::collections::{BTreeMap, HashMap};

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;
use crate::chain::hash::blake2b_256;

/// The form of saved counters. Another form has another number.
const FORM: &[u8] = b"klero counters 1";

/// The counters of all issuers, known by the BLAKE2b-224 of their cold keys
/// ([`Lottery::issuer`](crate::Lottery::issuer)), about 60 bytes each.
///
/// A verifier owns the counters and takes the headers of a chain in order: first [`check`](Self::check), then
/// [`set`](Self::set) if the header is valid in every respect, or [`doubt`](Self::doubt) if it is not. When
/// it leaves a fork, it puts back the counters of the block at which the fork began (a clone will do).
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
    /// True if an issuer without a number has made no block.
    complete: bool,
    /// The number of doubts cast so far.
    doubts: u64,
}

/// The number of an issuer's last valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Last {
    number: u64,
    /// The number of doubts cast before that header.
    doubts: u64,
}

/// The bounds of a number that were judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bounds {
    /// None: the issuer is not known, in counters that do not begin with the first block.
    None,
    /// The lower one. The upper one, which only Praos has, is in doubt (see [`Counters::doubt`]).
    Lower,
    /// All bounds that the protocol has.
    All,
}

impl Counters {
    /// The empty counters before the first block after Byron: an issuer that is not known has number 0.
    #[must_use]
    pub fn since_first_block() -> Self {
        Self {
            last: HashMap::new(),
            complete: true,
            doubts: 0,
        }
    }

    /// The empty counters before any other block: the first number of an issuer cannot be judged, only
    /// recorded.
    #[must_use]
    pub fn since_any_block() -> Self {
        Self {
            complete: false,
            ..Self::since_first_block()
        }
    }

    /// Judges the number of a certificate of this issuer, as far as that can be done. Changes
    /// nothing.
    ///
    /// # Errors
    /// The last number of the issuer, if this one cannot follow it: in TPraos and in Praos a smaller one, in
    /// Praos also one that is larger by more than one.
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

    /// Notes that a header is invalid, cannot be decoded, or is missing: the next valid header of each issuer
    /// is judged by the lower bound alone.
    pub fn doubt(&mut self) {
        self.doubts += 1;
    }

    /// The issuers that have made a valid block, with their numbers, in no order.
    /// [`set`](Self::set) puts them back, without the doubt.
    pub fn iter(&self) -> impl Iterator<Item = (Hash<28>, u64)> + '_ {
        self.last
            .iter()
            .map(|(issuer, last)| (*issuer, last.number))
    }

    /// The counters as bytes, with the doubt, to go on with later: 82 bytes, and 37 for each issuer. The hash
    /// of the genesis file names their network.
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

    /// The hash of the genesis file, which the caller compares, and the counters that were saved with it.
    /// `None` if the bytes are not those of [`to_bytes`](Self::to_bytes). The hash at their end shows
    /// accidents, no forgery.
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

    /// A header of the history that the slow twin looks through.
    struct Past {
        issuer: Hash<28>,
        number: u64,
        valid: bool,
    }

    /// The rules, word by word, with the whole history at hand.
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
                // Something else may be wrong with a header.
                let valid = verdict.is_ok() && below(10) >= wrong;
                match valid {
                    true => counters.set(issuer, number),
                    false => counters.doubt(),
                }
                if i % 8 == 0 {
                    // The test goes on with the saved counters.
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
