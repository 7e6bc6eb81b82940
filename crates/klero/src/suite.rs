//! A suite is five choices, and here it is nothing else: data.
//!
//! Every ECVRF on edwards25519 that is in use is the same construction with
//! another hash, another map to the curve, another transcript, another layout
//! of the proof and another rule for odd inputs. The code that proves and
//! verifies reads these choices; no suite has code of its own. Nobody outside can
//! compose more suites: a pair that shares the nonce but not the challenge gives away
//! the keys that are used in both.

use core::fmt;
use core::str::FromStr;

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
/// use klero::Suite;
/// let suite: Suite = "rfc9381-ell2".parse()?;
/// assert_eq!(suite, Suite::RFC9381_ELL2);
/// assert_eq!(suite.to_string(), "rfc9381-ell2");
/// assert_eq!(suite.proof_len(), 80);
/// # Ok::<(), klero::UnknownSuite>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Suite {
    pub(crate) name: &'static str,
    pub(crate) octet: u8,
    pub(crate) hash: Hash,
    pub(crate) hash_to_curve: HashToCurve,
    pub(crate) transcript: Transcript,
    pub(crate) proof_form: ProofForm,
    pub(crate) rules: Rules,
    pub(crate) used_by: &'static str,
}

impl Suite {
    /// Praos, draft-03: the VRF of every Cardano block header since Shelley.
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
    pub const RFC9381_ELL2_BC: Self = Self {
        name: "rfc9381-ell2-bc",
        proof_form: ProofForm::GammaUVS,
        used_by: "new here",
        ..Self::RFC9381_ELL2
    };

    /// Every suite: those in use first, then those of [`experimental`].
    ///
    /// ```
    /// assert_eq!(klero::Suite::ALL.len(), 14);
    /// ```
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

    /// The name by which commands and files know the suite.
    ///
    /// ```
    /// assert_eq!(klero::Suite::RFC9381_TAI_BC.name(), "rfc9381-tai-bc");
    /// ```
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Where the suite is found today.
    pub const fn used_by(self) -> &'static str {
        self.used_by
    }

    /// The length of this suite's proofs in bytes: 80, 128 or 144.
    ///
    /// ```
    /// assert_eq!(klero::Suite::PRAOS.proof_len(), 80);
    /// ```
    pub const fn proof_len(self) -> usize {
        self.proof_form.len()
    }

    /// The suite octet, which opens every hashed string.
    pub const fn octet(self) -> u8 {
        self.octet
    }

    /// The hash function.
    pub const fn hash(self) -> Hash {
        self.hash
    }

    /// The map from `pk ‖ alpha` to the curve.
    pub const fn hash_to_curve(self) -> HashToCurve {
        self.hash_to_curve
    }

    /// The strings that challenge and output are hashed over.
    pub const fn transcript(self) -> Transcript {
        self.transcript
    }

    /// The layout of a proof.
    pub const fn proof_form(self) -> ProofForm {
        self.proof_form
    }

    /// The rule for inputs that no honest prover makes.
    pub const fn rules(self) -> Rules {
        self.rules
    }
}

impl fmt::Display for Suite {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({})", self.name)
    }
}

impl FromStr for Suite {
    type Err = UnknownSuite;

    /// The suite of that name, or of one of the older names in use
    /// (`praos-draft03`, `draft03`, `draft10-tai-batchcompat`, …), in any case;
    /// underscores count as hyphens.
    ///
    /// ```
    /// use klero::{Suite, UnknownSuite};
    /// assert_eq!("praos-draft03".parse(), Ok(Suite::PRAOS));
    /// assert_eq!("nonsense".parse::<Suite>(), Err(UnknownSuite));
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownSuite> {
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
            .ok_or(UnknownSuite)
    }
}

/// No suite has this name. The message lists the names.
///
/// ```
/// let message = klero::UnknownSuite.to_string();
/// assert!(message.starts_with("no such suite: expected one of praos, praos-original, "));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSuite;

impl core::error::Error for UnknownSuite {}

impl fmt::Display for UnknownSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such suite: expected one of ")?;
        for (i, suite) in Suite::ALL.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{suite}")?;
        }
        Ok(())
    }
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
