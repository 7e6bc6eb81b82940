//! The signature of a header, by a key that evolves, and the certificate of that key.
//!
//! A KES key (Sum6 over Ed25519: 64 evolutions) signs with another part in each period, and its owner deletes
//! the parts of past periods: a stolen key cannot sign for them. A claim says which evolution signed; that
//! follows from the slot of the header and the start of the operational certificate.
//!
//! With an operational certificate, a pool's cold key, which stays offline, says which hot key signs its
//! blocks. The certificate has a number, so that a newer one replaces those before it (see
//! [`Counters`](crate::Counters)), and a first period, from which the evolutions of the hot key are counted.
//! A pool uses the same certificate in all of its blocks for up to three months.

use core::ops::Range;

/// An operational certificate, not verified.
///
/// Source: cardano-ledger, `Cardano/Protocol/TPraos/OCert.hs`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperationalCertificate {
    /// The hot key: the verification key of the KES, 32 bytes.
    pub hot_key: [u8; 32],
    /// The number of the certificate, its counter.
    pub number: u64,
    /// The KES period in which the hot key has evolution 0.
    pub start: u64,
    /// The Ed25519 signature of the cold key on [`message`](Self::message), 64 bytes.
    pub signature: [u8; 64],
}

impl OperationalCertificate {
    /// The message that the cold key signs, 48 bytes: the hot key, then number and start, big-endian.
    pub fn message(&self) -> [u8; 48] {
        let mut message = [0; 48];
        message[..32].copy_from_slice(&self.hot_key);
        message[32..40].copy_from_slice(&self.number.to_be_bytes());
        message[40..].copy_from_slice(&self.start.to_be_bytes());
        message
    }
}

/// The certificate of a header, and the places of message and signature in the header's bytes, which are not
/// copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signing {
    /// The certificate of the key that signs.
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

/// The certificate and signature of a header of the chain, and the header's bytes, about 1 KB. The cold key
/// that signs the certificate is in the block's [`Lottery`](crate::Lottery).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The certificate, and the place of the signature.
    pub signing: Signing,
    /// The header, as stored.
    pub header: Box<[u8]>,
}

impl Signing {
    /// The claim that a header was signed at this evolution; `header` has the bytes that were decoded. `None`
    /// if it is shorter.
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
/// use klero_cardano::Network;
/// let periods = Network::mainnet().kes_periods().unwrap();
/// assert_eq!((periods.slots, periods.evolutions), (129_600, 62));
/// assert_eq!(periods.evolution(3 * 129_600, 1), Some(2));
/// assert_eq!(periods.evolution(3 * 129_600, 4), None);
/// assert_eq!(periods.evolution(63 * 129_600, 1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KesPeriods {
    /// Slots of a period, 1 or more: `slotsPerKESPeriod` of the Shelley genesis file.
    pub slots: u64,
    /// Evolutions that a certificate allows: `maxKESEvolutions`.
    pub evolutions: u64,
}

/// The reason why a KES signature is invalid. The checks run in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKes {
    /// The key has no such evolution: it has 64.
    #[error("evolution {0} of a key that has 64")]
    Evolution(u64),
    /// The hash of a pair of verification keys is not the key above it.
    #[error("verification keys do not belong together, {0} below the root")]
    Path(u8),
    /// The Ed25519 signature is invalid.
    #[error("at the leaf: {0}")]
    Leaf(klero_ed25519::Invalid),
}

impl KesPeriods {
    /// The period of an absolute slot.
    pub fn period(self, slot: u64) -> u64 {
        slot / self.slots.max(1)
    }

    /// The first period in which a certificate with this start does not hold any more.
    pub fn end(self, start: u64) -> u64 {
        start.saturating_add(self.evolutions)
    }

    /// The evolution of the hot key in the period of an absolute slot, by a certificate with this start.
    /// `None` unless the certificate holds in that period: start <= period < start + evolutions.
    ///
    /// Source: ouroboros-consensus, `Protocol/Praos.hs`, `doValidateKESSignature`.
    pub fn evolution(self, slot: u64, start: u64) -> Option<u64> {
        let evolution = self.period(slot).checked_sub(start);
        evolution.filter(|evolution| *evolution < self.evolutions)
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
            (0, 0, 0),
            (9, 0, 0),
            (10, 0, 1),
            (619, 0, 61),
            (629, 1, 61),
            (10, 1, 0),
        ] {
            assert_eq!(periods.evolution(slot, start), Some(expected));
        }
        for (slot, first, period, end) in [
            (9, 1, 0, 63),
            (u64::MAX, u64::MAX, u64::MAX / 10, u64::MAX),
            (620, 0, 62, 62),
            (u64::MAX, 0, u64::MAX / 10, 62),
        ] {
            assert_eq!(periods.evolution(slot, first), None);
            assert_eq!((periods.period(slot), periods.end(first)), (period, end));
        }
    }
}
