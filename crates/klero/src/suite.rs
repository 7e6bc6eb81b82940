//! The definition of a suite: six choices, as data.
//!
//! Every ECVRF on edwards25519 in use is the same construction with a different hash, map to
//! the curve, transcript, proof layout and rule for inputs that no honest prover makes. The code
//! that proves and verifies reads these choices; no suite has code of its own. Callers cannot
//! compose more suites: two suites that share the nonce but not the challenge give away the keys
//! that are used in both.

use core::fmt;

/// The hash function behind every step but key expansion, which is SHA-512 in
/// all suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hash {
    /// SHA-512.
    Sha512,
    /// BLAKE2b: 32-byte digests, 64 bytes for the output (a benchmark variant).
    Blake2b,
}

/// The map from `pk ‖ alpha` to the point H of the prime-order subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HashToCurve {
    /// Elligator2 as in draft-irtf-cfrg-vrf-03, section 5.4.1.2: the sign bit of
    /// the hash is cleared, and x is always the even root.
    Draft03,
    /// `edwards25519_XMD:SHA-512_ELL2_NU_` of RFC 9380, section 6.8.2.
    Rfc9380,
    /// Try and increment, RFC 9381, section 5.4.1.1.
    TryAndIncrement,
}

/// The strings that the challenge and the output are hashed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Transcript {
    /// `suite ‖ 02 ‖ H ‖ Γ ‖ U ‖ V` and `suite ‖ 03 ‖ 8Γ`.
    Draft03,
    /// The strings of draft-03, each with a trailing zero byte.
    Draft10,
    /// The strings of draft-10, with the public key Y before H (draft-11 and later, RFC 9381).
    Rfc9381,
}

/// The layout of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ProofForm {
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
    #[allow(clippy::len_without_is_empty)] // a proof is never empty
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::GammaCS => 80,
            Self::GammaUVS => 128,
            Self::GammaUVCS => 144,
        }
    }

    /// True if proofs of this form carry U and V, which a sum needs.
    pub(crate) const fn has_points(self) -> bool {
        match self {
            Self::GammaCS => false,
            Self::GammaUVS | Self::GammaUVCS => true,
        }
    }
}

/// The rules of a suite's verifiers for inputs that no honest prover makes.
///
/// The first two differ only when Y or Γ has a component in the 8-torsion: there
/// `(L-c)·Γ` and `-c·Γ` are different points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rules {
    /// Multiply Y and Γ by `(L-c) mod L`, as cardano-node does; reject s ≥ L.
    Cardano,
    /// Multiply by the integer c and subtract, as RFC 9381 says; reject s ≥ L.
    Rfc,
    /// As [`Rules::Rfc`], but s is reduced mod L and never rejected (the first
    /// libsodium implementation, Algorand's, and Cardano nodes before 2023).
    Original,
}

/// A form of ECVRF: six choices (the octet is one) and a name.
///
/// ```
/// use klero::Suite;
/// let suite: Suite = "rfc9381-ell2".parse()?;
/// assert_eq!(suite, Suite::RFC9381_ELL2);
/// assert_eq!(suite.to_string(), "rfc9381-ell2");
/// assert_eq!(suite.proof_len(), 80);
/// # Ok::<(), klero::Error>(())
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
    /// The name by which commands and files know the suite.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// A note on where the suite is used today.
    pub const fn used_by(self) -> &'static str {
        self.used_by
    }

    /// The length of this suite's proofs in bytes: 80 in the form of every standard, `Γ ‖ c ‖ s`; 128 or
    /// 144, with U and V behind Γ, in the batch-compatible forms.
    pub const fn proof_len(self) -> usize {
        self.proof_form.len()
    }

    /// The suite octet, a part of the strings that H, c and beta are hashed from.
    pub const fn octet(self) -> u8 {
        self.octet
    }

    /// The name of the hash function: `SHA-512` or `BLAKE2b`.
    pub const fn hash(self) -> &'static str {
        match self.hash {
            Hash::Sha512 => "SHA-512",
            Hash::Blake2b => "BLAKE2b",
        }
    }

    /// The name of the map from `pk ‖ alpha` to the curve: `draft-03 Elligator2`, `RFC 9380 Elligator2` or
    /// `try and increment`.
    #[doc(alias = "ecvrf_encode_to_curve")]
    pub const fn hash_to_curve(self) -> &'static str {
        match self.hash_to_curve {
            HashToCurve::Draft03 => "draft-03 Elligator2",
            HashToCurve::Rfc9380 => "RFC 9380 Elligator2",
            HashToCurve::TryAndIncrement => "try and increment",
        }
    }

    /// The document that defines the strings that challenge and output are hashed from: `draft-03`,
    /// `draft-10` or `RFC 9381`.
    #[doc(alias = "ecvrf_challenge_generation")]
    pub const fn transcript(self) -> &'static str {
        match self.transcript {
            Transcript::Draft03 => "draft-03",
            Transcript::Draft10 => "draft-10",
            Transcript::Rfc9381 => "RFC 9381",
        }
    }

    /// The rules for inputs that no honest prover makes: `Cardano`, those of cardano-node; `RFC`, those of
    /// RFC 9381; or `original`, those of the RFC, but s is reduced and never rejected.
    pub const fn rules(self) -> &'static str {
        match self.rules {
            Rules::Cardano => "Cardano",
            Rules::Rfc => "RFC",
            Rules::Original => "original",
        }
    }
}

impl fmt::Display for Suite {
    /// Writes the suite's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Suite({})", self.name)
    }
}
