//! Tokens that were entrusted to ES256 keys and passkeys, and statements by such keys. Each token is verified
//! alone and in a group, and every fault is refused.

#[path = "../twin/encoding.rs"]
mod encoding;
#[path = "../twin/equations/mod.rs"]
mod equations;
mod seals;
mod software;
mod statements;
#[path = "../support/mod.rs"]
mod support;

use klero_token::{Challenge, Error, RootKeys, Scheme, Token, Verified};
use support::{CHALLENGE, again, decode, minted};

/// The verdict on a token under these root keys. It must be the same in a group with bearer tokens.
fn verdict(
    bytes: &[u8],
    roots: &RootKeys,
    challenge: Option<&Challenge<'_>>,
) -> Result<Verified, Error> {
    let token = decode(bytes)?;
    let alone = token.clone().verify(roots, challenge);
    let other = again(&minted(Scheme::Chain));
    let group = [
        (other.clone(), None),
        (token.clone(), challenge.copied()),
        (other.clone(), None),
        (token, challenge.copied()),
        (other, Some(CHALLENGE)),
    ];
    let verdicts = Token::verify_many(group, roots);
    let errors: Vec<_> = verdicts.into_iter().map(Result::err).collect();
    let expected = alone.as_ref().err().cloned();
    let not_sealed = Some(Error::NotSealed);
    assert_eq!(errors, [None, expected.clone(), None, expected, not_sealed]);
    alone
}
