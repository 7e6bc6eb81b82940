//! Blocks that are wrong in one way, for tests of what must be found.

use ed25519_dalek::{Signer, SigningKey};
use klero_cardano::KesPeriods;

use crate::error::ForgeError;
use crate::hot::{HotKey, certify};
use crate::lottery::Maker;

/// One thing wrong with a block. The chain goes on from it: links, index files and VRF proofs are
/// right.
///
/// ```
/// use klero_forge::Mutant;
/// assert_eq!(Mutant::ALL.len(), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutant {
    /// Signed with the evolution of another period.
    WrongPeriod,
    /// The certificate begins one period later.
    BeforeStart,
    /// The certificate has ended.
    Expired,
    /// The certificate's number is two above the last: wrong in Praos.
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

    /// The key and certificate that such a block is made with, in place of the right ones.
    pub(crate) fn hot_key(
        self,
        maker: &Maker,
        right: &HotKey,
        slot: u64,
        periods: KesPeriods,
    ) -> Result<HotKey, ForgeError> {
        let period = slot / periods.slots;
        let impossible = || {
            ForgeError::Recipe(format!(
                "no block at slot {slot} can be the mutant {self:?}"
            ))
        };
        let before = |n: u64, by: u64| n.checked_sub(by).ok_or_else(impossible);
        let (number, start) = (right.certificate.number, right.certificate.start);
        let mut hot = match self {
            Self::BeforeStart => HotKey::of(maker, number, period + 1, period),
            Self::Expired => HotKey::of(maker, number, before(period, periods.evolutions)?, period),
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

/// A key that is not the maker's.
fn other(maker: &Maker) -> SigningKey {
    SigningKey::from_bytes(&maker.seed.bytes("another key", 0))
}
