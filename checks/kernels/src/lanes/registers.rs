//! Registers of symbols, and memory that holds symbols.

use std::cell::RefCell;
use std::ops::Range;

use crate::words::domain::{Move, Operand, Operation};
use crate::words::exact::{Exact, power};
use crate::words::polynomial::Value;

/// A register of N lanes. In each there is a symbol, as a word: see [`label`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Register<const N: usize>(pub [u64; N]);

/// Words with these upper bits are symbols. No constant of the source has them.
const LABEL: u64 = 0x5e5e_a77a << 32;

/// A symbol as a word that can lie in memory.
pub fn label(symbol: Exact) -> u64 {
    LABEL | u64::from(symbol.0)
}

/// The symbol that a word is, if it is one.
fn labelled(word: u64) -> Option<Exact> {
    (word >> 32 << 32 == LABEL).then_some(Exact(word as u32))
}

pub fn symbol(word: u64) -> Exact {
    labelled(word).expect("a symbol")
}

/// A word from an argument of an instruction: a symbol, or a number of the source.
pub fn argument(word: u64) -> u64 {
    match labelled(word) {
        Some(_) => word,
        None => label(Exact::apply(Operation::Splat(word), &[])),
    }
}

/// The number that a lane holds.
pub fn number(word: u64) -> Option<u64> {
    let term = symbol(word).term();
    term.as_constant()
        .map(|number| u64::try_from(number).expect("a word"))
}

/// A comparison that no number and no bound decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether it is 0.
    IsZero(Value),
    /// Whether it is negative; modulo 2^64.
    IsNegative(Value),
}

#[derive(Default)]
struct Outside {
    /// What each lane answers to a question.
    answers: u8,
    questions: Vec<(usize, Question)>,
    /// Where loads and stores may go; anywhere if nothing is listed.
    memory: Vec<Range<usize>>,
    /// By how many bytes memory ends too early: a fault.
    too_short: usize,
}

thread_local! {
    static OUTSIDE: RefCell<Outside> = RefCell::default();
}

/// Sets what lanes answer, and where memory is, for a function that runs next.
pub fn begin(answers: u8, memory: Vec<Range<usize>>) {
    OUTSIDE.with_borrow_mut(|outside| {
        outside.answers = answers;
        outside.questions.clear();
        outside.memory = memory;
    });
}

/// Makes memory end a word too early from now on, or no longer.
pub fn shorten_memory(shorten: bool) {
    OUTSIDE.with_borrow_mut(|outside| outside.too_short = if shorten { 8 } else { 0 });
}

/// The questions of each lane so far.
pub fn questions() -> Vec<(usize, Question)> {
    OUTSIDE.with_borrow(|outside| outside.questions.clone())
}

pub fn ask(lane: usize, question: Question) -> bool {
    OUTSIDE.with_borrow_mut(|outside| {
        outside.questions.push((lane, question));
        outside.answers >> lane & 1 == 1
    })
}

/// Asserts that the `size` bytes from an address on are memory.
fn assert_memory(address: usize, size: usize) {
    OUTSIDE.with_borrow(|outside| {
        let end = address + size + outside.too_short;
        let inside = |range: &Range<usize>| range.start <= address && end <= range.end;
        let memory = &outside.memory;
        assert!(
            memory.is_empty() || memory.iter().any(inside),
            "outside of the rows"
        );
    });
}

/// The words that the mask says, from an address on, and zeros.
///
/// # Safety
/// The words are those of a reference.
pub unsafe fn load<const N: usize>(mask: u8, from: *const u64) -> Register<N> {
    let zero = argument(0);
    let mut lanes = [zero; N];
    for (i, lane) in lanes
        .iter_mut()
        .enumerate()
        .filter(|(i, _)| mask >> i & 1 == 1)
    {
        let place = from.wrapping_add(i);
        assert_memory(place.addr(), 8);
        // SAFETY: that of the caller.
        *lane = unsafe { place.read_unaligned() };
        symbol(*lane);
    }
    Register(lanes)
}

/// Writes the words that the mask says.
///
/// # Safety
/// The words are those of a reference.
pub unsafe fn store<const N: usize>(mask: u8, to: *mut u64, register: Register<N>) {
    for (i, lane) in register
        .0
        .into_iter()
        .enumerate()
        .filter(|(i, _)| mask >> i & 1 == 1)
    {
        let place = to.wrapping_add(i);
        assert_memory(place.addr(), 8);
        // SAFETY: that of the caller.
        unsafe { place.write_unaligned(lane) };
    }
}

