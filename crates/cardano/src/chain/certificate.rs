//! Operational certificates: a pool's cold key, which stays offline, says which hot key signs
//! its blocks.
//!
//! A certificate has a number, so that a newer one replaces those before it (see
//! [`Counters`](crate::Counters)), and a first period, from which the evolutions of the hot key
//! are counted (see [`KesPeriods`](crate::KesPeriods)). A pool has the same one in all of its
//! blocks for up to three months.

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
