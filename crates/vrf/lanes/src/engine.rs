//! The public handle, whose methods run the stages on one backend, and the choice of the backend.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::formulas::elligator2::Elligator2;
use crate::formulas::known::{KnownPoint, MULTIPLES};
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;
use crate::formulas::straus::{Multipliers, slices};
use crate::stages::{ALL, Known, Stages};
use crate::tuning::KNOWN_TOGETHER;

/// Every engine that this processor can run, the fastest first.
pub fn engines() -> Vec<Engine> {
    let runs = ALL.iter().filter(|(_, runs)| runs());
    runs.map(|(stages, _)| Engine(*stages)).collect()
}

/// The index in [`ALL`] of the engine that [`use_engine`] chose, or an index past the end if none was chosen.
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Returns the engine in use. It is the fastest one that this processor can run, unless
/// [`use_engine`] chose another.
pub fn engine() -> Engine {
    let chosen = ALL.get(CHOSEN.load(Ordering::Relaxed));
    // The processor's features are detected once; later calls only load the result.
    let fastest = || ALL.iter().find(|(_, runs)| runs());
    let (stages, _) = chosen.or_else(fastest).unwrap_or(&ALL[ALL.len() - 1]);
    Engine(*stages)
}

/// Chooses the engine that [`engine`] returns from now on, in the whole process.
pub fn use_engine(engine: Engine) {
    let same = |(stages, runs): &Known| runs() && Engine(*stages) == engine;
    if let Some(index) = ALL.iter().position(same) {
        CHOSEN.store(index, Ordering::Relaxed);
    }
}

