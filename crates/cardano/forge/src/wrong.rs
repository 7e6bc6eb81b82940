//! Makes the block of a mutant wrong: with another key or certificate, or with a changed signature.

use ed25519_dalek::{Signer, SigningKey};
use klero_cardano::{Era, KesPeriods, Protocol};

use crate::error::ForgeError;
use crate::hot::{HotKey, certify};
use crate::maker::Maker;
use crate::mutant::Mutant;

/// Returns the key and certificate that the block of a mutant gets in place of the right ones.
pub(crate) fn hot_key(
    mutant: Mutant,
    maker: &Maker,
    right: &HotKey,
    (era, slot): (Era, u64),
    periods: KesPeriods,
) -> Result<HotKey, ForgeError> {
    let period = slot / periods.slots;
    let impossible = || impossible(mutant, slot);
    let before = |n: u64, by: u64| n.checked_sub(by).ok_or_else(impossible);
    let (number, start) = (right.certificate.number, right.certificate.start);
    let mut hot = match mutant {
        Mutant::BeforeStart => HotKey::of(maker, number, period + 1, period),
        Mutant::Expired => HotKey::of(maker, number, before(period, periods.evolutions)?, period),
        Mutant::NumberTooLarge if era.protocol() != Protocol::Praos => return Err(impossible()),
        Mutant::NumberTooLarge => HotKey::of(maker, number + 2, start, period),
        Mutant::NumberTooSmall => HotKey::of(maker, before(number, 1)?, start, period),
        _ => HotKey::of(maker, number, start, period),
    };
    match mutant {
        Mutant::WrongColdKey => {
            hot.certificate = certify(&other(maker), &hot.key, number, start);
        }
        Mutant::WrongPeriod if !hot.key.evolve() => return Err(impossible()),
        _ => {}
    }
    Ok(hot)
}

/// Changes the signature of the block of a mutant.
pub(crate) fn change(
    mutant: Mutant,
    maker: &Maker,
    hot: &HotKey,
    message: &[u8],
    signature: &mut [u8; 448],
) {
    match mutant {
        Mutant::WrongLeaf => {
            signature[..64].copy_from_slice(&other(maker).sign(message).to_bytes());
        }
        // The root's left key begins at 384, its right key at 416. The path goes left before evolution 32.
        Mutant::AlteredSibling if hot.key.evolution() < 32 => signature[416] ^= 1,
        Mutant::AlteredSibling => signature[384] ^= 1,
        _ => {}
    }
}

/// The error for a recipe with a mutant that cannot be made at this slot.
pub(crate) fn impossible(mutant: Mutant, slot: u64) -> ForgeError {
    ForgeError::Recipe(format!(
        "no block at slot {slot} can be the mutant {mutant}"
    ))
}

/// Returns a key that does not belong to the maker.
fn other(maker: &Maker) -> SigningKey {
    SigningKey::from_bytes(&maker.seed.bytes("another key", 0))
}
