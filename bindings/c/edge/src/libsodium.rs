//! The conventions of libsodium's VRF forks: 0 is good and -1 is not, a secret key is
//! `seed ‖ public key`, and sizes are known from the name of the function.
//!
//! [`exports!`](crate::exports) makes the C functions; each calls the function here of the same
//! signature. Any pointer may be NULL: that is a failure, except for a message of no bytes.

use std::ffi::{c_int, c_ulonglong};
use std::ptr;

use klero::{Claim, PublicKey, SecretKey, Suite};

use crate::{caught, items, object, place, write};

/// Defines C functions, one a line: a name, the function of this module that it calls, and
/// the suite.
///
/// ```
/// klero_edge::exports! {
///     example_proofbytes: size(80);
///     example_prove: prove(klero::Suite::PRAOS);
/// }
/// assert_eq!(example_proofbytes(), 80);
/// ```
#[macro_export]
macro_rules! exports {
    ($($name:ident: $kind:ident($value:expr);)*) => {
        $($crate::export!($kind $name $value);)*
    };
}

/// Defines one C function.
#[doc(hidden)]
#[macro_export]
macro_rules! export {
    (size $name:ident $value:expr) => {
        #[doc = concat!(stringify!($value), " bytes.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> usize {
            $value
        }
    };
    (word $name:ident $value:expr) => {
        #[doc = concat!("The word ", stringify!($value), ".")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> *const core::ffi::c_char {
            const { $value.as_ptr() }
        }
    };
    (keypair $name:ident $suite:expr) => {
        $crate::export!(@ $name keypair $suite; pk: *mut u8, sk: *mut u8);
    };
    (keypair_from_seed $name:ident $suite:expr) => {
        $crate::export!(@ $name keypair_from_seed $suite; pk: *mut u8, sk: *mut u8, seed: *const u8);
    };
    (is_valid_key $name:ident $suite:expr) => {
        $crate::export!(@ $name is_valid_key $suite; pk: *const u8);
    };
    (prove $name:ident $suite:expr) => {
        $crate::export!(@ $name prove $suite;
            proof: *mut u8, sk: *const u8, m: *const u8, mlen: core::ffi::c_ulonglong);
    };
    (verify $name:ident $suite:expr) => {
        $crate::export!(@ $name verify $suite; output: *mut u8, pk: *const u8,
            proof: *const u8, m: *const u8, mlen: core::ffi::c_ulonglong);
    };
    (proof_to_hash $name:ident $suite:expr) => {
        $crate::export!(@ $name proof_to_hash $suite; hash: *mut u8, proof: *const u8);
    };
    (sk_to_pk $name:ident $suite:expr) => {
        $crate::export!(@ $name sk_to_pk $suite; pk: *mut u8, sk: *const u8);
    };
    (sk_to_seed $name:ident $suite:expr) => {
        $crate::export!(@ $name sk_to_seed $suite; seed: *mut u8, sk: *const u8);
    };
    (batch_verify $name:ident $suite:expr) => {
        $crate::export!(@ $name batch_verify $suite; output: *const *mut u8,
            pk: *const *const u8, proof: *const *const u8, m: *const *const u8,
            mlen: *const core::ffi::c_ulonglong, count: usize);
    };
    (@ $name:ident $call:ident $suite:expr; $($argument:ident: $type:ty),*) => {
        #[doc = concat!("As the header says; see [`", stringify!($call), "`].")]
        ///
        /// # Safety
        /// Each pointer is NULL or points to what the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> core::ffi::c_int {
            // SAFETY: the caller's promise.
            unsafe { $crate::libsodium::$call($suite, $($argument),*) }
        }
    };
}

/// 0 if the call does what it is asked for, -1 if it cannot.
fn done(call: impl FnOnce() -> Option<()>) -> c_int {
    match caught(call).flatten() {
        Some(()) => 0,
        None => -1,
    }
}

/// A message.
///
/// # Safety
/// As [`items`].
unsafe fn message<'a>(m: *const u8, mlen: c_ulonglong) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { items(m, mlen.try_into().ok()?) }.ok()
}

/// Writes a new pair of keys, 32 and 64 bytes, from the operating system's random source.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn keypair(suite: Suite, pk: *mut u8, sk: *mut u8) -> c_int {
    done(|| {
        let key = SecretKey::generate(suite).ok()?;
        // SAFETY: the caller's promise.
        unsafe { write_pair(&key, pk, sk) }
    })
}

/// Writes the pair of keys of a seed: 32, 64 and 32 bytes.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes. They may overlap.
pub unsafe fn keypair_from_seed(suite: Suite, pk: *mut u8, sk: *mut u8, seed: *const u8) -> c_int {
    done(|| {
        // SAFETY: the caller's promise; read before anything is written.
        let key = SecretKey::from_seed(suite, unsafe { object(seed.cast()) }.ok()?);
        // SAFETY: the caller's promise.
        unsafe { write_pair(&key, pk, sk) }
    })
}

/// # Safety
/// `pk` and `sk` are NULL or point to 32 and 64 bytes.
unsafe fn write_pair(key: &SecretKey, pk: *mut u8, sk: *mut u8) -> Option<()> {
    let (pk, sk) = (place(pk).ok()?, place(sk).ok()?);
    // SAFETY: the caller's promise.
    unsafe {
        write(&key.to_libsodium()[..], sk);
        write(key.public_key().as_bytes(), pk);
    }
    Some(())
}

