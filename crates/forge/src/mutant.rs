//! Blocks that are wrong in one way, for tests of the faults that must be found.

/// One thing wrong with a block. The chain goes on from it: links, index files and VRF proofs are right.
/// [`Forged::mutants`](crate::Forged::mutants) has a chain's mutants by slot.
///
/// The blocks of [`OF_STAKE`](Self::OF_STAKE) are honest in everything that headers show, but their makers
/// may not lead. They are found if the stake of the chain is given, and count as valid otherwise.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Mutant {
    /// Signed with the evolution of another period.
    WrongPeriod,
    /// The certificate begins one period after the block's.
    BeforeStart,
    /// The certificate has ended.
    Expired,
    /// The certificate's number is two above the last: wrong in Praos, and not made before Praos. It is found
    /// only if the maker made a valid block since the mutant before this one.
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
    /// The body was altered, and then the signed header, so that it names this body.
    AlteredBodyAndHash,
    /// The pool's leader value does not lead: it is too large for the pool's stake, though below f.
    NoLeader,
    /// The pool proved with another VRF key than it registered, and leads with that key's value.
    OtherVrfKey,
    /// A pool without stake made the block.
    UnknownPool,
    /// The slot is a genesis delegate's (TPraos with d above 0), and another delegate made the block.
    WrongDelegate,
    /// The slot is taken out of the lottery, and belongs to no delegate (TPraos with d above 0). The block is
    /// by a pool that would lead with its value.
    ReservedSlot,
}

impl Mutant {
    /// The mutants that are found without stake.
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

    /// The mutants by makers who may not lead.
    ///
    /// Such a mutant gets the next slot where it can be made. If that is the slot of the next honest block,
    /// the mutant replaces this block; otherwise the honest block comes after the mutant.
    pub const OF_STAKE: [Self; 5] = [
        Self::NoLeader,
        Self::OtherVrfKey,
        Self::UnknownPool,
        Self::WrongDelegate,
        Self::ReservedSlot,
    ];

    /// The name of the one fault that `klero chain verify` finds in such a block. Mutants of
    /// [`OF_STAKE`](Self::OF_STAKE) are found if the command is given the stake (`--stake`).
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
