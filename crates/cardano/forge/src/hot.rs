//! The hot keys of a chain's makers. They evolve with time, and are renewed when they expire.

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
    /// Returns a maker's hot key, evolved up to `period`, and the certificate of this key. The certificate
    /// has the given number, and begins in the period `start`.
    pub(crate) fn of(maker: &Maker, number: u64, start: u64, period: u64) -> Self {
        let mut key = KesKey::from_seed(maker.seed.bytes("hot key", number));
        while key.evolution() < period.saturating_sub(start) && key.evolve() {}
        let certificate = certify(&maker.cold, &key, number, start);
        Self { key, certificate }
    }

    /// Evolves the key up to a period. If the certificate has ended by then (after `evolutions` periods), the
    /// maker first gets a new key with a new certificate. The certificate's number grows by one.
    /// In TPraos, which allows any increase, it grows by two if the maker is [`early`](Maker::early).
    pub(crate) fn go_to(&mut self, maker: &Maker, era: Era, period: u64, evolutions: u64) {
        let OperationalCertificate { number, start, .. } = self.certificate;
        if period - start >= evolutions {
            let skips = maker.early && era.protocol() == Protocol::TPraos;
            *self = Self::of(maker, number + 1 + u64::from(skips), period, period);
        }
        while self.key.evolution() < period - self.certificate.start && self.key.evolve() {}
    }
}

/// Returns the certificate of a hot key, signed with a cold key.
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
