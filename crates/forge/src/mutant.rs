//! Blocks that are wrong in one way, for tests of what must be found.

use std::fmt;

use ed25519_dalek::{Signer, SigningKey};
use klero_cardano::{Era, KesPeriods, Protocol};

use crate::error::ForgeError;
use crate::hot::{HotKey, certify};
use crate::lottery::Maker;

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

    /// The key and certificate that such a block is made with, in place of the right ones.
    pub(crate) fn hot_key(
        self,
        maker: &Maker,
        right: &HotKey,
        (era, slot): (Era, u64),
        periods: KesPeriods,
    ) -> Result<HotKey, ForgeError> {
        let period = slot / periods.slots;
        let impossible =
            || ForgeError::Recipe(format!("no block at slot {slot} can be the mutant {self}"));
        let before = |n: u64, by: u64| n.checked_sub(by).ok_or_else(impossible);
        let (number, start) = (right.certificate.number, right.certificate.start);
        let mut hot = match self {
            Self::BeforeStart => HotKey::of(maker, number, period + 1, period),
            Self::Expired => HotKey::of(maker, number, before(period, periods.evolutions)?, period),
            Self::NumberTooLarge if era.protocol() != Protocol::Praos => return Err(impossible()),
            Self::NumberTooLarge => HotKey::of(maker, number + 2, start, period),
            Self::NumberTooSmall => HotKey::of(maker, before(number, 1)?, start, period),
            _ => HotKey::of(maker, number, start, period),
        };
        match self {
            Self::WrongColdKey => {
                hot.certificate = certify(&other(maker), &hot.key, number, start);
            }
            Self::WrongPeriod if !hot.key.evolve() => return Err(impossible()),
            _ => {}
        }
        Ok(hot)
    }

    /// Changes the signature of such a block.
    pub(crate) fn change(
        self,
        maker: &Maker,
        hot: &HotKey,
        message: &[u8],
        signature: &mut [u8; 448],
    ) {
        match self {
            Self::WrongLeaf => {
                signature[..64].copy_from_slice(&other(maker).sign(message).to_bytes());
            }
            // The right key of the root's pair, or from evolution 32 on the left one.
            Self::AlteredSibling if hot.key.evolution() < 32 => signature[416] ^= 1,
            Self::AlteredSibling => signature[384] ^= 1,
            _ => {}
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A key that is not the maker's.
fn other(maker: &Maker) -> SigningKey {
    SigningKey::from_bytes(&maker.seed.bytes("another key", 0))
}
