//! The functions that move words, or look at lanes, and what each should do.

use std::ops::Range;

use klero_lanes::unstable::field::{Cut, Vector, Word};
use num_bigint::BigInt;

use super::registers::{self, Question, Register, label, questions, same, symbol, wrapped};
use crate::words::domain::{Operand, Operation};
use crate::words::exact::{Exact, any_below};
use crate::words::polynomial::Value;

/// A function and what it should do, in each of some cases.
pub struct Check {
    pub name: &'static str,
    pub cases: usize,
    /// Mutants are tried on every `step`-th case.
    pub step: usize,
    /// Whether the function is right in a case.
    pub run: Box<dyn Fn(usize) -> Result<(), String>>,
    /// Whether every lane that it makes is looked at, so that each altered move must be found.
    pub complete: bool,
}

/// All functions of registers with this number of lanes.
pub fn checks<const N: usize>() -> Vec<Check>
where
    Register<N>: Vector,
{
    let all = |name, cases, run: fn(usize) -> Result<(), String>| Check {
        name,
        cases,
        step: 1,
        run: Box::new(run),
        complete: true,
    };
    let partial = |name, run| Check {
        complete: false,
        ..all(name, 1, run)
    };
    vec![
        partial("load rows of 5", |_| load_rows::<N, 5>()),
        all("load rows of 8", 1, |_| load_rows::<N, 8>()),
        all("load rows of 16", 1, |_| load_rows::<N, 16>()),
        partial("load rows of 20", |_| load_rows::<N, 20>()),
        all("load rows of 24", 1, |_| load_rows::<N, 24>()),
        partial("store rows of 5", |_| store_rows::<N, 5>()),
        all("store rows of 8", 1, |_| store_rows::<N, 8>()),
        all("store rows of 16", 1, |_| store_rows::<N, 16>()),
        partial("store rows of 20", |_| store_rows::<N, 20>()),
        all("store rows of 24", 1, |_| store_rows::<N, 24>()),
        all("load and store", 1, |_| load_and_store::<N>()),
        all("shuffle", 1, |_| shuffle::<N>()),
        Check {
            // A mask has eight bits.
            complete: N == 8,
            ..all("select", 256, select::<N>)
        },
        all("is zero", 256, is_zero::<N>),
        partial_sums("add where", add_where::<N>),
        partial_sums("subtract where", subtract_where::<N>),
        Check {
            complete: false,
            ..all("look up", 64, look_up::<N>)
        },
        Check {
            step: 37,
            complete: false,
            ..all("digits", DIGITS, digits::<N>)
        },
    ]
}

/// Sums under each mask. A word may be added to 0 in place of it.
fn partial_sums(name: &'static str, run: fn(usize) -> Result<(), String>) -> Check {
    Check {
        name,
        cases: 256,
        step: 15,
        run: Box::new(run),
        complete: false,
    }
}

/// Any word.
fn any() -> u64 {
    label(Exact::of(any_below(64)))
}

fn register<const N: usize>() -> Register<N> {
    Register(std::array::from_fn(|_| any()))
}

fn rows<const M: usize>() -> [[u64; M]; 8] {
    std::array::from_fn(|_| std::array::from_fn(|_| any()))
}

/// Where rows lie in memory.
fn places<const M: usize>(rows: &[[u64; M]]) -> Vec<Range<usize>> {
    rows.iter()
        .map(|row| {
            let range = row.as_ptr_range();
            range.start.addr()..range.end.addr()
        })
        .collect()
}

fn value(word: u64) -> Value {
    symbol(word).term().value
}

fn expect(holds: bool, what: &str) -> Result<(), String> {
    match holds {
        true => Ok(()),
        false => Err(format!("wrong: {what}")),
    }
}

pub fn load_rows<const N: usize, const M: usize>() -> Result<(), String>
where
    Register<N>: Vector,
{
    let rows = rows::<M>();
    registers::begin(0, places(&rows[..N]));
    let words = Register::<N>::load_rows(&rows.each_ref());
    let right = |i: usize, lane: usize| words[i].0[lane] == rows[lane][i];
    expect((0..M).all(|i| (0..N).all(|lane| right(i, lane))), "a word")
}

pub fn store_rows<const N: usize, const M: usize>() -> Result<(), String>
where
    Register<N>: Vector,
{
    let words: [Register<N>; M] = std::array::from_fn(|_| register());
    let mut rows = rows::<M>();
    let before = rows;
    registers::begin(0, places(&rows[..N]));
    Register::store_rows(&words, &mut rows);
    let right = |i: usize, lane: usize| rows[lane][i] == words[i].0[lane];
    expect((0..M).all(|i| (0..N).all(|lane| right(i, lane))), "a word")?;
    expect(rows[N..] == before[N..], "a row that has no lane")
}

fn load_and_store<const N: usize>() -> Result<(), String>
where
    Register<N>: Vector,
{
    let [words, ..] = rows::<8>();
    let loaded = Register::<N>::load(&words);
    expect(loaded.0 == words[..N], "a loaded word")?;
    let mut out = [0; 8];
    loaded.store(&mut out);
    expect(
        out[..N] == words[..N] && out[N..] == [0; 8][N..],
        "a stored word",
    )
}

