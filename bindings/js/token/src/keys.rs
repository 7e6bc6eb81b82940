//! Keys of issuers and third parties.

use std::cell::RefCell;

use klero_js_message::{Failed, Reader, Writer, respond};
use klero_token::{Error, KeyKind, PublicKey, SecretKey};
use slab::Slab;

use crate::failure::{invalid, no_text};

thread_local! {
    static KEYS: RefCell<Slab<SecretKey>> = const { RefCell::new(Slab::new()) };
}

/// The kind of keys of this name, which is none of P-256: those are in devices, and issue no tokens.
pub(crate) fn seeded(name: &str) -> Result<KeyKind, String> {
    let kind = KeyKind::named(name);
    let kind = kind.filter(|kind| !matches!(kind, KeyKind::Es256 | KeyKind::Passkey));
    kind.ok_or_else(|| {
        format!("scheme {name:?}: expected chain or aggregate, or ed25519 for a third party")
    })
}

/// From the name of a scheme and a seed: the number of a new secret key. Responds as
/// [`public_key_from_bytes`].
#[unsafe(no_mangle)]
pub extern "C" fn key_from_seed() -> i32 {
    respond(|request, response| {
        let kind = seeded(request.text()?)?;
        let seed = request.bytes()?;
        if seed.len() != 32 {
            return Err(format!("seed: {} bytes, expected 32", seed.len()).into());
        }
        let key = SecretKey::from_bytes(kind, seed).map_err(|error| error.to_string())?;
        show(key.public_key(), response);
        Ok(KEYS.with_borrow_mut(|keys| keys.insert(key)) as i32)
    })
}

/// Wipes a secret key. Its number may be given to another.
#[unsafe(no_mangle)]
pub extern "C" fn free_key(number: usize) {
    KEYS.with_borrow_mut(|keys| keys.try_remove(number));
}

/// The seed of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn key_to_seed(number: usize) -> i32 {
    respond(|_, response| {
        KEYS.with_borrow(|keys| {
            response.push(keys.get(number).ok_or("no such key")?.as_bytes());
            Ok(0)
        })
    })
}

/// The result of a function of the key of this number, if it is an issuer's.
pub(crate) fn of_issuer<T>(number: usize, make: impl FnOnce(&SecretKey) -> T) -> Result<T, Failed> {
    KEYS.with_borrow(|keys| match keys.get(number) {
        Some(key) if key.kind().scheme().is_some() => Ok(make(key)),
        _ => Err("key: \"ed25519\", expected one of chain or aggregate".into()),
    })
}

/// The result of a function of the key of this number, if it is a third party's.
pub(crate) fn of_third_party<T>(
    number: usize,
    make: impl FnOnce(&SecretKey) -> T,
) -> Result<T, Failed> {
    KEYS.with_borrow(|keys| match keys.get(number) {
        Some(key) if key.kind().scheme().is_none() => Ok(make(key)),
        _ => Err("key: an issuer's, expected one of \"ed25519\", which is a third party's".into()),
    })
}

/// The kind of public keys of this name.
fn kind(name: &str) -> Result<KeyKind, String> {
    KeyKind::named(name).ok_or_else(|| {
        format!("scheme {name:?}: expected chain or aggregate, or ed25519, es256 or passkey")
    })
}

/// From the name of a scheme and bytes: text and bytes of the public key.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_bytes() -> i32 {
    respond(|request, response| {
        let (name, bytes) = (request.text()?, request.bytes()?);
        let key = PublicKey::from_bytes(kind(name)?, bytes);
        show(&key.map_err(|error| error.to_string())?, response);
        Ok(0)
    })
}

/// From the name of a kind of key and an SPKI: the same.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_spki() -> i32 {
    respond(|request, response| {
        let (name, spki) = (request.text()?, request.bytes()?);
        let kind = KeyKind::named(name);
        let kind = kind.filter(|kind| matches!(kind, KeyKind::Es256 | KeyKind::Passkey));
        let kind = kind.ok_or_else(|| format!("scheme {name:?}: expected es256 or passkey"))?;
        let key = PublicKey::from_spki(kind, spki);
        show(&key.map_err(|error| error.to_string())?, response);
        Ok(0)
    })
}

/// From the text of a public key: the same.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_text() -> i32 {
    respond(|request, response| {
        let text = request.text()?;
        // What is not such a text may be secret, so the error does not show it.
        let (name, _) = text
            .split_once(':')
            .ok_or_else(|| no_text("expected the text of a public key, such as \"chain:...\""))?;
        kind(name).map_err(no_text)?;
        show(&text.parse::<PublicKey>().map_err(no_text)?, response);
        Ok(0)
    })
}

/// The next fields, name and bytes: the key of whoever holds a token or makes a statement. One named
/// as an issuer's of `chain` is an Ed25519 key.
pub(crate) fn party(request: &mut Reader<'_>) -> Result<PublicKey, Failed> {
    let (name, bytes) = (request.text()?, request.bytes()?);
    let kind = match kind(name)? {
        KeyKind::Chain => KeyKind::Ed25519,
        kind @ KeyKind::Aggregate => {
            let expected = "one that a device can have";
            return Err(invalid(Error::WrongKey(kind, expected)));
        }
        kind => kind,
    };
    PublicKey::from_bytes(kind, bytes).map_err(invalid)
}

/// Text and bytes of a public key.
fn show(key: &PublicKey, response: &mut Writer) {
    response.push(key.to_string().as_bytes());
    response.push(key.as_bytes());
}
