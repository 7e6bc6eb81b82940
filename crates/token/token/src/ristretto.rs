//! ristretto255: scalars, valid public keys, and sums of scalar multiples. Sums are computed in vector lanes
//! if the engine has more than one lane, and otherwise by curve25519-dalek. Both give the same results, since
//! the group has prime order and each element has only one encoding.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use klero_lanes::{Engine, Point};
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::algorithms::{NOT_A_POINT, SMALL_ORDER};

/// The function Hs of [`aggregate`](crate::aggregate): the SHA-512 hash of the tag and the message, modulo L.
pub(crate) fn hash_to_scalar(tag: &[u8], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(tag).chain_update(message);
    let mut wide = Zeroizing::new([0; 64]);
    hash.finalize_into((&mut *wide).into());
    Scalar::from_bytes_mod_order_wide(&wide)
}

/// The secret scalar of a seed.
pub(crate) fn secret(seed: &[u8; 32]) -> Zeroizing<Scalar> {
    Zeroizing::new(hash_to_scalar(b"klero-token/seed\x03", seed))
}

/// The encoding of x·G. Constant time.
pub(crate) fn multiple(x: &Scalar) -> [u8; 32] {
    RistrettoPoint::mul_base(x).compress().to_bytes()
}

pub(crate) fn check_key(bytes: &[u8; 32]) -> Result<(), &'static str> {
    // `None` means that the bytes encode no point, or encode a point in a form that is not canonical.
    let point = CompressedRistretto(*bytes).decompress();
    let point = point.ok_or(NOT_A_POINT)?;
    if point.is_identity() {
        return Err(SMALL_ORDER);
    }
    Ok(())
}

/// Elements, decoded from 32 bytes each.
pub(crate) enum Elements {
    /// A point and a flag for each encoding. The flag is true if the encoding is valid.
    Lanes(Engine, Vec<Point>, Vec<bool>),
    Dalek(Vec<Option<RistrettoPoint>>),
}

impl Elements {
    /// Decodes elements.
    pub(crate) fn decode(engine: Engine, encodings: &[[u8; 32]]) -> Self {
        if engine.lanes() > 1 {
            Self::in_lanes(engine, encodings)
        } else {
            Self::by_dalek(encodings)
        }
    }

    fn in_lanes(engine: Engine, encodings: &[[u8; 32]]) -> Self {
        let mut points = vec![Point::IDENTITY; encodings.len()];
        let mut valid = vec![false; encodings.len()];
        engine.decode_ristretto(encodings, &mut points, &mut valid);
        Self::Lanes(engine, points, valid)
    }

    fn by_dalek(encodings: &[[u8; 32]]) -> Self {
        let decode = |encoding: &[u8; 32]| CompressedRistretto(*encoding).decompress();
        Self::Dalek(encodings.iter().map(decode).collect())
    }

    /// The number of encodings.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Lanes(_, points, _) => points.len(),
            Self::Dalek(points) => points.len(),
        }
    }

    /// True if encoding `i` encodes an element.
    pub(crate) fn is_valid(&self, i: usize) -> bool {
        match self {
            Self::Lanes(_, _, valid) => valid[i],
            Self::Dalek(points) => points[i].is_some(),
        }
    }

    /// `Σ scalar·element + base·G`. Elements are given by their indices and must be valid.
    pub(crate) fn sum(&self, terms: &[(usize, Scalar)], base: &Scalar) -> Element {
        match self {
            Self::Lanes(engine, points, _) => {
                let scalars: Vec<_> = terms.iter().map(|(_, by)| by.to_bytes()).collect();
                let points: Vec<_> = terms.iter().map(|(i, _)| points[*i]).collect();
                let base = base.as_bytes();
                Element::Lanes(engine.multiscalar_mul(base, &points, &scalars, 253))
            }
            Self::Dalek(points) => {
                let points = terms.iter().map(|(i, _)| points[*i].unwrap_or_default());
                let points = points.chain([RISTRETTO_BASEPOINT_POINT]);
                let scalars = terms.iter().map(|(_, scalar)| *scalar).chain([*base]);
                Element::Dalek(RistrettoPoint::vartime_multiscalar_mul(scalars, points))
            }
        }
    }

    /// `a - b`, for two sums `a` and `b` of these elements.
    pub(crate) fn minus(&self, a: Element, b: Element) -> Element {
        match (self, a, b) {
            (Self::Lanes(engine, ..), Element::Lanes(a), Element::Lanes(b)) => {
                let mut out = [Point::IDENTITY];
                engine.sub_small_multiple(&[a], &[1], &[b], &mut out);
                Element::Lanes(out[0])
            }
            (_, Element::Dalek(a), Element::Dalek(b)) => Element::Dalek(a - b),
            // Never reached: sums are always of the same variant as the elements.
            (_, a, _) => a,
        }
    }
}

