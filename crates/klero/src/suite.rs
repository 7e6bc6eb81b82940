//! A suite is five choices, and here it is nothing else: data.
//!
//! Every ECVRF on edwards25519 that is in use is the same construction with
//! another hash, another map to the curve, another transcript, another layout
//! of the proof and another rule for odd inputs. The code that proves and
//! verifies reads these choices; no suite has code of its own.

use crate::experimental;

/// The hash function behind every step but key expansion, which is SHA-512 in
/// all suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// SHA-512.
    Sha512,
    /// BLAKE2b: 32-byte digests, 64 bytes for the output (a benchmark variant).
    Blake2b,
}

/// How `pk ‖ alpha` becomes the point H of the prime-order subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashToCurve {
    /// Elligator2 as in draft-irtf-cfrg-vrf-03, section 5.4.1.2: the sign bit of
    /// the hash is cleared, and x is always the even root.
    Draft03,
    /// `edwards25519_XMD:SHA-512_ELL2_NU_` of RFC 9380, section 6.8.2.
    Rfc9380,
    /// Try and increment, RFC 9381, section 5.4.1.1.
    TryAndIncrement,
}

/// What the challenge and the output are hashed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transcript {
    /// `suite ‖ 02 ‖ H ‖ Γ ‖ U ‖ V` and `suite ‖ 03 ‖ 8Γ`.
    Draft03,
    /// As draft-03, each with a trailing zero byte.
    Draft10,
    /// As draft-10, with the public key Y before H (draft-11 and later, RFC 9381).
    Rfc9381,
}

/// The layout of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofForm {
    /// `Γ(32) ‖ c(16) ‖ s(32)`: 80 bytes, the form of every standard.
    GammaCS,
    /// `Γ(32) ‖ U(32) ‖ V(32) ‖ s(32)`: 128 bytes, batch compatible.
    GammaUVS,
    /// `Γ(32) ‖ U(32) ‖ V(32) ‖ c(16) ‖ s(32)`: 144 bytes, the first proposal of
    /// a batch-compatible form.
    GammaUVCS,
}

impl ProofForm {
    /// The length of a proof in bytes: 80, 128 or 144.
    ///
    /// ```
    /// assert_eq!(klero::ProofForm::GammaUVS.len(), 128);
    /// ```
    #[allow(clippy::len_without_is_empty)] // a proof is never empty
    pub const fn len(self) -> usize {
        match self {
            Self::GammaCS => 80,
            Self::GammaUVS => 128,
            Self::GammaUVCS => 144,
        }
    }
}

/// What verifiers of this suite do with inputs that no honest prover makes.
///
/// The first two differ only when Y or Γ has a component in the 8-torsion: there
/// `(L-c)·Γ` and `-c·Γ` are different points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Multiply Y and Γ by `(L-c) mod L`, as cardano-node does; reject s ≥ L.
    Cardano,
    /// Multiply by the integer c and subtract, as RFC 9381 says; reject s ≥ L.
    Rfc,
    /// As [`Rules::Rfc`], but s is reduced mod L and never rejected (the first
    /// libsodium implementation, Algorand's, and Cardano nodes before 2023).
    Original,
}

/// A form of ECVRF: five choices, its octet and its name.
///
/// ```
/// let suite = klero::Suite::by_name("rfc9381-ell2").unwrap();
/// assert_eq!(suite, &klero::RFC9381_ELL2);
/// assert_eq!(suite.proof_len(), 80);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Suite {
    /// The name by which commands and files know it.
    pub name: &'static str,
    /// The suite octet that opens every hashed string.
    pub octet: u8,
    /// The hash function.
    pub hash: Hash,
    /// The map from `pk ‖ alpha` to the curve.
    pub hash_to_curve: HashToCurve,
    /// The strings that challenge and output are hashed over.
    pub transcript: Transcript,
    /// The layout of a proof.
    pub proof_form: ProofForm,
    /// The rule for inputs that no honest prover makes.
    pub rules: Rules,
    /// Where the suite is found today.
    pub used_by: &'static str,
}

