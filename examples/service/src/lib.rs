//! A service of jobs whose requests carry attenuable tokens, and its client.
//!
//! | module | what it shows |
//! |---|---|
//! | [`accounts`], [`signer`] | a login mints a token; the root key is in another process |
//! | [`client`] | a holder narrows tokens offline, and seals one to each request |
//! | [`seal`] | what a seal covers of a request |
//! | [`second_factor`] | a third party vouches for a token |
//! | [`auth`] | the checks that every request passes, in order |
//! | [`verifier`] | tokens of many requests, verified together |
//! | [`nonces`], [`revocations`] | what the service remembers: for two minutes, and for good |
//! | [`refusal`] | why a request is refused, and with which status |
//! | [`router`], [`server`] | routes; limits on what is read |
//! | [`load`] | requests of many clients, timed |

pub mod accounts;
pub mod auth;
pub mod client;
pub mod load;
pub mod nonces;
pub mod refusal;
pub mod revocations;
pub mod router;
pub mod seal;
pub mod second_factor;
pub mod server;
pub mod signer;
pub mod verifier;

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in seconds since 1970. A clock before that year stands still at 0, where every
/// sealed request is out of time.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
