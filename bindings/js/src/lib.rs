//! The WebAssembly behind the npm package `klero`. Only its wrapper, `lib/klero.ts`, calls it.
//!
//! It asks for room for a request ([`request`]), writes the request there, calls an operation
//! and reads the response: see [`klero_js_message`]. Secret keys stay here: the wrapper holds
//! their numbers.
//!
//! No operation panics, whatever the request.

use std::cell::RefCell;

use klero::{Claim, Encoded, Error, PublicKey, SecretKey, Suite};
use klero_js_message::{Failed, Reader, Writer, respond, room};
use slab::Slab;

/// What an operation may need beside its request: 6.5 MB for the most claims of one call
/// (see the wrapper), and more for what stays, such as tables of multiples.
const WORKING_MEMORY: usize = 9 << 20;

thread_local! {
    static KEYS: RefCell<Slab<SecretKey>> = const { RefCell::new(Slab::new()) };
}

/// The address of `len` bytes for a request; 0 if there is no memory for it. Wipes the last
/// response in either case.
// SAFETY of every export: no other symbol of the program has its name.
#[unsafe(no_mangle)]
pub extern "C" fn request(len: usize) -> *mut u8 {
    room(len, WORKING_MEMORY)
}

/// The next field of a request, the name of a suite.
fn suite(request: &mut Reader<'_>) -> Result<Suite, String> {
    let name = request.text()?;
    name.parse().map_err(|error| format!("suite: {error}"))
}

/// Every suite: its name, who uses it, and the length of its proofs, in digits.
#[unsafe(no_mangle)]
pub extern "C" fn suites() -> i32 {
    respond(|_, response| {
        for suite in Suite::ALL {
            response.push(suite.name().as_bytes());
            response.push(suite.used_by().as_bytes());
            response.push(suite.proof_len().to_string().as_bytes());
        }
        Ok(0)
    })
}

/// Keeps a secret key: its number. Responds with the suite's name and the public key.
fn keep(key: SecretKey, response: &mut Writer) -> i32 {
    response.push(key.suite().name().as_bytes());
    response.push(key.public_key().as_bytes());
    KEYS.with_borrow_mut(|keys| keys.insert(key)) as i32
}

/// The bytes of an argument that has a fixed length.
fn array<'a, const N: usize>(bytes: &'a [u8], name: &str) -> Result<&'a [u8; N], String> {
    let wrong_length = |_| format!("{name}: {} bytes, expected {N}", bytes.len());
    bytes.try_into().map_err(wrong_length)
}

/// From a suite and a seed: the number of a new secret key. Responds as `keep`.
#[unsafe(no_mangle)]
pub extern "C" fn key_from_seed() -> i32 {
    respond(|request, response| {
        let suite = suite(request)?;
        let seed = array(request.bytes()?, "seed")?;
        Ok(keep(SecretKey::from_seed(suite, seed), response))
    })
}

/// The same from a suite and libsodium's 64 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn key_from_libsodium() -> i32 {
    respond(|request, response| {
        let suite = suite(request)?;
        let secret = array(request.bytes()?, "secret")?;
        let key = SecretKey::from_libsodium(suite, secret);
        Ok(keep(
            key.map_err(|error| format!("secret: {error}"))?,
            response,
        ))
    })
}

/// Why a key is not read. The number of a text that is not the text of such a key is -2.
fn unreadable(error: Error) -> Failed {
    Failed {
        number: if matches!(error, Error::Unreadable(_)) {
            -2
        } else {
            -1
        },
        words: error.to_string(),
    }
}

/// The next fields of a request: the text of a key, or the type and the digits of a text envelope.
fn encoded(
    request: &mut Reader<'_>,
    text: fn(&[u8]) -> Result<Encoded, Error>,
    envelope: fn(&str, &str) -> Result<Encoded, Error>,
) -> Result<Encoded, Failed> {
    let content = request.text()?;
    let read = match request.is_empty() {
        true => text(content.as_bytes()),
        false => envelope(content, request.text()?),
    };
    read.map_err(unreadable)
}

