//! Checking tokens: root keys and a relying party behind a handle, the crate's own `RootKeys` in a
//! box, and a verdict for each token.

use std::ffi::{c_char, c_int};
use std::ptr::{self, NonNull};

use klero_edge::{caught, items, object, place};
use klero_token::{Access, Limits, PublicKey, RelyingParty, RootKeys, Token};

use crate::access::RawAccess;
use crate::key::free;
use crate::names;
use crate::status::{Failed, Status, returned};

/// A verifier without root keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_token_verifier_new(verifier: *mut *mut RootKeys) -> c_int {
    returned(|| {
        let to = place(verifier)?;
        // SAFETY: the caller's promise.
        unsafe { to.write(Box::into_raw(Box::new(RootKeys::new()))) };
        Ok(())
    })
}

/// Adds an issuer's public key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_token_verifier_add_root(
    verifier: *mut RootKeys,
    number: u32,
    key: *const c_char,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let roots = unsafe { verifier.as_mut() }.ok_or(Status::NULL)?;
        // SAFETY: the caller's promise.
        let text = unsafe { names::text(key) }?.ok_or(Status::NOT_A_ROOT)?;
        let key = text.parse().ok();
        let issues = |key: &PublicKey| key.kind().scheme().is_some();
        let key = key.filter(issues).ok_or(Status::NOT_A_ROOT)?;
        roots.insert(number, key);
        Ok(())
    })
}

/// Says for whom passkeys are accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_token_verifier_set_relying_party(
    verifier: *mut RootKeys,
    id: *const c_char,
    origins: *const *const c_char,
    count: usize,
    user_verification: c_int,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let text = |text| unsafe { names::text(text) }?.ok_or(Status::NOT_TEXT);
        // SAFETY: the caller's promise.
        let roots = unsafe { verifier.as_mut() }.ok_or(Status::NULL)?;
        // SAFETY: the caller's promise.
        let origins = unsafe { items(origins, count) }?;
        if origins.is_empty() {
            return Err(Status::SIZE);
        }
        let origins = origins.iter().map(|&origin| Ok(text(origin)?.into()));
        roots.set_relying_party(RelyingParty {
            id: text(id)?.into(),
            origins: origins.collect::<Result<_, Status>>()?,
            user_verification: user_verification != 0,
        });
        Ok(())
    })
}

/// Frees the verifier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_token_verifier_free(verifier: *mut RootKeys) {
    // SAFETY: the caller's promise.
    unsafe { free(verifier) };
}

// Threads share verifiers.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<RootKeys>();
};

/// `klero_token_answer`.
#[repr(C)]
pub struct Answer {
    rights: *mut u8,
    rights_room: usize,
    rights_size: usize,
    reason: *mut u8,
    reason_room: usize,
}

const _: () = assert!(size_of::<Answer>() == size_of::<[usize; 5]>());

/// Whether a token allows a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_token_check(
    verifier: *const RootKeys,
    token: *const u8,
    token_size: usize,
    now: u64,
    access: *const RawAccess,
    answer: *mut Answer,
) -> c_int {
    returned(|| {
        let to = place(answer)?;
        // SAFETY: the caller's promise.
        let lent = unsafe { Lent::of(to) }?;
        // SAFETY: the caller's promise.
        let judged = || unsafe {
            let (verifier, access) = (object(verifier)?, object(access)?);
            judge(verifier, items(token, token_size)?, now, access)
        };
        let verdict = caught(judged).unwrap_or(Err(Status::INTERNAL.into()));
        // SAFETY: the caller's promise; the arguments are not read again.
        unsafe { lent.answer(to, verdict) }
    })
}

/// The rights of the token if it is valid and allows the request.
///
/// # Safety
/// Each pointer of the access is NULL or points to what the header says.
unsafe fn judge(
    roots: &RootKeys,
    token: &[u8],
    now: u64,
    access: &RawAccess,
) -> Result<Vec<u8>, Failed> {
    // SAFETY: the caller's promise.
    let challenge = unsafe { access.challenge() }?;
    let check = |access: &Access<'_>| {
        let invalid = |error| Failed::new(Status::TOKEN_INVALID, error);
        // What is not UTF-8 is not base64url.
        let text = str::from_utf8(token).unwrap_or("=");
        let token = Token::from_text(text, &Limits::default()).map_err(invalid)?;
        let token = token.verify(roots, challenge.as_ref()).map_err(invalid)?;
        let rights = token.check(access);
        let rights = rights.map_err(|refused| Failed::new(Status::TOKEN_REFUSED, refused))?;
        Ok(rights.to_vec())
    };
    // SAFETY: the caller's promise.
    unsafe { access.with(now, check) }
}

/// The memory that the program lends for an answer.
struct Lent {
    rights: *mut u8,
    rights_room: usize,
    reason: *mut u8,
    reason_room: usize,
}

impl Lent {
    /// # Safety
    /// The answer says what it lends; its other members may be anything.
    unsafe fn of(answer: NonNull<Answer>) -> Result<Self, Status> {
        let answer = answer.as_ptr();
        // SAFETY: the caller's promise.
        let lent = unsafe {
            Self {
                rights: (*answer).rights,
                rights_room: (*answer).rights_room,
                reason: (*answer).reason,
                reason_room: (*answer).reason_room,
            }
        };
        for (memory, size) in [
            (lent.rights, lent.rights_room),
            (lent.reason, lent.reason_room),
        ] {
            if memory.is_null() && size > 0 {
                return Err(Status::NULL);
            }
        }
        Ok(lent)
    }

    /// Writes the answer, and returns what the call returns.
    ///
    /// # Safety
    /// There is the room that the answer said.
    unsafe fn answer(
        &self,
        to: NonNull<Answer>,
        verdict: Result<Vec<u8>, Failed>,
    ) -> Result<(), Status> {
        let (rights, failure) = match verdict {
            Ok(rights) if self.rights.is_null() || rights.len() <= self.rights_room => {
                (rights, None)
            }
            Ok(rights) => (rights, Some(Status::SIZE.into())),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        // SAFETY: the caller's promise.
        unsafe { (&raw mut (*to.as_ptr()).rights_size).write(rights.len()) };
        let Some(Failed { status, why }) = failure else {
            if !self.rights.is_null() {
                // SAFETY: the caller's promise.
                unsafe { ptr::copy(rights.as_ptr(), self.rights, rights.len()) };
            }
            // SAFETY: the caller's promise.
            unsafe { self.say("") };
            return Ok(());
        };
        let words = why.unwrap_or_else(|| status.words().to_string_lossy().into());
        // SAFETY: the caller's promise.
        unsafe { self.say(&words) };
        Err(status)
    }

    /// Writes the reason and a zero, or as many characters as there is room for.
    ///
    /// # Safety
    /// There is the room that the answer said.
    unsafe fn say(&self, words: &str) {
        let Some(most) = self.reason_room.checked_sub(1) else {
            return;
        };
        let mut end = most.min(words.len());
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: the caller's promise.
        unsafe {
            ptr::copy(words.as_ptr(), self.reason, end);
            self.reason.add(end).write(0);
        }
    }
}
