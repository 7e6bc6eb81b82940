//! The public handle of the stages, and the choice of the backend. Most of the file is documentation: a
//! method for each stage.

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

/// The index in [`ALL`] of the engine that was chosen; past its end if none was.
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The engine in use: the fastest that this processor can run, unless [`use_engine`] chose
/// another.
pub fn engine() -> Engine {
    let chosen = ALL.get(CHOSEN.load(Ordering::Relaxed));
    // Detection runs once; asking again costs a load.
    let fastest = || ALL.iter().find(|(_, runs)| runs());
    let (stages, _) = chosen.or_else(fastest).unwrap_or(&ALL[ALL.len() - 1]);
    Engine(*stages)
}

/// Makes an engine the one in use, in this process from now on.
pub fn use_engine(engine: Engine) {
    let same = |(stages, runs): &Known| runs() && Engine(*stages) == engine;
    if let Some(index) = ALL.iter().position(same) {
        CHOSEN.store(index, Ordering::Relaxed);
    }
}

/// The stages on one backend, for any number of items each.
///
/// A stage works through its items one vector at a time. Stages named `…_alone` are for few items:
/// they spread one or two items over a vector. Stages take variable time, except the hashes, those
/// named `secret_…`, and those that may follow them: `mul_by_cofactor`, `normalize` and `encode`
/// take constant time in the points, since projective coordinates can reveal the scalar.
///
/// The slices of a call hold one entry for each item; a stage panics if their lengths
/// differ.
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

