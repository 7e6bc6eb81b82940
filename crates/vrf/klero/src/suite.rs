//! The definition of a suite as data: six choices.
//!
//! All ECVRFs on edwards25519 in use have the same construction. They differ in the suite octet, the hash,
//! the map to the curve, the transcript, the proof layout and the rules for inputs that no honest prover
//! makes. The code that proves and verifies reads these choices, and no suite has code of its own. Callers
//! cannot compose more suites, because two suites with the same nonces and different challenges reveal the
//! keys that are used in both.

use core::fmt;

/// The hash function of every step except key expansion, which uses SHA-512 in all suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hash {
    /// SHA-512.
    Sha512,
    /// BLAKE2b (a benchmark variant). Digests have 64 bytes for the output, and 32 bytes otherwise.
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

/// The strings from which the challenge and the output are hashed.
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

    /// True if proofs of this form carry U and V. Only such proofs can be verified by a sum of equations.
    pub(crate) const fn has_points(self) -> bool {
        match self {
            Self::GammaCS => false,
            Self::GammaUVS | Self::GammaUVCS => true,
        }
    }
}

/// The rules of a suite's verifiers for inputs that no honest prover makes.
///
/// `Cardano` and `Rfc` differ only when Y or Γ has a component in the 8-torsion. For a point Q with such a
/// component, `(L-c)·Q` and `-c·Q` are different points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rules {
    /// Multiply Y and Γ by `(L-c) mod L`, as cardano-node does. Reject s ≥ L.
    Cardano,
    /// Multiply Y and Γ by the integer c and subtract, as in RFC 9381. Reject s ≥ L.
    Rfc,
    /// Like [`Rules::Rfc`], but s is reduced mod L and never rejected. These are the rules of Cardano
    /// nodes before 2023, and of the first libsodium implementation, which Algorand uses.
    Original,
}

/// A form of ECVRF: a name and six choices, including the octet.
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
    /// Returns the name of the suite in commands and files.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns a note on where the suite is used today.
    pub const fn used_by(self) -> &'static str {
        self.used_by
    }

    /// Returns the length of this suite's proofs in bytes. The form of every standard, `Γ ‖ c ‖ s`, has 80
    /// bytes. The batch-compatible forms have 128 or 144 bytes, with U and V after Γ.
    pub const fn proof_len(self) -> usize {
        self.proof_form.len()
    }

    /// Returns the suite octet, a part of the strings from which H, c and beta are hashed.
    pub const fn octet(self) -> u8 {
        self.octet
    }

    /// Returns the name of the hash function: `SHA-512` or `BLAKE2b`.
    pub const fn hash(self) -> &'static str {
        match self.hash {
            Hash::Sha512 => "SHA-512",
            Hash::Blake2b => "BLAKE2b",
        }
    }

    /// Returns the name of the map from `pk ‖ alpha` to the curve: `draft-03 Elligator2`, `RFC 9380
    /// Elligator2` or `try and increment`.
    #[doc(alias = "ecvrf_encode_to_curve")]
    pub const fn hash_to_curve(self) -> &'static str {
        match self.hash_to_curve {
            HashToCurve::Draft03 => "draft-03 Elligator2",
            HashToCurve::Rfc9380 => "RFC 9380 Elligator2",
            HashToCurve::TryAndIncrement => "try and increment",
        }
    }

    /// Returns the document that defines the strings from which challenge and output are hashed: `draft-03`,
    /// `draft-10` or `RFC 9381`.
    #[doc(alias = "ecvrf_challenge_generation")]
    pub const fn transcript(self) -> &'static str {
        match self.transcript {
            Transcript::Draft03 => "draft-03",
            Transcript::Draft10 => "draft-10",
            Transcript::Rfc9381 => "RFC 9381",
        }
    }

    /// Returns the name of the rules for inputs that no honest prover makes. `Cardano` means the rules of
    /// cardano-node, and `RFC` the rules of RFC 9381. `original` means the rules of the RFC, but s is reduced
    /// and never rejected.
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
