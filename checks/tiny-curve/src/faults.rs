//! Faults that are planted in the arithmetic, to see which checks find them.
//!
//! A formula is a sequence of operations. While a fault is planted, one of them goes wrong, each
//! time that a stage runs: the one with a certain number among those of its kind.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// The operations that can go wrong, and how they do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A product or a square is 1 too large.
    Product,
    /// A sum instead of a difference.
    Sign,
    /// Operands of a difference are exchanged.
    Operands,
    /// An element is negated where it should not be, or not where it should.
    Negation,
    /// The wrong one of two values is selected.
    Selection,
    /// An exception is missed: 0 counts as other elements do, and they as 0.
    Zero,
    /// Odd elements count as even, and even ones as odd.
    Odd,
    /// Elements stay in their lanes.
    Shuffle,
}

/// The number of kinds.
const KINDS: usize = 8;

impl Operation {
    /// All kinds, with the heads of their columns.
    pub const ALL: [(Self, &str); KINDS] = [
        (Self::Product, "product + 1"),
        (Self::Sign, "a + b"),
        (Self::Operands, "b - a"),
        (Self::Negation, "negation"),
        (Self::Selection, "selection"),
        (Self::Zero, "zero"),
        (Self::Odd, "parity"),
        (Self::Shuffle, "shuffle"),
    ];
}

/// Whether operations are counted, and a fault may be planted.
static ACTIVE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The operation that goes wrong, and its number.
    static FAULT: Cell<Option<(Operation, u32)>> = const { Cell::new(None) };
    /// The operations of each kind since the stage began.
    static COUNTS: Cell<[u32; KINDS]> = const { Cell::new([0; KINDS]) };
    /// Those of the longest stage since the fault was planted.
    static MOST: Cell<[u32; KINDS]> = const { Cell::new([0; KINDS]) };
}

/// Plants a fault, or takes it away.
pub fn plant(fault: Option<(Operation, u32)>) {
    ACTIVE.store(true, Ordering::Relaxed);
    FAULT.set(fault);
    MOST.set([0; KINDS]);
}

/// The operations of each kind in the longest stage since a fault was planted.
pub fn most() -> [u32; KINDS] {
    MOST.get()
}

/// Runs a stage: its operations are counted from 0.
pub fn stage<T>(run: impl FnOnce() -> T) -> T {
    COUNTS.set([0; KINDS]);
    let out = run();
    let (counts, most) = (COUNTS.get(), MOST.get());
    MOST.set(std::array::from_fn(|kind| most[kind].max(counts[kind])));
    out
}

/// Counts an operation; whether it is the one that goes wrong.
#[inline(always)]
pub fn strikes(operation: Operation) -> bool {
    ACTIVE.load(Ordering::Relaxed) && counted(operation)
}

#[inline(never)]
fn counted(operation: Operation) -> bool {
    let mut counts = COUNTS.get();
    let number = counts[operation as usize];
    counts[operation as usize] += 1;
    COUNTS.set(counts);
    FAULT.get() == Some((operation, number))
}
