//! Whether the functions that move words, or look at lanes, are right; mutants of them, and faults.

use std::rc::Rc;

use klero_lanes::unstable::field::Vector;

use super::functions::{Check, checks, load_rows, store_rows};
use super::registers::{self, Register};
use crate::attempt::attempt;
use crate::faults::{Everywhere, Planted};
use crate::mutants::Count;
use crate::report::Report;
use crate::words::domain::{Move, Operation};
use crate::words::exact;
use crate::words::execution::{Change, Mode, changes, execute};

/// Checks the words of four and of eight lanes, and prints what was shown.
pub fn check_all(report: &mut Report) {
    report.backend("moves, 4 lanes");
    check::<4>(report);
    report.backend("moves, 8 lanes");
    check::<8>(report);
}

fn check<const N: usize>(report: &mut Report)
where
    Register<N>: Vector,
{
    for check in checks::<N>() {
        let result = (0..check.cases)
            .try_fold(Vec::new(), |_, case| {
                execute_case(&check, case, Mode::Faithful)
            })
            .and_then(|operations| Ok((operations.len(), mutants(&check)?)));
        report.moves(check.name, result);
    }
    report.faults(&planted::<N>());
    report.outside(outside_is_found::<N>());
}

/// Faults in what moves.
const FAULTS: [(&str, Everywhere); 6] = [
    ("the second of each two lanes for the first", |o| match o {
        Operation::Move(Move::UnpackLow) => moved(Move::UnpackHigh),
        _ => None,
    }),
    ("the first for the second", |o| match o {
        Operation::Move(Move::UnpackHigh) => moved(Move::UnpackLow),
        _ => None,
    }),
    ("registers exchanged", |o| match o {
        Operation::Move(Move::Pairs(bits)) => moved(Move::Pairs(bits ^ 0x22)),
        _ => None,
    }),
    ("other quarters", |o| match o {
        Operation::Move(Move::Quarters(bits)) => moved(Move::Quarters(bits.rotate_left(2))),
        _ => None,
    }),
    ("a word less of each block", |o| match o {
        Operation::Move(Move::Keep(bits)) => moved(Move::Keep(bits >> 1)),
        _ => None,
    }),
    ("masks of lanes reversed", |o| match o {
        Operation::Move(Move::Blend(bits)) => moved(Move::Blend(bits.reverse_bits())),
        _ => None,
    }),
];

fn moved(moves: Move) -> Option<Change> {
    Some(Change::Instead(Operation::Move(moves)))
}

/// Plants each fault in each function that has such an operation.
fn planted<const N: usize>() -> Vec<Planted>
where
    Register<N>: Vector,
{
    let checks = checks::<N>();
    let plant = |(name, change): &(&'static str, Everywhere)| {
        let (mut functions, mut missed) = (0, Vec::new());
        for check in &checks {
            // Some mask that is not the same when it is reversed, and an item in each lane.
            let case = (check.cases * 5 / 8 + 3) % check.cases;
            let own = execute_case(check, case, Mode::Faithful).unwrap_or_default();
            if own.iter().any(|&operation| change(operation).is_some()) {
                functions += 1;
                if execute_case(check, case, Mode::Fault(Rc::new(*change))).is_ok() {
                    missed.push(check.name.to_owned());
                }
            }
        }
        Planted {
            name,
            kernels: functions,
            missed,
        }
    };
    FAULTS.iter().map(plant).collect()
}

/// Whether a load or a store past the end of its rows is found: here rows end a word too early.
fn outside_is_found<const N: usize>() -> bool
where
    Register<N>: Vector,
{
    let outside = |run: fn() -> Result<(), String>| {
        let result = attempt(|| {
            exact::begin();
            registers::begin(0, Vec::new());
            registers::shorten_memory(true);
            run()
        });
        registers::shorten_memory(false);
        result.is_err_and(|message| message.contains("outside of the rows"))
    };
    outside(load_rows::<N, 8>) && outside(store_rows::<N, 8>)
}

/// Runs a case: the operations that it is made of.
fn execute_case(check: &Check, case: usize, mode: Mode) -> Result<Vec<Operation>, String> {
    attempt(|| {
        exact::begin();
        registers::begin(0, Vec::new());
        let (result, operations) = execute(mode, || (check.run)(case));
        result.map(|()| operations)
    })
    .flatten()
}

/// Tries all mutants. One is found if some case is wrong.
fn mutants(check: &Check) -> Result<Count, String> {
    let cases: Vec<_> = (0..check.cases).step_by(check.step).collect();
    let operations = cases
        .iter()
        .map(|&case| execute_case(check, case, Mode::Faithful))
        .collect::<Result<Vec<_>, _>>()?;
    let mut count = Count::default();
    for at in 0..operations[0].len() {
        for number in 0..changes(operations[0][at]).len() {
            let found = cases.iter().zip(&operations).any(|(&case, operations)| {
                // The same change, of what this case executes.
                let change = changes(operations[at]).get(number).copied();
                let run = |change| execute_case(check, case, Mode::Mutant(at, change));
                change.is_some_and(|change| run(change).is_err())
            });
            let moves = matches!(operations[0][at], Operation::Move(_));
            if check.complete && moves && !found {
                return Err(format!(
                    "a mutant passes: operation {at}, {:?}, change {number}",
                    operations[0][at]
                ));
            }
            count.all += 1;
            count.found += usize::from(found);
        }
    }
    Ok(count)
}