/// A sum of elements.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Lanes(Point),
    Dalek(RistrettoPoint),
}

impl Element {
    pub(crate) fn is_identity(&self) -> bool {
        match self {
            // Points of order 1, 2 or 4 represent the identity. No sum of decoded points has order 8.
            Self::Lanes(point) => point.is_small_order(),
            Self::Dalek(point) => point.is_identity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(i: usize) -> Scalar {
        Scalar::from_bytes_mod_order_wide(&Sha512::digest(i.to_le_bytes()).into())
    }

    #[test]
    fn every_backend_decodes_as_dalek() {
        let mut encodings: Vec<[u8; 32]> = (0..40)
            .map(|i| RistrettoPoint::mul_base(&scalar(i)).compress().to_bytes())
            .collect();
        encodings.push([0; 32]);
        // Encodings that may be invalid: negative, not below p, or without the square root that decoding
        // needs.
        for i in 0..40 {
            let mut encoding = encodings[i];
            encoding[i % 32] ^= 1 << (i % 8);
            encodings.push(encoding);
        }
        for low in [0, 1, 2, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xff] {
            for top in [0, 0x7f, 0x80, 0xff] {
                let middle = if top & 0x7f == 0 { 0 } else { 0xff };
                let mut encoding = [middle; 32];
                (encoding[0], encoding[31]) = (low, top);
                encodings.push(encoding);
            }
        }
        encodings.extend((0..200).map(|i| {
            let mut encoding = scalar(1000 + i).to_bytes();
            encoding[0] &= 0xfe;
            encoding
        }));
        let dalek = Elements::by_dalek(&encodings);
        let count = (0..encodings.len()).filter(|&i| dalek.is_valid(i)).count();
        assert!(count > 41 && count < encodings.len() - 80, "{count}");
        for engine in klero_lanes::engines() {
            let in_lanes = Elements::in_lanes(engine, &encodings);
            for (i, encoding) in encodings.iter().enumerate() {
                let same = in_lanes.is_valid(i) == dalek.is_valid(i);
                assert!(same, "{engine:?} {encoding:02x?}");
            }
        }
    }

    /// Decoded points are doubles of points. So the torsion component of a decoded point, or of a sum of
    /// decoded points, has order 1, 2 or 4. All points of these orders represent the identity.
    #[test]
    fn decoded_points_are_doubles() {
        let mut encodings: Vec<[u8; 32]> = (0..100)
            .map(|i| RistrettoPoint::mul_base(&scalar(i)).compress().to_bytes())
            .collect();
        encodings.push([0; 32]);
        // Returns the order of the group, multiplied by `times`. Four times the order is below 2^255.
        let order = |times: u16| {
            let mut bytes = (-Scalar::ONE).to_bytes();
            let mut carry = times;
            for byte in &mut bytes {
                carry += times * u16::from(*byte);
                *byte = carry as u8;
                carry >>= 8;
            }
            bytes
        };
        let mut neutral = [0; 32];
        neutral[0] = 1;
        for engine in klero_lanes::engines() {
            let Elements::Lanes(_, points, valid) = Elements::in_lanes(engine, &encodings) else {
                unreachable!()
            };
            assert!(valid.iter().all(|valid| *valid));
            let by = |times| {
                let sum = |point| engine.multiscalar_mul(&[0; 32], &[point], &[order(times)], 255);
                let sums: Vec<_> = points.iter().copied().map(sum).collect();
                let mut encodings = vec![[0; 32]; sums.len()];
                engine.encode(&sums, &mut encodings);
                encodings
            };
            assert!(by(4).iter().all(|sum| *sum == neutral), "{engine:?}");
            // Some decoded points have a torsion component of order 4.
            assert!(by(2).iter().any(|sum| *sum != neutral), "{engine:?}");
        }
    }

    /// Sums of equal points, opposite points and the identity, with the largest and the smallest scalars.
    #[test]
    fn every_backend_sums_what_meets() {
        let ends = [
            Scalar::ZERO,
            Scalar::ONE,
            -Scalar::ONE,
            -scalar(1),
            Scalar::from(16u8),
            Scalar::from_bytes_mod_order([0x10; 32]),
            Scalar::from_bytes_mod_order([0xff; 32]),
        ];
        let one = RistrettoPoint::mul_base(&scalar(7));
        let elements = [one, -one, RistrettoPoint::default(), one + one];
        for n in 1..60 {
            let points: Vec<_> = (0..n).map(|i| elements[i * i % 7 % 4]).collect();
            let by: Vec<_> = (0..n).map(|i| ends[i * (n + 1) % 7]).collect();
            let logarithms = [scalar(7), -scalar(7), Scalar::ZERO, scalar(7) + scalar(7)];
            let sum: Scalar = (0..n).map(|i| logarithms[i * i % 7 % 4] * by[i]).sum();
            let encodings: Vec<_> = points.iter().map(|p| p.compress().to_bytes()).collect();
            let terms: Vec<_> = by.into_iter().enumerate().collect();
            for engine in klero_lanes::engines() {
                let elements = Elements::in_lanes(engine, &encodings);
                assert!(elements.sum(&terms, &-sum).is_identity(), "{engine:?} {n}");
                assert!(
                    !elements.sum(&terms, &(Scalar::ONE - sum)).is_identity(),
                    "{engine:?} {n}"
                );
            }
        }
    }

    #[test]
    fn every_backend_sums_as_dalek() {
        for n in [0, 1, 2, 3, 6, 7, 24, 25, 60, 200] {
            let encodings: Vec<_> = (0..n)
                .map(|i| RistrettoPoint::mul_base(&scalar(i)).compress().to_bytes())
                .collect();
            let terms: Vec<_> = (0..n).map(|i| (i, scalar(i + 5000))).collect();
            let logarithms = terms.iter().map(|(i, by)| scalar(*i) * by);
            let base = -logarithms.sum::<Scalar>();
            let mut all = vec![Elements::by_dalek(&encodings)];
            for engine in klero_lanes::engines() {
                all.push(Elements::in_lanes(engine, &encodings));
            }
            for elements in all {
                let sum = elements.sum(&terms, &base);
                assert!(sum.is_identity(), "{n}");
                let more = elements.sum(&terms, &(base + Scalar::ONE));
                assert!(!more.is_identity(), "{n}");
                // The differences between a sum and itself, and between a sum and the identity.
                assert!(elements.minus(more, more).is_identity());
                assert!(!elements.minus(more, sum).is_identity());
                assert!(!elements.minus(sum, more).is_identity());
                if n > 0 {
                    let mut wrong = terms.clone();
                    wrong[n / 2].1 += Scalar::ONE;
                    assert!(!elements.sum(&wrong, &base).is_identity(), "{n}");
                }
            }
        }
    }
}
