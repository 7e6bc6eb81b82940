//! The edge between C and Rust, for all of Klero's C libraries.
//!
//! Pointers and sizes come in and become slices, or an error; a panic does not go out. The
//! library itself is in the crate `klero`: nothing here decides a verdict.

pub mod libsodium;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::slice;

/// An argument that no correct program passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// NULL where there must be something.
    Null,
    /// More bytes than an address space has.
    Size,
}

/// The result of a call, or `None` if it panicked: unwinding into C is undefined behaviour.
///
/// ```
/// assert_eq!(klero_edge::caught(|| 1), Some(1));
/// assert_eq!(klero_edge::caught(|| -> i32 { panic!("a defect") }), None);
/// ```
pub fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What a panic leaves half done is a local variable of the call.
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// `count` items. NULL stands for no items, and only for those.
///
/// # Errors
/// [`Misuse`].
///
/// # Safety
/// Unless it is NULL, `data` points to `count` items that nobody writes during `'a`.
///
/// ```
/// use klero_edge::{Misuse, items};
/// let none = std::ptr::null::<u64>();
/// // SAFETY: none of them is read.
/// unsafe {
///     assert_eq!(items(none, 0), Ok(&[][..]));
///     assert_eq!(items(none, 1), Err(Misuse::Null));
///     assert_eq!(items(none, usize::MAX / 8), Err(Misuse::Size));
/// }
/// ```
pub unsafe fn items<'a, T>(data: *const T, count: usize) -> Result<&'a [T], Misuse> {
    if count == 0 {
        return Ok(&[]);
    }
    // A slice holds at most isize::MAX bytes.
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Misuse::Size);
    }
    let data = NonNull::new(data.cast_mut()).ok_or(Misuse::Null)?;
    // SAFETY: not NULL and not too large; the rest is the caller's promise.
    Ok(unsafe { slice::from_raw_parts(data.as_ptr(), count) })
}

/// What the pointer points to.
///
/// # Errors
/// [`Misuse::Null`].
///
/// # Safety
/// Unless it is NULL, `pointer` points to a `T` that nobody writes during `'a`.
pub unsafe fn object<'a, T>(pointer: *const T) -> Result<&'a T, Misuse> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or(Misuse::Null)
}

/// Where to write, if that is not NULL.
///
/// # Errors
/// [`Misuse::Null`].
pub fn place<T>(pointer: *mut T) -> Result<NonNull<T>, Misuse> {
    NonNull::new(pointer).ok_or(Misuse::Null)
}

/// Writes the bytes.
///
/// # Safety
/// `to` points to room for them. It may overlap anything but a reference that is used later.
pub unsafe fn write(bytes: &[u8], to: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe { ptr::copy(bytes.as_ptr(), to.as_ptr(), bytes.len()) }
}
