//! Who may log in, and what a login's token says.

use klero_token::Caveat;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::second_factor;
use crate::server::Settings;

/// How long a login lasts, in seconds.
pub const LOGIN: u64 = 8 * 60 * 60;

/// A user.
pub struct Account {
    /// The name: the rights of the user's tokens.
    pub name: &'static str,
    password: &'static str,
    /// Whether the user may revoke tokens, and needs a second factor.
    pub is_operator: bool,
}

/// The users of the demonstration. A real service keeps them in its database, and of passwords a
/// hash by Argon2id.
const ACCOUNTS: [Account; 2] = [
    Account {
        name: "alice",
        password: "correct horse",
        is_operator: false,
    },
    Account {
        name: "olga",
        password: "battery staple",
        is_operator: true,
    },
];

/// The user of this name and password. The time does not depend on where two passwords differ.
pub fn log_in(name: &str, password: &str) -> Option<&'static Account> {
    let account = ACCOUNTS.iter().find(|account| account.name == name);
    let expected = Sha256::digest(account.map_or("", |account| account.password));
    let is_right = expected.ct_eq(&Sha256::digest(password));
    account.filter(|_| bool::from(is_right))
}

/// The user whom a token's rights name. Who is no user any more has no rights.
pub fn of_rights(rights: &[u8]) -> Option<&'static Account> {
    ACCOUNTS
        .iter()
        .find(|account| account.name.as_bytes() == rights)
}

impl Account {
    /// The caveats of a token that is minted now.
    pub fn caveats(&self, settings: &Settings, now: u64) -> Vec<Caveat> {
        let mut caveats = vec![
            Caveat::Before(now + LOGIN),
            Caveat::Audience(settings.authority.clone()),
        ];
        caveats.push(if self.is_operator {
            second_factor::caveat(&settings.second_factor, self.name)
        } else {
            Caveat::Path("/jobs".into())
        });
        caveats
    }
}
