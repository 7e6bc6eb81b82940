//! What the attacks on the sound schemes have in common: their victim, and their end.

use klero_token::{
    Challenge, Error, Limits, Place, PublicKey, RootKeys, Scheme, SecretKey, Unverified, Verified,
};

use crate::encoding::Parts;
use crate::equations::{self, Aggregate, Chain, Twin};

/// The victim's root key, number 0.
pub const ROOT_SEED: [u8; 32] = [1; 32];

/// The attacker's seed.
pub const MY_SEED: [u8; 32] = [2; 32];

pub const CHALLENGE: Challenge<'_> = Challenge {
    nonce: b"sixteen bytes...",
    audience: "shop",
    time: 1_800_000_000,
};

/// The victim.
pub fn root<S: Twin>() -> SecretKey {
    SecretKey::from_seed(S::SCHEME, &ROOT_SEED)
}

/// What the attacker knows of the victim.
pub fn root_key<S: Twin>() -> PublicKey {
    *root::<S>().public_key()
}

/// A token that the root key signed, with these payloads.
pub fn honest<S: Twin>(payloads: &[&[u8]]) -> Parts {
    equations::token::<S>(&ROOT_SEED, payloads)
}

/// The token in the library.
pub fn verified<S: Twin>(token: &Parts) -> Verified {
    Unverified::decode(&token.bytes(), &Limits::default())
        .unwrap()
        .verify(&root_key::<S>().into(), None)
        .unwrap()
}

/// The token of the library in parts.
pub fn parts(token: &Verified) -> Parts {
    let bytes = token.encode().unwrap();
    let read = match token.scheme() {
        Scheme::Chain => Parts::read::<Chain>,
        Scheme::Aggregate => Parts::read::<Aggregate>,
    };
    read(&bytes).unwrap()
}

/// The attack fails: for this reason, alone and among tokens that are valid, and by the
/// equations on paper.
pub fn refused<S: Twin>(token: &Parts, challenge: Option<&Challenge<'_>>, expected: Error) {
    refused_by::<S>(&root_key::<S>(), token, challenge, expected);
}

/// As [`refused`], with a root key of choice.
pub fn refused_by<S: Twin>(
    root: &PublicKey,
    token: &Parts,
    challenge: Option<&Challenge<'_>>,
    expected: Error,
) {
    let bytes = token.bytes();
    let answer = challenge.map(Challenge::encode).transpose();
    let by_twin = Parts::read::<S>(&bytes).is_some_and(|token| {
        let Ok(answer) = &answer else {
            return false;
        };
        token.root_id == 0
            && token.sealed == answer.is_some()
            && S::holds(&token, root.as_bytes(), answer.as_deref())
    });
    assert!(!by_twin, "{}: {token:?}", S::NAME);
    let mut roots = RootKeys::from(*root);
    let decoded = match Unverified::decode(&bytes, &Limits::default()) {
        Ok(decoded) => decoded,
        Err(error) => return assert_eq!(error, expected, "{}", S::NAME),
    };
    let alone = decoded.clone().verify(&roots, challenge).unwrap_err();
    assert_eq!(alone, expected, "{}", S::NAME);

    let other = SecretKey::from_seed(S::SCHEME, &[99; 32]);
    roots.insert(99, *other.public_key());
    let valid = Verified::mint(&other, 99, b"", &[])
        .unwrap()
        .encode()
        .unwrap();
    let valid = Unverified::decode(&valid, &Limits::default()).unwrap();
    let forged = (decoded, challenge.copied());
    let valid = (valid, None);
    let group = [&valid, &forged, &forged, &valid].map(Clone::clone);
    let verdicts = Unverified::verify_many(group, &roots);
    let verdicts: Vec<_> = verdicts.into_iter().map(Result::err).collect();
    let expected = Some(expected);
    assert_eq!(verdicts, [None, expected.clone(), expected, None]);
}

/// The root key in the first block is not the victim's; `Chain` has none there.
pub fn wrong_root<S: Twin>() -> Error {
    match S::NAME {
        "chain" => S::wrong(Place::Block(0)),
        _ => Error::WrongRoot(0),
    }
}

/// The attack, tried on both schemes.
macro_rules! fails {
    ($($(#[$doc:meta])* $attack:ident),*) => {$(
        $(#[$doc])*
        mod $attack {
            #[test]
            fn chain() {
                super::$attack::<crate::equations::Chain>();
            }

            #[test]
            fn aggregate() {
                super::$attack::<crate::equations::Aggregate>();
            }
        }
    )*};
}
pub(crate) use fails;
