//! The numbers that calls return: 0, the reason why a claim, a token or a header is invalid, or the misuse.

use std::ffi::{CStr, c_char, c_int};

use klero::{Error, Invalid};
use klero_edge::{Misuse, caught};

/// A number other than 0 that a call returns.
#[derive(Clone, Copy)]
pub(crate) struct Status(c_int);

/// Constants, and the table of their words.
macro_rules! statuses {
    ($($name:ident = $number:literal, $words:literal;)*) => {
        impl Status {
            $(pub(crate) const $name: Self = Self($number);)*

            const WORDS: &[(c_int, &CStr)] = &[$(($number, $words)),*];
        }
    };
}

statuses! {
    KEY_LENGTH = 1, c"public key is not 32 bytes long";
    KEY_NOT_CANONICAL = 2, c"public key is not canonical (y >= 2^255-19)";
    KEY_NOT_ON_CURVE = 3, c"public key is not a point of the curve";
    KEY_SMALL_ORDER = 4, c"public key has small order";
    PROOF_LENGTH = 5, c"proof does not have the length of the suite's proofs";
    GAMMA_NOT_CANONICAL = 6, c"Gamma is not canonical (y >= 2^255-19)";
    GAMMA_NOT_ON_CURVE = 7, c"Gamma is not a point of the curve";
    SCALAR_NOT_CANONICAL = 8, c"s is not canonical (s >= L)";
    NO_CURVE_POINT = 9, c"alpha hashes to no point of the curve";
    CHALLENGE_MISMATCH = 10, c"challenge mismatch";
    U_MISMATCH = 11, c"U mismatch";
    V_MISMATCH = 12, c"V mismatch";
    OUTPUT_LENGTH = 13, c"claimed output is not 64 bytes long";
    OUTPUT_MISMATCH = 14, c"output mismatch: the proof is for another output";
    OTHERWISE_INVALID = 99, c"invalid for another reason";
    TOKEN_INVALID = 101, c"the token is invalid";
    TOKEN_REFUSED = 102, c"the token does not allow the request";
    TOKEN_REQUEST = 103, c"a text of the request is not UTF-8 or has a zero byte";
    HEADER_INVALID = 201, c"a header is invalid";
    NO_LEADER = 202, c"no leader: the leader value is too large for the stake";
    NULL = -1, c"a pointer is NULL that must not be";
    SIZE = -2, c"a size in bytes or a count is not the expected one";
    UNKNOWN_SUITE = -3, c"no suite has this name";
    UNKNOWN_BACKEND = -4, c"no backend of this processor has this name";
    UNKNOWN_METHOD = -5, c"no method has this number";
    HALVES_DIFFER = -6, c"the last 32 bytes are not the public key of the seed in the first 32";
    MIXED_SUITES = -7, c"the keys of one call belong to different suites";
    NO_RANDOMNESS = -8, c"no random bytes from the operating system";
    FAULT = -9, c"a fault of the processor or the memory while proving: the proof is withheld";
    NOT_TEXT = -10, c"a text is not UTF-8 or has a zero byte";
    NOT_A_ROOT = -11, c"not the text of an issuer's public key";
    TOKEN_UNSAID = -12, c"the access does not say which tokens it takes or what is revoked, or contradicts itself";
    UNKNOWN_NETWORK = -13, c"no public network has this name: expected mainnet, preprod or preview";
    BAD_GENESIS = -14, c"not a Shelley genesis file with all that is needed, or eras that begin in another order";
    UNKNOWN_ERA = -15, c"no era since Shelley has this tag";
    UNKNOWN_PROTOCOL = -16, c"no protocol has this number";
    BAD_RATIO = -17, c"not a ratio from 0 to 1, or one with which no pool can lead";
    BAD_STAKE = -18, c"a pool is there twice, or stake is above the total, or the total is zero";
    GIVEN_TWICE = -19, c"an epoch or an era is given twice";
    OTHER_NETWORK = -20, c"the counters are of another network";
    BAD_COUNTERS = -21, c"not the bytes of saved counters, or changed since they were saved";
    INTERNAL = -99, c"a defect of this library: please report it";
}

/// What a call returns to C, whatever happens in it.
pub(crate) fn returned(call: impl FnOnce() -> Result<(), Status>) -> c_int {
    match caught(call).unwrap_or(Err(Status::INTERNAL)) {
        Ok(()) => 0,
        Err(status) => status.number(),
    }
}

impl Status {
    pub(crate) fn number(self) -> c_int {
        self.0
    }

    /// What it means.
    pub(crate) fn words(self) -> &'static CStr {
        let known = Self::WORDS.iter().find(|(number, _)| *number == self.0);
        match (self.0, known) {
            (0, _) => c"valid",
            (_, Some((_, words))) => words,
            (_, None) => c"unknown reason",
        }
    }
}

/// A number that a call returns, and why in other words than those of [`klero_reason`], if there
/// are any.
pub(crate) struct Failed {
    pub(crate) status: Status,
    pub(crate) why: Option<String>,
}

impl<T: Into<Status>> From<T> for Failed {
    fn from(status: T) -> Self {
        Self {
            status: status.into(),
            why: None,
        }
    }
}

impl Failed {
    pub(crate) fn new(status: Status, why: impl ToString) -> Self {
        Self {
            status,
            why: Some(why.to_string()),
        }
    }
}

impl From<Misuse> for Status {
    fn from(misuse: Misuse) -> Self {
        match misuse {
            Misuse::Null => Self::NULL,
            Misuse::Size => Self::SIZE,
        }
    }
}

impl From<Invalid> for Status {
    fn from(reason: Invalid) -> Self {
        match reason {
            Invalid::KeyLength(_) => Self::KEY_LENGTH,
            Invalid::KeyNotCanonical => Self::KEY_NOT_CANONICAL,
            Invalid::KeyNotOnCurve => Self::KEY_NOT_ON_CURVE,
            Invalid::KeySmallOrder => Self::KEY_SMALL_ORDER,
            Invalid::ProofLength { .. } => Self::PROOF_LENGTH,
            Invalid::GammaNotCanonical => Self::GAMMA_NOT_CANONICAL,
            Invalid::GammaNotOnCurve => Self::GAMMA_NOT_ON_CURVE,
            Invalid::ScalarNotCanonical => Self::SCALAR_NOT_CANONICAL,
            Invalid::NoCurvePoint => Self::NO_CURVE_POINT,
            Invalid::ChallengeMismatch => Self::CHALLENGE_MISMATCH,
            Invalid::UMismatch => Self::U_MISMATCH,
            Invalid::VMismatch => Self::V_MISMATCH,
            Invalid::OutputLength(_) => Self::OUTPUT_LENGTH,
            Invalid::OutputMismatch => Self::OUTPUT_MISMATCH,
            // A reason of a later version is a reason.
            _ => Self::OTHERWISE_INVALID,
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::Key(reason) => reason.into(),
            Error::Halves => Self::HALVES_DIFFER,
            Error::NoRandomness(_) => Self::NO_RANDOMNESS,
            Error::Fault => Self::FAULT,
            _ => Self::INTERNAL,
        }
    }
}

/// What a returned number means.
#[unsafe(no_mangle)]
pub extern "C" fn klero_reason(status: c_int) -> *const c_char {
    Status(status).words().as_ptr()
}
