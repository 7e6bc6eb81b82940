//! Attacks that use a seal again, after somebody saw it.

use crate::equations::Twin;
use crate::sound::{CHALLENGE, fails, honest, parts, refused, statement, verified};
use crate::support::errors;
use crate::support::{again, roots};
use klero_token::{Challenge, Error, Place};

/// A seal is valid only for the nonce, the audience and the time of the verifier.
fn another_challenge<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read", b"less"]));
    let sealed = parts(&token.seal(&CHALLENGE).unwrap());
    let asked = |nonce, audience, time| Challenge {
        nonce,
        audience,
        time,
    };
    let (nonce, time) = (CHALLENGE.nonce, CHALLENGE.time);
    let others = [
        asked(b"sixteen others..", "shop", time),
        asked(b"", "shop", time),
        asked(nonce, "bank", time),
        asked(nonce, "shop", time + 1),
        // The same letters, but divided differently between nonce and audience.
        asked(b"sixteen bytes...s", "hop", time),
        asked(b"", "sixteen bytes...shop", time),
    ];
    for other in others {
        let refusal = match other.nonce {
            [] => Error::EmptyNonce,
            _ => S::wrong(Place::Seal),
        };
        refused::<S>(&sealed, Some(&other), refusal);
    }
}

/// A sealed token cannot be turned into a bearer token.
fn sealed_as_bearer<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read", b"less"]));
    let sealed = parts(&token.seal(&CHALLENGE).unwrap());
    refused::<S>(&sealed, None, Error::Sealed);

    // One byte tells bearer and sealed apart. First, only it is changed: the end has the wrong length.
    let mut bearer = sealed.clone();
    bearer.sealed = false;
    let (all, length) = (bearer.bytes().len(), S::whole_end(false));
    let count = S::whole_end(true) - length;
    let at = all - count;
    refused::<S>(&bearer, None, errors::trailing(at, count));
    // Then the end is cut to the right length.
    let refusal = match S::NAME {
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    bearer.end.drain(..count);
    refused::<S>(&bearer, None, refusal);
}

/// A bearer token is not accepted as the answer to a challenge.
fn bearer_as_sealed<S: Twin>() {
    let bearer = honest::<S>(&[b"read", b"less"]);
    refused::<S>(&bearer, Some(&CHALLENGE), Error::NotSealed);

    // The same token with bytes of its last link put before the end, so that the end has the right length.
    let mut sealed = bearer.clone();
    sealed.sealed = true;
    let missing = S::whole_end(true) - S::whole_end(false);
    let link = &bearer.blocks[1].link;
    sealed.end.splice(0..0, link[..missing].iter().copied());
    let place = Place::Seal;
    let refusal = match S::NAME {
        // The bearer's seed is in the place of s.
        "chain" => errors::scalar(place),
        _ => S::wrong(place),
    };
    refused::<S>(&sealed, Some(&CHALLENGE), refusal);
}

/// A verifier can neither pass a sealed token on to another verifier nor add to it.
fn sealed_again<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"read"]));
    let seen = again(&token.seal(&CHALLENGE).unwrap());
    let seen = seen.verify(&roots(S::SCHEME), Some(&CHALLENGE)).unwrap();
    let other = Challenge {
        audience: "bank",
        ..CHALLENGE
    };
    assert_eq!(seen.seal(&other).unwrap_err(), Error::Sealed);
    assert_eq!(seen.seal(&CHALLENGE).unwrap_err(), Error::Sealed);
    assert_eq!(seen.append(b"more").unwrap_err(), Error::Sealed);
    assert_eq!(seen.request().unwrap_err(), Error::Sealed);
    assert_eq!(seen.narrow(&[]).unwrap_err(), Error::Sealed);
    let statement = statement(&token, &[7; 32], b"of age");
    let refusal = seen.append_statement(&statement).unwrap_err();
    assert_eq!(refusal, Error::Sealed);
}

fails!(
    another_challenge,
    sealed_as_bearer,
    bearer_as_sealed,
    sealed_again
);
