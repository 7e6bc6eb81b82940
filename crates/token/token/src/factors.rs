//! The random factors by which equations are multiplied before they are summed and verified together.
//!
//! An attacker who could choose tokens after their factors are known could make the errors of several wrong
//! equations cancel in the sum. So each factor is a hash of the whole content of all equations.

use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, wiped};
use sha2::{Digest, Sha512};

use crate::state::{State, hash_each};

#[cfg(test)]
pub(crate) mod tests;

const TAG_BATCH: &[u8] = b"klero-token/batch\x03";
const TAG_FACTOR: &[u8] = b"klero-token/factor\x03";

/// Draws a factor of 128 bits for each equation. An equation is given by the token's state after the last
/// link, which is a hash of the whole token except S, and by S.
pub(crate) fn draw(engine: Engine, equations: &[(State, &Scalar)]) -> Vec<Scalar> {
    let all: [u8; 64] = wiped(|| {
        let mut all = Sha512::new().chain_update(TAG_BATCH);
        for (state, s) in equations {
            all.update(state.0);
            all.update(s.as_bytes());
        }
        all.finalize().into()
    });
    let numbers: Vec<_> = (0..equations.len() as u64).map(u64::to_le_bytes).collect();
    let parts: Vec<[&[u8]; 3]> = numbers.iter().map(|i| [TAG_FACTOR, &all, i]).collect();
    let factor = |hash: &[u8; 64]| {
        let mut factor = [0; 16];
        factor.copy_from_slice(&hash[..16]);
        Scalar::from(u128::from_le_bytes(factor))
    };
    hash_each(engine, &parts).iter().map(factor).collect()
}
