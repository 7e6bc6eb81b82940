//! A third party: it vouches that a user has shown a second factor.
//!
//! In practice this is another service, with a key of its own. It learns nothing of the token: a
//! request is a hash. The service of jobs knows only its public key.

use klero_token::{Caveat, Error, KeyKind, PublicKey, Request, SecretKey, Statement};
use subtle::ConstantTimeEq;

/// For how long a second factor counts, in seconds. An operator who works for longer shows it again.
pub const LASTS: u64 = 10 * 60;

/// The condition that the token of a user carries if a second factor is needed.
pub fn caveat(key: &PublicKey, user: &str) -> Caveat {
    Caveat::Vouched {
        key: *key,
        text: text(user),
    }
}

/// What is vouched for. It names the user: another user's second factor does not count.
fn text(user: &str) -> String {
    format!("second factor of {user}")
}

/// The third party.
pub struct SecondFactor {
    key: SecretKey,
    /// The code that its users have. A real one has one per user and minute.
    code: String,
}

impl SecondFactor {
    /// A third party with a new key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn new(code: &str) -> Result<Self, Error> {
        Ok(Self {
            key: SecretKey::generate(KeyKind::Ed25519)?,
            code: code.to_owned(),
        })
    }

    /// Its public key.
    pub fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// The statement for the token of a request, if the code is right. It counts from now on for
    /// [`LASTS`] seconds. Request and statement are bytes, as they would go over a network.
    ///
    /// # Errors
    /// Why the request cannot be read.
    pub fn vouch(
        &self,
        user: &str,
        code: &str,
        request: &[u8],
        now: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let request = Request::decode(request)?;
        if !bool::from(self.code.as_bytes().ct_eq(code.as_bytes())) {
            return Ok(None);
        }
        let stated = Statement::expiring(&text(user), now + LASTS)?;
        let statement = request.sign(&self.key, stated.as_bytes())?;
        statement.encode().map(Some)
    }
}
