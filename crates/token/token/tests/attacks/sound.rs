//! The victim's keys and tokens, and assertions that an attack on the library's schemes fails.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use klero_token::{
    Challenge, Error, Place, PublicKey, RootKeys, Scheme, SecretKey, Token, Verified,
};

use crate::encoding::Parts;
use crate::equations::{self, Aggregate, Chain, Twin};
pub(crate) use crate::support::on_all as fails;
pub use crate::support::{ROOT_SEED, root, statement};
use crate::support::{again, decode, roots};

/// The attacker's seed.
pub const MY_SEED: [u8; 32] = [2; 32];

pub const CHALLENGE: Challenge<'_> = Challenge {
    nonce: b"sixteen bytes...",
    audience: "shop",
    time: 1_800_000_000,
};

/// The victim's public root key, which has the number 0.
pub fn root_key<S: Twin>() -> PublicKey {
    *root(S::SCHEME).public_key()
}

/// A token that the root key signed, with these payloads.
pub fn honest<S: Twin>(payloads: &[&[u8]]) -> Parts {
    equations::token::<S>(&ROOT_SEED, payloads)
}

/// The point of Ed25519 that these bytes encode.
pub fn edwards(bytes: &[u8]) -> EdwardsPoint {
    let encoding = CompressedEdwardsY::from_slice(bytes).unwrap();
    encoding.decompress().unwrap()
}

/// The element of ristretto255 that these bytes encode.
pub fn ristretto(bytes: &[u8]) -> RistrettoPoint {
    let encoding = CompressedRistretto::from_slice(bytes).unwrap();
    encoding.decompress().unwrap()
}

/// Verifies the token with the library, which must accept it.
pub fn verified<S: Twin>(token: &Parts) -> Verified {
    let token = decode(&token.bytes()).unwrap();
    token.verify(&roots(S::SCHEME), None).unwrap()
}

/// The parts of a token of the library.
pub fn parts(token: &Token) -> Parts {
    let bytes = token.encode().unwrap();
    let read = match token.scheme() {
        Scheme::Chain => Parts::read::<Chain>,
        Scheme::Aggregate => Parts::read::<Aggregate>,
    };
    read(&bytes).unwrap()
}

/// Asserts that the attack fails. The library must refuse the token with the error `expected`, also if it
/// verifies valid tokens together with this token. The second implementation must refuse the token, too.
pub fn refused<S: Twin>(token: &Parts, challenge: Option<&Challenge<'_>>, expected: Error) {
    refused_by::<S>(&root_key::<S>(), token, challenge, expected);
}

/// Asserts the same as [`refused`], but with a given root key.
pub fn refused_by<S: Twin>(
    root: &PublicKey,
    token: &Parts,
    challenge: Option<&Challenge<'_>>,
    expected: Error,
) {
    let bytes = token.bytes();
    let answer = challenge.map(Challenge::encode).transpose();
    let by_twin = Parts::read::<S>(&bytes).is_some_and(|token| {
        answer.as_ref().is_ok_and(|answer| {
            token.root_id == 0
                && token.sealed == answer.is_some()
                && S::holds(&token, root.as_bytes(), answer.as_deref())
        })
    });
    assert!(!by_twin, "{}: {token:?}", S::NAME);
    let mut roots = RootKeys::from(*root);
    let decoded = match decode(&bytes) {
        Ok(decoded) => decoded,
        Err(error) => return assert_eq!(error, expected, "{}", S::NAME),
    };
    let alone = decoded.clone().verify(&roots, challenge).unwrap_err();
    assert_eq!(alone, expected, "{}", S::NAME);

    let other = SecretKey::from_seed(S::SCHEME, &[99; 32]);
    roots.insert(99, *other.public_key());
    let valid = (again(&Token::mint(&other, 99, b"", &[]).unwrap()), None);
    let forged = (decoded, challenge.copied());
    let group = [&valid, &forged, &forged, &valid].map(Clone::clone);
    let verdicts = Token::verify_many(group, &roots);
    let verdicts: Vec<_> = verdicts.into_iter().map(Result::err).collect();
    let expected = Some(expected);
    assert_eq!(verdicts, [None, expected.clone(), expected, None]);
}

/// The error if the verifier's root key did not sign the token. A token of `Chain` contains no root key, so
/// there the first signature is wrong.
pub fn wrong_root<S: Twin>() -> Error {
    match S::NAME {
        "chain" => S::wrong(Place::Block(0)),
        _ => Error::WrongRoot(0),
    }
}
