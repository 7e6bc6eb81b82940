//! Evolving keys (KES), the header signatures that they make, and the certificates of these keys.
//!
//! A KES key (Sum6 over Ed25519) has 64 parts, called evolutions, and signs with a different one in each
//! period. Its owner deletes past evolutions, so that a stolen key cannot sign for the past. A [`KesClaim`]
//! has the number of the evolution. The header's slot and the start of the certificate determine it.
//!
//! The cold key of a pool stays offline. It signs an operational certificate for the hot key, the KES key
//! that signs the pool's blocks. The certificate has a number, so that a newer certificate replaces older
//! certificates (see [`Counters`](crate::Counters)). It also has a start: the period in which the hot key has
//! evolution 0. A pool uses the same certificate in all of its blocks for up to three months.

use core::ops::Range;

/// An operational certificate that has not been verified.
///
/// Source: cardano-ledger, `Cardano/Protocol/TPraos/OCert.hs`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperationalCertificate {
    /// The hot key: the verification key of the KES, 32 bytes.
    pub hot_key: [u8; 32],
    /// The number of the certificate, also called its counter.
    pub number: u64,
    /// The KES period in which the hot key has evolution 0.
    pub start: u64,
    /// The Ed25519 signature (64 bytes) that the cold key made on the [`message`](Self::message).
    pub signature: [u8; 64],
}

impl OperationalCertificate {
    /// The 48 bytes that the cold key signs: the hot key, then the number and the start as big-endian
    /// integers.
    pub fn message(&self) -> [u8; 48] {
        let mut message = [0; 48];
        message[..32].copy_from_slice(&self.hot_key);
        message[32..40].copy_from_slice(&self.number.to_be_bytes());
        message[40..].copy_from_slice(&self.start.to_be_bytes());
        message
    }
}

/// The certificate of a header, and the positions of the signed message and of the signature in the header's
/// bytes. The bytes themselves are not stored here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signing {
    /// The certificate of the key that signs.
    pub certificate: OperationalCertificate,
    pub(crate) body: Range<usize>,
    pub(crate) signature: Range<usize>,
}

/// The unverified statement that `signature` is the signature of `message` by `key` at `evolution`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KesClaim<'a> {
    /// The verification key: the hot key of the certificate.
    pub key: &'a [u8; 32],
    /// The evolution of the key, counted from 0. A key of Sum6 has 64 evolutions.
    pub evolution: u64,
    /// The body of the header, as stored.
    pub message: &'a [u8],
    /// An Ed25519 signature (64 bytes), then six pairs of verification keys (64 bytes each). The first pair
    /// contains the key of the Ed25519 signature. Each later pair is one level nearer to the root.
    pub signature: &'a [u8; 448],
}

/// A header's bytes (about 1 KB), its certificate, and the position of its signature. The cold key that
/// signed the certificate is in the block's [`Lottery`](crate::Lottery).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The certificate, and the position of the signature in `header`.
    pub signing: Signing,
    /// The header, as stored.
    pub header: Box<[u8]>,
}

impl Signing {
    /// The claim that a header was signed at this evolution. `header` must be the bytes from which this value
    /// was decoded. Returns `None` if `header` is too short.
    ///
    /// Source: ouroboros-consensus, `Protocol/Praos.hs`, `doValidateKESSignature`: the message is the body of
    /// the header as stored.
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
    /// The number of slots in a period, at least 1 (`slotsPerKESPeriod` in the Shelley genesis file).
    pub slots: u64,
    /// The number of evolutions that a certificate allows (`maxKESEvolutions`).
    pub evolutions: u64,
}

/// The reason why a KES signature is invalid. The checks run in the order of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKes {
    /// The key does not have this evolution, because it has only 64.
    #[error("evolution {0} of a key that has 64")]
    Evolution(u64),
    /// The hash of a pair of verification keys differs from the key above the pair.
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

    /// The first period in which a certificate with this start is no longer valid.
    pub fn end(self, start: u64) -> u64 {
        start.saturating_add(self.evolutions)
    }

    /// The evolution of a hot key at an absolute slot. `start` is the start of the key's certificate, which
    /// is valid in a period if start <= period < start + evolutions. Returns `None` if the certificate is
    /// not valid in the period of the slot.
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
