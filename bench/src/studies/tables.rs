//! The tables of the studies: names of columns, and the published figures.

/// The titles of the studies. The first two are about the proposal of Badertscher and others,
/// <https://eprint.iacr.org/2022/1045>.
pub const BENCHMARKS: &str = "the study “VRF benchmarks”";
pub const BATCHING: &str = "the study “VRF Batching”";
pub const CRATE: &str = "“Verifiable Random Function”, the page of the crate vrf_dalek";

/// A table of a study.
pub struct Study {
    /// The experiment, and the name of its file.
    pub name: &'static str,
    pub title: &'static str,
    /// Where the figures were published.
    pub source: &'static str,
    pub text: &'static str,
    /// Column names and the published figures in microseconds for each proof.
    pub columns: &'static [(&'static str, f64)],
    /// A microsecond for each proof, in the unit of the file.
    pub scale: f64,
}

pub const PRAOS: Study = Study {
    name: "results_praos",
    title: "results_praos.csv: single verification and its parts",
    source: BENCHMARKS,
    text: "verif: constant-time multiplications and an inversion for every encoding. verif_opt: \
           variable time. verif_opt_blake, verif_try_inc: with BLAKE2b, with try and increment. \
           batch_compatible: a proof of 128 bytes by itself. api_mul, internal_mul: one \
           multiplication through libsodium's API (if libsodium is installed), and without its \
           checks. single_multi: the equations of one proof as one multiscalar multiplication.",
    columns: &[
        ("verif", 201.0),
        ("verif_opt", 142.0),
        ("verif_opt_blake", 142.0),
        ("verif_try_inc", 135.0),
        ("batch_compatible", 124.0),
        ("api_mul", 90.0),
        ("internal_mul", 51.0),
        ("single_multi", 84.0),
    ],
    scale: klero_measure::SECONDS,
};

pub const BATCH: Study = Study {
    name: "results_batch",
    title: "results_batch.csv: a batch of 856",
    source: BENCHMARKS,
    text: "draft-13 in 80 bytes, in 128 bytes one by one, and in 128 bytes together.",
    columns: &[
        ("normal_verif", 93.472),
        ("batch_compat_verif", 94.056),
        ("batch_verif", 54.576),
    ],
    scale: klero_measure::MILLISECONDS,
};

pub const BATCH_200: Study = Study {
    name: "results_batch_200",
    title: "The same for a batch of 200",
    source: BENCHMARKS,
    text: "The study names this size as its end goal, and has no figures for it.",
    columns: &[
        ("normal_verif", f64::NAN),
        ("batch_compat_verif", f64::NAN),
        ("batch_verif", f64::NAN),
    ],
    scale: klero_measure::MILLISECONDS,
};

/// The number of proofs in each column of `batch_results.csv`.
pub const STEPS: usize = 1024;

pub const STEPS_4_5: Study = Study {
    name: "batch_results",
    title: "batch_results.csv: steps 4 and 5 for 1024 proofs",
    source: BATCHING,
    text: "U and V alone, from decoded points: by two multiplications for each proof (No batch), \
           or as random combinations of a whole batch. The file has milliseconds for all 1024 \
           proofs, as the study does; the table has µs for each.",
    columns: &[
        ("No batch", 83_547.052 / 1024.0),
        ("Batch size 1", 76_738.304 / 1024.0),
        ("Batch size 2", 65_952.413 / 1024.0),
        ("Batch size 4", 67_722.751 / 1024.0),
        ("Batch size 8", 64_462.740 / 1024.0),
        ("Batch size 16", 57_596.202 / 1024.0),
        ("Batch size 32", 46_550.699 / 1024.0),
        ("Batch size 64", 50_980.108 / 1024.0),
        ("Batch size 128", 42_380.395 / 1024.0),
        ("Batch size 256", 33_820.934 / 1024.0),
        ("Batch size 512", 32_630.467 / 1024.0),
        ("Batch size 1024", 29_648.970 / 1024.0),
    ],
    scale: 1.024,
};

/// The crate's criterion table: batch sizes, and the published middle figures in microseconds
/// for a call: deterministic, random, multiscalar multiplication alone.
pub const CRITERION: [(usize, [f64; 3]); 10] = [
    (2, [209.65, 189.77, 119.74]),
    (4, [372.49, 335.83, 197.03]),
    (8, [693.18, 624.47, 379.48]),
    (16, [1353.2, 1214.6, 722.97]),
    (32, [2644.7, 2270.8, 1406.3]),
    (64, [4984.5, 4244.6, 2343.1]),
    (128, [9408.5, 7931.5, 4091.2]),
    (256, [17712.0, 14676.0, 7189.2]),
    (512, [34552.0, 28108.0, 12922.0]),
    (1024, [66553.0, 54584.0, 24333.0]),
];

/// The lines of that table: name and published microseconds for each proof.
pub fn criterion_lines() -> Vec<(String, f64)> {
    let mut lines = vec![
        ("VRF10/Generation".to_owned(), 154.50),
        ("VRF10/Verification".to_owned(), 114.26),
        (format!("{COMPAT}/Generation"), 167.78),
        (format!("{COMPAT}/Single Verification"), 117.90),
    ];
    for (of, which) in [(DETERMINISTIC, 0), (RANDOM, 1), (MULTISCALAR, 2)] {
        for (n, figures) in CRITERION {
            lines.push((format!("{COMPAT}/{of}/{n}"), figures[which] / n as f64));
        }
    }
    lines
}

pub const COMPAT: &str = "VRF10 Batch Compat";
pub const DETERMINISTIC: &str = "Batch Verification (deterministic)";
pub const RANDOM: &str = "Batch Verification (random)";
pub const MULTISCALAR: &str = "Multiscalar multiplication (no insertion)";
pub const CRITERION_NAME: &str = "criterion";
