//! Secret keys behind a handle: the crate's own `SecretKey`, in a box.

use std::ffi::{c_char, c_int};
use std::ptr::{self, NonNull};

use klero::{PublicKey, SecretKey, Suite};
use klero_edge::{caught, items, object, place, write};

use crate::names;
use crate::status::{Status, returned};

/// Makes a key of the suite and hands out its handle.
///
/// # Safety
/// `suite` is NULL or a string that ends with a zero; `key` is NULL or points to a pointer.
unsafe fn hand_out(
    suite: *const c_char,
    key: *mut *mut SecretKey,
    make: impl FnOnce(Suite) -> Result<SecretKey, Status>,
) -> c_int {
    returned(|| {
        let to = place(key)?;
        // SAFETY: the caller's promise.
        let made = Box::new(make(unsafe { names::suite(suite) }?)?);
        // SAFETY: the caller's promise.
        unsafe { to.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// A key from the operating system's random source.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_generate(
    suite: *const c_char,
    key: *mut *mut SecretKey,
) -> c_int {
    let make = |suite| Ok(SecretKey::generate(suite)?);
    // SAFETY: the caller's promise.
    unsafe { hand_out(suite, key, make) }
}

/// The key of a seed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_from_seed(
    suite: *const c_char,
    seed: *const u8,
    key: *mut *mut SecretKey,
) -> c_int {
    // SAFETY: the caller's promise.
    let make = |suite| Ok(SecretKey::from_seed(suite, unsafe { object(seed.cast()) }?));
    // SAFETY: the caller's promise.
    unsafe { hand_out(suite, key, make) }
}

/// The key of libsodium's 64 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_from_libsodium(
    suite: *const c_char,
    bytes: *const u8,
    key: *mut *mut SecretKey,
) -> c_int {
    let make = |suite| {
        // SAFETY: the caller's promise.
        let bytes = unsafe { object(bytes.cast()) }?;
        Ok(SecretKey::from_libsodium(suite, bytes)?)
    };
    // SAFETY: the caller's promise.
    unsafe { hand_out(suite, key, make) }
}

/// Writes libsodium's 64 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_to_libsodium(
    key: *const SecretKey,
    bytes: *mut u8,
) -> c_int {
    returned(|| {
        let to = place(bytes)?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { object(key) }?.to_libsodium();
        // SAFETY: the caller's promise.
        unsafe { write(&bytes[..], to) };
        Ok(())
    })
}

/// Writes the public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_public_key(
    key: *const SecretKey,
    public_key: *mut u8,
) -> c_int {
    returned(|| {
        let to = place(public_key)?;
        // SAFETY: the caller's promise.
        let key = unsafe { object(key) }?;
        // SAFETY: the caller's promise.
        unsafe { write(key.public_key().as_bytes(), to) };
        Ok(())
    })
}

/// The name of the key's suite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_suite(key: *const SecretKey) -> *const c_char {
    // SAFETY: the caller's promise.
    match unsafe { object(key) } {
        Ok(key) => names::name_of(key.suite()),
        Err(_) => ptr::null(),
    }
}

/// Wipes and frees the key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_secret_key_free(key: *mut SecretKey) {
    // SAFETY: the caller's promise.
    unsafe { free(key) };
}

/// Drops what a handle owns.
///
/// # Safety
/// The handle is NULL, or came from `Box::into_raw` and is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if let Some(handle) = NonNull::new(handle) {
        // SAFETY: the caller's promise.
        caught(|| drop(unsafe { Box::from_raw(handle.as_ptr()) }));
    }
}

/// Whether verifiers accept the public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_check_public_key(public_key: *const u8, size: usize) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        PublicKey::from_bytes(unsafe { items(public_key, size) }?)?;
        Ok(())
    })
}
