//! The hot keys of a chain's makers: evolved with time, and renewed before they expire.

use std::collections::HashMap;

use ed25519_dalek::{Signer, SigningKey};
use klero_cardano::{Era, KesPeriods, OperationalCertificate, Protocol};

use crate::kes::KesKey;
use crate::maker::Maker;

/// A key and the certificate of it.
pub(crate) struct HotKey {
    pub key: KesKey,
    pub certificate: OperationalCertificate,
}

impl HotKey {
    /// The hot key of a maker with this number, at the evolution that belongs to the period.
    pub(crate) fn of(maker: &Maker, number: u64, start: u64, period: u64) -> Self {
        let mut key = KesKey::from_seed(maker.seed.bytes("hot key", number));
        while key.evolution() < period.saturating_sub(start) && key.evolve() {}
        let certificate = certify(&maker.cold, &key, number, start);
        Self { key, certificate }
    }
}

/// A certificate of a cold key.
pub(crate) fn certify(
    cold: &SigningKey,
    key: &KesKey,
    number: u64,
    start: u64,
) -> OperationalCertificate {
    let mut certificate = OperationalCertificate {
        hot_key: key.verification_key(),
        number,
        start,
        signature: [0; 64],
    };
    certificate.signature = cold.sign(&certificate.message()).to_bytes();
    certificate
}

/// The hot keys of all makers who have made a block.
pub(crate) struct HotKeys {
    periods: KesPeriods,
    keys: HashMap<[u8; 32], HotKey>,
}

impl HotKeys {
    pub(crate) fn new(periods: KesPeriods) -> Self {
        Self {
            periods,
            keys: HashMap::new(),
        }
    }

    /// The key with which a maker signs at a slot. Where TPraos allows it, half of the makers
    /// skip a number when they renew.
    pub(crate) fn at(&mut self, maker: &Maker, era: Era, slot: u64) -> &HotKey {
        let period = slot / self.periods.slots;
        let hot = self
            .keys
            .entry(maker.cold_key)
            .or_insert_with(|| HotKey::of(maker, 0, period, period));
        let OperationalCertificate { number, start, .. } = hot.certificate;
        if period - start >= self.periods.evolutions {
            let skips = maker.early && era.protocol() == Protocol::TPraos;
            *hot = HotKey::of(maker, number + 1 + u64::from(skips), period, period);
        }
        while hot.key.evolution() < period - hot.certificate.start && hot.key.evolve() {}
        hot
    }
}
