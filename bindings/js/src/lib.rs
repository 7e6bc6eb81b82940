//! The WebAssembly behind the npm package `klero`. Only its wrapper, `lib/klero.ts`, calls it.
//!
//! A call takes three steps. The wrapper asks for room for a request ([`request`]) and writes
//! it there; it calls an operation, which puts its response into the place of the request and
//! returns a number, below 0 if the response is an error in words; it reads the response
//! ([`response`], [`response_len`]) and wipes it by asking for a request of no bytes. See
//! [`message`] for the form of both. Secret keys stay here: the wrapper holds their numbers.
//!
//! No operation panics, whatever the request. WebAssembly has one thread, so that each place
//! below exists once.

use std::cell::RefCell;
use std::hint::black_box;
use std::{mem, ptr};

use klero::{Claim, PublicKey, SecretKey, Suite};
use slab::Slab;
use zeroize::Zeroizing;

use message::{Reader, Writer};

pub mod message;

/// What an operation may need beside its request: 6.5 MB for the most claims of one call
/// (see the wrapper), and more for what stays, such as tables of multiples.
const WORKING_MEMORY: usize = 9 << 20;

thread_local! {
    /// The request, and then the response.
    static MESSAGE: RefCell<Zeroizing<Vec<u8>>> = RefCell::default();
    static KEYS: RefCell<Slab<SecretKey>> = const { RefCell::new(Slab::new()) };
}

/// The address of `len` bytes for a request; 0 if there is no memory for it. Wipes the last
/// response in either case.
// SAFETY of every export: no other symbol of the program has its name.
#[unsafe(no_mangle)]
pub extern "C" fn request(len: usize) -> *mut u8 {
    MESSAGE.with_borrow_mut(|message| {
        *message = Zeroizing::default();
        // Memory that is freed stays with this program. So a lack of it is found here, where it
        // can be reported: within an operation it would abort.
        let (mut room, mut working) = (Vec::new(), Vec::<u8>::new());
        let reserved = room
            .try_reserve_exact(len)
            .and_then(|()| working.try_reserve_exact(WORKING_MEMORY));
        // Else the compiler may leave out memory that nothing uses.
        black_box(&mut working);
        if reserved.is_err() {
            return ptr::null_mut();
        }
        room.resize(len, 0);
        **message = room;
        message.as_mut_ptr()
    })
}

/// The address of the response.
#[unsafe(no_mangle)]
pub extern "C" fn response() -> *const u8 {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// The length of the response in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn response_len() -> usize {
    MESSAGE.with_borrow(|message| message.len())
}

/// Puts the response of the operation, or its error, into the place of the request.
fn respond(operation: impl FnOnce(&mut Reader<'_>, &mut Writer) -> Result<i32, String>) -> i32 {
    MESSAGE.with_borrow_mut(|message| {
        let request = mem::take(message);
        let mut response = Writer::default();
        let number = operation(&mut Reader::new(&request), &mut response).unwrap_or_else(|error| {
            response = Writer::default();
            response.push(error.as_bytes());
            -1
        });
        *message = response.finish();
        number
    })
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

/// From a suite and a seed: the number of a new secret key. Responds as [`keep`].
#[unsafe(no_mangle)]
pub extern "C" fn key_from_seed() -> i32 {
    respond(|request, response| {
        let suite = request.suite()?;
        let seed = array(request.bytes()?, "seed")?;
        Ok(keep(SecretKey::from_seed(suite, seed), response))
    })
}

/// The same from a suite and libsodium's 64 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn key_from_libsodium() -> i32 {
    respond(|request, response| {
        let suite = request.suite()?;
        let secret = array(request.bytes()?, "secret")?;
        let key = SecretKey::from_libsodium(suite, secret);
        Ok(keep(
            key.map_err(|error| format!("secret: {error}"))?,
            response,
        ))
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
    work: impl FnOnce(&SecretKey, &mut Reader<'_>, &mut Writer) -> Result<(), String>,
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

/// From a suite and a public key: the suite's name; an error if verifiers reject the key.
#[unsafe(no_mangle)]
pub extern "C" fn check_public_key() -> i32 {
    respond(|request, response| {
        let suite = request.suite()?;
        // The reason names the public key.
        PublicKey::from_bytes(request.bytes()?).map_err(|reason| reason.to_string())?;
        response.push(suite.name().as_bytes());
        Ok(0)
    })
}

/// From a suite and claims (public key, alpha, proof and, unless absent, output): for each
/// claim the output if it is valid; else an absent field, and the reason in words.
#[unsafe(no_mangle)]
pub extern "C" fn verify_many() -> i32 {
    respond(|request, response| {
        let suite = request.suite()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [fn() -> i32; 8] = [
        || key_from_seed(),
        || key_from_libsodium(),
        || check_public_key(),
        || verify_many(),
        || prove_many(0),
        || evaluate_many(0),
        || key_to_seed(0),
        || key_to_libsodium(0),
    ];

    #[test]
    fn operations_without_a_request_are_errors() {
        for operation in &OPERATIONS[..4] {
            request(0);
            assert_eq!(operation(), -1);
            MESSAGE.with_borrow(|message| {
                assert_eq!(message[4..], *b"malformed request");
            });
        }
        free_key(7);
    }

    #[test]
    fn any_request_is_answered() {
        let mut dice = 0x5eed_u32;
        let mut roll = |below: u32| {
            dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (dice >> 16) % below
        };
        for _ in 0..300 {
            let mut bytes = Vec::new();
            for part in 0..roll(12) {
                let length = [0, 1, 31, 32, 64, 80, 128, u32::MAX, 7][roll(9) as usize];
                if part == 0 {
                    bytes.extend_from_slice(b"\x05\0\0\0praos");
                } else if roll(20) > 0 {
                    bytes.extend_from_slice(&length.to_le_bytes());
                }
                bytes.extend((0..length % u32::MAX).map(|_| roll(256) as u8));
            }
            for operation in OPERATIONS {
                MESSAGE.set(Zeroizing::new(bytes.clone()));
                let number = operation();
                MESSAGE.with_borrow(|message| {
                    let mut response = Reader::new(message);
                    while !response.is_empty() {
                        response.optional().unwrap();
                    }
                });
                assert!(number >= -1);
            }
        }
    }
}
