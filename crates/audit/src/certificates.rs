//! Operational certificates, verified once while they are kept.
//!
//! A pool has the same certificate in all of its blocks for up to three months, so a valid certificate is
//! kept, by its hot key, and recognized by all of its bytes and the issuer's key. The number of kept
//! certificates has a bound; before it is passed, all are forgotten, and those in use come back with the
//! next blocks. Invalid ones are not kept: anyone can send them, and they would only fill the memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use klero_cardano::OperationalCertificate;
use klero_ed25519::{Claim, Verdict, verify_many_on};
use klero_lanes::Engine;

/// The key of an issuer and a certificate that it signed.
type Known = ([u8; 32], OperationalCertificate);

/// Valid certificates, at most `most` of them, of 176 bytes each.
pub(crate) struct Certificates {
    most: usize,
    /// The last valid certificate of each hot key.
    valid: Mutex<HashMap<[u8; 32], Known>>,
}

impl Certificates {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            valid: Mutex::new(HashMap::new()),
        }
    }

    /// One verdict for each issuer's key and certificate, in order.
    pub(crate) fn verify(
        &self,
        engine: Engine,
        claims: &[(&[u8; 32], &OperationalCertificate)],
    ) -> Vec<Verdict> {
        // The claims that are not known, once each.
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
        // Every claim that is not new is known, and valid.
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

    /// Locks the map. A thread that panicked left it usable.
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
