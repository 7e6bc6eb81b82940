//! Support for the integration tests.
//!
//! A [`case::Case`] is a claim with its expected verdict. Most verdicts come from the readable model of
//! ECVRF, the crate `klero-reference`. For large numbers of random claims, verdicts come from [`oracle`],
//! which is faster. [`source`] makes these random claims. [`hostile`] uses [`forger`] to make claims that are
//! meant to make verifiers disagree. [`compare`] compares the library's verdicts with the expected verdicts.

// Each test binary uses its own part of this module.
#![allow(dead_code, unused_imports)]

pub mod case;
pub mod compare;
pub mod forger;
pub mod hostile;
pub mod oracle;
pub mod rng;
pub mod source;

/// Makes one `#[test]` for each suite, `CHECK::SUITE`, from `fn CHECK(&Suite)`.
#[macro_export]
macro_rules! every_suite {
    ($($check:ident),+ $(,)?) => { $(
        mod $check {
            $crate::every_suite! { @ $check:
                praos praos_original draft10_tai draft10_tai_bc draft13 draft13_bc
                rfc9381_tai rfc9381_ell2 rfc9381_tai_bc rfc9381_ell2_bc
                praos_128 praos_144 praos_tai praos_blake2b
            }
        }
    )+ };
    (@ $check:ident: $($suite:ident)+) => { $(
        #[test]
        fn $suite() {
            let name = stringify!($suite).replace('_', "-");
            super::$check(klero_reference::Suite::named(&name).unwrap());
        }
    )+ };
}
