//! Challenges, to which a holder seals a token.

use klero_token::Challenge;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments::Bytes;

/// A challenge that a verifier sets, so that it accepts a token for one use: a nonce of 16 or more
/// random bytes that the verifier has never used, the verifier's name, and the time of the
/// challenge in seconds since 1970. Holder and verifier build the same one. The verifier decides how
/// long it is good, and accepts each nonce once.
///
/// >>> import secrets, time
/// >>> from klero import token
/// >>> challenge = token.Challenge(secrets.token_bytes(16), "shop", int(time.time()))
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> sealed = token.seal(token.mint(issuer, b"account 17"), challenge)
/// >>> token.verify(sealed, roots=issuer.public_key, challenge=challenge).sealed
/// True
#[pyclass(frozen, eq, hash, get_all, module = "klero.token", name = "Challenge")]
#[derive(PartialEq, Eq, Hash)]
pub struct TokenChallenge {
    /// The bytes that the verifier uses once.
    nonce: Vec<u8>,
    /// The name of the verifier.
    audience: String,
    /// The time of the challenge, in seconds since 1970.
    time: u64,
}

#[pymethods]
impl TokenChallenge {
    /// Raises ValueError if the nonce is empty.
    #[new]
    fn new(nonce: Bytes<'_>, audience: String, time: u64) -> PyResult<Self> {
        let challenge = Self {
            nonce: nonce.as_slice().to_vec(),
            audience,
            time,
        };
        match challenge.view().encode() {
            Ok(_) => Ok(challenge),
            Err(error) => Err(PyValueError::new_err(error.to_string())),
        }
    }

    fn __repr__(&self) -> String {
        let Self { audience, time, .. } = self;
        format!("<klero.token.Challenge of {audience:?} at {time}>")
    }
}

impl TokenChallenge {
    pub(super) fn view(&self) -> Challenge<'_> {
        Challenge {
            nonce: &self.nonce,
            audience: &self.audience,
            time: self.time,
        }
    }
}
