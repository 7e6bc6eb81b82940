//! Blocks that are wrong in one way, for tests of what must be found.

use std::fmt;

/// One thing wrong with a block. The chain goes on from it: links, index files and VRF proofs are
/// right. [`Forged::mutants`](crate::Forged::mutants) has them by their slots.
///
/// ```
/// use klero_forge::Mutant;
/// let names = Mutant::ALL.map(Mutant::name);
/// assert_eq!(names[2..4], ["expired", "number-too-large"]);
/// assert_eq!(Mutant::Expired.finding(), "kes-period");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutant {
    /// Signed with the evolution of another period.
    WrongPeriod,
    /// The certificate begins one period later.
    BeforeStart,
    /// The certificate has ended.
    Expired,
    /// The certificate's number is two above the last: wrong in Praos, and not made before. It
    /// shows only if the maker made a valid block after the mutant before this one.
    NumberTooLarge,
    /// The certificate's number is one below the last.
    NumberTooSmall,
    /// Another cold key signed the certificate.
    WrongColdKey,
    /// Another key signed at the leaf.
    WrongLeaf,
    /// A verification key in the signature that is not on the path has a wrong bit.
    AlteredSibling,
    /// The body is not the one that the header names.
    AlteredBody,
    /// The same, and the header was changed to name it, after it was signed.
    AlteredBodyAndHash,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::WrongPeriod,
        Self::BeforeStart,
        Self::Expired,
        Self::NumberTooLarge,
        Self::NumberTooSmall,
        Self::WrongColdKey,
        Self::WrongLeaf,
        Self::AlteredSibling,
        Self::AlteredBody,
        Self::AlteredBodyAndHash,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongPeriod => "wrong-period",
            Self::BeforeStart => "before-start",
            Self::Expired => "expired",
            Self::NumberTooLarge => "number-too-large",
            Self::NumberTooSmall => "number-too-small",
            Self::WrongColdKey => "wrong-cold-key",
            Self::WrongLeaf => "wrong-leaf",
            Self::AlteredSibling => "altered-sibling",
            Self::AlteredBody => "altered-body",
            Self::AlteredBodyAndHash => "altered-body-and-hash",
        }
    }

    /// The name of the one thing that is found about such a block, by `klero chain verify --json`:
    /// of a finding, or for a body, which does not have its hash, of the kind of a fault.
    pub fn finding(self) -> &'static str {
        match self {
            Self::WrongPeriod
            | Self::WrongLeaf
            | Self::AlteredSibling
            | Self::AlteredBodyAndHash => "invalid-kes",
            Self::BeforeStart | Self::Expired => "kes-period",
            Self::NumberTooLarge | Self::NumberTooSmall => "certificate-number",
            Self::WrongColdKey => "invalid-certificate",
            Self::AlteredBody => "body-hash",
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
