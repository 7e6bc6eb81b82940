//! Experimental suites: benchmark variants of draft-03 that nothing deploys.
//!
//! They exist so that published measurements of these variants can be repeated.
//! Do not build on them.

use crate::suite::{Hash, HashToCurve, ProofForm, Suite};

/// draft-03 in the 128-byte, batch-compatible form.
pub const PRAOS_128: Suite = Suite {
    name: "praos-128",
    proof_form: ProofForm::GammaUVS,
    used_by: "experiment: batch_compatible",
    ..Suite::PRAOS
};

/// draft-03 in 144 bytes, the first proposal of a batch-compatible form.
pub const PRAOS_144: Suite = Suite {
    name: "praos-144",
    proof_form: ProofForm::GammaUVCS,
    used_by: "experiment: first batch-compatible proposal",
    ..Suite::PRAOS
};

/// draft-03 on BLAKE2b.
pub const PRAOS_BLAKE2B: Suite = Suite {
    name: "praos-blake2b",
    hash: Hash::Blake2b,
    used_by: "experiment: verif_opt_blake",
    ..Suite::PRAOS
};

/// draft-03 with try-and-increment.
pub const PRAOS_TAI: Suite = Suite {
    name: "praos-tai",
    hash_to_curve: HashToCurve::TryAndIncrement,
    used_by: "experiment: verif_try_inc",
    ..Suite::PRAOS
};
