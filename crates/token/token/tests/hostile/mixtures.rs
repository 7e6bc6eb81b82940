//! Valid and invalid tokens of several roots, verified together. On every engine, each token gets the verdict
//! that it gets alone, and the verdicts are in the order of the tokens.

use std::sync::{Mutex, PoisonError};

use klero_lanes::{engine, engines, use_engine};
use klero_token::{Challenge, Error, SecretKey, Token};

use crate::encoding::Parts;
use crate::equations::Twin;
use crate::support::{CHALLENGE, decode, on_all, three_roots};

type Presented = (Token, Option<Challenge<'static>>);

/// The token with this number. It is valid if `valid` is true, and otherwise wrong in one of nine ways.
fn presented<S: Twin>(number: usize, valid: bool) -> Presented {
    let id = number as u8 % 3;
    let key = SecretKey::from_seed(S::SCHEME, &[id; 32]);
    let mut token = Token::mint(&key, id.into(), &[number as u8], &[]).unwrap();
    for block in 0..number % 4 {
        token = token.append(&[block as u8]).unwrap();
    }
    let challenge = (number % 5 < 2).then_some(CHALLENGE);
    if challenge.is_some() {
        token = token.seal(&CHALLENGE).unwrap();
    }
    let bytes = token.encode().unwrap();
    if valid {
        return (decode(&bytes).unwrap(), challenge);
    }
    let mut parts = Parts::read::<S>(&bytes).unwrap();
    let last = parts.blocks.len() - 1;
    let end = parts.end.len();
    let mut challenge = challenge;
    match number % 9 {
        // One more byte in the first block, or in the last block.
        0 => parts.blocks[0].payload.push(0),
        1 => parts.blocks[last].payload.push(0),
        2 => parts.root_id = (parts.root_id + 1) % 3,
        3 => parts.root_id = 77,
        4 => parts.end[end - 1] ^= 1,
        5 => parts.blocks[last].link.fill(0xff),
        6 => parts.end.fill(0xff),
        7 => parts.blocks[last].link.fill(0),
        _ => {
            challenge = match challenge {
                Some(_) => Some(Challenge {
                    time: 7,
                    ..CHALLENGE
                }),
                None => Some(CHALLENGE),
            }
        }
    }
    (decode(&parts.bytes()).unwrap(), challenge)
}

fn alone<S: Twin>((token, challenge): &Presented) -> Option<Error> {
    let roots = three_roots(S::SCHEME);
    token.clone().verify(&roots, challenge.as_ref()).err()
}

/// A test locks this while it chooses the engine, because there is one engine for the whole process. A test
/// whose results do not depend on the engine does not lock this.
static ENGINE: Mutex<()> = Mutex::new(());

fn many<S: Twin>(tokens: &[Presented]) -> Vec<Option<Error>> {
    let _chosen = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    let fastest = engine();
    let on = |engine| -> Vec<_> {
        use_engine(engine);
        let verdicts = Token::verify_many(tokens.to_vec(), &three_roots(S::SCHEME));
        verdicts.into_iter().map(Result::err).collect()
    };
    let verdicts = on(fastest);
    for engine in engines() {
        assert_eq!(on(engine), verdicts, "{engine:?}");
    }
    use_engine(fastest);
    verdicts
}

fn every_size<S: Twin>() {
    let most: usize = 70;
    // All tokens are valid, or all except every ninth token, or every second token, or no token.
    for (one_in, valid) in [
        (0, most),
        (9, most - most / 9),
        (2, most.div_ceil(2)),
        (1, 0),
    ] {
        let tokens: Vec<_> = (0..most)
            .map(|n| presented::<S>(n, one_in == 0 || n % one_in != one_in - 1))
            .collect();
        let expected: Vec<_> = tokens.iter().map(alone::<S>).collect();
        assert_eq!(
            expected.iter().filter(|error| error.is_none()).count(),
            valid
        );
        for size in 0..=most {
            assert_eq!(many::<S>(&tokens[..size]), expected[..size]);
            // The same number of tokens from the end.
            assert_eq!(many::<S>(&tokens[most - size..]), expected[most - size..]);
        }
    }
}

/// One invalid token, at each position of a group.
fn one_of_many<S: Twin>() {
    let count = 70;
    let valid: Vec<_> = (0..count).map(|n| presented::<S>(n, true)).collect();
    for place in 0..count {
        let mut tokens = valid.clone();
        tokens[place] = presented::<S>(place, false);
        let verdicts = many::<S>(&tokens);
        assert_eq!(verdicts[place], alone::<S>(&tokens[place]));
        for (n, verdict) in verdicts.iter().enumerate() {
            assert_eq!(verdict.is_some(), n == place, "{n} of {place}");
        }
    }
}

/// Each verdict belongs to its own token, not to a neighbour.
fn order<S: Twin>() {
    let tokens: Vec<_> = (0..20).map(|n| presented::<S>(n, n % 3 != 0)).collect();
    let verdicts = Token::verify_many(tokens.clone(), &three_roots(S::SCHEME));
    assert_eq!(verdicts.len(), tokens.len());
    for (verdict, (token, _)) in verdicts.iter().zip(&tokens) {
        if let Ok(verified) = verdict {
            assert_eq!(verified.revocation_ids(), token.revocation_ids());
            assert_eq!(verified.root_id(), token.root_id());
            assert_eq!(verified.is_sealed(), token.is_sealed());
        }
    }
}

on_all!(every_size, one_of_many, order);