impl Suite {
    /// The length of this suite's proofs in bytes.
    ///
    /// ```
    /// assert_eq!(klero::PRAOS.proof_len(), 80);
    /// ```
    pub const fn proof_len(&self) -> usize {
        self.proof_form.len()
    }

    /// The suite of that name, or of one of the older names in use
    /// (`praos-draft03`, `draft03`, `draft10-tai-batchcompat`, …); underscores
    /// count as hyphens.
    ///
    /// ```
    /// assert_eq!(klero::Suite::by_name("praos-draft03"), Some(&klero::PRAOS));
    /// assert_eq!(klero::Suite::by_name("nonsense"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Suite> {
        const ALIASES: &[(&str, &str)] = &[
            ("praos-draft03", "praos"),
            ("draft03", "praos"),
            ("draft10-tai-batchcompat", "draft10-tai-bc"),
            ("draft13-batchcompat", "draft13-bc"),
            ("ecvrf-edwards25519-sha512-tai", "rfc9381-tai"),
            ("ecvrf-edwards25519-sha512-ell2", "rfc9381-ell2"),
        ];
        let name = name.to_ascii_lowercase().replace('_', "-");
        let name = ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map_or(name.as_str(), |(_, canonical)| canonical);
        Self::all().iter().find(|suite| suite.name == name)
    }

    /// Every suite, those in use first, the experimental ones last.
    ///
    /// ```
    /// assert_eq!(klero::Suite::all().len(), 14);
    /// ```
    pub fn all() -> &'static [Suite] {
        static ALL: [Suite; 14] = [
            PRAOS,
            PRAOS_ORIGINAL,
            DRAFT10_TAI,
            DRAFT10_TAI_BC,
            DRAFT13,
            DRAFT13_BC,
            RFC9381_TAI,
            RFC9381_ELL2,
            RFC9381_TAI_BC,
            RFC9381_ELL2_BC,
            experimental::PRAOS_128,
            experimental::PRAOS_144,
            experimental::PRAOS_BLAKE2B,
            experimental::PRAOS_TAI,
        ];
        &ALL
    }
}

/// Praos, draft-03: the VRF of every Cardano block header since Shelley.
pub const PRAOS: Suite = Suite {
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
pub const PRAOS_ORIGINAL: Suite = Suite {
    name: "praos-original",
    rules: Rules::Original,
    used_by: "Algorand's libsodium, Cardano nodes before 2023",
    ..PRAOS
};

/// draft-10 with try-and-increment.
pub const DRAFT10_TAI: Suite = Suite {
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
pub const DRAFT10_TAI_BC: Suite = Suite {
    name: "draft10-tai-bc",
    proof_form: ProofForm::GammaUVS,
    used_by: "the vrf_dalek crate (VRF10 batch compatible)",
    ..DRAFT10_TAI
};

/// draft-13 in 80 bytes.
pub const DRAFT13: Suite = Suite {
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
pub const DRAFT13_BC: Suite = Suite {
    name: "draft13-bc",
    proof_form: ProofForm::GammaUVS,
    used_by: "cardano-base PraosBatchCompatVRF",
    ..DRAFT13
};

/// RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI.
pub const RFC9381_TAI: Suite = Suite {
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
pub const RFC9381_ELL2: Suite = Suite {
    name: "rfc9381-ell2",
    octet: 0x04,
    hash_to_curve: HashToCurve::Rfc9380,
    used_by: "the standard",
    ..RFC9381_TAI
};

/// RFC 9381 with try-and-increment, batch compatible.
pub const RFC9381_TAI_BC: Suite = Suite {
    name: "rfc9381-tai-bc",
    proof_form: ProofForm::GammaUVS,
    used_by: "new here",
    ..RFC9381_TAI
};

/// RFC 9381 with Elligator2, batch compatible.
pub const RFC9381_ELL2_BC: Suite = Suite {
    name: "rfc9381-ell2-bc",
    proof_form: ProofForm::GammaUVS,
    used_by: "new here",
    ..RFC9381_ELL2
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for suite in Suite::all() {
            assert_eq!(Suite::by_name(suite.name), Some(suite));
        }
        assert_eq!(
            Suite::by_name("draft10_tai_batchcompat"),
            Some(&DRAFT10_TAI_BC)
        );
    }
}
