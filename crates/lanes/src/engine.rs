//! The stages compiled once for each backend, and the one place that decides which
//! instruction set is used.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::backend::Field;
use crate::backend::portable::Portable;
use crate::ladder::{Multipliers, slices};
use crate::map::Elligator2;
use crate::msm::Window;
use crate::point::{Completed, Point};
use crate::rows::{AffineRow, load, store};
use crate::scalar::{digit_count, signed_digits};

/// Hands the list of stages to a macro, behind whatever else it is to be given.
macro_rules! with_stages {
    ($macro:ident, $($before:tt)*) => {
        $macro! {
            $($before)*
            /// All that wants square roots, in one: `points` from 32 bytes and, of other
            /// items, `mapped` = 8·Elligator2(r) (bit 255 of r is ignored).
            ///
            /// Decoding is that of RFC 8032, section 5.1.3, but y is taken mod p, and
            /// x = 0 with the sign bit is let through. `on_curve` says which are points;
            /// the others have no meaning.
            fn decode_and_map(encodings: &[[u8; 32]], points: &mut [Point], on_curve: &mut [bool], r: &[[u8; 32]], form: Elligator2, mapped: &mut [Point]);
            /// A point for each element of ristretto255 from 32 bytes (RFC 9496, section
            /// 4.3.1); `valid` says which encodings are canonical, the others have no
            /// meaning. A sum of such points is the identity of ristretto255 if it
            /// [is of small order](Point::is_small_order).
            fn decode_ristretto(encodings: &[[u8; 32]], points: &mut [Point], valid: &mut [bool]);
            /// Canonical 32 bytes of points; inversions are shared.
            fn encode(points: &[Point], encodings: &mut [[u8; 32]]);
            /// The same points with Z = 1; inversions are shared.
            fn normalize(points: &mut [Point]);
            /// 8·P.
            fn mul_by_cofactor(points: &[Point], out: &mut [Point]);
            /// Whether each point is free of torsion, exactly.
            fn torsion_free(points: &[Point], free: &mut [bool]);
            /// P - m·Q for m from -4 to 4.
            fn sub_small_multiple(points: &[Point], m: &[i8], of: &[Point], out: &mut [Point]);
            /// s·B - m·P, or s·B + m·P.
            #[doc(hidden)]
            fn mul_base_and_point(s: &[[u8; 32]], m: Multipliers<'_>, p: &[Point], out: &mut [Point]);
            /// s·H - m·P, or s·H + m·P.
            #[doc(hidden)]
            fn mul_two_points(s: &[[u8; 32]], h: &[Point], m: Multipliers<'_>, p: &[Point], out: &mut [Point]);
            /// s·A + m·B, or s·A - m·B, for two points A and B with the same
            /// scalars; of them the lowest 253 bits count. The lanes hold the
            /// coordinates of one item after the other: for few.
            fn mul_alone(s: &[[u8; 32]], a: &[[Point; 2]], m: &[[u8; 32]], b: &[[Point; 2]], subtract: bool, out: &mut [[Point; 2]]);
            /// Σ scalar·point in two halves; of the scalars the lowest 255 bits count. The
            /// lanes hold the coordinates of two points.
            #[doc(hidden)]
            fn sums_of_few(scalars: &[[u8; 32]], points: &[Point], halves: &mut [Point; 2]);
            /// x·P and k·P for P of order L and secret scalars below L: constant time
            /// in the scalars and the points.
            fn secret_mul_pair(p: &[Point], x: &[[u8; 32]], k: &[[u8; 32]], by_x: &mut [Point], by_k: &mut [Point]);
            /// k·B for secret scalars below L: constant time in them.
            fn secret_mul_base(k: &[[u8; 32]], out: &mut [Point]);
            /// x·P, k·P and k·B as above, for few: one point after the other, whose
            /// coordinates share vectors where there are lanes.
            fn secret_mul_alone(p: &[Point], x: &[[u8; 32]], k: &[[u8; 32]], by_x: &mut [Point], by_k: &mut [Point], base_by_k: &mut [Point]);
            /// SHA-512 of the prefix, in blocks that are hashed once for all, and each
            /// message in its parts. For what is public: nothing is wiped.
            fn sha512(prefix: &[[u8; 128]], messages: &[&[&[u8]]], digests: &mut [[u8; 64]]);
            /// Rows of points whose Z is 1, for sums of many terms.
            #[doc(hidden)]
            fn prepare(points: &[Point], rows: &mut [AffineRow]);
            /// The sums of windows, and of each bit of their digits.
            #[doc(hidden)]
            fn sums_of_windows(table: &[AffineRow], windows: &[Window], levels: usize, sums: &mut [Point], bits: &mut [[Point; 8]]);
        }
    };
}

macro_rules! declare {
    ($($(#[$doc:meta])* fn $stage:ident($($arg:ident: $type:ty),*);)*) => {
        /// The stages on one backend. The slices of one call have one length: if they do
        /// not, the places that lack an item of some slice have no meaning. A stage works
        /// through them as many lanes at a time as the backend has, but for those named
        /// `…_alone`. Stages take variable time, but for those named `secret_…`.
        pub trait Engine: Sync {
            /// The name of the backend.
            fn name(&self) -> &'static str;
            /// How many points share a vector.
            fn lanes(&self) -> usize;
            /// How many of n items should share vectors; the rest, if any, is sooner done
            /// by the stages named `…_alone` (measured on Zen 4, AVX-512 F on Cascade Lake).
            fn whole(&self, n: usize) -> usize {
                let rest = n % self.lanes();
                if rest <= self.few() { n - rest } else { n }
            }
            /// The number of pairs of equations from which one sum of their terms takes less time than
            /// each pair (measured on Zen 4, AVX-512 F on Cascade Lake).
            fn sum_from(&self) -> usize;
            /// How many items take as long one by one as one vector of them.
            #[doc(hidden)]
            fn few(&self) -> usize;
            $($(#[$doc])* fn $stage(&self, $($arg: $type),*);)*
        }
    };
}

with_stages!(declare,);

macro_rules! implement {
    (
        ($backend:ident, $name:literal, $few:literal, $sum_from:literal, $field:ty, $compile:meta)
        $($(#[$doc:meta])* fn $stage:ident($($arg:ident: $type:ty),*);)*
    ) => {
        struct $backend;

        impl Engine for $backend {
            fn name(&self) -> &'static str {
                $name
            }

            fn lanes(&self) -> usize {
                <$field as Field>::LANES
            }

            fn few(&self) -> usize {
                $few
            }

            fn sum_from(&self) -> usize {
                $sum_from
            }

            $(fn $stage(&self, $($arg: $type),*) {
                #[$compile]
                fn compiled($($arg: $type),*) {
                    crate::stages::$stage::<$field>($($arg),*)
                }
                // SAFETY: an engine is handed out only after detection found its
                // instruction set on this processor.
                #[allow(unused_unsafe)]
                <$field>::run(|| unsafe { compiled($($arg),*) });
            })*
        }
    };
}

with_stages!(
    implement,
    (PortableEngine, "portable", 0, 24, Portable, inline(never))
);

#[cfg(target_arch = "x86_64")]
with_stages!(
    implement,
    (
        Avx2Engine,
        "avx2",
        3,
        48,
        crate::backend::avx2::Avx2,
        target_feature(enable = "avx2,fma,bmi2")
    )
);

#[cfg(target_arch = "x86_64")]
with_stages!(
    implement,
    (
        Avx512Engine,
        "avx512",
        5,
        128,
        crate::backend::avx512::Avx512,
        target_feature(enable = "avx512f,bmi2")
    )
);

#[cfg(target_arch = "x86_64")]
with_stages!(
    implement,
    (
        IfmaEngine,
        "ifma",
        3,
        256,
        crate::backend::ifma::Ifma,
        target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,bmi2")
    )
);

// What the processor and the operating system can do, asked once. Each list must
// name all that the backend above is compiled with, and what rustc takes for granted
// with it: avx512f brings avx2 and fma.
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(
    has_ifma,
    "avx512f",
    "avx2",
    "fma",
    "avx512dq",
    "avx512vl",
    "avx512bw",
    "avx512ifma",
    "bmi2"
);
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx512, "avx512f", "avx2", "fma", "bmi2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx2, "avx2", "fma", "bmi2");

/// An engine, and whether this processor can run it.
type Known = (&'static dyn Engine, fn() -> bool);

/// All engines, the fastest first.
const ALL: &[Known] = &[
    #[cfg(target_arch = "x86_64")]
    (&IfmaEngine, has_ifma::get),
    #[cfg(target_arch = "x86_64")]
    (&Avx512Engine, has_avx512::get),
    #[cfg(target_arch = "x86_64")]
    (&Avx2Engine, has_avx2::get),
    (&PortableEngine, || true),
];

/// Every engine that this processor can run, the fastest first.
///
/// ```
/// assert_eq!(lanes::engines().last().unwrap().name(), "portable");
/// ```
pub fn engines() -> Vec<&'static dyn Engine> {
    let runs = ALL.iter().filter(|(_, runs)| runs());
    runs.map(|(engine, _)| *engine).collect()
}

/// The place in [`ALL`] of the engine that was chosen; past its end if none was.
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The engine in use: the fastest that this processor can run, unless
/// [`use_engine`] chose another.
///
/// ```
/// println!("{} lanes of {}", lanes::engine().lanes(), lanes::engine().name());
/// ```
pub fn engine() -> &'static dyn Engine {
    let chosen = ALL.get(CHOSEN.load(Ordering::Relaxed));
    // What the processor can do was asked once; asking again costs a load.
    let fastest = || ALL.iter().find(|(_, runs)| runs());
    chosen
        .or_else(fastest)
        .map_or(&PortableEngine, |(engine, _)| *engine)
}

/// Makes an engine the one in use, in this process from now on.
///
/// ```
/// let portable = *lanes::engines().last().unwrap();
/// lanes::use_engine(portable);
/// assert_eq!(lanes::engine().name(), "portable");
/// ```
pub fn use_engine(engine: &'static dyn Engine) {
    let named = |(other, runs): &Known| other.name() == engine.name() && runs();
    if let Some(place) = ALL.iter().position(named) {
        CHOSEN.store(place, Ordering::Relaxed);
    }
}

impl fmt::Debug for dyn Engine + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// From this many points on, 128 sums of random subsets and their tests cost less
/// than a test of each point.
const MANY: usize = 600;

impl dyn Engine + '_ {
    /// s·B - c·P; of s the lowest 253 bits count, here and below.
    pub fn mul_base_sub(&self, s: &[[u8; 32]], c: &[[u8; 16]], p: &[Point], out: &mut [Point]) {
        self.mul_base_and_point(s, Multipliers::minus(&slices(c), 128), p, out);
    }

    /// s·B - m·P; of m as well the lowest 253 bits count.
    pub fn mul_base_sub_long(
        &self,
        s: &[[u8; 32]],
        m: &[[u8; 32]],
        p: &[Point],
        out: &mut [Point],
    ) {
        self.mul_base_and_point(s, Multipliers::minus(&slices(m), 253), p, out);
    }

    /// s·H - c·P.
    pub fn mul_sub(
        &self,
        s: &[[u8; 32]],
        h: &[Point],
        c: &[[u8; 16]],
        p: &[Point],
        out: &mut [Point],
    ) {
        self.mul_two_points(s, h, Multipliers::minus(&slices(c), 128), p, out);
    }

    /// s·H + m·P; of m as well the lowest 253 bits count.
    pub fn mul_add(
        &self,
        s: &[[u8; 32]],
        h: &[Point],
        m: &[[u8; 32]],
        p: &[Point],
        out: &mut [Point],
    ) {
        self.mul_two_points(s, h, Multipliers::plus(&slices(m), 253), p, out);
    }

    /// [`decode_and_map`](Engine::decode_and_map) with nothing to map.
    pub fn decode(&self, encodings: &[[u8; 32]], points: &mut [Point], on_curve: &mut [bool]) {
        let form = Elligator2::Rfc9380;
        self.decode_and_map(encodings, points, on_curve, &[], form, &mut []);
    }

    /// Σ scalar·point. The points must have Z = 1. Of the scalars, little-endian
    /// integers, the lowest `bits` bits count (at most 255). A point without a scalar
    /// is left out, and a scalar without a point.
    pub fn multiscalar_mul<const N: usize>(
        &self,
        points: &[Point],
        scalars: &[[u8; N]],
        bits: usize,
    ) -> Point {
        let (n, bits) = (points.len().min(scalars.len()), bits.min(255));
        if n <= FEW_TERMS {
            let scalars: Vec<_> = scalars[..n].iter().map(|s| lowest(s, bits)).collect();
            let mut halves = [Point::IDENTITY; 2];
            self.sums_of_few(&scalars, &points[..n], &mut halves);
            return halves[0].plus(&halves[1]);
        }
        let table = self.table(&points[..n]);
        let width = best_width(n);
        let count = digit_count(bits, width);
        // digits[window·n + point]
        let mut digits = vec![0i16; count * n];
        let mut one = [0; 128];
        for (i, scalar) in scalars[..n].iter().enumerate() {
            signed_digits(scalar, bits, width, &mut one[..count]);
            for (window, digit) in one[..count].iter().enumerate() {
                digits[window * n + i] = *digit;
            }
        }
        let levels = 1 << (width - 1);
        let windows: Vec<Window> = digits
            .chunks(n.max(1))
            .map(|digits| Window::sort(digits.iter().copied(), levels))
            .collect();
        let mut sums = vec![Point::IDENTITY; windows.len()];
        self.sums_of_windows(&table, &windows, levels, &mut sums, &mut []);
        horner(&sums, width)
    }

    /// Σ weight·point, and whether all points are free of torsion: wrong
    /// with probability at most 2^-128 over the weights, and never about points that
    /// are. The points must have Z = 1. A point without a weight is left out, and a
    /// weight without a point.
    pub fn random_combination(&self, points: &[Point], weights: &[[u8; 16]]) -> (Point, bool) {
        let n = points.len().min(weights.len());
        let (points, weights) = (&points[..n], &weights[..n]);
        if n < MANY {
            let mut free = vec![false; points.len()];
            self.torsion_free(points, &mut free);
            let sum = self.multiscalar_mul(points, weights, 128);
            return (sum, free.iter().all(|&free| free));
        }
        let table = self.table(points);
        // Unsigned bytes: each bit of the weights chooses a subset of the points.
        let windows: Vec<Window> = (0..16)
            .map(|at| Window::sort(weights.iter().map(move |w| i16::from(w[at])), 255))
            .collect();
        let mut sums = [Point::IDENTITY; 16];
        let mut bits = [[Point::IDENTITY; 8]; 16];
        self.sums_of_windows(&table, &windows, 255, &mut sums, &mut bits);
        let mut free = [false; 128];
        self.torsion_free(bits.as_flattened(), &mut free);
        (horner(&sums, 8), free.iter().all(|&free| free))
    }

    /// Rows of the points, and the identity behind them.
    fn table(&self, points: &[Point]) -> Vec<AffineRow> {
        let mut table = vec![AffineRow::IDENTITY; points.len() + 1];
        self.prepare(points, &mut table[..points.len()]);
        table
    }
}

/// The number of terms up to which a sum is faster with two points in the lanes than with windows
/// in them (measured on Zen 4).
const FEW_TERMS: usize = 24;

/// The lowest bits of a little-endian integer, at most 255.
fn lowest<const N: usize>(integer: &[u8; N], bits: usize) -> [u8; 32] {
    let mut out = [0; 32];
    for (i, (out, byte)) in out.iter_mut().zip(integer).enumerate() {
        let left = bits.saturating_sub(8 * i).min(8);
        *out = byte & ((1u16 << left) - 1) as u8;
    }
    out
}

/// Σ 2^(width·i)·windows[i], by Horner's rule: a chain of doublings, nothing for
/// lanes.
fn horner(windows: &[Point], width: usize) -> Point {
    let mut sum = Completed::<Portable>::identity();
    for window in windows.iter().rev() {
        for _ in 0..width {
            sum = sum.to_double().double();
        }
        let window = load::<Portable>(core::slice::from_ref(window));
        sum = sum.to_add().add(&window.to_cached());
    }
    let mut out = Point::IDENTITY;
    store(sum.to_extended(), core::slice::from_mut(&mut out));
    out
}

/// The width of signed digits that makes a sum of n terms cheapest: a window costs an
/// addition for each point and about four thirds of one for each level.
fn best_width(n: usize) -> usize {
    let cost = |width: usize| 254usize.div_ceil(width) * (3 * n + (4 << (width - 1)));
    (3..=8).min_by_key(|&width| cost(width)).unwrap_or(8)
}

impl Point {
    /// P + Q, alone in its lane.
    pub fn plus(&self, other: &Point) -> Point {
        let (p, q) = (
            load::<Portable>(core::slice::from_ref(self)),
            load::<Portable>(core::slice::from_ref(other)),
        );
        let mut out = Point::IDENTITY;
        let sum = p.to_add().add(&q.to_cached()).to_extended();
        store(sum, core::slice::from_mut(&mut out));
        out
    }

    /// Is 8·P the identity?
    pub fn is_small_order(&self) -> bool {
        let p = load::<Portable>(core::slice::from_ref(self)).mul_by_cofactor();
        (p.x.is_zero() & crate::field::equal(p.y, p.z)) & 1 == 1
    }
}