/// From a suite, unless absent, and the text of a secret key: the number of a new one. Responds as
/// `keep`.
#[unsafe(no_mangle)]
pub extern "C" fn key_from_encoded() -> i32 {
    respond(|request, response| {
        let name = request.optional()?.map(str::from_utf8).transpose();
        let name = name.map_err(|error| error.to_string())?;
        let suite = name.map(str::parse::<Suite>).transpose();
        let suite = suite.map_err(|error| format!("suite: {error}"))?;
        let envelope = Encoded::secret_key_in_envelope;
        let key = encoded(request, Encoded::secret_key, envelope)?.into_secret_key(suite);
        Ok(keep(key.map_err(unreadable)?, response))
    })
}

/// From the text of a public key: the name of its suite, or an absent field, and its bytes; an error if
/// verifiers reject the key.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_from_encoded() -> i32 {
    respond(|request, response| {
        let envelope = Encoded::public_key_in_envelope;
        let read = encoded(request, Encoded::public_key, envelope)?;
        let key = PublicKey::from_bytes(&read.bytes).map_err(|reason| reason.to_string())?;
        match read.suite {
            Some(suite) => response.push(suite.name().as_bytes()),
            None => response.push_absent(),
        }
        response.push(key.as_bytes());
        Ok(0)
    })
}

/// Wipes a secret key. Its number may be given to another.
#[unsafe(no_mangle)]
pub extern "C" fn free_key(number: usize) {
    KEYS.with_borrow_mut(|keys| keys.try_remove(number));
}

/// Does something with a secret key.
fn with_key(
    number: usize,
    work: impl FnOnce(&SecretKey, &mut Reader<'_>, &mut Writer) -> Result<(), Failed>,
) -> i32 {
    respond(|request, response| {
        KEYS.with_borrow(|keys| {
            let key = keys.get(number).ok_or("no such key")?;
            work(key, request, response)?;
            Ok(0)
        })
    })
}

/// The seed of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn key_to_seed(number: usize) -> i32 {
    with_key(number, |key, _, response| {
        response.push(key.seed());
        Ok(())
    })
}

/// libsodium's 64 bytes of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn key_to_libsodium(number: usize) -> i32 {
    with_key(number, |key, _, response| {
        response.push(&*key.to_libsodium());
        Ok(())
    })
}

/// The text envelope of a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn key_to_envelope(number: usize) -> i32 {
    with_key(number, |key, _, response| {
        response.push(key.to_envelope().as_bytes());
        Ok(())
    })
}

/// From alphas: for each proof and output.
#[unsafe(no_mangle)]
pub extern "C" fn prove_many(number: usize) -> i32 {
    with_key(number, |key, request, response| {
        for (proof, output) in key.prove_many(&request.rest()?) {
            response.push(proof.as_bytes());
            response.push(output.as_bytes());
        }
        Ok(())
    })
}

/// From alphas: for each the output.
#[unsafe(no_mangle)]
pub extern "C" fn evaluate_many(number: usize) -> i32 {
    with_key(number, |key, request, response| {
        for output in key.evaluate_many(&request.rest()?) {
            response.push(output.as_bytes());
        }
        Ok(())
    })
}

/// From a suite and a public key: its text envelope; an error if verifiers reject the key.
#[unsafe(no_mangle)]
pub extern "C" fn public_key_to_envelope() -> i32 {
    respond(|request, response| {
        let suite = suite(request)?;
        // The reason names the public key.
        let key = PublicKey::from_bytes(request.bytes()?).map_err(|reason| reason.to_string())?;
        response.push(key.to_envelope(suite).as_bytes());
        Ok(0)
    })
}

/// From a suite and claims (public key, alpha, proof and, unless absent, output): for each
/// claim the output if it is valid; else an absent field, and the reason in words.
#[unsafe(no_mangle)]
pub extern "C" fn verify_many() -> i32 {
    respond(|request, response| {
        let suite = suite(request)?;
        let mut claims = Vec::new();
        while !request.is_empty() {
            claims.push(Claim {
                key: request.bytes()?,
                alpha: request.bytes()?,
                proof: request.bytes()?,
                output: request.optional()?,
            });
        }
        for verdict in suite.verify_many(&claims) {
            match verdict {
                Ok(output) => response.push(output.as_bytes()),
                Err(reason) => {
                    response.push_absent();
                    response.push(reason.to_string().as_bytes());
                }
            }
        }
        Ok(0)
    })
}
