//! Public keys that are kept from call to call, each with its point, multiples of this point, and the result
//! of a test for torsion.
//!
//! These values depend only on the key's 32 bytes, so no verdict depends on which keys are kept. Computing
//! the multiples takes about the time that three uses of them save, so a key is kept from its fourth use on.
//! The multiples of several keys are computed together, in the lanes of vectors. Empty lanes take as much
//! time as full ones, so keys are kept only if those that are ready have at least four uses for each lane, on
//! average. So keeping keys costs at most about a tenth of the time, however often keys are used again. The
//! number of kept keys is bounded, so that hostile claims cannot fill the memory. At this bound, all keys are
//! forgotten. A key that is used again is then kept from its fourth new use on.

use alloc::sync::Arc;
use alloc::vec::Vec;

use klero_lanes::{Engine, KnownPoint, Point};

/// The values kept for a key.
pub(crate) struct KeptKey {
    pub(crate) point: Point,
    pub(crate) torsion_free: bool,
    pub(crate) known: KnownPoint,
}

/// The kept values of several keys, with `None` for each key that is not kept.
pub(crate) type Found = Vec<Option<Arc<KeptKey>>>;

#[cfg(feature = "std")]
mod keys {
    use alloc::vec;
    use core::fmt;
    use core::hash::BuildHasher;
    use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
    use std::collections::HashMap;
    use std::hash::RandomState;
    use std::sync::{PoisonError, RwLock};

    use super::*;

    /// The number of uses that a key needs to be kept.
    const USES: u8 = 4;

    /// The number of counters for each key that can be kept. The next two constants bound the total number of
    /// counters. A counter has one byte.
    const COUNTERS_PER_KEY: usize = 4;
    const LEAST_COUNTERS: usize = 1 << 8;
    const MOST_COUNTERS: usize = 1 << 20;

    /// A map from the bytes of keys to their kept values, with at most `most` entries.
    pub(crate) struct KeptKeys {
        most: usize,
        /// Randomly seeded, so that nobody can choose keys that collide.
        hasher: RandomState,
        kept: RwLock<HashMap<[u8; 32], Arc<KeptKey>, RandomState>>,
        /// The counters of the recent uses of keys that are not kept. If keys share a counter, they are kept
        /// earlier. If a thread overwrites another's count, the key is kept later. Nothing else changes.
        uses: Vec<AtomicU8>,
        /// The sum of all counts. When it has reached the number of counters, all counters are set to 0, so
        /// that few keys share a counter.
        counted: AtomicUsize,
    }

    impl KeptKey {
        /// Computes the values to keep for keys with these points.
        fn of(engine: Engine, points: &[Point]) -> impl Iterator<Item = Arc<Self>> {
            let mut torsion_free = vec![false; points.len()];
            engine.torsion_free(points, &mut torsion_free);
            let known = engine.know(points);
            let parts = points.iter().zip(torsion_free).zip(known);
            parts.map(|((&point, torsion_free), known)| {
                Arc::new(Self {
                    point,
                    torsion_free,
                    known,
                })
            })
        }
    }

    impl fmt::Debug for KeptKeys {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("KeptKeys")
                .field("most", &self.most)
                .finish_non_exhaustive()
        }
    }

    impl KeptKeys {
        pub(crate) fn new(most: usize) -> Self {
            let hasher = RandomState::new();
            let counters = most
                .saturating_mul(COUNTERS_PER_KEY)
                .clamp(LEAST_COUNTERS, MOST_COUNTERS);
            Self {
                most,
                kept: RwLock::new(HashMap::with_hasher(hasher.clone())),
                hasher,
                uses: (0..counters).map(|_| AtomicU8::new(0)).collect(),
                counted: AtomicUsize::new(0),
            }
        }

        /// Looks up the kept values of these keys.
        pub(crate) fn find(&self, keys: &[&[u8]]) -> Found {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            let find = |key: &&[u8]| kept.get(<&[u8; 32]>::try_from(*key).ok()?).cloned();
            keys.iter().map(find).collect()
        }

        /// Counts the uses of valid keys that are not kept yet. Keeps the keys that have now been used often
        /// enough, and returns their values.
        pub(crate) fn count(
            &self,
            engine: Engine,
            keys: &[[u8; 32]],
            points: &[Point],
            uses: &[usize],
        ) -> Found {
            let counted: usize = uses.iter().sum();
            if self.counted.fetch_add(counted, Ordering::Relaxed) >= self.uses.len() {
                self.forget_uses();
            }
            let uses: Vec<u8> = keys
                .iter()
                .zip(uses)
                .map(|(key, &uses)| self.add(key, uses))
                .collect();
            let ready: Vec<usize> = (0..keys.len()).filter(|&at| uses[at] >= USES).collect();
            let lanes = ready.len().next_multiple_of(engine.lanes());
            let of_ready: usize = ready.iter().map(|&at| usize::from(uses[at])).sum();
            let mut found = vec![None; keys.len()];
            if !ready.is_empty() && of_ready >= lanes * usize::from(USES) {
                let points: Vec<_> = ready.iter().map(|&at| points[at]).collect();
                for (&at, made) in ready.iter().zip(KeptKey::of(engine, &points)) {
                    found[at] = Some(made);
                }
                self.keep(keys, &found);
            }
            found
        }

        /// Stores each new value in `made` under the key at the same index.
        fn keep(&self, keys: &[[u8; 32]], made: &Found) {
            let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
            for (key, made) in keys.iter().zip(made) {
                let Some(made) = made else { continue };
                if kept.len() >= self.most {
                    kept.clear();
                    self.forget_uses();
                }
                self.counter(key).store(0, Ordering::Relaxed);
                kept.insert(*key, made.clone());
            }
        }

        /// Adds the uses of a key to its counter, and returns the new count.
        fn add(&self, key: &[u8; 32], uses: usize) -> u8 {
            let counter = self.counter(key);
            let uses = u8::try_from(uses).unwrap_or(u8::MAX);
            let uses = counter.load(Ordering::Relaxed).saturating_add(uses);
            counter.store(uses, Ordering::Relaxed);
            uses
        }

        fn counter(&self, key: &[u8; 32]) -> &AtomicU8 {
            // There is at least one counter, so this never divides by 0.
            &self.uses[self.hasher.hash_one(key) as usize % self.uses.len()]
        }

        fn forget_uses(&self) {
            self.counted.store(0, Ordering::Relaxed);
            for uses in &self.uses {
                uses.store(0, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(feature = "std")]
pub(crate) use keys::KeptKeys;

/// A type without values. Without the standard library and its randomly seeded map, no keys are kept.
#[cfg(not(feature = "std"))]
#[derive(Debug)]
pub(crate) enum KeptKeys {}

#[cfg(not(feature = "std"))]
impl KeptKeys {
    pub(crate) fn find(&self, _: &[&[u8]]) -> Found {
        match *self {}
    }

    pub(crate) fn count(&self, _: Engine, _: &[[u8; 32]], _: &[Point], _: &[usize]) -> Found {
        match *self {}
    }
}