/// 1 if verifiers accept the public key, 32 bytes; else 0.
///
/// # Safety
/// `pk` is NULL or points to 32 bytes.
pub unsafe fn is_valid_key(_: Suite, pk: *const u8) -> c_int {
    let valid = caught(|| {
        // SAFETY: the caller's promise.
        let key: &[u8; 32] = unsafe { object(pk.cast()) }.ok()?;
        PublicKey::from_bytes(key).ok()
    });
    c_int::from(valid.flatten().is_some())
}

/// Writes the proof, which has the suite's length. -1 if the two halves of the secret key do
/// not belong together.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn prove(
    suite: Suite,
    proof: *mut u8,
    sk: *const u8,
    m: *const u8,
    mlen: c_ulonglong,
) -> c_int {
    done(|| {
        let to = place(proof).ok()?;
        // SAFETY: the caller's promise.
        let (sk, message) = unsafe { (object(sk.cast()).ok()?, message(m, mlen)?) };
        let (proof, _) = SecretKey::from_libsodium(suite, sk).ok()?.prove(message);
        // SAFETY: the caller's promise; the arguments are not read again.
        unsafe { write(proof.as_bytes(), to) };
        Some(())
    })
}

/// Writes the output, 64 bytes, if the proof is valid.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn verify(
    suite: Suite,
    output: *mut u8,
    pk: *const u8,
    proof: *const u8,
    m: *const u8,
    mlen: c_ulonglong,
) -> c_int {
    done(|| {
        let to = place(output).ok()?;
        // SAFETY: the caller's promise.
        let claim = unsafe { claim(suite, pk, proof, m, mlen) }?;
        let output = suite.verify(claim.key, claim.alpha, claim.proof).ok()?;
        // SAFETY: the caller's promise; the claim is not read again.
        unsafe { write(output.as_bytes(), to) };
        Some(())
    })
}

/// # Safety
/// Each pointer is NULL or valid for its number of bytes, which nobody
/// writes during `'a`.
unsafe fn claim<'a>(
    suite: Suite,
    pk: *const u8,
    proof: *const u8,
    m: *const u8,
    mlen: c_ulonglong,
) -> Option<Claim<'a>> {
    // SAFETY: the caller's promise.
    unsafe {
        Some(Claim {
            key: items(pk, 32).ok()?,
            alpha: message(m, mlen)?,
            proof: items(proof, suite.proof_len()).ok()?,
            output: None,
        })
    }
}

/// Writes the output, 64 bytes, of a proof that decodes. Verifies nothing.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn proof_to_hash(suite: Suite, hash: *mut u8, proof: *const u8) -> c_int {
    done(|| {
        let to = place(hash).ok()?;
        // SAFETY: the caller's promise.
        let proof = unsafe { items(proof, suite.proof_len()) }.ok()?;
        let output = suite.proof_to_hash(proof).ok()?;
        // SAFETY: the caller's promise; the proof is not read again.
        unsafe { write(output.as_bytes(), to) };
        Some(())
    })
}

/// Copies the public half of a secret key. The header says `void`, and Haskell reads an `int`.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn sk_to_pk(_: Suite, pk: *mut u8, sk: *const u8) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { copy_half(pk, sk, 32) }
}

/// Copies the seed of a secret key. The header says `void`, and Haskell reads an `int`.
///
/// # Safety
/// Each pointer is NULL or valid for its number of bytes.
pub unsafe fn sk_to_seed(_: Suite, seed: *mut u8, sk: *const u8) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { copy_half(seed, sk, 0) }
}

/// # Safety
/// Each pointer is NULL or valid: `to` for 32 bytes, `sk` for 64.
unsafe fn copy_half(to: *mut u8, sk: *const u8, start: usize) -> c_int {
    if to.is_null() || sk.is_null() {
        return -1;
    }
    // SAFETY: the caller's promise. They may overlap.
    unsafe { ptr::copy(sk.add(start), to, 32) };
    0
}

/// 0 if all claims are valid, and then writes their outputs, 64 bytes each. Any count.
///
/// # Safety
/// Each pointer is NULL or points to `count` items; each pointer among these is NULL or valid
/// for its number of bytes.
pub unsafe fn batch_verify(
    suite: Suite,
    output: *const *mut u8,
    pk: *const *const u8,
    proof: *const *const u8,
    m: *const *const u8,
    mlen: *const c_ulonglong,
    count: usize,
) -> c_int {
    done(|| {
        // SAFETY: the caller's promise.
        let (output, pk, proof, m, mlen) = unsafe {
            (
                items(output, count).ok()?,
                items(pk, count).ok()?,
                items(proof, count).ok()?,
                items(m, count).ok()?,
                items(mlen, count).ok()?,
            )
        };
        let places: Option<Vec<_>> = output.iter().map(|&to| place(to).ok()).collect();
        let claims: Option<Vec<_>> = (0..count)
            // SAFETY: the caller's promise.
            .map(|i| unsafe { claim(suite, pk[i], proof[i], m[i], mlen[i]) })
            .collect();
        let outputs: Result<Vec<_>, _> = suite.verify_many(&claims?).into_iter().collect();
        for (output, to) in outputs.ok()?.iter().zip(places?) {
            // SAFETY: the caller's promise; the claims are not read again.
            unsafe { write(output.as_bytes(), to) };
        }
        Some(())
    })
}
