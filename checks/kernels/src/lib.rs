//! Shows by machine that the arithmetic of klero-lanes is right for **all** inputs.
//!
//! Tests try inputs. A carry that is lost once in 2^30 elements stays hidden from them. But the
//! *kernels* (product, square, carry, difference, least residue, …) are straight lines of
//! operations on words, written over traits: they can be executed on words that are not words.
//! Here a word is a **symbol**, a polynomial over the input limbs together with an interval that it
//! lies in. A kernel that ran on symbols once has run for all inputs.
//!
//! ```text
//! inputs      a0 … a4, b0 … b4, each anywhere from 0 to below 2^51 + 2^32
//! the kernel  the source of klero-lanes, executed on symbols
//! result      c0 … c4, polynomials in a0 … b4 and in variables made up for carries
//! claim       Σ 2^(51·i)·c[i] - (Σ 2^(51·i)·a[i])·(Σ 2^(51·i)·b[i]) = 0 modulo p, as a polynomial,
//!             and each c[i] within the bounds that the backend documents
//! ```
//!
//! The made-up variables cancel where every carry that is taken from one limb is added to the
//! next. `words/facts` explains how.
//!
//! The bounds that a kernel guarantees are those that the next one requires. That formulas keep to
//! this is shown by running all stages of klero-lanes on intervals, where every element is any
//! element (`stages`, `field/any`).
//!
//! The check is itself checked. Each operation of each kernel is altered in several ways
//! (`mutants`), and mistakes of the kind that people make are planted (`faults`). All that are wrong
//! must be found. Numbers decide independently which are: a mutant that passes
//! and is wrong on some number is an error.
//!
//! # What is executed
//! The code of klero-lanes itself, which is generic over words and fields. `field/model` supplies
//! words, and `field/backends` puts the kernels over these words as each backend does over its own.
//! On them klero-lanes asserts its bounds in every build.
//!
//! Two parts have no field. `integers` executes what klero-lanes does to integers of a few words: bytes
//! to limbs, products modulo the order of the group, signed digits. `lanes` compiles the words of
//! vectors with models of the processor's instructions, and follows symbols from lane to lane.
//!
//! # What is not shown
//! * That an instruction does what its symbol says, and that the compiler is right. The tests of
//!   klero-lanes cover that on inputs.
//! * Hashes; and of inversion, which is not written over words, all but the number of its steps
//!   (`division`).
//! * Of scalars, what is not in `integers`: the non-adjacent form, the signs of combs, multipliers of
//!   half the size.
//! * That no index or count of a formula overflows an integer. Debug builds assert it.
//! * That the multipliers of one lane, which are written over `u64`, call the functions that are
//!   executed here. That is seen on numbers (`field/source`).
//! * What formulas compute; here only their bounds are. The check on a tiny curve shows the rest.

#![cfg(target_arch = "x86_64")]

mod attempt;
mod division;
mod faults;
mod field;
mod integer;
mod integers;
mod lanes;
mod least;
mod mutants;
mod numeric;
mod report;
mod stages;
mod symbolic;
mod words;

use std::hint::black_box;
use std::process::ExitCode;

use klero_lanes::unstable::field::columns64::Columns64;
use klero_lanes::unstable::field::columns128::Columns128;
use klero_lanes::unstable::field::ifma::{Latency, Throughput};

use field::backends::{Backend, Ifma, Ifma52, InDoubles, Portable64, Portable128};
use field::kernels::kernels;
use field::source;
use numeric::is_right;
use report::Report;
use words::concrete::Concrete;
use words::execution::Mode;
use words::symbol::Symbol;

/// Inputs that each mutant of a kernel on a field is tried on.
const SAMPLES: usize = 150;

/// Checks all backends and prints what was shown; fails unless all was.
pub fn check_all() -> ExitCode {
    attempt::prepare();
    let overflow = attempt::attempt(|| u8::MAX + black_box(1));
    assert!(overflow.is_err(), "overflow checks are off");
    let mut report = Report::default();
    check::<Ifma<true, Throughput>>("ifma (51)", &mut report);
    check::<Ifma<true, Latency>>("ifma (51, one alone)", &mut report);
    check::<Ifma<false, Throughput>>("avx-ifma", &mut report);
    check::<Ifma<false, Latency>>("avx-ifma (one alone)", &mut report);
    check::<Ifma52>("ifma (52)", &mut report);
    check::<InDoubles>("avx2, avx512", &mut report);
    check::<Portable128>("portable", &mut report);
    check::<Portable64>("portable (wasm)", &mut report);
    report.says(
        "columns128",
        source::agrees::<Portable128, Columns128>("columns128"),
    );
    report.says(
        "columns64",
        source::agrees::<Portable64, Columns64>("columns64"),
    );
    report.says("square", faults::doubled_operand());
    report.says("division steps", division::check());
    integers::check::check_all(&mut report);
    lanes::check::check_all(&mut report);
    report.end()
}

fn check<B: Backend>(name: &str, report: &mut Report) {
    report.backend(name);
    let of_symbols = kernels::<B, Symbol>();
    for (symbolic, numeric) in of_symbols.iter().zip(&kernels::<B, Concrete>()) {
        let result = symbolic::check(symbolic, &Mode::Faithful).and_then(|shown| {
            let samples = numeric::samples(numeric, SAMPLES);
            let count = mutants::try_all(
                &shown.operations,
                |mode| symbolic::check(symbolic, mode).is_ok(),
                |mode| samples.iter().all(|sample| is_right(numeric, mode, sample)),
            )?;
            Ok((shown, count))
        });
        report.kernel(symbolic, result);
    }
    report.says("stages", stages::check::<B>(Mode::Faithful));
    report.says("stages", faults::smallest_bias::<B>());
    report.faults(&faults::plant(
        &faults::OF_KERNELS,
        &of_symbols,
        |kernel| kernel.name.to_owned(),
        |kernel, mode| Ok(symbolic::check(kernel, mode)?.operations),
    ));
}
