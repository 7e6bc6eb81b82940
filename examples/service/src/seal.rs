//! What a seal covers of a request: all that changes its meaning.
//!
//! The holder seals the token to a nonce that is a hash of the request. The service computes the
//! hash of the request that arrived. So a sealed token is good for one request: whoever sees it
//! on its way cannot use it for another one, and [`nonces`](crate::nonces) stop the same one
//! from counting twice.

use klero_token::Challenge;
use sha2::{Digest, Sha256};

/// The scheme of the header `Authorization`, before the text of the token.
pub const SCHEME: &str = "Klero";
/// The header with the 16 random bytes of the client, in base64url.
pub const RANDOM: &str = "klero-random";
/// The header with the time of the client, in seconds since 1970.
pub const TIME: &str = "klero-time";
/// The header in which the service tells its epoch, in base64url.
pub const EPOCH: &str = "klero-epoch";

/// A request, as far as a seal covers it.
#[derive(Clone, Copy)]
pub struct Sealed<'a> {
    /// 16 random bytes that the service chose when it started. It remembers nonces in memory
    /// only, so that what was sealed before a restart must not count after it.
    pub epoch: &'a [u8; 16],
    /// The method.
    pub method: &'a str,
    /// The name of the service. Each side takes it from its own settings, never from the request.
    pub authority: &'a str,
    /// The path and the query, as they stand in the request: `/jobs/7?part=2`.
    pub target: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// 16 random bytes of the client, which make two equal requests different.
    pub random: &'a [u8; 16],
    /// When the client made the request, in seconds since 1970.
    pub time: u64,
}

impl<'a> Sealed<'a> {
    /// A hash of all of it but the time. Each part has its length before it, so that none runs into
    /// the next.
    pub fn nonce(&self) -> [u8; 32] {
        let body = Sha256::digest(self.body);
        let parts: [&[u8]; 6] = [
            self.epoch,
            self.method.as_bytes(),
            self.authority.as_bytes(),
            self.target.as_bytes(),
            &body,
            self.random,
        ];
        let mut hash = Sha256::new_with_prefix(b"klero-service/request\x01");
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// The challenge to seal a token to, given the nonce.
    pub fn challenge(&self, nonce: &'a [u8; 32]) -> Challenge<'a> {
        Challenge {
            nonce,
            audience: self.authority,
            time: self.time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_request_changes_its_nonce() {
        let request = Sealed {
            epoch: &[1; 16],
            method: "GET",
            authority: "jobs.example",
            target: "/jobs/7?part=2",
            body: b"body",
            random: &[2; 16],
            time: 0,
        };
        let others = [
            Sealed {
                epoch: &[0; 16],
                ..request
            },
            Sealed {
                method: "PUT",
                ..request
            },
            Sealed {
                authority: "jobs.exampl",
                ..request
            },
            Sealed {
                target: "/jobs/7",
                ..request
            },
            Sealed {
                target: "/jobs/7?part=3",
                ..request
            },
            Sealed {
                target: "e/jobs/7?part=2",
                ..request
            },
            Sealed {
                body: b"",
                ..request
            },
            Sealed {
                random: &[0; 16],
                ..request
            },
        ];
        let mut nonces: Vec<_> = others.iter().map(Sealed::nonce).collect();
        nonces.push(request.nonce());
        nonces.sort();
        nonces.dedup();
        assert_eq!(nonces.len(), others.len() + 1);
    }
}
