//! `klero_token_access`: what C tells of a request, and which tokens it takes.
//!
//! A program that zeroes it has said nothing of challenge and revocation: that is an error, so that
//! neither can be forgotten.

use std::ffi::c_int;

use klero_edge::items;
use klero_token::{Access, Challenge, RevocationId, Revoked};

use crate::bytes::Bytes;
use crate::status::{Failed, Status};

/// `klero_token_challenge`.
#[repr(C)]
pub struct RawChallenge {
    nonce: Bytes,
    audience: Bytes,
    time: u64,
}

/// `klero_token_field`.
#[repr(C)]
pub struct RawField {
    name: Bytes,
    value: Bytes,
}

/// `klero_token_access`.
#[repr(C)]
pub struct RawAccess {
    form: c_int,
    revocation: c_int,
    challenge: RawChallenge,
    revoked: *const [u8; 32],
    revoked_count: usize,
    audience: Bytes,
    path: Bytes,
    method: Bytes,
    fields: *const RawField,
    field_count: usize,
}

const _: () = {
    assert!(size_of::<RawField>() == size_of::<[usize; 4]>());
    assert!(size_of::<RawChallenge>() == size_of::<[usize; 4]>() + 8);
    assert!(size_of::<RawAccess>() == size_of::<RawChallenge>() + size_of::<[usize; 10]>() + 8);
};

const BEARER: c_int = 1;
const SEALED: c_int = 2;
const NONE_REVOKED: c_int = 1;
const REVOKED: c_int = 2;

impl RawAccess {
    /// The challenge that was set; `None` if the program takes tokens that are not sealed.
    ///
    /// # Safety
    /// Each pointer is NULL or points to what the header says, which nobody writes during `'a`.
    pub(crate) unsafe fn challenge<'a>(&self) -> Result<Option<Challenge<'a>>, Failed> {
        let RawChallenge {
            nonce,
            audience,
            time,
        } = &self.challenge;
        // SAFETY: the caller's promise.
        let (nonce, audience) = unsafe { (nonce.read()?, audience.read()?) };
        match (self.form, nonce) {
            (BEARER, []) => Ok(None),
            (SEALED, _) => Ok(Some(Challenge {
                nonce,
                audience: read_text(audience)
                    .map_err(|why| Failed::new(Status::NOT_TEXT, format!("challenge: {why}")))?,
                time: *time,
            })),
            // A challenge that nobody is asked to answer is an oversight too.
            _ => Err(Status::TOKEN_UNSAID.into()),
        }
    }

    /// The ids of the blocks that are revoked.
    ///
    /// # Safety
    /// As [`challenge`](Self::challenge).
    unsafe fn revoked<'a>(&self) -> Result<&'a [[u8; 32]], Failed> {
        // SAFETY: the caller's promise.
        let ids = unsafe { items(self.revoked, self.revoked_count) }?;
        match (self.revocation, ids) {
            (NONE_REVOKED, []) | (REVOKED, _) => Ok(ids),
            _ => Err(Status::TOKEN_UNSAID.into()),
        }
    }

    /// Calls a function with the access, which borrows.
    ///
    /// # Safety
    /// As [`challenge`](Self::challenge).
    pub(crate) unsafe fn with<T>(
        &self,
        now: u64,
        call: impl FnOnce(&Access<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        // SAFETY: the caller's promise.
        let (revoked, raw) = unsafe { (self.revoked()?, items(self.fields, self.field_count)?) };
        let mut fields = Vec::with_capacity(raw.len());
        for (i, RawField { name, value }) in raw.iter().enumerate() {
            // SAFETY: the caller's promise.
            let (name, value) = unsafe { (name.read()?, value.read()?) };
            fields.push((
                said(name, || format!("fields[{i}].name"))?,
                said(value, || format!("fields[{i}].value"))?,
            ));
        }
        let is_revoked = |id: &RevocationId| revoked.contains(&id.0);
        // SAFETY: the caller's promise.
        let optional = |text, name| unsafe { optional(text, name) };
        call(&Access {
            now,
            audience: optional(self.audience, "audience")?,
            path: optional(self.path, "path")?,
            method: optional(self.method, "method")?,
            fields: &fields,
            revoked: Revoked::by(&is_revoked),
        })
    }
}

/// A text of the request, unless the program says nothing of it.
///
/// # Safety
/// Unless it is NULL, the text points to what the header says, which nobody writes during `'a`.
unsafe fn optional<'a>(text: Bytes, name: &str) -> Result<Option<&'a str>, Failed> {
    if text.is_absent() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    said(unsafe { text.read() }?, || name.into()).map(Some)
}

/// A text of the request, which its client may have written.
fn said(bytes: &[u8], name: impl FnOnce() -> String) -> Result<&str, Failed> {
    let refused = |why| Failed::new(Status::TOKEN_REQUEST, format!("{}: {why}", name()));
    read_text(bytes).map_err(refused)
}

/// A text, or why it is none. A zero would end it for parts of the program that are written in C.
fn read_text(bytes: &[u8]) -> Result<&str, String> {
    let text = str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    match text.find('\0') {
        None => Ok(text),
        Some(at) => Err(format!("byte {at} is zero")),
    }
}
