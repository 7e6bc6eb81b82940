//! Fresh seeds for links, from random bytes *and* from what only the bearer knows and what the link
//! says: where the random source repeats itself, no seed does, and nobody who knows its output
//! knows the seed. (An issuer's key in a device tells nothing, so the first key of such a token is as
//! secret as the random source.)

use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::state::{State, le64};

/// A seed for one link.
pub(crate) fn seed(
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<Zeroizing<[u8; 32]>, Error> {
    Ok(of(&*random()?, secret, before, kind, payload))
}

/// 32 bytes of the operating system.
pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random).map_err(Error::NoRandomness)?;
    Ok(random)
}

fn of(
    random: &[u8; 32],
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Zeroizing<[u8; 32]> {
    let hash = Sha512::new()
        .chain_update(b"klero-token/key\x02")
        .chain_update(random)
        .chain_update(le64(secret))
        .chain_update(secret)
        .chain_update(before.0)
        .chain_update([kind])
        .chain_update(le64(payload))
        .chain_update(payload);
    let mut wide = Zeroizing::new([0; 64]);
    hash.finalize_into((&mut *wide).into());
    let mut seed = Zeroizing::new([0; 32]);
    seed.copy_from_slice(&wide[..32]);
    seed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::CAVEATS;

    /// The random source gives the same 32 bytes again, and somebody knows them. If they were the
    /// seed, two holders would have one key, and one of them could take the other's block off; where
    /// they are hedged, no seed repeats or can be computed.
    #[test]
    fn repeated_randomness_repeats_no_seed() {
        let random = [7; 32];
        let (one, two) = (State::begin(1, 0), State::begin(1, 1));
        let seeds = [
            (&[1; 32], one, b"less"),
            (&[2; 32], one, b"less"),
            (&[1; 32], two, b"less"),
            (&[1; 32], one, b"more"),
        ]
        .map(|(secret, before, payload)| *of(&random, secret, &before, CAVEATS, payload));
        for (i, seed) in seeds.iter().enumerate() {
            assert_ne!(*seed, random);
            assert!(!seeds[..i].contains(seed));
        }
        assert_eq!(*of(&random, &[1; 32], &one, CAVEATS, b"less"), seeds[0]);
    }

    /// What stands before and behind the secret and the payload is of fixed length, or has its
    /// length before it.
    #[test]
    fn hedged_parts_do_not_run_together() {
        let before = State::begin(1, 0);
        let seed = |secret: &[u8], payload: &[u8]| *of(&[7; 32], secret, &before, CAVEATS, payload);
        assert_ne!(seed(b"ab", b"c"), seed(b"a", b"bc"));
        assert_ne!(seed(b"", b"abc"), seed(b"abc", b""));
    }
}
