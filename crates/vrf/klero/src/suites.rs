//! The suites in use, the experimental suites, and their names.
//!
//! A new suite needs a constant here, an entry in [`Suite::ALL`], a row in `reference/src/suite.rs`, its name
//! in `every_suite!` of the tests, vectors and their schema in `vectors/`, and its name in `SuiteName` of
//! `bindings/js/lib/klero.ts`. To be measured, it also needs an entry in `bench/src/suites.rs`. The test
//! `recovery` finds suites with equal nonces and different challenges, which reveal keys used in both.

use alloc::format;
use alloc::vec::Vec;
use core::str::FromStr;

use crate::error::Error;
use crate::suite::{Hash, HashToCurve, ProofForm, Rules, Suite, Transcript};

impl Suite {
    /// Praos, draft-03: the VRF of Cardano's block headers in Shelley and all later eras.
    ///
    /// Honest proofs are also valid in [`PRAOS_ORIGINAL`](Self::PRAOS_ORIGINAL). A verdict can differ between
    /// the two suites only if Y or Γ has a component of small order, or s is L or more.
    pub const PRAOS: Self = Self {
        name: "praos",
        octet: 0x04,
        hash: Hash::Sha512,
        hash_to_curve: HashToCurve::Draft03,
        transcript: Transcript::Draft03,
        proof_form: ProofForm::GammaCS,
        rules: Rules::Cardano,
        used_by: "every Cardano header since Shelley",
    };

    /// draft-03 with its original rules: Algorand, and Cardano nodes before 2023.
    ///
    /// Honest proofs are also valid in [`PRAOS`](Self::PRAOS), which describes how the two suites differ.
    pub const PRAOS_ORIGINAL: Self = Self {
        name: "praos-original",
        rules: Rules::Original,
        used_by: "Algorand's libsodium, Cardano nodes before 2023",
        ..Self::PRAOS
    };

    /// draft-10 with try-and-increment.
    pub const DRAFT10_TAI: Self = Self {
        name: "draft10-tai",
        octet: 0x03,
        hash: Hash::Sha512,
        hash_to_curve: HashToCurve::TryAndIncrement,
        transcript: Transcript::Draft10,
        proof_form: ProofForm::GammaCS,
        rules: Rules::Cardano,
        used_by: "the vrf_dalek crate (VRF10)",
    };

    /// draft-10 with try-and-increment, batch compatible.
    pub const DRAFT10_TAI_BC: Self = Self {
        name: "draft10-tai-bc",
        proof_form: ProofForm::GammaUVS,
        used_by: "the vrf_dalek crate (VRF10 batch compatible)",
        ..Self::DRAFT10_TAI
    };

    /// draft-13 in 80 bytes.
    ///
    /// Honest proofs are also valid in [`RFC9381_ELL2`](Self::RFC9381_ELL2). A verdict can differ between the
    /// two suites only if Y or Γ has a component of small order.
    pub const DRAFT13: Self = Self {
        name: "draft13",
        octet: 0x04,
        hash: Hash::Sha512,
        hash_to_curve: HashToCurve::Rfc9380,
        transcript: Transcript::Rfc9381,
        proof_form: ProofForm::GammaCS,
        rules: Rules::Cardano,
        used_by: "Cardano's libsodium (ietfdraft13)",
    };

    /// draft-13, batch compatible: `PraosBatchCompatVRF`.
    ///
    /// Honest proofs are also valid in [`RFC9381_ELL2_BC`](Self::RFC9381_ELL2_BC). A verdict can differ
    /// between the two suites only if Y or Γ has a component of small order.
    pub const DRAFT13_BC: Self = Self {
        name: "draft13-bc",
        proof_form: ProofForm::GammaUVS,
        used_by: "cardano-base PraosBatchCompatVRF",
        ..Self::DRAFT13
    };

    /// RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI.
    pub const RFC9381_TAI: Self = Self {
        name: "rfc9381-tai",
        octet: 0x03,
        hash: Hash::Sha512,
        hash_to_curve: HashToCurve::TryAndIncrement,
        transcript: Transcript::Rfc9381,
        proof_form: ProofForm::GammaCS,
        rules: Rules::Rfc,
        used_by: "key transparency (akd, Signal)",
    };

    /// RFC 9381, ECVRF-EDWARDS25519-SHA512-ELL2.
    ///
    /// Honest proofs are also valid in [`DRAFT13`](Self::DRAFT13), which describes how the two suites differ.
    pub const RFC9381_ELL2: Self = Self {
        name: "rfc9381-ell2",
        octet: 0x04,
        hash_to_curve: HashToCurve::Rfc9380,
        used_by: "the standard",
        ..Self::RFC9381_TAI
    };

