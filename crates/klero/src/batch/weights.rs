//! The weights of a batch's random linear combination.
//!
//! The makers of the proofs must not be able to predict them. Hashed from everything in the
//! sum, the weights keep verification a pure function; drawn from the operating system, they need a source of
//! randomness.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::table::Table;
#[cfg(feature = "os-rng")]
use crate::error::Error;
use crate::suite::Suite;
use crate::tuning::HASHED_TOGETHER;

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod tests;

/// The source of the weights of sums. No verdict depends on it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// From a BLAKE3 hash over the suite's name and every term of the sum: keys, the points H
    /// of the alphas, proofs and positions.
    #[default]
    Hashed,
    /// From 32 bytes that the makers of the proofs could not know. Take new ones for each call:
    /// the same bytes give the same weights.
    Random([u8; 32]),
    /// As `Hashed`, but only these bits of each weight count. Attacks on such weights succeed.
    #[cfg(test)]
    Masked(u128),
}

/// The weights of the U and the V equation of a claim, 16 bytes each, little-endian.
pub(crate) type Pair = [[u8; 16]; 2];

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hashed => "Hashed",
            Self::Random(_) => "Random(secret)",
            #[cfg(test)]
            Self::Masked(_) => "Masked",
        })
    }
}

impl Weights {
    /// Weights from the operating system's random source.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails.
    #[cfg(feature = "os-rng")]
    pub fn random() -> Result<Self, Error> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(Error::NoRandomness)?;
        Ok(Self::Random(seed))
    }

    /// The weights of these rows; `h` is the column of H's encodings.
    pub(crate) fn draw(
        self,
        table: &Table<'_>,
        h: &[[u8; 32]],
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Vec<Pair> {
        let mut weights = vec![[[0; 16]; 2]; rows.len()];
        let mut stream = match self {
            Self::Hashed => transcript(table, h, rows).finalize_xof(),
            Self::Random(seed) => blake3::Hasher::new_keyed(&seed).finalize_xof(),
            #[cfg(test)]
            Self::Masked(mask) => return attacks::masked(mask, Self::Hashed.draw(table, h, rows)),
        };
        stream.fill(weights.as_flattened_mut().as_flattened_mut());
        weights
    }
}

/// Hashes everything that the equations depend on: they see alpha only through H, and c is computed
/// from the fields here. The suite's name is preceded by its length and every other field has a
/// fixed length, so no two lists of fields give the same bytes.
///
/// Without the suite, claims could be made whose weights serve in two suites, and each
/// attempt at the hash would count twice.
fn transcript(
    table: &Table<'_>,
    h: &[[u8; 32]],
    rows: impl ExactSizeIterator<Item = usize>,
) -> blake3::Hasher {
    let Suite { name, .. } = table.suite;
    let mut hasher = blake3::Hasher::new_derive_key("klero 2026 batch verification of ECVRF");
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(&(rows.len() as u64).to_le_bytes());
    // Many bytes in one call are hashed in lanes.
    let mut bytes = Vec::with_capacity(HASHED_TOGETHER);
    for row in rows {
        for field in [table.key_encoding(row), &h[row], table.claims[row].proof] {
            bytes.extend_from_slice(field);
        }
        if bytes.len() >= HASHED_TOGETHER {
            hasher.update(&bytes);
            bytes.clear();
        }
    }
    hasher.update(&bytes);
    hasher
}
