//! What is printed.

use std::collections::BTreeMap;
use std::process::ExitCode;

use crate::faults::Planted;
use crate::field::kernels::Kernel;
use crate::integer::by_logarithm;
use crate::mutants::Count;
use crate::symbolic::Shown;
use crate::words::symbol::Symbol;

/// What was printed so far.
#[derive(Default)]
pub struct Report {
    fields: Rows,
    integers: Rows,
    /// What moves words between lanes.
    moves: Rows,
    /// The kernels that each fault was planted in.
    planted: BTreeMap<&'static str, usize>,
    /// The planted faults that were found.
    found: usize,
    failures: usize,
}

/// The rows of one kind.
#[derive(Default)]
struct Rows {
    kernels: usize,
    mutants: Count,
}

impl Rows {
    /// Prints a row: the name of a kernel, the number of its operations, two columns of bounds, and
    /// its mutants.
    fn add(&mut self, name: &str, operations: usize, bounds: [&str; 2], count: Count) {
        let [below, documented] = bounds;
        println!(
            "  {name:<18}{operations:>11}  {below:<18}{documented:<15}{:>8}{:>8}{:>11}",
            count.all,
            count.found,
            count.equivalent(),
        );
        self.kernels += 1;
        self.mutants.add(count);
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
            Some((range, bound)) => (by_logarithm(range.high + 1), by_logarithm(bound.high + 1)),
            None => ("a mask".to_owned(), String::new()),
        };
        let operations = shown.operations.len();
        self.fields
            .add(name, operations, [&below, &documented], count);
    }

    /// A kernel on integers: the number of its operations, and its mutants.
    pub fn integers(&mut self, name: &str, result: Result<(usize, Count), String>) {
        match result {
            Ok((operations, count)) => self.integers.add(name, operations, [""; 2], count),
            Err(message) => self.failed(name, &message),
        }
    }

    /// What moves words between lanes: the same.
    pub fn moves(&mut self, name: &str, result: Result<(usize, Count), String>) {
        match result {
            Ok((operations, count)) => self.moves.add(name, operations, [""; 2], count),
            Err(message) => self.failed(name, &message),
        }
    }

    /// Prints what was shown, as a sentence.
    pub fn says(&mut self, name: &str, shown: Result<String, String>) {
        match shown {
            Ok(sentence) => println!("{sentence}"),
            Err(message) => self.failed(name, &message),
        }
    }

    pub fn faults(&mut self, faults: &[Planted]) {
        let planted = faults.iter().filter(|fault| fault.kernels > 0);
        let list = planted.map(|fault| format!("{} ({})", fault.name, fault.kernels));
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

    pub fn end(mut self) -> ExitCode {
        for (name, kernels) in self.planted.clone() {
            if kernels == 0 {
                self.failed(name, "planted in no kernel");
            }
        }
        let [fields, integers, moves] =
            [&self.fields, &self.integers, &self.moves].map(|rows| rows.kernels);
        if [fields, integers, moves].contains(&0) {
            self.failed("kernels", "there are none");
        }
        let mut count = self.fields.mutants;
        count.add(self.integers.mutants);
        let (of_moves, equivalent) = (self.moves.mutants, count.equivalent());
        let Count { all, found, wrong } = count;
        println!(
            "{fields} kernels of fields and {integers} on integers are right for all inputs within \
             their bounds.\n\
             {all} mutants: {found} found, {wrong} of them wrong on numbers that were tried;\n\
             {equivalent} equivalent, none of them wrong on any.\n\
             {moves} functions move words between lanes as they should, whatever the words are;\n\
             of {} mutants of them {} are found.",
            of_moves.all, of_moves.found
        );
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
