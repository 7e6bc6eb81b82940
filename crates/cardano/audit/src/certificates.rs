//! Verifies operational certificates, and keeps the valid ones so that they are not verified again.
//!
//! A pool has the same certificate in all of its blocks for up to three months. So valid certificates are
//! kept in a map by hot key. A later certificate is valid without verification if all of its bytes and the
//! issuer's key equal those in the map. The map is bounded: when new certificates could exceed the bound, it
//! is emptied first. A certificate still in use is kept again when the next block with it is verified.
//! Invalid certificates are not kept: anyone can send them, and they would only fill the memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use klero_cardano::OperationalCertificate;
use klero_ed25519::{Claim, Verdict, verify_many_on};
use klero_lanes::Engine;

/// The key of an issuer, and a certificate that the issuer signed.
type Known = ([u8; 32], OperationalCertificate);

/// Up to `most` valid certificates. Each takes 176 bytes.
pub(crate) struct Certificates {
    most: usize,
    /// The last valid certificate for each hot key, which is the key of the map.
    valid: Mutex<HashMap<[u8; 32], Known>>,
}

impl Certificates {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            valid: Mutex::new(HashMap::new()),
        }
    }

    /// Returns the verdict on each pair of an issuer's key and a certificate, in the order of `claims`.
    pub(crate) fn verify(
        &self,
        engine: Engine,
        claims: &[(&[u8; 32], &OperationalCertificate)],
    ) -> Vec<Verdict> {
        // The claims that are not in the map of valid certificates, without repetitions.
        let new: Vec<_> = {
            let valid = self.lock();
            let is_known = |&(key, certificate): &(&[u8; 32], &OperationalCertificate)| {
                let known = valid.get(&certificate.hot_key);
                known.is_some_and(|(known_key, known)| known_key == key && known == certificate)
            };
            let mut seen = HashSet::new();
            let claims = claims.iter().filter(|claim| !is_known(claim));
            claims
                .copied()
                .filter(|claim| seen.insert(*claim))
                .collect()
        };
        if new.is_empty() {
            return vec![Ok(()); claims.len()];
        }
        let messages: Vec<[u8; 48]> = new.iter().map(|(_, new)| new.message()).collect();
        let signatures: Vec<Claim<'_>> = new
            .iter()
            .zip(&messages)
            .map(|((key, new), message)| Claim::new(*key, message, &new.signature))
            .collect();
        let verdicts = verify_many_on(engine, &signatures);
        let verdicts: HashMap<_, _> = new.into_iter().zip(verdicts).collect();
        self.keep(&verdicts);
        // A claim without a new verdict was found in the map of valid certificates.
        let verdict = |claim| verdicts.get(claim).copied().unwrap_or(Ok(()));
        claims.iter().map(verdict).collect()
    }

    fn keep(&self, verdicts: &HashMap<(&[u8; 32], &OperationalCertificate), Verdict>) {
        let new = verdicts.iter().filter(|(_, verdict)| verdict.is_ok());
        let mut valid = self.lock();
        if valid.len() + verdicts.len() > self.most {
            valid.clear();
        }
        for ((key, certificate), _) in new.take(self.most) {
            valid.insert(certificate.hot_key, (**key, (*certificate).clone()));
        }
    }

    /// Locks the map. If a thread panicked while it held the lock, the map is still usable.
    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], Known>> {
        self.valid.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};
    use klero_ed25519::Invalid;
    use klero_lanes::engines;

    use super::*;

    fn certificates(n: u8) -> Vec<Known> {
        let certificate = |i| {
            let cold = SigningKey::from_bytes(&[i; 32]);
            let mut certificate = OperationalCertificate {
                hot_key: [i; 32],
                number: i.into(),
                start: 3,
                signature: [0; 64],
            };
            certificate.signature = cold.sign(&certificate.message()).to_bytes();
            (cold.verifying_key().to_bytes(), certificate)
        };
        (0..n).map(certificate).collect()
    }

    #[test]
    fn what_is_kept_changes_no_verdict() {
        let valid = certificates(30);
        let mut all = Vec::new();
        for (i, (key, certificate)) in valid.iter().enumerate() {
            let mut changed = [
                certificate.clone(),
                certificate.clone(),
                certificate.clone(),
                certificate.clone(),
            ];
            changed[0].hot_key[i] ^= 1;
            changed[1].number += 1;
            changed[2].start += 1;
            changed[3].signature[i] ^= 1;
            let other = valid[(i + 1) % 30].0;
            all.push((*key, certificate.clone(), true));
            all.push((other, certificate.clone(), false));
            all.extend(changed.map(|changed| (*key, changed, false)));
            all.push((*key, certificate.clone(), true));
        }
        let claims: Vec<_> = all
            .iter()
            .map(|(key, certificate, _)| (key, certificate))
            .collect();
        for engine in engines() {
            for most in [0, 1, 7, 30, 1000] {
                let certificates = Certificates::new(most);
                for size in [1, 3, 50, claims.len()] {
                    for (claims, expected) in claims.chunks(size).zip(all.chunks(size)) {
                        let verdicts = certificates.verify(engine, claims);
                        for (verdict, (_, _, valid)) in verdicts.iter().zip(expected) {
                            assert_eq!(verdict.is_ok(), *valid);
                        }
                    }
                    assert!(certificates.lock().len() <= most);
                }
            }
            let one = Certificates::new(9);
            let mut large = valid[0].1.clone();
            large.signature[32..].fill(0xff);
            let verdicts = one.verify(engine, &[(&valid[0].0, &large)]);
            assert_eq!(verdicts, [Err(Invalid::ScalarNotCanonical)]);
        }
    }
}
