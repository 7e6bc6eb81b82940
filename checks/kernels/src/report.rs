//! What is printed.

use std::collections::BTreeMap;
use std::process::ExitCode;

use crate::faults::{Bias, Planted};
use crate::field::backends::Backend;
use crate::field::kernels::Kernel;
use crate::integers::comparison::Compared;
use crate::mutants::Count;
use crate::stages::Widest;
use crate::symbolic::Shown;
use crate::words::symbol::Symbol;
use klero_lanes::unstable::field::{DIVISION_STEPS, Field};

/// What was printed so far.
#[derive(Default)]
pub struct Report {
    kernels: usize,
    /// The kernels on integers.
    integers: usize,
    /// What moves words between lanes.
    moves: usize,
    mutants: Count,
    mutants_of_moves: Count,
    /// The kernels that each fault was planted in.
    planted: BTreeMap<&'static str, usize>,
    /// The planted faults that were found.
    found: usize,
    failures: usize,
}

/// A number by its logarithm, or as a power of 2 and a little more.
fn power(value: i128) -> String {
    let k = value.max(1).ilog2();
    let rest = value - (1 << k);
    match rest {
        0 => format!("2^{k}"),
        1.. if rest < (1 << k) >> 12 => format!("2^{k} + {rest}"),
        _ => format!("2^{:.2}", (value as f64).log2()),
    }
}

impl Report {
    pub fn backend(&mut self, name: &str) {
        println!(
            "{name:<20}{:>11}  {:<18}{:<15}{:>8}{:>8}{:>11}",
            "operations", "limbs below", "documented", "mutants", "found", "equivalent"
        );
    }

    pub fn kernel(&mut self, kernel: &Kernel<Symbol>, result: Result<(Shown, Count), String>) {
        let name = kernel.name;
        let (shown, count) = match result {
            Ok(result) => result,
            Err(message) => return self.failed(name, &message),
        };
        // The limb that comes closest to its bound.
        let limbs = shown
            .ranges
            .map(|ranges| ranges.into_iter().zip(kernel.bounds));
        let closest = limbs.and_then(|limbs| {
            limbs.max_by(|(a, of_a), (b, of_b)| {
                let share = |high: i128, bound: i128| high as f64 / bound as f64;
                share(a.high, of_a.high).total_cmp(&share(b.high, of_b.high))
            })
        });
        let (below, documented) = match closest {
            Some((range, bound)) => (power(range.high + 1), power(bound.high + 1)),
            None => ("a mask".to_owned(), String::new()),
        };
        println!(
            "  {name:<18}{:>11}  {below:<18}{documented:<15}{:>8}{:>8}{:>11}",
            shown.operations.len(),
            count.all,
            count.found,
            count.equivalent(),
        );
        self.kernels += 1;
        self.mutants.add(count);
    }

    /// A kernel on integers: the number of its operations, and its mutants.
    pub fn integers(&mut self, name: &str, result: Result<(usize, Count), String>) {
        if let Some(count) = self.row(name, result) {
            self.integers += 1;
            self.mutants.add(count);
        }
    }

    /// What moves words between lanes: the same.
    pub fn moves(&mut self, name: &str, result: Result<(usize, Count), String>) {
        if let Some(count) = self.row(name, result) {
            self.moves += 1;
            self.mutants_of_moves.add(count);
        }
    }

    pub fn outside(&mut self, found: bool) {
        match found {
            true => println!("  a load and a store past the end of rows are found\n"),
            false => self.failed("rows", "a load or a store past their end is not found"),
        }
    }

    fn row(&mut self, name: &str, result: Result<(usize, Count), String>) -> Option<Count> {
        match result {
            Ok((operations, count)) => {
                println!(
                    "  {name:<18}{operations:>11}  {:<33}{:>8}{:>8}{:>11}",
                    "",
                    count.all,
                    count.found,
                    count.equivalent(),
                );
                Some(count)
            }
            Err(message) => {
                self.failed(name, &message);
                None
            }
        }
    }

    pub fn digits(&mut self, shapes: Result<usize, String>) {
        match shapes {
            Ok(shapes) => println!(
                "  digits of widths 2 to 8, of integers of 1 to 256 bits: all {shapes} are right"
            ),
            Err(message) => self.failed("digits", &message),
        }
    }

