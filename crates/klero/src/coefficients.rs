//! The coefficients of a batch's random linear combination.
//!
//! They must be out of reach of whoever made the proofs. Hashed from everything
//! in the batch, they keep verification a pure function; drawn from the
//! operating system, they need a source of randomness.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::suite::Suite;
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
    /// From a BLAKE3 hash over the suite's name and all that is added up: keys, the
    /// points H of the alphas, proofs and positions.
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
        suite: Suite,
        members: impl ExactSizeIterator<Item = &'m Member<'m>> + Clone,
    ) -> Vec<[[u8; 16]; 2]> {
        let mut stream = match self {
            Self::Hashed => transcript(suite, members.clone()).finalize_xof(),
            Self::Random(seed) => blake3::Hasher::new_keyed(&seed).finalize_xof(),
            Self::VrfDalek => return vrf_dalek_weights(members),
        };
        let mut weights = vec![[[0; 16]; 2]; members.len()];
        stream.fill(weights.as_flattened_mut().as_flattened_mut());
        weights
    }
}

/// Everything that the equations depend on: they see alpha through H alone, and c is
/// computed from what is here. All fields but the suite's name, whose length comes
/// first, have fixed lengths, so the order fixes the positions.
///
/// Without the suite, claims could be made whose weights serve in two suites, and each
/// try at the hash would count twice.
fn transcript<'m>(
    suite: Suite,
    members: impl ExactSizeIterator<Item = &'m Member<'m>>,
) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_derive_key("klero 2026 batch verification of ECVRF");
    hasher.update(&(suite.name.len() as u64).to_le_bytes());
    hasher.update(suite.name.as_bytes());
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

    use crate::key::SecretKey;
    use crate::verify::{Claim, Group};

    #[test]
    fn the_same_claims_have_other_weights_in_another_suite() {
        let (one, two) = (Suite::DRAFT13_BC, Suite::RFC9381_ELL2_BC);
        let key = SecretKey::from_seed(one, &[7; 32]);
        let (proof, _) = key.prove(b"alpha");
        // The two suites differ in rules only: their proofs are the same bytes.
        assert_eq!(key.dangerously_reuse_in(two).prove(b"alpha").0, proof);
        let claims = [Claim {
            key: key.public_key().as_bytes(),
            alpha: b"alpha",
            proof: proof.as_bytes(),
            output: None,
        }];
        let weights = |coefficients: Coefficients, suite| {
            let mut group = Group::decode(klero_lanes::engine(), suite, &claims);
            group.challenge();
            assert_eq!(group.members.len(), 1);
            coefficients.draw(suite, group.members.iter())
        };
        let hashed = |suite| weights(Coefficients::Hashed, suite);
        assert_eq!(hashed(one), hashed(one));
        assert_ne!(hashed(one), hashed(two));
        // The derivation of `vrf_dalek` knows no suite.
        let vrf_dalek = |suite| weights(Coefficients::VrfDalek, suite);
        assert_eq!(vrf_dalek(one), vrf_dalek(two));
    }

    #[test]
    fn seeds_are_not_printed() {
        let random = Coefficients::Random([0xa5; 32]);
        assert_eq!(format!("{random:?}"), "Random(secret)");
        let batch = crate::Batch::new(Suite::DRAFT13_BC).with_coefficients(random);
        let text = format!("{batch:#?}");
        assert!(text.contains("coefficients: Random(secret)"), "{text}");
        assert!(!text.contains("165"), "{text}");
    }
}
