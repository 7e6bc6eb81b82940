//! The stages, compiled once for each backend.
//!
//! A stage is a function over slices that is generic over the field. The files of the formulas and hashes
//! define the stages. Here, each stage is compiled for each backend, with the backend's instruction set. The
//! stages are called through [`Stages`].

#[cfg(target_arch = "x86_64")]
use crate::detect::{avx_ifma_bit, prefers_radix_52};
use crate::field::{Portable, Word};
use crate::formulas::elligator2::Elligator2;
use crate::formulas::known::{KnownPoint, MULTIPLES};
use crate::formulas::lattice::Halves;
use crate::formulas::msm::Windows;
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;
use crate::formulas::straus::Multipliers;
use crate::formulas::{
    alone, base_comb, comb, encoding, equation, known, lattice, msm, ristretto, rows,
    small_multiples, straus, torsion,
};
use crate::tuning::{self, Tuning};
use crate::{blake2b, sha512};

/// Calls a macro with the given arguments and the list of stages. Each stage is listed with its module.
macro_rules! with_stages {
    ($macro:ident, $($before:tt)*) => {
        $macro! {
            $($before)*
            encoding::decode_and_map(encodings: &[[u8; 32]], points: &mut [Point], on_curve: &mut [bool], r: &[[u8; 32]], form: Elligator2, mapped: &mut [Point]);
            encoding::encode(points: &[Point], encodings: &mut [[u8; 32]]);
            encoding::normalize(points: &mut [Point]);
            ristretto::decode_ristretto(encodings: &[[u8; 32]], points: &mut [Point], valid: &mut [bool]);
            torsion::torsion_free(points: &[Point], free: &mut [bool]);
            small_multiples::mul_by_cofactor(points: &[Point], out: &mut [Point]);
            small_multiples::sub_small_multiple(p: &[Point], m: &[i8], q: &[Point], out: &mut [Point]);
            straus::mul_two(s: &[[u8; 32]], h: Option<&[Point]>, m: Multipliers<'_>, p: &[Point], out: &mut [Point]);
            known::multiples(points: &[Point], out: &mut [[Point; MULTIPLES]]);
            known::mul_base_and_known(s: &[[u8; 32]], c: &[[u8; 16]], p: &[&KnownPoint], out: &mut [Point]);
            lattice::halve(k: &[[u8; 32]], halves: &mut [Halves]);
            equation::vanishes(w: &[[u8; 32]], halves: &[Halves], p: &[Point], q: &[Point], vanishes: &mut [bool]);
            alone::mul_alone(s: &[[u8; 32]], a: &[[Point; 2]], m: &[[u8; 32]], b: &[[Point; 2]], subtract: bool, out: &mut [[Point; 2]]);
            alone::sum_of_few(s: &[u8; 32], scalars: &[&[u8]], bits: usize, points: &[Point], halves: &mut [Point; 2]);
            alone::horner(s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]);
            alone::mul_base_sub_alone(s: &[[u8; 32]], m: &[[u8; 32]], p: &[Point], out: &mut [Point]);
            alone::secret_mul_alone(p: &[Point], x: &[[u8; 32]], out: &mut [Point]);
            alone::secret_prove_alone(p: &[Point], x: &[[u8; 32]], k: &[[u8; 32]], by_x: &mut [Point], by_k: &mut [Point], base_by_k: &mut [Point]);
            comb::secret_mul(p: &[Point], scalars: &[&[[u8; 32]]], out: &mut [&mut [Point]]);
            base_comb::secret_mul_base(k: &[[u8; 32]], out: &mut [Point]);
            rows::prepare(points: &[Point], rows: &mut [AffineRow]);
            msm::sums_of_windows(table: &[AffineRow], windows: &Windows, sums: &mut [Point], bits: &mut [Point]);
            sha512::sha512(prefix: &[[u8; 128]], messages: &[&[&[u8]]], digests: &mut [[u8; 64]]);
            blake2b::blake2b(digest_length: u8, messages: &[&[&[u8]]], digests: &mut [u8]);
        }
    };
}

macro_rules! declare {
    ($($module:ident::$stage:ident($($arg:ident: $type:ty),*);)*) => {
        /// The names of all stages, with their modules. With this list, checks can make sure that they omit
        /// no stage.
        pub const STAGES: &[&str] = &[
            $(concat!(stringify!($module), "::", stringify!($stage))),*
        ];

        /// The stages on one backend. The slices in a call must have matching lengths, which callers check.
        pub(crate) trait Stages: Sync {
            fn name(&self) -> &'static str;
            fn lanes(&self) -> usize;
            /// The radix of the field and of the engine's rows.
            fn radix(&self) -> u32;
            fn tuning(&self) -> Tuning;
            $(fn $stage(&self, $($arg: $type),*);)*
        }
    };
}

with_stages!(declare,);

