//! The parts of the check, each in a process of its own: tables of the base point are made once in a
//! process, from its curve.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use anyhow::Context;

use crate::checks::{Check, Tally, formulas, multiples};
use crate::curve::{CURVES, put_in_use};
use crate::faults::{self, Operation};
use crate::field::Tiny;
use crate::model::Model;

/// One of the parts.
#[derive(Clone, Copy)]
pub enum Part {
    /// The formulas on a curve.
    Formulas(usize),
    /// The algorithms on a curve, in eight lanes.
    Multiples(usize),
    /// The same in four lanes, and in one.
    FewerLanes(usize),
    /// All checks with a wrong constant: 1 too large, or what a wrong choice leads to.
    Constant(usize, Wrong),
    /// One check with wrong operations.
    Operations(usize),
}

/// How a constant is wrong.
#[derive(Clone, Copy)]
pub enum Wrong {
    /// 1 too large.
    OffByOne,
    /// The other root, or the other sign.
    Other,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formulas(curve) => write!(f, "formulas,{curve}"),
            Self::Multiples(curve) => write!(f, "multiples,{curve}"),
            Self::FewerLanes(curve) => write!(f, "fewer-lanes,{curve}"),
            Self::Constant(constant, Wrong::OffByOne) => write!(f, "off-by-one,{constant}"),
            Self::Constant(constant, Wrong::Other) => write!(f, "other,{constant}"),
            Self::Operations(check) => write!(f, "operations,{check}"),
        }
    }
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(part: &str) -> anyhow::Result<Self> {
        let (name, number) = part.split_once(',').context("a name and a number")?;
        let number = number.parse()?;
        Ok(match name {
            "formulas" => Self::Formulas(number),
            "multiples" => Self::Multiples(number),
            "fewer-lanes" => Self::FewerLanes(number),
            "off-by-one" => Self::Constant(number, Wrong::OffByOne),
            "other" => Self::Constant(number, Wrong::Other),
            "operations" => Self::Operations(number),
            _ => anyhow::bail!("no part {part}"),
        })
    }
}

/// The curve that faults are planted on.
pub const OF_FAULTS: usize = 0;

/// The lanes that faults are planted in.
type LanesOfFaults = Tiny<8>;

/// The number of cases that must show a wrong constant, or that a stage is counted in.
const FEW: u64 = 2000;

/// The largest number of operations of a kind that go wrong in a check, one at a time.
const OPERATIONS: u32 = 24;

/// All checks in the lanes that faults are planted in.
pub fn all() -> Vec<(&'static str, Check)> {
    let mut all = formulas::<LanesOfFaults>();
    all.extend(multiples::<LanesOfFaults>());
    all
}

/// Runs a part, and prints what it found, a line for each check: what is counted, in columns.
pub fn part(part: Part) -> anyhow::Result<()> {
    let curve = match part {
        Part::Formulas(curve) | Part::Multiples(curve) | Part::FewerLanes(curve) => curve,
        Part::Constant(..) | Part::Operations(_) => OF_FAULTS,
    };
    let model = Model::new(*CURVES.get(curve).context("no such curve")?);
    let mut constants = model.curve.constants(model.points[model.base]);
    if let Part::Constant(number, wrong) = part {
        let constant = constants.get_mut(number).context("no such constant")?;
        constant.value = match wrong {
            Wrong::OffByOne => (constant.value + 1) % model.curve.q,
            Wrong::Other => constant.other.context("no other value")?,
        };
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
        Part::Constant(..) => {
            for (name, check) in all() {
                println!("{name}\t{}", u8::from(finds(&model, check, FEW)));
            }
        }
        Part::Operations(number) => {
            let (_, check) = *all().get(number).context("no such check")?;
            operations(&model, check);
        }
    }
    Ok(())
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
    let wrong = || {
        let mut tally = Tally {
            patience: Some(patience),
            ..Tally::default()
        };
        check(model, &mut tally);
        tally.wrong > 0
    };
    catch_unwind(AssertUnwindSafe(wrong)).unwrap_or(true)
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
