//! Keys of issuers and third parties.

use std::cell::RefCell;

use klero_js_message::{Failure, Writer, respond};
use klero_token::{Keys, PublicKey, Scheme, SecretKey, ThirdParty};
use slab::Slab;

use crate::failure::no_text;

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
                show(key.public_key(), response);
                Secret::Issuer(key)
            }
            None => {
                let key = SecretKey::from_seed(ThirdParty, seed);
                show(key.public_key(), response);
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
pub fn of_issuer<T>(number: usize, make: impl FnOnce(&SecretKey) -> T) -> Result<T, Failure> {
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
) -> Result<T, Failure> {
    KEYS.with_borrow(|keys| match keys.get(number) {
        Some(Secret::ThirdParty(key)) => Ok(make(key)),
        _ => Err(format!(
            "key: an issuer's, expected one of {:?}, which is a third party's",
            ThirdParty::NAME
        )
        .into()),
    })
}

/// From the name of a scheme and bytes: text and bytes of the public key.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_bytes() -> i32 {
    respond(|request, response| {
        let (scheme, bytes) = (scheme(request.text()?)?, request.bytes()?);
        let shown = match scheme {
            Some(scheme) => PublicKey::from_bytes(scheme, bytes).map(|key| show(&key, response)),
            None => PublicKey::from_bytes(ThirdParty, bytes).map(|key| show(&key, response)),
        };
        shown.map_err(|error| error.to_string())?;
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
        let shown = match scheme(name).map_err(no_text)? {
            Some(_) => text.parse().map(|key: PublicKey| show(&key, response)),
            None => text
                .parse()
                .map(|key: PublicKey<ThirdParty>| show(&key, response)),
        };
        shown.map_err(no_text)?;
        Ok(0)
    })
}

/// Text and bytes of a public key.
fn show<K: Keys>(key: &PublicKey<K>, response: &mut Writer) {
    response.push(key.to_string().as_bytes());
    response.push(key.as_bytes());
}
