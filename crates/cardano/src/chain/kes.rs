//! The signature of a header, by a key that evolves.
//!
//! A KES key (Sum6 over Ed25519: 64 evolutions) signs with another part in each period, and
//! its owner deletes what is past: a stolen key signs nothing that is old. A claim says which
//! evolution signed; that follows from the slot of the header and the start of the operational
//! certificate.

use core::ops::Range;

use crate::chain::certificate::OperationalCertificate;

/// What a header is signed with: the certificate, and where message and signature are in the
/// header's bytes, which are not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signing {
    /// Says which key signs.
    pub certificate: OperationalCertificate,
    pub(crate) body: Range<usize>,
    pub(crate) signature: Range<usize>,
}

/// "The key of this certificate signed this message at this evolution."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KesClaim<'a> {
    /// The verification key: the hot key of the certificate.
    pub key: &'a [u8; 32],
    /// The evolution of the key, counted from 0. A key of Sum6 has 64.
    pub evolution: u64,
    /// The body of the header, as stored.
    pub message: &'a [u8],
    /// An Ed25519 signature (64 bytes), and the pairs of verification keys (64 bytes each) on the
    /// way from its key up to the root.
    pub signature: &'a [u8; 448],
}

/// What a header of the chain is signed with, and the header's bytes, about 1 KB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The cold key of the issuer, which signs the certificate.
    pub issuer_key: [u8; 32],
    /// The certificate, and where the signature is.
    pub signing: Signing,
    /// The header, as stored.
    pub header: Box<[u8]>,
}

impl Signing {
    /// The claim of a header that was signed at this evolution; `header` is the header as it was
    /// decoded. `None` if it is shorter than that one.
    ///
    /// Source: ouroboros-consensus, `Protocol/Praos.hs`, `doValidateKESSignature`: the message is
    /// the body of the header as stored.
    pub fn claim<'a>(&'a self, header: &'a [u8], evolution: u64) -> Option<KesClaim<'a>> {
        Some(KesClaim {
            key: &self.certificate.hot_key,
            evolution,
            message: header.get(self.body.clone())?,
            signature: header.get(self.signature.clone())?.try_into().ok()?,
        })
    }
}

/// The periods of a network's KES keys.
///
/// ```
/// use klero_cardano::{KesPeriods, Network, OutsidePeriods};
/// let periods = Network::mainnet().kes_periods().unwrap();
/// assert_eq!((periods.slots, periods.evolutions), (129_600, 62));
/// assert_eq!(periods.evolution(3 * 129_600, 1), Ok(2));
/// assert_eq!(
///     periods.evolution(3 * 129_600, 4),
///     Err(OutsidePeriods::BeforeStart { period: 3, start: 4 })
/// );
/// assert_eq!(
///     periods.evolution(63 * 129_600, 1),
///     Err(OutsidePeriods::AfterEnd { period: 63, end: 63 })
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KesPeriods {
    /// Slots of a period, 1 or more: `slotsPerKESPeriod` of the Shelley genesis file.
    pub slots: u64,
    /// Evolutions that a certificate allows: `maxKESEvolutions`.
    pub evolutions: u64,
}

/// The slot of a header is in a period for which its certificate does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutsidePeriods {
    /// Before its start.
    #[error("KES period {period} is before {start}, in which the certificate begins")]
    BeforeStart {
        /// Period of the slot.
        period: u64,
        /// First period of the certificate.
        start: u64,
    },
    /// After its end.
    #[error("KES period {period}, but the certificate ended before {end}")]
    AfterEnd {
        /// Period of the slot.
        period: u64,
        /// First period in which the certificate does not hold any more.
        end: u64,
    },
}

impl KesPeriods {
    /// The evolution of the hot key in the period of an absolute slot, by a certificate with this
    /// start.
    ///
    /// # Errors
    /// [`OutsidePeriods`]: start <= period < start + evolutions does not hold.
    ///
    /// Source: ouroboros-consensus, `Protocol/Praos.hs`, `doValidateKESSignature`.
    pub fn evolution(self, slot: u64, start: u64) -> Result<u64, OutsidePeriods> {
        let period = slot / self.slots.max(1);
        let Some(evolution) = period.checked_sub(start) else {
            return Err(OutsidePeriods::BeforeStart { period, start });
        };
        if evolution >= self.evolutions {
            // No overflow: start + evolutions <= period.
            let end = start + self.evolutions;
            return Err(OutsidePeriods::AfterEnd { period, end });
        }
        Ok(evolution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_at_their_ends() {
        let periods = KesPeriods {
            slots: 10,
            evolutions: 62,
        };
        for (slot, start, expected) in [
            (0, 0, Ok(0)),
            (9, 0, Ok(0)),
            (10, 0, Ok(1)),
            (619, 0, Ok(61)),
            (629, 1, Ok(61)),
            (10, 1, Ok(0)),
        ] {
            assert_eq!(periods.evolution(slot, start), expected);
        }
        let before = |period, start| Err(OutsidePeriods::BeforeStart { period, start });
        let after = |period, end| Err(OutsidePeriods::AfterEnd { period, end });
        for (slot, start, expected) in [
            (9, 1, before(0, 1)),
            (u64::MAX, u64::MAX, before(u64::MAX / 10, u64::MAX)),
            (620, 0, after(62, 62)),
            (u64::MAX, 0, after(u64::MAX / 10, 62)),
        ] {
            assert_eq!(periods.evolution(slot, start), expected);
        }
    }
}
