//! Keys of issuers and third parties.

use std::cell::RefCell;

use klero_js_message::{Failed, Reader, Writer, respond};
use klero_token::{KeyKind, PartyKey, PublicKey, Scheme, SecretKey, ThirdParty};
use slab::Slab;

use crate::failure::{invalid, no_text};

enum Secret {
    Issuer(SecretKey),
    ThirdParty(SecretKey<ThirdParty>),
}

thread_local! {
    static KEYS: RefCell<Slab<Secret>> = const { RefCell::new(Slab::new()) };
}

/// The scheme of this name; `None` for third parties' keys.
///
/// # Errors
/// It is neither.
pub fn scheme(name: &str) -> Result<Option<Scheme>, String> {
    match (name, Scheme::named(name)) {
        (ThirdParty::NAME, _) => Ok(None),
        (_, Some(scheme)) => Ok(Some(scheme)),
        _ => Err(format!(
            "scheme {name:?}: expected chain or aggregate, or {} for a third party",
            ThirdParty::NAME
        )),
    }
}

/// From the name of a scheme and a seed: the number of a new secret key. Responds as
/// [`public_key_from_bytes`].
#[unsafe(no_mangle)]
pub extern "C" fn key_from_seed() -> i32 {
    respond(|request, response| {
        let scheme = scheme(request.text()?)?;
        let seed = request.bytes()?;
        let wrong_length = |_| format!("seed: {} bytes, expected 32", seed.len());
        let seed = seed.try_into().map_err(wrong_length)?;
        let key = match scheme {
            Some(scheme) => {
                let key = SecretKey::from_seed(scheme, seed);
                let public = key.public_key();
                show(&public.to_string(), public.as_bytes(), response);
                Secret::Issuer(key)
            }
            None => {
                let key = SecretKey::from_seed(ThirdParty, seed);
                let public = key.public_key();
                show(&public.to_string(), public.as_bytes(), response);
                Secret::ThirdParty(key)
            }
        };
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
            response.push(match keys.get(number).ok_or("no such key")? {
                Secret::Issuer(key) => key.as_bytes(),
                Secret::ThirdParty(key) => key.as_bytes(),
            });
            Ok(0)
        })
    })
}

/// What a function makes of the key of this number, if it is an issuer's.
///
/// # Errors
/// It is a third party's.
pub fn of_issuer<T>(number: usize, make: impl FnOnce(&SecretKey) -> T) -> Result<T, Failed> {
    KEYS.with_borrow(|keys| match keys.get(number) {
        Some(Secret::Issuer(key)) => Ok(make(key)),
        _ => Err(format!(
            "key: {:?}, expected one of chain or aggregate",
            ThirdParty::NAME
        )
        .into()),
    })
}

/// What a function makes of the key of this number, if it is a third party's.
///
/// # Errors
/// It is an issuer's.
pub fn of_third_party<T>(
    number: usize,
    make: impl FnOnce(&SecretKey<ThirdParty>) -> T,
) -> Result<T, Failed> {
    KEYS.with_borrow(|keys| match keys.get(number) {
        Some(Secret::ThirdParty(key)) => Ok(make(key)),
        _ => Err(format!(
            "key: an issuer's, expected one of {:?}, which is a third party's",
            ThirdParty::NAME
        )
        .into()),
    })
}

/// A public key of any use.
enum Public {
    Issuer(PublicKey),
    Party(PartyKey),
}

impl Public {
    fn show(&self, response: &mut Writer) {
        match self {
            Self::Issuer(key) => show(&key.to_string(), key.as_bytes(), response),
            Self::Party(key) => show(&key.to_string(), key.as_bytes(), response),
        }
    }
}

/// How the public keys of this name sign, if an issuer has none such.
fn kind(name: &str) -> Result<Option<KeyKind>, String> {
    match KeyKind::named(name) {
        Some(kind) => Ok(Some(kind)),
        None if Scheme::named(name).is_some() => Ok(None),
        None => Err(format!(
            "scheme {name:?}: expected chain or aggregate, or ed25519, es256 or passkey"
        )),
    }
}

/// From the name of a scheme and bytes: text and bytes of the public key.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_bytes() -> i32 {
    respond(|request, response| {
        let (name, bytes) = (request.text()?, request.bytes()?);
        let key = match (kind(name)?, Scheme::named(name)) {
            (None, Some(scheme)) => PublicKey::from_bytes(scheme, bytes).map(Public::Issuer),
            (kind, _) => {
                let kind = kind.unwrap_or(KeyKind::Ed25519);
                PartyKey::from_bytes(kind, bytes).map(Public::Party)
            }
        };
        key.map_err(|error| error.to_string())?.show(response);
        Ok(0)
    })
}

/// From the name of a kind of key and an SPKI: the same.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_spki() -> i32 {
    respond(|request, response| {
        let (name, spki) = (request.text()?, request.bytes()?);
        let kind = KeyKind::named(name).filter(|kind| *kind != KeyKind::Ed25519);
        let kind = kind.ok_or_else(|| format!("scheme {name:?}: expected es256 or passkey"))?;
        let key = PartyKey::from_spki(kind, spki);
        let key = key.map_err(|error| error.to_string())?;
        Public::Party(key).show(response);
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
        let key = match kind(name).map_err(no_text)? {
            None => text.parse().map(Public::Issuer),
            Some(_) => text.parse().map(Public::Party),
        };
        key.map_err(no_text)?.show(response);
        Ok(0)
    })
}

/// The next fields, name and bytes: the key of whoever holds a token or makes a statement. One named
/// as an issuer's of `chain` is an Ed25519 key.
///
/// # Errors
/// It is no such key.
pub fn party(request: &mut Reader<'_>) -> Result<PartyKey, Failed> {
    let (name, bytes) = (request.text()?, request.bytes()?);
    let key = match (kind(name)?, Scheme::named(name)) {
        (Some(kind), _) => PartyKey::from_bytes(kind, bytes),
        (None, scheme) => PublicKey::from_bytes(scheme.unwrap_or(Scheme::Chain), bytes)
            .and_then(|key| PartyKey::try_from(&key)),
    };
    key.map_err(invalid)
}

/// Text and bytes of a public key.
fn show(text: &str, bytes: &[u8], response: &mut Writer) {
    response.push(text.as_bytes());
    response.push(bytes);
}