/// Asserts that all slices are as long as the first.
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

    /// The name of the backend: `ifma51`, `ifma52`, `avx-ifma`, `avx512`, `avx2` or `portable`. A
    /// processor that runs one of the first two runs both; they differ in the bits of a limb.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The number of points that share a vector: 8, 4 or 1.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }

    /// The number of items, among n, that should share vectors. The rest, if any, takes less time
    /// in the stages named `…_alone`.
    pub fn whole(self, n: usize) -> usize {
        let rest = n % self.lanes();
        if rest <= self.0.tuning().few {
            n - rest
        } else {
            n
        }
    }

    /// The number of items, among n, that should share vectors, and the number of the others that
    /// should go to [`mul_base_sub_alone`](Self::mul_base_sub_alone), which takes pairs. The
    /// rest takes less time in curve25519-dalek.
    pub fn whole_and_pairs(self, n: usize) -> (usize, usize) {
        if self.lanes() == 1 {
            return (0, 0);
        }
        // One item in that stage takes as long as two.
        let shared = self.whole(n.next_multiple_of(2)).min(n);
        let rest = n - shared;
        let pays = rest >= self.0.tuning().pairs_from;
        (shared, if pays { rest } else { 0 })
    }

    /// The least number of claims of ECVRF that one sum of all their terms verifies in less time than
    /// one by one.
    pub fn sum_from(self) -> usize {
        self.0.tuning().sum_from
    }

    /// Points from 32 bytes each. `on_curve` is true for encodings of points; `points` has no
    /// meaning for the others.
    ///
    /// As in RFC 8032, section 5.1.3, except that y is taken mod p (see
    /// [`y_is_canonical`](crate::y_is_canonical)) and x = 0 is accepted with the sign bit set.
    pub fn decode(self, encodings: &[[u8; 32]], points: &mut [Point], on_curve: &mut [bool]) {
        let form = Elligator2::Rfc9380;
        self.decode_and_map(encodings, points, on_curve, &[], form, &mut []);
    }

    /// Decodes and maps, which both need square roots, in one stage: `points` from `encodings`, as
    /// [`decode`](Self::decode), and, for other items, `mapped` = 8·Elligator2(r). Bit 255 of r is
    /// ignored.
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

    /// A point for each element of ristretto255 from 32 bytes (RFC 9496, section 4.3.1).
    /// `valid` is true for canonical encodings of elements; the points of the others have no
    /// meaning. A sum of such points is the identity of ristretto255 if it
    /// [is of small order](Point::is_small_order).
    pub fn decode_ristretto(
        self,
        encodings: &[[u8; 32]],
        points: &mut [Point],
        valid: &mut [bool],
    ) {
        same_length!(encodings, points, valid);
        self.0.decode_ristretto(encodings, points, valid);
    }

    /// The canonical 32 bytes of each point; inversions are shared.
    pub fn encode(self, points: &[Point], encodings: &mut [[u8; 32]]) {
        same_length!(points, encodings);
        self.0.encode(points, encodings);
    }

    /// Scales the coordinates of each point to Z = 1; inversions are shared.
    pub fn normalize(self, points: &mut [Point]) {
        self.0.normalize(points);
    }

    /// 8·P.
    pub fn mul_by_cofactor(self, points: &[Point], out: &mut [Point]) {
        same_length!(points, out);
        self.0.mul_by_cofactor(points, out);
    }

    /// Sets `free` to true for each point that is free of torsion. The test is exact.
    pub fn torsion_free(self, points: &[Point], free: &mut [bool]) {
        same_length!(points, free);
        self.0.torsion_free(points, free);
    }

    /// P - m·Q for m from -4 to 4.
    pub fn sub_small_multiple(self, p: &[Point], m: &[i8], q: &[Point], out: &mut [Point]) {
        same_length!(p, m, q, out);
        self.0.sub_small_multiple(p, m, q, out);
    }

    /// s·B - c·P. Here and below, the lowest 253 bits of s count.
    pub fn mul_base_sub(self, s: &[[u8; 32]], c: &[[u8; 16]], p: &[Point], out: &mut [Point]) {
        same_length!(s, c, p, out);
        let m = slices(c);
        self.0.mul_two(s, None, Multipliers::minus(&m, 128), p, out);
    }

    /// Computes the multiples of each point that [`mul_base_sub_known`](Self::mul_base_sub_known)
    /// needs. For each point, this takes about as long as one s·B - c·P without them.
    pub fn know(self, points: &[Point]) -> Vec<KnownPoint> {
        // A few vectors at a time: the data between the stages stays in the second-level cache.
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

    /// s·B - c·P for known points.
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

    /// s·B - m·P for few items, two at a time: in several lanes, the coordinates of both share
    /// vectors. Here and below, the lowest 253 bits of m count.
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

    /// s·H - c·P.
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

    /// s·H + m·P.
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

    /// s·A + m·B, or s·A - m·B, for two pairs of points A and B with the same scalars. For few
    /// items, one at a time: the lanes hold the coordinates of both pairs.
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

    /// x·P for P of order L and secret scalars below L. Constant time in the scalars and the
    /// points.
    pub fn secret_mul(self, p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
        same_length!(p, x, out);
        self.0.secret_mul(p, &[x], &mut [out]);
    }

    /// [`secret_mul`](Self::secret_mul) for few items, two at a time: in several lanes, the
    /// coordinates of both share vectors.
    pub fn secret_mul_alone(self, p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
        same_length!(p, x, out);
        if self.lanes() == 1 {
            // One lane cannot be shared.
            return self.secret_mul(p, x, out);
        }
        self.0.secret_mul_alone(p, x, out);
    }

    /// x·P and k·P for P of order L and secret scalars below L. Constant time in the scalars
    /// and the points.
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

    /// k·B for secret scalars below L. Constant time in the scalars.
    pub fn secret_mul_base(self, k: &[[u8; 32]], out: &mut [Point]) {
        same_length!(k, out);
        self.0.secret_mul_base(k, out);
    }

    /// x·P, k·P and k·B, as above, for few items, one at a time: in several lanes, the coordinates
    /// of both multiples of P share vectors.
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

    /// SHA-512 of the prefix followed by each message, which is given in parts. The prefix is hashed
    /// once. Constant time in the messages, not in their lengths; what is kept of them in
    /// memory is wiped.
    pub fn sha512(self, prefix: &[[u8; 128]], messages: &[&[&[u8]]], digests: &mut [[u8; 64]]) {
        same_length!(messages, digests);
        self.0.sha512(prefix, messages, digests);
    }

    /// BLAKE2b, without a key, of messages, each given in parts. The length of the digests, N
    /// from 1 to 64, is part of what is hashed: a short digest is not the beginning of a longer
    /// one. Constant time in the messages, not in their lengths; what is kept of them in memory is
    /// wiped.
    pub fn blake2b<const N: usize>(self, messages: &[&[&[u8]]], digests: &mut [[u8; N]]) {
        const { assert!(N >= 1 && N <= 64, "digests have 1 to 64 bytes") };
        same_length!(messages, digests);
        self.0
            .blake2b(N as u8, messages, digests.as_flattened_mut());
    }
}
