//! Tokens that ES256 keys and passkeys hold, and their statements: alone and in groups, and everything
//! that is refused.

mod seals;
mod software;
mod statements;

use klero_token::{Challenge, Error, Limits, Token, Unverified, Verified};

const CHALLENGE: Challenge<'_> = Challenge {
    nonce: &[7; 16],
    audience: "shop",
    time: 1_800_000_000,
};

fn again<T>(token: &Token<T>) -> Unverified {
    Unverified::decode(&token.encode().unwrap(), &Limits::default()).unwrap()
}

/// The verdict under these root keys, alone and in a group with a bearer's token.
fn verdict(
    bytes: &[u8],
    roots: &klero_token::RootKeys,
    challenge: Option<&Challenge<'_>>,
) -> Result<Verified, Error> {
    let token = Unverified::decode(bytes, &Limits::default())?;
    let alone = token.clone().verify(roots, challenge);
    let root = software::root(klero_token::Scheme::Chain);
    let other = Verified::mint(&root, 0, b"all", &[]).unwrap();
    let group = [
        (again(&other), None),
        (token.clone(), challenge.copied()),
        (again(&other), None),
        (token, challenge.copied()),
        (again(&other), Some(CHALLENGE)),
    ];
    let verdicts = Unverified::verify_many(group, roots);
    let errors: Vec<_> = verdicts.into_iter().map(Result::err).collect();
    let expected = alone.as_ref().err().cloned();
    let not_sealed = Some(Error::NotSealed);
    assert_eq!(errors, [None, expected.clone(), None, expected, not_sealed]);
    alone
}
