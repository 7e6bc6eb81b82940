//! Suites, backends and faults by name, and the version.

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::LazyLock;

use klero::{Backend, Suite};
use klero_cardano::Fault;

use crate::status::Status;

/// Names as C reads them: the library's end without a zero.
static SUITES: LazyLock<Vec<CString>> =
    LazyLock::new(|| with_zeros(Suite::ALL.iter().map(|suite| suite.name())));
static BACKENDS: LazyLock<Vec<CString>> =
    LazyLock::new(|| with_zeros(Backend::all().into_iter().map(Backend::name)));
static FAULTS: LazyLock<Vec<CString>> = LazyLock::new(|| with_zeros(Fault::NAMES.iter().copied()));

fn with_zeros(names: impl Iterator<Item = &'static str>) -> Vec<CString> {
    names
        .map(|name| CString::new(name).expect("a name has no zero inside"))
        .collect()
}

/// The suite of this name.
///
/// # Safety
/// `name` is NULL or a string that ends with a zero.
pub(crate) unsafe fn suite(name: *const c_char) -> Result<Suite, Status> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) }?.ok_or(Status::UNKNOWN_SUITE)?;
    name.parse().map_err(|_| Status::UNKNOWN_SUITE)
}

/// The backend of this name.
///
/// # Safety
/// `name` is NULL or a string that ends with a zero.
pub(crate) unsafe fn backend(name: *const c_char) -> Result<Backend, Status> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) }?.ok_or(Status::UNKNOWN_BACKEND)?;
    name.parse().map_err(|_| Status::UNKNOWN_BACKEND)
}

/// A string; `None` if it is not UTF-8, which every name is.
///
/// # Safety
/// `text` is NULL or a string that ends with a zero.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>, Status> {
    if text.is_null() {
        return Err(Status::NULL);
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) }.to_str().ok())
}

/// The suite's name for C.
pub(crate) fn name_of(suite: Suite) -> *const c_char {
    at(&SUITES, Suite::ALL.iter().position(|one| *one == suite))
}

/// The fault's name for C.
pub(crate) fn of_fault(fault: &Fault) -> *const c_char {
    let name = fault.name();
    at(&FAULTS, Fault::NAMES.iter().position(|one| *one == name))
}

/// The name of this index; NULL if there is none.
fn at(names: &[CString], index: Option<usize>) -> *const c_char {
    let name = index.and_then(|index| names.get(index));
    name.map_or(ptr::null(), |name| name.as_ptr())
}

/// The name of the suite of this index.
#[unsafe(no_mangle)]
pub extern "C" fn klero_suite_name(index: usize) -> *const c_char {
    at(&SUITES, Some(index))
}

/// The name of the backend of this index.
#[unsafe(no_mangle)]
pub extern "C" fn klero_backend_name(index: usize) -> *const c_char {
    at(&BACKENDS, Some(index))
}

/// The size of the suite's proofs in bytes; 0 if no suite has this name.
///
/// # Safety
/// `name` is NULL or a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_proof_size(name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    unsafe { suite(name) }.map_or(0, Suite::proof_len)
}

/// The version of this library.
#[unsafe(no_mangle)]
pub extern "C" fn klero_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