/// A value modulo 2^64.
pub fn wrapped(value: &Value) -> Value {
    value.modulo(&power(64))
}

/// Whether a is below b, both below 2^63.
pub fn is_below(lane: usize, a: u64, b: u64) -> bool {
    let [a, b] = [a, b].map(|word| symbol(word).term());
    assert!(
        [&a, &b].iter().all(|term| term.ends[1] < power(63)),
        "words with a sign"
    );
    if a.ends[1] < b.ends[0] {
        return true;
    }
    if a.ends[0] >= b.ends[1] {
        return false;
    }
    let difference = a.plus(-1, &b).value;
    ask(lane, Question::IsNegative(wrapped(&difference)))
}

/// Whether two words are equal; one of them a number, which is 0 if the other is none.
pub fn are_equal(lane: usize, a: u64, b: u64) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        (None, Some(0)) => ask(lane, Question::IsZero(symbol(a).term().value)),
        _ => panic!("words that are compared"),
    }
}

/// The magnitude of a word with a sign.
pub fn magnitude(lane: usize, word: u64) -> u64 {
    let term = symbol(word).term();
    if term.ends[1] < power(63) {
        return word;
    }
    match ask(lane, Question::IsNegative(wrapped(&term.value))) {
        true => label(Exact::apply(
            Operation::Sub,
            &[symbol(argument(0)), symbol(word)],
        )),
        false => word,
    }
}

/// a ^ b, where b has no bit or all of them.
pub fn xor(a: u64, b: u64) -> u64 {
    match number(b) {
        Some(0) => a,
        Some(u64::MAX) => {
            let words = [symbol(b), symbol(a)];
            label(Exact::apply(Operation::Sub, &words))
        }
        _ => panic!("bits that are inverted one by one"),
    }
}

impl<const N: usize> Operand for Register<N> {
    fn apply(operation: Operation, operands: &[Self]) -> Self {
        match operation {
            Operation::Move(moves) => Self(moved(moves, operands)),
            _ => Self(std::array::from_fn(|lane| {
                let words: Vec<_> = operands.iter().map(|o| symbol(o.0[lane])).collect();
                label(Exact::apply(operation, &words))
            })),
        }
    }
}

/// A table: the lanes that a move makes of registers.
fn moved<const N: usize>(moves: Move, registers: &[Register<N>]) -> [u64; N] {
    let of = |register: usize, lane: usize| registers[register].0[lane];
    let zero = argument(0);
    std::array::from_fn(|lane| match moves {
        Move::UnpackLow => of(lane % 2, lane / 2 * 2),
        Move::UnpackHigh => of(lane % 2, lane / 2 * 2 + 1),
        Move::Pairs(bits) => {
            assert_eq!(N, 4, "registers of four lanes");
            let bits = bits >> (4 * (lane / 2));
            match bits & 8 {
                0 => of(
                    usize::from(bits >> 1 & 1),
                    usize::from(bits & 1) * 2 + lane % 2,
                ),
                _ => zero,
            }
        }
        Move::Quarters(bits) => {
            assert_eq!(N, 8, "registers of eight lanes");
            let pair = usize::from(bits >> (lane / 2 * 2) & 3);
            of(lane / 4, 2 * pair + lane % 2)
        }
        Move::Shuffle(bits) => {
            let from = usize::from(bits >> (lane % 4 * 2) & 3);
            of(0, lane / 4 * 4 + from)
        }
        Move::LookUp => {
            let index = number(of(1, lane)).expect("an index") as usize % (2 * N);
            of(index / N * 2, index % N)
        }
        Move::LookUpHalves => {
            let index = number(of(1, lane)).expect("an index");
            let halves = [index, index >> 32].map(|half| half as usize % (2 * N));
            let [low, high] = halves;
            assert!(low % 2 == 0 && high == low + 1, "halves of two words");
            of(0, low / 2)
        }
        Move::Blend(mask) => of(usize::from(mask >> lane & 1), lane),
        Move::Keep(mask) => match mask >> lane & 1 {
            0 => zero,
            _ => of(0, lane),
        },
    })
}

/// Whether two symbols are the same integer modulo 2^64.
pub fn same(a: u64, b: &Value) -> bool {
    let a = labelled(a).map(|a| a.term().value);
    a.is_some_and(|a| wrapped(&a.minus(b)).is_zero())
}