    /// RFC 9381 with try-and-increment, batch compatible.
    pub const RFC9381_TAI_BC: Self = Self {
        name: "rfc9381-tai-bc",
        proof_form: ProofForm::GammaUVS,
        used_by: "new here",
        ..Self::RFC9381_TAI
    };

    /// RFC 9381 with Elligator2, batch compatible.
    ///
    /// Honest proofs are also valid in [`DRAFT13_BC`](Self::DRAFT13_BC), which describes how the two suites
    /// differ.
    pub const RFC9381_ELL2_BC: Self = Self {
        name: "rfc9381-ell2-bc",
        proof_form: ProofForm::GammaUVS,
        used_by: "new here",
        ..Self::RFC9381_ELL2
    };

    /// Every suite: the suites in use, followed by the suites in [`experimental`].
    pub const ALL: &'static [Self] = &[
        Self::PRAOS,
        Self::PRAOS_ORIGINAL,
        Self::DRAFT10_TAI,
        Self::DRAFT10_TAI_BC,
        Self::DRAFT13,
        Self::DRAFT13_BC,
        Self::RFC9381_TAI,
        Self::RFC9381_ELL2,
        Self::RFC9381_TAI_BC,
        Self::RFC9381_ELL2_BC,
        experimental::PRAOS_128,
        experimental::PRAOS_144,
        experimental::PRAOS_BLAKE2B,
        experimental::PRAOS_TAI,
    ];
}

impl FromStr for Suite {
    type Err = Error;

    /// Finds a suite by its name, or by one of the older names in use (`praos-draft03`, `draft03`,
    /// `draft10-tai-batchcompat`, …). Ignores case, and reads underscores as hyphens.
    fn from_str(name: &str) -> Result<Self, Error> {
        const ALIASES: &[(&str, Suite)] = &[
            ("praos-draft03", Suite::PRAOS),
            ("draft03", Suite::PRAOS),
            ("draft10-tai-batchcompat", Suite::DRAFT10_TAI_BC),
            ("draft13-batchcompat", Suite::DRAFT13_BC),
            ("ecvrf-edwards25519-sha512-tai", Suite::RFC9381_TAI),
            ("ecvrf-edwards25519-sha512-ell2", Suite::RFC9381_ELL2),
        ];
        let name = name.to_ascii_lowercase().replace('_', "-");
        let names = Self::ALL.iter().map(|suite| (suite.name, *suite));
        names
            .chain(ALIASES.iter().copied())
            .find_map(|(known, suite)| (known == name).then_some(suite))
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|suite| suite.name).collect();
                let known = known.join(", ");
                Error::UnknownName(format!("no such suite: expected one of {known}"))
            })
    }
}

/// Experimental suites: benchmark variants of draft-03 that nobody deploys.
///
/// They exist so that published measurements of these variants can be repeated.
/// Do not build on them.
pub mod experimental {
    use super::{Hash, HashToCurve, ProofForm, Suite};

    /// draft-03 in the 128-byte, batch-compatible form.
    pub const PRAOS_128: Suite = Suite {
        name: "praos-128",
        proof_form: ProofForm::GammaUVS,
        used_by: "experiment: batch_compatible",
        ..Suite::PRAOS
    };

    /// draft-03 in 144 bytes, the first proposal of a batch-compatible form.
    pub const PRAOS_144: Suite = Suite {
        name: "praos-144",
        proof_form: ProofForm::GammaUVCS,
        used_by: "experiment: first batch-compatible proposal",
        ..Suite::PRAOS
    };

    /// draft-03 on BLAKE2b.
    pub const PRAOS_BLAKE2B: Suite = Suite {
        name: "praos-blake2b",
        hash: Hash::Blake2b,
        used_by: "experiment: verif_opt_blake",
        ..Suite::PRAOS
    };

    /// draft-03 with try-and-increment.
    pub const PRAOS_TAI: Suite = Suite {
        name: "praos-tai",
        hash_to_curve: HashToCurve::TryAndIncrement,
        used_by: "experiment: verif_try_inc",
        ..Suite::PRAOS
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for suite in Suite::ALL {
            assert_eq!(suite.name.parse(), Ok(*suite));
        }
        let old_name = "Draft10_tai_batchcompat".parse();
        assert_eq!(old_name, Ok(Suite::DRAFT10_TAI_BC));
    }
}
