//! The parts of the check, each in a process of its own: tables of the base point are made once in a
//! process, from its curve.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::checks::{Check, Tally, formulas, multiples};
use crate::curve::{CURVES, put_in_use};
use crate::faults::{self, Operation};
use crate::field::Tiny;
use crate::model::Model;

/// One of the parts.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The formulas on a curve.
    Formulas(usize),
    /// The algorithms on a curve, in eight lanes.
    Multiples(usize),
    /// The same in four lanes, and in one.
    FewerLanes(usize),
    /// All checks with a constant that is 1 too large.
    OffByOne(usize),
    /// All checks with the other root or the other sign as a constant.
    Other(usize),
    /// One check with wrong operations.
    Operations(usize),
}

impl Part {
    /// All parts, also those that are left out unless everything is to run.
    pub fn all() -> Vec<Self> {
        let model = Model::new(CURVES[OF_FAULTS]);
        let constants = model.constants();
        let of_constant = |i: usize| {
            let other = constants[i].other.map(|_| Self::Other(i));
            [Some(Self::OffByOne(i)), other].into_iter().flatten()
        };
        let curves = 0..CURVES.len();
        curves
            .flat_map(|i| [Self::Formulas(i), Self::Multiples(i), Self::FewerLanes(i)])
            .chain((0..constants.len()).flat_map(of_constant))
            .chain((0..all().len()).map(Self::Operations))
            .collect()
    }

    /// Worth the time even if not everything is to run.
    pub fn is_always_run(self) -> bool {
        match self {
            Self::Multiples(i) => CURVES[..i]
                .iter()
                .all(|other| other.order != CURVES[i].order),
            Self::FewerLanes(i) => i == 0,
            _ => true,
        }
    }
}

/// The curve that faults are planted on.
pub const OF_FAULTS: usize = 0;

/// The number of cases that must show a wrong constant, or that a stage is counted in.
const FEW: u64 = 2000;

/// The largest number of operations of a kind that go wrong in a check, one at a time.
const OPERATIONS: u32 = 24;

/// All checks in the lanes that faults are planted in.
pub fn all() -> Vec<(&'static str, Check)> {
    [formulas::<Tiny<8>>(), multiples::<Tiny<8>>()].concat()
}

/// Runs a part, and prints what it found, a line for each check: what is counted, in columns.
pub fn part(part: Part) {
    let curve = match part {
        Part::Formulas(curve) | Part::Multiples(curve) | Part::FewerLanes(curve) => curve,
        _ => OF_FAULTS,
    };
    let model = Model::new(CURVES[curve]);
    let mut constants = model.constants();
    match part {
        Part::OffByOne(i) => constants[i].value = (constants[i].value + 1) % model.curve.q,
        Part::Other(i) => constants[i].value = constants[i].other.expect("there is a choice"),
        _ => {}
    }
    put_in_use(&model.curve, &constants);
    match part {
        Part::Formulas(_) => {
            run(&model, formulas::<Tiny<8>>());
            run(&model, formulas::<Tiny<4>>());
            run(&model, formulas::<Tiny<1>>());
        }
        Part::Multiples(_) => run(&model, multiples::<Tiny<8>>()),
        Part::FewerLanes(_) => {
            run(&model, multiples::<Tiny<4>>());
            run(&model, multiples::<Tiny<1>>());
        }
        Part::OffByOne(_) | Part::Other(_) => {
            for (name, check) in all() {
                println!("{name}\t{}", u8::from(finds(&model, check, FEW)));
            }
        }
        Part::Operations(number) => operations(&model, all()[number].1),
    }
}

/// The numbers of cases and of wrong ones.
fn run(model: &Model, checks: Vec<(&'static str, Check)>) {
    for (name, check) in checks {
        let mut tally = Tally::default();
        check(model, &mut tally);
        println!("{name}\t{}\t{}", tally.cases, tally.wrong);
    }
}

/// Whether a check finds what is wrong within a number of cases: a wrong case, or an assertion that
/// fails.
fn finds(model: &Model, check: Check, patience: u64) -> bool {
    std::panic::set_hook(Box::new(|_| ()));
    let mut tally = Tally {
        patience: Some(patience),
        ..Tally::default()
    };
    match catch_unwind(AssertUnwindSafe(|| check(model, &mut tally))) {
        Err(panic) if !panic.is::<()>() => true,
        _ => tally.wrong > 0,
    }
}

/// For each kind of operation: how many faults are found, how many are planted, how often it runs in
/// a stage, and the numbers of those that are not found.
fn operations(model: &Model, check: Check) {
    // Once more than needed, so that tables of the base point are there before anything is counted.
    for _ in 0..2 {
        faults::plant(None);
        assert!(!finds(model, check, FEW), "wrong without a fault");
    }
    let most = faults::most();
    for ((operation, name), most) in Operation::ALL.into_iter().zip(most) {
        let planted = most.min(OPERATIONS);
        let numbers = (0..planted).map(|i| i * most / planted);
        let missed = numbers.filter(|number| {
            faults::plant(Some((operation, *number)));
            !finds(model, check, u64::MAX)
        });
        let missed: Vec<_> = missed.map(|number| number.to_string()).collect();
        let found = planted as usize - missed.len();
        println!("{name}\t{found}\t{planted}\t{most}\t{}", missed.join(" "));
    }
}
