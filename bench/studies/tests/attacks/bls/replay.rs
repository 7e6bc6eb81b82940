//! Seals for another challenge, and tokens without theirs.

use super::*;

/// A seal is valid for one challenge, that of the verifier.
#[test]
fn another_challenge() {
    let token = sealed(honest(&["read", "less"]));
    assert_eq!(verdict(&root(), &token, Some(CHALLENGE)), Ok(()));
    for other in [&b"another"[..], b"", &CHALLENGE[1..]] {
        refused(&token, Some(other), "signature");
    }
}

/// A sealed token is no bearer token, and a bearer token is no answer.
#[test]
fn sealed_as_bearer() {
    let mut token = sealed(honest(&["read", "less"]));
    refused(&token, None, "sealed");
    token.seal = None;
    refused(&token, None, "signature");
    let mut bearer = honest(&["read", "less"]);
    refused(&bearer, Some(CHALLENGE), "not sealed");
    bearer.seal = Some(bearer.blocks[1].key);
    refused(&bearer, Some(CHALLENGE), "signature");
}