// Each backend has its own module. The compiler makes one unit of each module and compiles units in parallel.
macro_rules! compile {
    (
        ($backend:ident, $name:expr, $tuning:expr, $field:ty, $run:path, $attribute:meta)
        $($module:ident::$stage:ident($($arg:ident: $type:ty),*);)*
    ) => {
        mod $backend {
            use super::*;

            pub(super) struct Compiled;

            impl Stages for Compiled {
                fn name(&self) -> &'static str {
                    $name
                }

                fn lanes(&self) -> usize {
                    <<$field as crate::field::Field>::Word as Word>::LANES
                }

                fn radix(&self) -> u32 {
                    <$field as crate::field::Field>::RADIX
                }

                fn tuning(&self) -> Tuning {
                    $tuning
                }

                $(fn $stage(&self, $($arg: $type),*) {
                    #[$attribute]
                    fn compiled($($arg: $type),*) {
                        $module::$stage::<$field>($($arg),*)
                    }
                    // SAFETY: an engine is handed out only after detection found its
                    // instruction set on this processor.
                    #[allow(unused_unsafe)]
                    $run(|| unsafe { compiled($($arg),*) });
                })*
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
use crate::field::with_default_environment;

/// Runs a stage in the floating-point environment of the caller.
#[inline(always)]
fn as_it_is(stage: impl FnOnce()) {
    stage();
}

with_stages!(
    compile,
    (
        portable,
        "portable",
        tuning::PORTABLE,
        Portable,
        as_it_is,
        inline(never)
    )
);

/// Compiles the stages for the backends of x86-64. Each row lists a backend's module, name, field, tuning,
/// function that runs a stage, and processor features. The compiler may use these features, and detection
/// checks for them. The crate `cpufeatures` does not know a feature after `;`.
macro_rules! backends {
    ($(
        $(#[$condition:meta])?
        $backend:ident: $name:literal, $field:ident, $tuning:ident, $run:ident,
        [$($feature:tt),* $(; $unknown:tt)?];
    )*) => {
        $(
            #[cfg(target_arch = "x86_64")]
            $(#[$condition])?
            with_stages!(
                compile,
                (
                    $backend,
                    $name,
                    tuning::$tuning,
                    crate::field::$field,
                    crate::stages::$run,
                    target_feature($(enable = $feature),* $(, enable = $unknown)?)
                )
            );
        )*

        /// For each backend, a test that the processor has its features, except any feature after `;`.
        #[cfg(target_arch = "x86_64")]
        mod found {
            $(
                $(#[$condition])?
                pub(super) mod $backend {
                    cpufeatures::new!(features, $($feature),*);

                    pub(crate) fn get() -> bool {
                        features::get()
                    }
                }
            )*
        }
    };
}

// Each list includes the features that its other features imply: avx512f implies avx2 and fma. avx512f also
// implies f16c, which is left out because `cpufeatures` does not know it. Every processor with AVX2 has f16c.
backends! {
    ifma52: "ifma52", Ifma52, IFMA, as_it_is,
        ["avx512f", "avx2", "fma", "avx512dq", "avx512vl", "avx512bw", "avx512ifma", "bmi2"];
    ifma51: "ifma51", Ifma, IFMA, as_it_is,
        ["avx512f", "avx2", "fma", "avx512dq", "avx512vl", "avx512bw", "avx512ifma", "bmi2"];
    avx_ifma: "avx-ifma", AvxIfma, AVX_IFMA, as_it_is,
        ["avx2", "fma", "bmi2"; "avxifma"];
    // `avx-ifma` with its instructions in AVX-512's encoding, so that tests can run it on more processors.
    #[cfg(debug_assertions)]
    avx_ifma_twin: "avx-ifma", AvxIfmaTwin, AVX_IFMA, as_it_is,
        ["avx2", "fma", "avx512f", "avx512vl", "avx512ifma", "bmi2"];
    avx512: "avx512", Avx512, AVX512, as_it_is,
        ["avx512f", "avx2", "fma", "bmi2"];
    avx2: "avx2", Avx2, AVX2, with_default_environment,
        ["avx2", "fma", "bmi2"];
}

/// The stages of a backend, and the test of whether this processor can run them.
pub(crate) type Known = (&'static dyn Stages, fn() -> bool);

/// All backends, the fastest first.
pub(crate) const ALL: &[Known] = &[
    #[cfg(target_arch = "x86_64")]
    (&ifma52::Compiled, || {
        found::ifma52::get() && prefers_radix_52()
    }),
    #[cfg(target_arch = "x86_64")]
    (&ifma51::Compiled, found::ifma51::get),
    // Tests and benchmarks can use `ifma52` even if the other radix is preferred.
    #[cfg(target_arch = "x86_64")]
    (&ifma52::Compiled, || {
        found::ifma52::get() && !prefers_radix_52()
    }),
    #[cfg(target_arch = "x86_64")]
    (&avx_ifma::Compiled, has_avx_ifma),
    #[cfg(all(target_arch = "x86_64", debug_assertions))]
    (&avx_ifma_twin::Compiled, || {
        found::avx_ifma_twin::get() && !has_avx_ifma()
    }),
    #[cfg(target_arch = "x86_64")]
    (&avx512::Compiled, found::avx512::get),
    #[cfg(target_arch = "x86_64")]
    (&avx2::Compiled, found::avx2::get),
    (&portable::Compiled, || true),
];

/// True if the processor has AVX-IFMA. The bit can be read safely: AVX2, which is tested first, implies that
/// leaf 7 of CPUID exists and that the operating system saves the registers.
#[cfg(target_arch = "x86_64")]
fn has_avx_ifma() -> bool {
    found::avx_ifma::get() && avx_ifma_bit()
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    #[test]
    fn avx_ifma_is_found_where_the_standard_library_finds_it() {
        let found = std::arch::is_x86_feature_detected!("avxifma");
        assert_eq!(super::has_avx_ifma(), found && super::found::avx2::get());
    }
}
