//! Every string that ECVRF hashes, for every suite (RFC 9381, section 5.4).

use blake2::Blake2b;
use blake2::digest::consts::{U32, U64};
use blake2::digest::{FixedOutputReset, Output};
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::suite::{Hash, Suite, Transcript};

/// The challenge c: 16 bytes, little endian.
pub(crate) type Challenge = [u8; 16];

/// The digest of the parts. In place throughout: a hasher that is moved leaves its
/// state behind, and it may have seen secrets.
pub(crate) fn digest<D: Digest + FixedOutputReset>(parts: &[&[u8]], out: &mut Output<D>) {
    let mut hasher = D::new();
    for part in parts {
        Digest::update(&mut hasher, part);
    }
    Digest::finalize_into_reset(&mut hasher, out);
}

/// 64 bytes of digest.
fn long(hash: Hash, parts: &[&[u8]], out: &mut [u8; 64]) {
    match hash {
        Hash::Sha512 => digest::<Sha512>(parts, out.into()),
        Hash::Blake2b => digest::<Blake2b<U64>>(parts, out.into()),
    }
}

/// 32 bytes of digest: the first half of SHA-512, or BLAKE2b-256.
pub(crate) fn short(hash: Hash, parts: &[&[u8]]) -> [u8; 32] {
    let mut out = [0; 32];
    match hash {
        Hash::Sha512 => {
            let mut whole = [0; 64];
            long(hash, parts, &mut whole);
            out.copy_from_slice(&whole[..32]);
        }
        Hash::Blake2b => digest::<Blake2b<U32>>(parts, (&mut out).into()),
    }
    out
}

/// The byte that ends the strings of draft-10 and later.
fn trailer(transcript: Transcript) -> &'static [u8] {
    match transcript {
        Transcript::Draft03 => &[],
        Transcript::Draft10 | Transcript::Rfc9381 => &[0],
    }
}

/// c, from the encodings of Y, H, Γ, U and V (RFC 9381, section 5.4.3).
pub(crate) fn challenge(
    suite: &Suite,
    y: &[u8; 32],
    [h, gamma, u, v]: [&[u8; 32]; 4],
) -> Challenge {
    let y: &[u8] = match suite.transcript {
        Transcript::Rfc9381 => y,
        Transcript::Draft03 | Transcript::Draft10 => &[],
    };
    let digest = short(
        suite.hash,
        &[
            &[suite.octet, 2],
            y,
            h,
            gamma,
            u,
            v,
            trailer(suite.transcript),
        ],
    );
    let mut c = [0; 16];
    c.copy_from_slice(&digest[..16]);
    c
}

/// beta, from the encoding of 8Γ (RFC 9381, section 5.2).
pub(crate) fn output(suite: &Suite, cofactor_gamma: &[u8; 32]) -> [u8; 64] {
    let mut beta = [0; 64];
    long(
        suite.hash,
        &[&[suite.octet, 3], cofactor_gamma, trailer(suite.transcript)],
        &mut beta,
    );
    beta
}

/// k, from the secret prefix and the encoding of H (RFC 9381, section 5.4.2.2).
pub(crate) fn nonce(suite: &Suite, prefix: &[u8; 32], h: &[u8; 32], k: &mut Scalar) {
    let mut wide = Zeroizing::new([0; 64]);
    match suite.hash {
        Hash::Sha512 => digest::<Sha512>(&[prefix, h], (&mut *wide).into()),
        Hash::Blake2b => {
            let mut narrow = Zeroizing::new([0; 32]);
            digest::<Blake2b<U32>>(&[prefix, h], (&mut *narrow).into());
            wide[..32].copy_from_slice(&*narrow);
        }
    }
    *k = Scalar::from_bytes_mod_order_wide(&wide);
}

/// c as a scalar; it is below 2^128 and so below L.
pub(crate) fn challenge_scalar(c: &Challenge) -> Scalar {
    Scalar::from(u128::from_le_bytes(*c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroize::ZeroizeOnDrop;

    /// Compiles only if the hashers are built to wipe themselves.
    #[test]
    fn hashers_are_wiped() {
        fn wiped<T: ZeroizeOnDrop>() {}
        wiped::<Sha512>();
        wiped::<blake2::Blake2bVarCore>();
    }
}
