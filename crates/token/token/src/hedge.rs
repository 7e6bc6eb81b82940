//! Fresh secrets for links. Each is a hash of random bytes, *and* of the maker's secret and the link's
//! content. Even if the random source repeats its output, links with different content have different
//! secrets, and an attacker who knows only that output does not know the secrets. (If the issuer's key
//! is in a device, it cannot be hashed: the first link's secret is only as good as the random source.)

use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::state::{State, le64};

const TAG_KEY: &[u8] = b"klero-token/key\x03";
const TAG_NONCE: &[u8] = b"klero-token/nonce\x03";

/// A seed for the next key of a chain.
pub(crate) fn seed(
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<Zeroizing<[u8; 32]>, Error> {
    let wide = of(TAG_KEY, &*random()?, secret, before, kind, payload);
    let mut seed = Zeroizing::new([0; 32]);
    seed.copy_from_slice(&wide[..32]);
    Ok(seed)
}

/// A nonce for one link: all 64 bytes of the hash, modulo L. So the nonce is uniform up to a negligible bias.
pub(crate) fn nonce(
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<Zeroizing<Scalar>, Error> {
    let wide = of(TAG_NONCE, &*random()?, secret, before, kind, payload);
    Ok(Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide)))
}

/// 32 random bytes from the operating system.
pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random).map_err(Error::NoRandomness)?;
    Ok(random)
}

fn of(
    tag: &[u8],
    random: &[u8; 32],
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Zeroizing<[u8; 64]> {
    let hash = Sha512::new()
        .chain_update(tag)
        .chain_update(random)
        .chain_update(le64(secret))
        .chain_update(secret)
        .chain_update(before.0)
        .chain_update([kind])
        .chain_update(le64(payload))
        .chain_update(payload);
    let mut wide = Zeroizing::new([0; 64]);
    hash.finalize_into((&mut *wide).into());
    wide
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenge::Challenge;
    use crate::scheme::{CAVEATS, OPAQUE, SEAL};

    /// The output of a bad random source, which always returns these bytes. An attacker knows them.
    const RANDOM: [u8; 32] = [7; 32];

    /// The inputs from which the secret of a link is made.
    #[derive(Clone)]
    struct From {
        secret: [u8; 32],
        before: State,
        kind: u8,
        payload: Vec<u8>,
    }

    impl From {
        fn new() -> Self {
            Self {
                secret: [1; 32],
                before: State::begin(2, 0),
                kind: CAVEATS,
                payload: b"less".to_vec(),
            }
        }

        fn hashed(&self, tag: &[u8]) -> [u8; 64] {
            let (secret, before) = (&self.secret, &self.before);
            *of(tag, &RANDOM, secret, before, self.kind, &self.payload)
        }
    }

    /// Asserts that two different links have different seeds and nonces, none equal to the random bytes,
    /// although both links use the same random bytes. If two links had the same nonce, their sums would
    /// reveal the sum before the link. Two holders with the same seed could remove each other's blocks.
    #[track_caller]
    fn assert_differs(one: &From, other: &From) {
        for tag in [TAG_KEY, TAG_NONCE] {
            let (one, other) = (one.hashed(tag), other.hashed(tag));
            for half in [0..32, 32..64] {
                assert_ne!(one[half.clone()], other[half.clone()]);
                assert_ne!(one[half.clone()], RANDOM);
            }
        }
    }

    #[test]
    fn another_secret_gives_another_nonce_where_randomness_repeats() {
        let mut other = From::new();
        other.secret[31] ^= 1;
        assert_differs(&From::new(), &other);
    }

    #[test]
    fn another_state_gives_another_nonce_where_randomness_repeats() {
        let other = From {
            before: State::begin(2, 1),
            ..From::new()
        };
        assert_differs(&From::new(), &other);
    }

    #[test]
    fn another_kind_gives_another_nonce_where_randomness_repeats() {
        let other = From {
            kind: OPAQUE,
            ..From::new()
        };
        assert_differs(&From::new(), &other);
    }

    #[test]
    fn another_challenge_gives_another_nonce_where_randomness_repeats() {
        let challenge = Challenge {
            nonce: b"one",
            audience: "shop",
            time: 17,
        };
        let seal = |challenge: Challenge<'_>| From {
            kind: SEAL,
            payload: challenge.encode().unwrap(),
            ..From::new()
        };
        let others = [
            Challenge {
                nonce: b"two",
                ..challenge
            },
            Challenge {
                audience: "bank",
                ..challenge
            },
            Challenge {
                time: 18,
                ..challenge
            },
        ];
        for other in others {
            assert_differs(&seal(challenge), &seal(other));
        }
    }

    /// Two links with the same content have different nonces if the random bytes differ.
    #[test]
    fn other_randomness_gives_another_nonce() {
        let of = |random| *of(TAG_NONCE, &random, b"sum", &State::begin(2, 0), SEAL, b"");
        assert_ne!(of([7; 32]), of([8; 32]));
    }

    /// Each hashed part either has a fixed length, or is preceded by its length.
    #[test]
    fn hedged_parts_do_not_run_together() {
        let before = State::begin(1, 0);
        let of = |secret: &[u8], payload: &[u8]| {
            *of(TAG_NONCE, &RANDOM, secret, &before, CAVEATS, payload)
        };
        assert_ne!(of(b"ab", b"c"), of(b"a", b"bc"));
        assert_ne!(of(b"", b"abc"), of(b"abc", b""));
    }

    /// Everyone who has a bearer token knows its seed, so the seed must not reveal a nonce.
    #[test]
    fn seeds_say_nothing_of_nonces() {
        let from = From::new();
        assert_ne!(from.hashed(TAG_KEY), from.hashed(TAG_NONCE));
    }
}
