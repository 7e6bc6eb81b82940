//! The coefficients of a batch's random linear combination.
//!
//! They must be out of reach of whoever made the proofs. Hashed from everything
//! in the batch, they keep verification a pure function; drawn from the
//! operating system, they need a source of randomness.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::verify::Member;

/// Where the coefficients of a batch come from. No verdict depends on it.
///
/// ```
/// use klero::{Batch, Coefficients, Suite};
/// let batch = Batch::new(Suite::RFC9381_ELL2_BC).with_coefficients(Coefficients::random()?);
/// assert!(batch.verify().is_empty());
/// # Ok::<(), klero::KeyError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coefficients {
    /// From a BLAKE3 hash over all that is added up: keys, the points H of the alphas,
    /// proofs and positions.
    #[default]
    Hashed,
    /// From 32 bytes that the makers of the proofs could not know.
    Random([u8; 32]),
    /// As the `vrf_dalek` crate derives them, for comparison with it.
    VrfDalek,
}

impl fmt::Debug for Coefficients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hashed => "Hashed",
            Self::Random(_) => "Random(secret)",
            Self::VrfDalek => "VrfDalek",
        })
    }
}

impl Coefficients {
    /// Coefficients from the operating system's random source.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`](crate::KeyError::NoRandomness) if that source
    /// fails.
    #[cfg(feature = "os-rng")]
    pub fn random() -> Result<Self, crate::KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(crate::KeyError::NoRandomness)?;
        Ok(Self::Random(seed))
    }

    /// For each member the weights of its U and its V equation, 16 bytes each.
    pub(crate) fn draw<'m>(
        self,
        members: impl ExactSizeIterator<Item = &'m Member<'m>> + Clone,
    ) -> Vec<[[u8; 16]; 2]> {
        let mut stream = match self {
            Self::Hashed => transcript(members.clone()).finalize_xof(),
            Self::Random(seed) => blake3::Hasher::new_keyed(&seed).finalize_xof(),
            Self::VrfDalek => return vrf_dalek_weights(members),
        };
        let mut weights = vec![[[0; 16]; 2]; members.len()];
        stream.fill(weights.as_flattened_mut().as_flattened_mut());
        weights
    }
}

/// Everything that the equations depend on beside the suite, which is one for the
/// whole batch: they see alpha through H alone, and c is computed from what is here.
/// All fields have fixed lengths, so the order fixes the positions.
fn transcript<'m>(members: impl ExactSizeIterator<Item = &'m Member<'m>>) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_derive_key("klero 2026 batch verification of ECVRF");
    hasher.update(&(members.len() as u64).to_le_bytes());
    for member in members {
        hasher.update(member.key.as_bytes());
        hasher.update(&member.h);
        hasher.update(member.claim.proof);
    }
    hasher
}

/// `vrf_dalek`'s derivation: one running hash, the index of each proof appended,
/// and a clone of it finished with `4c` for the U and `52` for the V equation.
fn vrf_dalek_weights<'m>(
    members: impl ExactSizeIterator<Item = &'m Member<'m>> + Clone,
) -> Vec<[[u8; 16]; 2]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"suite_s");
    for member in members.clone() {
        hasher.update(&member.h);
        hasher.update(member.claim.proof);
    }
    (0u64..)
        .take(members.len())
        .map(|index| {
            hasher.update(&index.to_le_bytes()).update(&[0]);
            [0x4c, 0x52].map(|letter| {
                let digest = hasher.clone().update(&[letter]).finalize();
                let mut weight = [0; 16];
                weight.copy_from_slice(&digest.as_bytes()[..16]);
                weight
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn seeds_are_not_printed() {
        let random = Coefficients::Random([0xa5; 32]);
        assert_eq!(format!("{random:?}"), "Random(secret)");
        let batch = crate::Batch::new(crate::Suite::DRAFT13_BC).with_coefficients(random);
        let text = format!("{batch:#?}");
        assert!(text.contains("coefficients: Random(secret)"), "{text}");
        assert!(!text.contains("165"), "{text}");
    }
}
