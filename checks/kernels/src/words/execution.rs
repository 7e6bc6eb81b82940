//! The operations of one execution, one after the other, of which one may be altered.
//!
//! A kernel is a straight line: it executes the same operations whatever its inputs are. So the
//! n-th operation is the same in every domain, and altering it makes the same *mutant* of the
//! kernel in every domain.

use std::cell::RefCell;
use std::rc::Rc;

use super::domain::{Move, Operand, Operation};

/// What a mutant does in place of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another operation on the same operands.
    Instead(Operation),
    /// The result is this operand.
    Operand(usize),
    /// The second operand in place of the third, or the third in place of the second.
    Twice(usize),
    Zero,
    PlusOne,
}

#[derive(Clone)]
pub enum Mode {
    /// As it is.
    Faithful,
    /// With the operation of this number changed.
    Mutant(usize, Change),
    /// With each operation changed for which there is a change.
    Fault(Rc<dyn Fn(Operation) -> Option<Change>>),
}

struct Execution {
    mode: Mode,
    executed: Vec<Operation>,
}

thread_local! {
    static EXECUTION: RefCell<Option<Execution>> = const { RefCell::new(None) };
}

/// Runs `work` in a mode: what it returned, and the operations that it executed.
pub fn execute<T>(mode: Mode, work: impl FnOnce() -> T) -> (T, Vec<Operation>) {
    struct Ended;
    impl Drop for Ended {
        fn drop(&mut self) {
            EXECUTION.set(None);
        }
    }
    let _ended = Ended;
    let executed = Vec::new();
    EXECUTION.set(Some(Execution { mode, executed }));
    let out = work();
    let executed = EXECUTION.take().map_or_else(Vec::new, |e| e.executed);
    (out, executed)
}

/// The next operation.
pub fn apply<D: Operand>(operation: Operation, operands: &[D]) -> D {
    let change = EXECUTION.with_borrow_mut(|execution| {
        let execution = execution.as_mut()?;
        execution.executed.push(operation);
        match &execution.mode {
            Mode::Faithful => None,
            Mode::Mutant(at, change) => (at + 1 == execution.executed.len()).then_some(*change),
            Mode::Fault(change) => change(operation),
        }
    });
    match change {
        None => D::apply(operation, operands),
        Some(Change::Instead(other)) => D::apply(other, operands),
        Some(Change::Operand(i)) => operands[i],
        Some(Change::Twice(i)) => {
            let mut operands = operands.to_vec();
            let last = operands.len() - 1;
            let other = if i == last { last - 1 } else { last };
            operands[other] = operands[i];
            D::apply(operation, &operands)
        }
        Some(Change::Zero) => D::apply(Operation::Splat(0), &[]),
        Some(Change::PlusOne) => {
            let one = D::apply(Operation::Splat(1), &[]);
            let add = match operation {
                Operation::Product | Operation::AddSums | Operation::ToSum => Operation::AddSums,
                _ => Operation::Add,
            };
            D::apply(add, &[D::apply(operation, operands), one])
        }
    }
}

/// All changes that are tried on an operation.
pub fn changes(operation: Operation) -> Vec<Change> {
    use Change::*;
    use Operation::*;
    match operation {
        Splat(word) => [word.wrapping_add(1), word.wrapping_sub(1)]
            .map(|word| Instead(Splat(word)))
            .to_vec(),
        Add => vec![Operand(0), Operand(1), Instead(Sub), PlusOne],
        Sub => vec![Operand(0), Operand(1), Instead(Add), PlusOne],
        And => vec![Operand(0), Zero, Instead(Or), PlusOne],
        Or => vec![Operand(0), Operand(1), Instead(And), PlusOne],
        ShiftLeft(0) => vec![Instead(ShiftLeft(1)), Zero],
        ShiftRight(0) => vec![Instead(ShiftRight(1)), Zero],
        ShiftLeft(bits) => vec![
            Instead(ShiftLeft(bits + 1)),
            Instead(ShiftLeft(bits - 1)),
            Operand(0),
            Zero,
        ],
        ShiftRight(bits) => vec![
            Instead(ShiftRight(bits + 1)),
            Instead(ShiftRight(bits - 1)),
            Operand(0),
            Zero,
        ],
        Mul32 => vec![Operand(0), Zero, PlusOne],
        Times(by) => vec![Instead(Times(by - 1)), Instead(Times(by + 1)), Operand(0)],
        Low52 => vec![Instead(High52), Operand(0), Twice(1), Twice(2), PlusOne],
        High52 => vec![Instead(Low52), Operand(0), Twice(1), Twice(2), PlusOne],
        DoubleMulAdd => vec![Operand(2), PlusOne],
        DoubleAdd => vec![Operand(0), Operand(1), Instead(DoubleSub), PlusOne],
        DoubleSub => vec![Operand(0), Operand(1), Instead(DoubleAdd), PlusOne],
        Product => vec![Twice(0), Twice(1), PlusOne],
        AddSums => vec![Operand(0), Operand(1), PlusOne],
        ShiftSumRight(bits) => vec![
            Instead(ShiftSumRight(bits + 1)),
            Instead(ShiftSumRight(bits - 1)),
            Operand(0),
            Zero,
        ],
        ToSum => vec![PlusOne],
        LowOfSum => vec![Zero, PlusOne],
        Select(bit) => vec![Instead(Select(!bit)), PlusOne],
        AddWhere(bit) => vec![Instead(AddWhere(!bit)), PlusOne],
        SubtractWhere(bit, from) => vec![
            Instead(SubtractWhere(!bit, from)),
            Instead(SubtractWhere(bit, from + 1)),
        ],
        Move(moves) => of_moves(moves),
    }
}

fn of_moves(moves: Move) -> Vec<Change> {
    use Change::{Operand, Twice};
    let with = |instead: fn(u8) -> Move, bits: u8, places: &[u8]| -> Vec<Change> {
        let inverted = places.iter().map(|place| instead(bits ^ 1 << place));
        inverted
            .map(|m| Change::Instead(Operation::Move(m)))
            .collect()
    };
    let all = [0, 1, 2, 3, 4, 5, 6, 7];
    let (mut changes, more) = match moves {
        Move::UnpackLow => (
            vec![Change::Instead(Operation::Move(Move::UnpackHigh))],
            vec![Operand(0), Operand(1), Twice(0), Twice(1)],
        ),
        Move::UnpackHigh => (
            vec![Change::Instead(Operation::Move(Move::UnpackLow))],
            vec![Operand(0), Operand(1), Twice(0), Twice(1)],
        ),
        // Bits 2 and 6 have no meaning; 3 and 7 make zeros.
        Move::Pairs(bits) => (with(Move::Pairs, bits, &[0, 1, 3, 4, 5, 7]), vec![Twice(0)]),
        Move::Quarters(bits) => (with(Move::Quarters, bits, &all), vec![Twice(0), Twice(1)]),
        Move::Shuffle(bits) => (with(Move::Shuffle, bits, &all), vec![]),
        Move::LookUp => (vec![Operand(0), Operand(2)], vec![]),
        Move::LookUpHalves => (vec![Operand(0)], vec![]),
        Move::Blend(bits) => (with(Move::Blend, bits, &all), vec![Operand(0), Operand(1)]),
        Move::Keep(bits) => (with(Move::Keep, bits, &all), vec![]),
    };
    changes.extend(more);
    changes
}