/// Every order of four lanes.
fn shuffle<const N: usize>() -> Result<(), String>
where
    Register<N>: Vector,
{
    macro_rules! orders {
        ($word:ident, $($high:literal)*) => {
            [$(orders!(@ $word, $high, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)),*].concat()
        };
        (@ $word:ident, $high:literal, $($low:literal)*) => {
            vec![$($word.shuffle::<{ 16 * $high + $low }>()),*]
        };
    }
    let word = register::<N>();
    let moved = orders!(word, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    let from = |order: usize, lane: usize| lane / 4 * 4 + (order >> (lane % 4 * 2)) % 4;
    let right = |order: usize, lane| moved[order].0[lane] == word.0[from(order, lane)];
    let right = |order| (0..N).all(|lane| right(order, lane));
    expect(moved.len() == 256 && (0..256).all(right), "a lane")
}

/// Every mask.
fn select<const N: usize>(mask: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let [set, clear] = [register::<N>(), register()];
    let out = Register::select(mask as u8, set, clear);
    let expected = |lane: usize| if mask >> lane & 1 == 1 { set } else { clear };
    expect(
        (0..N).all(|lane| out.0[lane] == expected(lane).0[lane]),
        "a lane",
    )
}

/// Every answer of the lanes.
fn is_zero<const N: usize>(answers: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let word = register::<N>();
    registers::begin(answers as u8, Vec::new());
    let mask = word.is_zero();
    let asked = questions();
    let expected = (0..N).map(|lane| (lane, Question::IsZero(value(word.0[lane]))));
    expect(asked == expected.collect::<Vec<_>>(), "what is compared")?;
    expect(usize::from(mask) == answers % (1 << N), "a bit")
}

/// Every mask.
fn add_where<const N: usize>(mask: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let [a, b] = [register::<N>(), register()];
    let out = Register::add_where(mask as u8, a, b);
    let right = |lane: usize| {
        let set = BigInt::from(mask >> lane & 1);
        same(out.0[lane], &value(a.0[lane]).plus(&set, &value(b.0[lane])))
    };
    expect((0..N).all(right), "a lane")
}

/// Every mask.
fn subtract_where<const N: usize>(mask: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let (a, from) = (register::<N>(), (1 << 61) - 19);
    let out = Register::subtract_where(mask as u8, from, a);
    let right = |lane: usize| {
        let a = value(a.0[lane]);
        let difference = Value::constant(from.into()).plus(&BigInt::from(-1), &a);
        let expected = if mask >> lane & 1 == 1 { difference } else { a };
        same(out.0[lane], &expected)
    };
    expect((0..N).all(right), "a lane")
}

/// Every item: the same in all lanes, and another one in each. A lane of the result depends on its own
/// index alone.
fn look_up<const N: usize>(case: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let tables: [[u64; 32]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| any()));
    let items: [usize; 8] = std::array::from_fn(|lane| (case + 5 * lane * (case / 32)) % 32);
    let masks = std::array::from_fn(|j| {
        (0..8).fold(0, |mask, lane| {
            mask | ((items[lane] >> j & 1) as u8) << lane
        })
    });
    let out: [Register<N>; 3] = Register::look_up(&tables, masks);
    let right = |table: usize, lane: usize| out[table].0[lane] == tables[table][items[lane]];
    expect((0..3).all(|t| (0..N).all(|lane| right(t, lane))), "an item")
}

/// Every shift, every width from 2 to 8, with and without a half, where no lane is negative, or all
/// are, or some.
const DIGITS: usize = 64 * 7 * 2 * 3;

fn digits<const N: usize>(case: usize) -> Result<(), String>
where
    Register<N>: Vector,
{
    let (shift, width) = ((case % 64) as u32, (case / 64 % 7 + 2) as u32);
    let has_half = case / 448 % 2 == 1;
    let answers = [0, 0xff, 0x2b][case / 896];
    let half = if has_half { 1 << (width - 1) } else { 0 };
    let mask = (1 << width) - 1;
    let [low, high] = [0, 1].map(|_| -> [u64; 8] { std::array::from_fn(|_| any()) });
    registers::begin(answers, Vec::new());
    let digits = Register::<N>::digits(&low, &high, Cut { shift, mask, half });
    let asked = questions();
    for lane in 0..N {
        // Not an operation of the run: no mutant alters it.
        let on = |operation, words: &[Exact]| Exact::apply(operation, words);
        let below = on(Operation::ShiftRight(shift), &[symbol(low[lane])]);
        let above = on(Operation::ShiftLeft(64 - shift), &[symbol(high[lane])]);
        let both = on(Operation::Or, &[below, above]);
        let raised = on(Operation::And, &[both, on(Operation::Splat(mask), &[])]);
        let half = Value::constant(half.into());
        let difference = raised.term().value.plus(&BigInt::from(-1), &half);
        let is_negative = has_half && answers >> lane & 1 == 1;
        let sign = BigInt::from(if is_negative { -1 } else { 1 });
        let magnitude = Value::default().plus(&sign, &difference);
        expect(same(digits.magnitudes[lane], &magnitude), "a magnitude")?;
        expect((digits.negative >> lane & 1 == 1) == is_negative, "a sign")?;
        let mut asked = asked.iter().filter(|(of, _)| *of == lane);
        let right = Question::IsNegative(wrapped(&difference));
        expect(
            asked.all(|(_, question)| *question == right),
            "what is compared",
        )?;
        let any = questions().iter().any(|(of, _)| *of == lane);
        expect(any == has_half, "whether it is compared")?;
    }
    let rest = digits.magnitudes[N..]
        .iter()
        .all(|&magnitude| magnitude == 0);
    expect(
        rest && u32::from(digits.negative) >> N == 0,
        "lanes that there are not",
    )
}
