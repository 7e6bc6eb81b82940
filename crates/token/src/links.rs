//! What the schemes differ in: how a link is signed, and how the links of tokens are verified.

use alloc::vec;
use alloc::vec::Vec;

use crate::claim::Claim;
use crate::error::Error;
use crate::key::{Expanded, KeyKind, SecretKey};
use crate::link::{Link, Secret};
use crate::scheme::Scheme;
use crate::state::State;
use crate::{aggregate, chain};

/// The first link, by an issuer's key, and the secret that follows it. Constant time in the key.
pub(crate) fn first(
    root: &SecretKey,
    before: &State,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    match root.expanded() {
        Expanded::Ed25519(key) => chain::first(key, before, payload),
        Expanded::Ristretto(x) => aggregate::first(x, root.public_key(), before, payload),
    }
}

/// The link that follows this state, and the secret that follows the link. Constant time in the
/// secret.
pub(crate) fn further(
    scheme: Scheme,
    secret: &Secret,
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    match scheme {
        Scheme::Chain => chain::further(secret, before, kind, payload),
        Scheme::Aggregate => aggregate::further(secret, before, kind, payload),
    }
}

/// The verdict on the links of each token. Variable time; in [`Scheme::Chain`] constant time in the
/// secrets of bearers.
pub(crate) fn verify(claims: &[Claim<'_>]) -> Vec<Result<(), Error>> {
    let mut verdicts = vec![Ok(()); claims.len()];
    for scheme in Scheme::ALL {
        let of_scheme = |row: &usize| claims[*row].root.kind() == KeyKind::from(scheme);
        let rows: Vec<_> = (0..claims.len()).filter(of_scheme).collect();
        let claims: Vec<_> = rows.iter().map(|row| &claims[*row]).collect();
        let of_claims = match scheme {
            Scheme::Chain => chain::verify(&claims),
            Scheme::Aggregate => aggregate::verify(&claims),
        };
        assert_eq!(of_claims.len(), rows.len(), "one verdict for each token");
        for (row, verdict) in rows.into_iter().zip(of_claims) {
            verdicts[row] = verdict;
        }
    }
    verdicts
}