    pub fn multiples(&mut self, found: Result<(), String>) {
        match found {
            Ok(()) => println!(
                "  folds by 2·L for 4·L, 2^33·L for 2^34·L and 0·L for L are found to become negative"
            ),
            Err(message) => self.failed("folds", &message),
        }
    }

    pub fn comparison(&mut self, compared: Result<Compared, String>) {
        match compared {
            Ok(Compared {
                ways,
                planted,
                found,
                equivalent,
            }) => println!(
                "  an encoding compared with p: right on each of {ways} ways; of {planted} faults \
                 {found} found, {equivalent} equivalent"
            ),
            Err(message) => self.failed("comparison", &message),
        }
    }

    pub fn stages<B: Backend>(&mut self, widest: Result<Widest, String>, bias: Option<Bias>) {
        let (limits, name) = (
            (B::Field::<Symbol>::WIDE, B::Field::<Symbol>::BIAS[0]),
            "stages",
        );
        match widest {
            Ok(Widest { sum, subtrahend }) => println!(
                "  all stages: sums up to {} of {}, subtrahends up to {} of {}",
                power(sum),
                power(limits.0.into()),
                power(subtrahend),
                power(limits.1.into()),
            ),
            Err(message) => self.failed(name, &message),
        }
        match bias {
            Some(Bias { shift, enough }) => println!(
                "  bias 2^{shift}·p; all stages hold down to 2^{enough}·p, and 2^{}·p is found too small",
                enough - 1
            ),
            None => self.failed(name, "a bias that is too small was not found"),
        }
    }

    pub fn faults(&mut self, faults: &[Planted]) {
        let list = faults
            .iter()
            .filter(|fault| fault.kernels > 0)
            .map(|fault| format!("{} ({})", fault.name, fault.kernels));
        println!(
            "  planted (and the number of kernels with each): {}",
            list.collect::<Vec<_>>().join(", ")
        );
        for fault in faults {
            *self.planted.entry(fault.name).or_default() += fault.kernels;
            self.found += fault.kernels - fault.missed.len();
            for kernel in &fault.missed {
                self.failed(fault.name, &format!("not found in {kernel}"));
            }
        }
        println!();
    }

    pub fn multiplier(&mut self, name: &str, agrees: Result<(), String>) {
        match agrees {
            Ok(()) => println!("{name} of klero-lanes computes what is executed here."),
            Err(message) => self.failed(name, &message),
        }
    }

    pub fn doubled_operand(&mut self, found: bool) {
        if found {
            println!(
                "A square that doubles operands in place of columns is right for limbs below 2^51,"
            );
            println!("and found to be wrong for tight ones.");
        } else {
            self.failed("square", "doubled operands were not found");
        }
    }

    pub fn division_steps(&mut self, suffice: Result<usize, String>) {
        match suffice {
            Ok(suffice) => println!(
                "Inversion takes {DIVISION_STEPS} division steps. {suffice} suffice for every element."
            ),
            Err(message) => self.failed("division steps", &message),
        }
    }

    pub fn end(mut self) -> ExitCode {
        for (name, kernels) in self.planted.clone() {
            if kernels == 0 {
                self.failed(name, "planted in no kernel");
            }
        }
        if [self.kernels, self.integers, self.moves].contains(&0) {
            self.failed("kernels", "there are none");
        }
        let Count { all, found, wrong } = self.mutants;
        println!(
            "{} kernels of fields and {} on integers are right for all inputs within their bounds.",
            self.kernels, self.integers
        );
        println!("{all} mutants: {found} found, {wrong} of them wrong on numbers that were tried;");
        println!(
            "{} equivalent, none of them wrong on any.",
            self.mutants.equivalent()
        );
        let Count { all, found, .. } = self.mutants_of_moves;
        println!(
            "{} functions move words between lanes as they should, whatever the words are;",
            self.moves
        );
        println!("of {all} mutants of them {found} are found.");
        let planted: usize = self.planted.values().sum();
        println!("{} of {planted} planted faults found.", self.found);
        if self.failures > 0 {
            println!("{} FAILED", self.failures);
            return ExitCode::FAILURE;
        }
        ExitCode::SUCCESS
    }

    fn failed(&mut self, name: &str, message: &str) {
        println!("  {name:<17} FAILED: {message}");
        self.failures += 1;
    }
}
