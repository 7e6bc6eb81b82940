//! The overlay: slots before Babbage that are not part of the lottery.
//!
//! While a network is young, a share d of its slots is in the overlay, where only genesis delegates may make
//! blocks. The delegates take turns in every ⌊1/f⌋-th overlay slot, and the other overlay slots stay empty.
//! In slots outside the overlay, the pools take part in the lottery. The share d is set by votes on the
//! chain, and headers do not contain it.
//!
//! Source: cardano-ledger, `Cardano.Protocol.TPraos.Rules.Overlay`: `isOverlaySlot`,
//! `lookupInOverlaySchedule`.

use core::fmt;
use core::str::FromStr;

use pallas_crypto::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::chain::network::Network;
use crate::chain::text::{BadText, decimal, share};

/// The share d of an epoch's slots that are in the overlay. The share is from 0 to 1.
///
/// ```
/// use klero_cardano::Decentralization;
/// let d: Decentralization = "0.6".parse()?;
/// assert_eq!(d.to_string(), "3/5");
/// assert!("1.1".parse::<Decentralization>().is_err());
/// # Ok::<(), klero_cardano::BadText>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Decentralization {
    numerator: u64,
    denominator: u64,
}

impl FromStr for Decentralization {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let (numerator, denominator) = match text.split_once('/') {
            Some((numerator, denominator)) => ratio(numerator, denominator),
            None => decimal(text),
        }
        .ok_or_else(|| {
            let expected = "a number from 0 to 1, such as 0.6 or 3/5, of at most 19 digits";
            BadText::new("decentralization", text, expected)
        })?;
        Ok(Self {
            numerator,
            denominator,
        })
    }
}

/// Parses a ratio from 0 to 1 and reduces it to lowest terms.
fn ratio(numerator: &str, denominator: &str) -> Option<(u64, u64)> {
    share(numerator.parse().ok()?, denominator.parse().ok()?)
}

impl From<Decentralization> for String {
    fn from(d: Decentralization) -> Self {
        d.to_string()
    }
}

impl TryFrom<String> for Decentralization {
    type Error = BadText;

    fn try_from(text: String) -> Result<Self, BadText> {
        text.parse()
    }
}

impl fmt::Display for Decentralization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl Decentralization {
    /// 0: no slot is in the overlay.
    pub const NONE: Self = Self {
        numerator: 0,
        denominator: 1,
    };
    /// 1: all slots are in the overlay.
    pub const ALL: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// The number of overlay slots among the first `slots` slots of an epoch.
    fn before(self, slots: u64) -> u64 {
        let product = u128::from(slots) * u128::from(self.numerator);
        // The share d is at most 1, so the result is at most `slots`.
        product.div_ceil(u128::from(self.denominator)) as u64
    }
}

/// The delegate of a genesis key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// The BLAKE2b-224 hash of the key that issues the delegate's blocks.
    pub issuer: Hash<28>,
    /// The BLAKE2b-256 hash of the delegate's VRF key, if the genesis file contains this hash.
    pub vrf: Option<Hash<32>>,
}

/// The pools or the delegate that may make a block in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A slot of the lottery, in which any pool can win.
    Pools,
    /// An overlay slot of this delegate.
    Delegate(Delegate),
    /// An overlay slot in which no block is made.
    Nobody,
}

impl Network {
    /// Tells whose turn it is in a slot before Babbage. `d` is the overlay share of the slot's epoch. Returns
    /// `None` if the genesis file does not list delegates, or if the slot is a Byron slot.
    ///
    /// The result uses the delegates of the genesis file, although certificates on the chain can replace
    /// them.
    #[must_use]
    pub fn turn(&self, slot: u64, d: Decentralization) -> Option<Turn> {
        let delegates = self.delegations()?;
        slot.checked_sub(self.shelley_slot())?;
        let since = slot - self.first_slot(self.epoch(slot));
        let position = d.before(since);
        if position == d.before(since.saturating_add(1)) {
            return Some(Turn::Pools);
        }
        let f = self.active_slots();
        let spacing = f.denominator() / f.numerator();
        if !position.is_multiple_of(spacing) || delegates.is_empty() {
            return Some(Turn::Nobody);
        }
        let turn = position / spacing % delegates.len() as u64;
        // Delegates take turns in the order of the hashes of their genesis keys.
        let delegate = delegates.values().nth(turn as usize);
        Some(delegate.map_or(Turn::Nobody, |delegate| Turn::Delegate(*delegate)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (text, shown) in [
            ("0", "0/1"),
            ("1", "1/1"),
            ("0.5", "1/2"),
            ("6e-1", "3/5"),
            ("6/10", "3/5"),
        ] {
            assert_eq!(text.parse::<Decentralization>().unwrap().to_string(), shown);
        }
        for text in ["", "2", "1/0", "0/0", "3/2", "/2", "1/"] {
            assert!(text.parse::<Decentralization>().is_err(), "{text}");
        }
    }
}