/// The handle of the stages on one backend. Each method takes any number of items.
///
/// A stage works through its items one vector at a time. Stages named `…_alone` are for few items:
/// they spread one or two items over a vector.
///
/// Most stages take variable time. The hashes and the stages named `secret_…` take constant time. So do
/// `mul_by_cofactor`, `normalize` and `encode` in the points, because callers apply them to results of secret
/// stages: the projective coordinates of such a result can reveal the scalar.
///
/// The slices of a call hold one entry for each item. A stage panics if their lengths differ.
#[derive(Clone, Copy)]
pub struct Engine(&'static dyn Stages);

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Engine {}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Asserts that the other slices are as long as the first.
macro_rules! same_length {
    ($first:ident, $($other:ident),*) => {
        $(assert_eq!(
            $other.len(),
            $first.len(),
            concat!("`", stringify!($other), "` must be as long as `", stringify!($first), "`")
        );)*
    };
}

impl Engine {
    pub(crate) fn stages(self) -> &'static dyn Stages {
        self.0
    }

    /// The name of the backend: `ifma51`, `ifma52`, `avx-ifma`, `avx512`, `avx2` or `portable`. A processor
    /// that can run `ifma51` can also run `ifma52`; the two differ in the number of bits of a limb.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The number of points that share a vector: 8, 4 or 1.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }

    /// The number of items, out of n, that should be computed in shared vectors. The remaining
    /// items, if there are any, take less time in the stages named `…_alone`.
    pub fn whole(self, n: usize) -> usize {
        let rest = n % self.lanes();
        if rest <= self.0.tuning().few {
            n - rest
        } else {
            n
        }
    }

    /// Divides n items into three groups and returns the sizes of the first two. The first group
    /// should share vectors. The second should go to [`mul_base_sub_alone`](Self::mul_base_sub_alone),
    /// which computes pairs. The remaining items take less time in curve25519-dalek.
    pub fn whole_and_pairs(self, n: usize) -> (usize, usize) {
        if self.lanes() == 1 {
            return (0, 0);
        }
        // In `mul_base_sub_alone`, a single item takes as long as a pair. So an odd n is rounded up here.
        let shared = self.whole(n.next_multiple_of(2)).min(n);
        let rest = n - shared;
        let pays = rest >= self.0.tuning().pairs_from;
        (shared, if pays { rest } else { 0 })
    }

    /// The least number of ECVRF claims for which one sum of all their terms takes less time than verifying
    /// the claims one by one.
    pub fn sum_from(self) -> usize {
        self.0.tuning().sum_from
    }

    /// Decodes a point from each 32 bytes. Sets `on_curve` to true for an encoding of a point, else to false.
    /// The entries of `points` for other encodings have no meaning.
    ///
    /// Decoding follows RFC 8032, section 5.1.3, with two exceptions: y is reduced mod p (see
    /// [`y_is_canonical`](crate::y_is_canonical)), and x = 0 is accepted with the sign bit set.
    pub fn decode(self, encodings: &[[u8; 32]], points: &mut [Point], on_curve: &mut [bool]) {
        let form = Elligator2::Rfc9380;
        self.decode_and_map(encodings, points, on_curve, &[], form, &mut []);
    }

    /// Decodes `encodings` to `points`, as [`decode`](Self::decode) does, and maps each r to
    /// `mapped` = 8·Elligator2(r). Bit 255 of r is ignored. The two inputs are independent, and may
    /// differ in length. One stage does both, because both need square roots.
    pub fn decode_and_map(
        self,
        encodings: &[[u8; 32]],
        points: &mut [Point],
        on_curve: &mut [bool],
        r: &[[u8; 32]],
        form: Elligator2,
        mapped: &mut [Point],
    ) {
        same_length!(encodings, points, on_curve);
        same_length!(r, mapped);
        self.0
            .decode_and_map(encodings, points, on_curve, r, form, mapped);
    }

    /// Decodes each 32 bytes as an element of ristretto255, which is represented by a point (RFC 9496,
    /// section 4.3.1). Sets `valid` to true for a canonical encoding of an element, else to false. The points
    /// for other encodings have no meaning. A sum of decoded points represents the identity of ristretto255
    /// if the sum has small order (see [`Point::is_small_order`]).
    pub fn decode_ristretto(
        self,
        encodings: &[[u8; 32]],
        points: &mut [Point],
        valid: &mut [bool],
    ) {
        same_length!(encodings, points, valid);
        self.0.decode_ristretto(encodings, points, valid);
    }

    /// Encodes each point to its canonical 32 bytes. Points share inversions.
    pub fn encode(self, points: &[Point], encodings: &mut [[u8; 32]]) {
        same_length!(points, encodings);
        self.0.encode(points, encodings);
    }

    /// Scales the coordinates of each point so that Z = 1. Points share inversions.
    pub fn normalize(self, points: &mut [Point]) {
        self.0.normalize(points);
    }

    /// Computes 8·P.
    pub fn mul_by_cofactor(self, points: &[Point], out: &mut [Point]) {
        same_length!(points, out);
        self.0.mul_by_cofactor(points, out);
    }

    /// Sets `free` to true for each point that is free of torsion. The test is exact.
    pub fn torsion_free(self, points: &[Point], free: &mut [bool]) {
        same_length!(points, free);
        self.0.torsion_free(points, free);
    }

    /// Computes P - m·Q for m from -4 to 4.
    pub fn sub_small_multiple(self, p: &[Point], m: &[i8], q: &[Point], out: &mut [Point]) {
        same_length!(p, m, q, out);
        self.0.sub_small_multiple(p, m, q, out);
    }

    /// Computes s·B - c·P. Here and in the methods below, only the lowest 253 bits of s are used.
    pub fn mul_base_sub(self, s: &[[u8; 32]], c: &[[u8; 16]], p: &[Point], out: &mut [Point]) {
        same_length!(s, c, p, out);
        let m = slices(c);
        self.0.mul_two(s, None, Multipliers::minus(&m, 128), p, out);
    }

    /// Computes, for each point, the multiples that [`mul_base_sub_known`](Self::mul_base_sub_known) needs.
    /// For each point, this takes about as long as one [`mul_base_sub`](Self::mul_base_sub).
    pub fn know(self, points: &[Point]) -> Vec<KnownPoint> {
        // A few vectors of points go through all stages together, so that the data between the stages stays
        // in the second-level cache.
        let step = KNOWN_TOGETHER.min(points.len());
        let mut multiples = vec![[Point::IDENTITY; MULTIPLES]; step];
        let mut rows = vec![[AffineRow::IDENTITY; MULTIPLES]; step];
        let mut known = Vec::with_capacity(points.len());
        for points in points.chunks(step.max(1)) {
            let (multiples, rows) = (&mut multiples[..points.len()], &mut rows[..points.len()]);
            self.0.multiples(points, multiples);
            self.normalize(multiples.as_flattened_mut());
            self.0
                .prepare(multiples.as_flattened(), rows.as_flattened_mut());
            let radix = self.0.radix();
            known.extend(rows.iter().map(|rows| KnownPoint::from_rows(rows, radix)));
        }
        known
    }

    /// Computes s·B - c·P for points that were prepared by [`know`](Self::know).
    pub fn mul_base_sub_known(
        self,
        s: &[[u8; 32]],
        c: &[[u8; 16]],
        p: &[&KnownPoint],
        out: &mut [Point],
    ) {
        same_length!(s, c, p, out);
        self.0.mul_base_and_known(s, c, p, out);
    }

    /// Computes s·B - m·P for few items, two at a time. On backends with several lanes, the coordinates of
    /// the two items share vectors. Here and in the methods below, only the lowest 253 bits of m are used.
    pub fn mul_base_sub_alone(
        self,
        s: &[[u8; 32]],
        m: &[[u8; 32]],
        p: &[Point],
        out: &mut [Point],
    ) {
        same_length!(s, m, p, out);
        self.0.mul_base_sub_alone(s, m, p, out);
    }

    /// Computes s·H - c·P.
    pub fn mul_sub(
        self,
        s: &[[u8; 32]],
        h: &[Point],
        c: &[[u8; 16]],
        p: &[Point],
        out: &mut [Point],
    ) {
        same_length!(s, h, c, p, out);
        let m = slices(c);
        self.0
            .mul_two(s, Some(h), Multipliers::minus(&m, 128), p, out);
    }

    /// Computes s·H + m·P.
    pub fn mul_add(
        self,
        s: &[[u8; 32]],
        h: &[Point],
        m: &[[u8; 32]],
        p: &[Point],
        out: &mut [Point],
    ) {
        same_length!(s, h, m, p, out);
        let m = slices(m);
        self.0
            .mul_two(s, Some(h), Multipliers::plus(&m, 253), p, out);
    }

    /// Computes s·A + m·B, or s·A - m·B if `subtract` is true. An item has s, m and two pairs (A, B) of
    /// points. This method is for few items, one at a time: the lanes hold the coordinates of both pairs.
    pub fn mul_alone(
        self,
        s: &[[u8; 32]],
        a: &[[Point; 2]],
        m: &[[u8; 32]],
        b: &[[Point; 2]],
        subtract: bool,
        out: &mut [[Point; 2]],
    ) {
        same_length!(s, a, m, b, out);
        self.0.mul_alone(s, a, m, b, subtract, out);
    }

    /// Computes x·P for P of order L and secret scalars below L. Constant time in the scalars and the points.
    pub fn secret_mul(self, p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
        same_length!(p, x, out);
        self.0.secret_mul(p, &[x], &mut [out]);
    }

    /// Does the same as [`secret_mul`](Self::secret_mul) for few items, two at a time. On backends
    /// with several lanes, the coordinates of the two items share vectors.
    pub fn secret_mul_alone(self, p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
        same_length!(p, x, out);
        if self.lanes() == 1 {
            // On one lane there is nothing to share.
            return self.secret_mul(p, x, out);
        }
        self.0.secret_mul_alone(p, x, out);
    }

    /// Computes x·P and k·P for P of order L and secret scalars below L. Constant time in the
    /// scalars and the points.
    pub fn secret_mul_pair(
        self,
        p: &[Point],
        x: &[[u8; 32]],
        k: &[[u8; 32]],
        by_x: &mut [Point],
        by_k: &mut [Point],
    ) {
        same_length!(p, x, k, by_x, by_k);
        self.0.secret_mul(p, &[x, k], &mut [by_x, by_k]);
    }

    /// Computes k·B for secret scalars below L. Constant time in the scalars.
    pub fn secret_mul_base(self, k: &[[u8; 32]], out: &mut [Point]) {
        same_length!(k, out);
        self.0.secret_mul_base(k, out);
    }

    /// Computes x·P, k·P and k·B for few items, one at a time. As in
    /// [`secret_mul_pair`](Self::secret_mul_pair), P has order L, the scalars are below L, and the
    /// time is constant. On backends with several lanes, the coordinates of x·P and k·P share vectors.
    pub fn secret_prove_alone(
        self,
        p: &[Point],
        x: &[[u8; 32]],
        k: &[[u8; 32]],
        by_x: &mut [Point],
        by_k: &mut [Point],
        base_by_k: &mut [Point],
    ) {
        same_length!(p, x, k, by_x, by_k, base_by_k);
        if self.lanes() == 1 {
            self.secret_mul_pair(p, x, k, by_x, by_k);
            return self.secret_mul_base(k, base_by_k);
        }
        self.0.secret_prove_alone(p, x, k, by_x, by_k, base_by_k);
    }

    /// Computes SHA-512 of the prefix followed by each message. A message is given in parts. The prefix
    /// (whole blocks of 128 bytes) is hashed only once, for all messages. Constant time in the messages, but
    /// not in their lengths. Blocks and states with message data are wiped.
    pub fn sha512(self, prefix: &[[u8; 128]], messages: &[&[&[u8]]], digests: &mut [[u8; 64]]) {
        same_length!(messages, digests);
        self.0.sha512(prefix, messages, digests);
    }

    /// Computes BLAKE2b, without a key, of each message. A message is given in parts. The digest length
    /// N, from 1 to 64, enters the hash, so a short digest is not the beginning of a longer one. Constant
    /// time in the messages, but not in their lengths. Blocks and states with message data are wiped.
    pub fn blake2b<const N: usize>(self, messages: &[&[&[u8]]], digests: &mut [[u8; N]]) {
        const { assert!(N >= 1 && N <= 64, "digests have 1 to 64 bytes") };
        same_length!(messages, digests);
        self.0
            .blake2b(N as u8, messages, digests.as_flattened_mut());
    }
}
