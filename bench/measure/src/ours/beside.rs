//! What is computed side by side beside VRFs, and the crates that do it one after the other.

use blake2::{Blake2b512, Digest};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero::Backend;
use klero_ed25519::{Claim, Engine, engines, verify_many_on};

use super::claims::ALPHA_LEN;
use super::rows::TOGETHER;
use crate::run::Row;

/// The bytes of a message that is hashed.
const MESSAGE: usize = 1024;

fn engine(backend: Backend) -> Option<Engine> {
    let mut engines = engines().into_iter();
    engines.find(|engine| engine.name() == backend.name())
}

/// A row of the experiment "together": verifying many Ed25519 signatures, beside
/// `verify_strict` of the crate ed25519-dalek.
pub fn ed25519_row(backends: &[Backend]) -> Row<'static> {
    let signed = |i: usize| {
        let key = SigningKey::from_bytes(&[i as u8; 32]);
        let mut message = [0; ALPHA_LEN];
        message[..8].copy_from_slice(&i.to_le_bytes());
        let signature = key.sign(&message).to_bytes();
        (key.verifying_key().to_bytes(), message, signature)
    };
    let signed: Vec<_> = (0..TOGETHER).map(signed).collect();
    let name = format!("verify {TOGETHER} Ed25519 signatures");
    let mut row = Row::new("together", name, TOGETHER).with_backends(backends, |backend| {
        let (engine, signed) = (engine(backend), signed.clone());
        move || {
            let claims = signed.iter();
            let claims = claims.map(|(key, message, made)| Claim::new(key, message, made));
            let claims: Vec<_> = claims.collect();
            let verdicts = engine.map(|engine| verify_many_on(engine, &claims));
            verdicts.is_some_and(|verdicts| verdicts.iter().all(Result::is_ok))
        }
    });
    row.add("ed25519-dalek", move || {
        signed.iter().all(|(key, message, signature)| {
            let signature = Signature::from_bytes(signature);
            VerifyingKey::from_bytes(key)
                .is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
        })
    });
    row
}

/// A row of the experiment "together": BLAKE2b of many messages, beside the crate blake2.
pub fn blake2b_row(backends: &[Backend]) -> Row<'static> {
    let messages: Vec<[u8; MESSAGE]> = (0..TOGETHER).map(|i| [i as u8; MESSAGE]).collect();
    let digest = |message| Blake2b512::digest(message).into();
    let digests: Vec<[u8; 64]> = messages.iter().map(digest).collect();
    let name = format!("BLAKE2b of {TOGETHER} messages of {MESSAGE} bytes");
    let mut row = Row::new("together", name, TOGETHER).with_backends(backends, |backend| {
        let (engine, messages, digests) = (engine(backend), messages.clone(), digests.clone());
        move || {
            let parts: Vec<[&[u8]; 1]> = messages.iter().map(|message| [&message[..]]).collect();
            let parts: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
            let mut hashed = vec![[0; 64]; parts.len()];
            if let Some(engine) = engine {
                engine.blake2b(&parts, &mut hashed);
            }
            hashed == digests
        }
    });
    row.add("blake2", move || {
        let mut both = messages.iter().zip(&digests);
        both.all(|(message, digest)| Blake2b512::digest(message)[..] == digest[..])
    });
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Plan, run};

    #[test]
    fn all_contenders_do_their_work() {
        let backends = Backend::all();
        let rows = vec![ed25519_row(&backends), blake2b_row(&backends)];
        let run = run(rows, &Plan::rounds(3)).unwrap();
        assert_eq!(run.of("together").count(), 2);
    }
}
