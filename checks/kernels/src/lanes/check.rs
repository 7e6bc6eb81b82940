//! Whether the functions that move words, or look at lanes, are right; mutants of them, and faults.

use klero_lanes::unstable::field::Vector;

use super::functions::{Check, Run};
use super::registers::{self, Register};
use crate::attempt::attempt;
use crate::faults::{Everywhere, plant};
use crate::mutants::Count;
use crate::report::Report;
use crate::words::domain::{Move, Operation};
use crate::words::exact;
use crate::words::execution::{Change, Mode, changes, execute};

/// Checks the words of four and of eight lanes, and prints what was shown.
pub fn check_all(report: &mut Report) {
    check::<4>("moves, 4 lanes", report);
    check::<8>("moves, 8 lanes", report);
}

fn check<const N: usize>(name: &str, report: &mut Report)
where
    Register<N>: Vector,
{
    report.backend(name);
    let checks = Register::<N>::checks();
    for check in &checks {
        let mut cases = 0..check.cases;
        let result = cases
            .try_fold(Vec::new(), |_, case| run(check, case, &Mode::Faithful))
            .and_then(|operations| Ok((operations.len(), mutants(check)?)));
        report.moves(check.name, result);
    }
    report.faults(&plant(
        &FAULTS,
        &checks,
        |check| check.name.to_owned(),
        |check, mode| {
            // Some mask that is not the same when it is reversed, and an item in each lane.
            run(check, (check.cases * 5 / 8 + 3) % check.cases, mode)
        },
    ));
    let load: Run = Register::<N>::check_load_rows::<8>;
    report.says("rows", outside(load, Register::<N>::check_store_rows::<8>));
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

/// Checks that a load and a store past the end of their rows are found: rows end a word too early.
fn outside(load: Run, store: Run) -> Result<String, String> {
    registers::shorten_memory(true);
    let found = [load, store].map(|run| {
        let result = attempt(|| {
            exact::begin();
            registers::begin(0, Vec::new());
            run()
        });
        result.is_err_and(|message| message.contains("outside of the rows"))
    });
    registers::shorten_memory(false);
    match found {
        [true, true] => Ok("  a load and a store past the end of rows are found\n".to_owned()),
        _ => Err("a load or a store past their end is not found".to_owned()),
    }
}

/// Runs a case: the operations that it is made of.
fn run(check: &Check, case: usize, mode: &Mode) -> Result<Vec<Operation>, String> {
    attempt(|| {
        exact::begin();
        registers::begin(0, Vec::new());
        let (result, operations) = execute(mode.clone(), || (check.run)(case));
        result.map(|()| operations)
    })
    .flatten()
}

/// Tries all mutants. One is found if some case is wrong.
fn mutants(check: &Check) -> Result<Count, String> {
    let cases: Vec<_> = (0..check.cases).step_by(check.step).collect();
    let operations = cases
        .iter()
        .map(|&case| run(check, case, &Mode::Faithful))
        .collect::<Result<Vec<_>, _>>()?;
    let mut count = Count::default();
    for at in 0..operations[0].len() {
        for number in 0..changes(operations[0][at]).len() {
            let found = cases.iter().zip(&operations).any(|(&case, operations)| {
                // The same change, of what this case executes.
                let change = changes(operations[at]).get(number).copied();
                let mutant = change.map(|change| Mode::Mutant(at, change));
                mutant.is_some_and(|mutant| run(check, case, &mutant).is_err())
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
