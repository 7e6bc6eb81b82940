//! The hot keys of a chain's makers: evolved with time, and renewed when they expire.

use ed25519_dalek::{Signer, SigningKey};
use klero_cardano::{Era, OperationalCertificate, Protocol};

use crate::kes::KesKey;
use crate::maker::Maker;

/// A hot key and its certificate.
pub(crate) struct HotKey {
    pub key: KesKey,
    pub certificate: OperationalCertificate,
}

impl HotKey {
    /// The hot key of a maker's certificate with this number, at the evolution that belongs to the period.
    pub(crate) fn of(maker: &Maker, number: u64, start: u64, period: u64) -> Self {
        let mut key = KesKey::from_seed(maker.seed.bytes("hot key", number));
        while key.evolution() < period.saturating_sub(start) && key.evolve() {}
        let certificate = certify(&maker.cold, &key, number, start);
        Self { key, certificate }
    }

    /// Evolves the key up to a period. A certificate ends after `evolutions` periods; then the maker gets a
    /// new key with a new certificate. Half of the makers raise its number by two in TPraos, which allows
    /// that.
    pub(crate) fn go_to(&mut self, maker: &Maker, era: Era, period: u64, evolutions: u64) {
        let OperationalCertificate { number, start, .. } = self.certificate;
        if period - start >= evolutions {
            let skips = maker.early && era.protocol() == Protocol::TPraos;
            *self = Self::of(maker, number + 1 + u64::from(skips), period, period);
        }
        while self.key.evolution() < period - self.certificate.start && self.key.evolve() {}
    }
}

/// The certificate with which a cold key signs a hot key.
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
