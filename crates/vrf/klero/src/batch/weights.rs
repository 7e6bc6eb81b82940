//! The weights of a batch's random linear combination.
//!
//! The makers of the proofs must not be able to predict the weights. If the weights are a hash of everything
//! in the sum, verification is still a pure function. Weights from the operating system need a source of
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
    /// Weights from a BLAKE3 hash over the suite's name and every term of the sum: keys, the points H of the
    /// alphas, proofs and positions.
    #[default]
    Hashed,
    /// Weights from 32 bytes that the makers of the proofs could not know. Use new bytes for each call,
    /// because the same bytes give the same weights.
    Random([u8; 32]),
    /// Hashed weights with all bits outside this mask set to 0. Attacks on such weights succeed.
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

    /// Returns the weights of these rows. `h` is the column of the encodings of H.
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

/// Hashes everything that the equations depend on. Alpha and c are left out: the equations depend on alpha
/// only through H, and c is computed from the hashed fields. The suite's name is preceded by its length, and
/// every other field has a fixed length. So no two lists of fields give the same bytes.
///
/// Without the suite's name, claims could have the same weights in two suites. An attacker who tries many
/// claims would then have two chances with each hash.
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
    // BLAKE3 hashes in lanes if one call gets many bytes.
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
