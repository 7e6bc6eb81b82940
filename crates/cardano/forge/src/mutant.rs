//! Blocks with exactly one fault each. Tests use them to check that every kind of fault is found.

/// A fault in a single block. The chain continues from this block with correct links, index files and VRF
/// proofs. [`Forged::mutants`](crate::Forged::mutants) has the mutants of a chain by slot.
///
/// The header of an [`OF_STAKE`](Self::OF_STAKE) mutant has no fault, but the maker must not lead. A verifier
/// that knows the stake of the chain finds this mutant. Any other verifier counts the block as valid.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Mutant {
    /// The KES key that signs the block has evolved once too often, to the evolution of the next period.
    WrongPeriod,
    /// The certificate begins one period after the period of the block.
    BeforeStart,
    /// The certificate has ended.
    Expired,
    /// The certificate's number is two above the right number. This is wrong only in Praos, so only a block
    /// of Praos can be this mutant. If the chain has an earlier mutant of any kind, a verifier finds this
    /// mutant only if the same maker made a valid block between the two.
    NumberTooLarge,
    /// The certificate's number is one below the right number.
    NumberTooSmall,
    /// Another cold key signed the certificate.
    WrongColdKey,
    /// Another key signed at the leaf.
    WrongLeaf,
    /// In the KES signature, a verification key beside the path from the root to the leaf has a wrong bit.
    AlteredSibling,
    /// The body does not match the hash in the header.
    AlteredBody,
    /// The body was altered after signing. Then the header was altered to contain the new body's hash.
    AlteredBodyAndHash,
    /// The pool must not lead. Its leader value is below f, but too large for the pool's stake.
    NoLeader,
    /// The pool uses a VRF key that it did not register. The leader value of this key would win the lottery.
    OtherVrfKey,
    /// A pool without stake made the block.
    UnknownPool,
    /// The slot belongs to a genesis delegate (TPraos with d above 0), but another delegate made the block.
    WrongDelegate,
    /// The slot is taken out of the lottery, and belongs to no delegate (TPraos with d above 0). The maker is
    /// a pool whose leader value would win the lottery.
    ReservedSlot,
}

impl Mutant {
    /// The mutants that a verifier finds without knowing the stake.
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

    /// The mutants whose makers must not lead.
    ///
    /// Such a block is made in the first slot after the previous block in which the mutant is possible. If
    /// the next honest block has the same slot, the mutant replaces it. Otherwise, the honest block follows
    /// the mutant.
    pub const OF_STAKE: [Self; 5] = [
        Self::NoLeader,
        Self::OtherVrfKey,
        Self::UnknownPool,
        Self::WrongDelegate,
        Self::ReservedSlot,
    ];

    /// The name of the only fault that `klero chain verify` finds in a block with this mutant. The command
    /// finds mutants of [`OF_STAKE`](Self::OF_STAKE) only if it is given the stake (`--stake`).
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
            Self::NoLeader
            | Self::OtherVrfKey
            | Self::UnknownPool
            | Self::WrongDelegate
            | Self::ReservedSlot => self.into(),
        }
    }
}
