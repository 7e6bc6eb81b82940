//! The functions that move words, or look at lanes, and what each should do.

use std::ops::Range;

use klero_lanes::unstable::field::{Cut, Vector, Word};
use num_bigint::BigInt;

use super::registers::{self, Question, Register, label, questions, same, symbol, wrapped};
use crate::words::domain::{Operand, Operation};
use crate::words::exact::{Exact, any_below};
use crate::words::polynomial::Value;

/// A check of a function, once.
pub type Run = fn() -> Result<(), String>;

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

impl Check {
    /// A function that is tried once, with all words at a time.
    fn once(name: &'static str, run: Run, complete: bool) -> Self {
        Self {
            complete,
            ..Self::each(name, 1, 1, move |_| run())
        }
    }

    /// A function that is tried in each case, of which some lanes are looked at.
    fn each(
        name: &'static str,
        cases: usize,
        step: usize,
        run: impl Fn(usize) -> Result<(), String> + 'static,
    ) -> Self {
        Self {
            name,
            cases,
            step,
            run: Box::new(run),
            complete: false,
        }
    }
}

/// Any word.
fn any() -> u64 {
    label(Exact::of(any_below(64)))
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

/// Every shift, every width from 2 to 8, with and without a half, where no lane is negative, or all
/// are, or some.
const DIGITS: usize = 64 * 7 * 2 * 3;

impl<const N: usize> Register<N>
where
    Self: Vector,
{
    /// All functions of registers with this number of lanes.
    pub fn checks() -> Vec<Check> {
        vec![
            Check::once("load rows of 5", Self::check_load_rows::<5>, false),
            Check::once("load rows of 8", Self::check_load_rows::<8>, true),
            Check::once("load rows of 16", Self::check_load_rows::<16>, true),
            Check::once("load rows of 20", Self::check_load_rows::<20>, false),
            Check::once("load rows of 24", Self::check_load_rows::<24>, true),
            Check::once("store rows of 5", Self::check_store_rows::<5>, false),
            Check::once("store rows of 8", Self::check_store_rows::<8>, true),
            Check::once("store rows of 16", Self::check_store_rows::<16>, true),
            Check::once("store rows of 20", Self::check_store_rows::<20>, false),
            Check::once("store rows of 24", Self::check_store_rows::<24>, true),
            Check::once("load and store", Self::check_load_and_store, true),
            Check::once("shuffle", Self::check_shuffle, true),
            Check {
                // A mask has eight bits.
                complete: N == 8,
                ..Check::each("select", 256, 1, Self::check_select)
            },
            Check {
                complete: true,
                ..Check::each("is zero", 256, 1, Self::check_is_zero)
            },
            // A word may be added to 0 in place of it.
            Check::each("add where", 256, 15, Self::check_add_where),
            Check::each("subtract where", 256, 15, Self::check_subtract_where),
            Check::each("look up", 64, 1, Self::check_look_up),
            Check::each("digits", DIGITS, 37, Self::check_digits),
        ]
    }

    /// Any words.
    fn any() -> Self {
        Self(std::array::from_fn(|_| any()))
    }

    pub fn check_load_rows<const M: usize>() -> Result<(), String> {
        let rows = rows::<M>();
        registers::begin(0, places(&rows[..N]));
        let words = Self::load_rows(&rows.each_ref());
        let right = |i: usize, lane: usize| words[i].0[lane] == rows[lane][i];
        expect((0..M).all(|i| (0..N).all(|lane| right(i, lane))), "a word")
    }

    pub fn check_store_rows<const M: usize>() -> Result<(), String> {
        let words: [Self; M] = std::array::from_fn(|_| Self::any());
        let mut rows = rows::<M>();
        let before = rows;
        registers::begin(0, places(&rows[..N]));
        Self::store_rows(&words, &mut rows);
        let right = |i: usize, lane: usize| rows[lane][i] == words[i].0[lane];
        expect((0..M).all(|i| (0..N).all(|lane| right(i, lane))), "a word")?;
        expect(rows[N..] == before[N..], "a row that has no lane")
    }

    fn check_load_and_store() -> Result<(), String> {
        let [words, ..] = rows::<8>();
        let loaded = Self::load(&words);
        expect(loaded.0 == words[..N], "a loaded word")?;
        let mut out = [0; 8];
        loaded.store(&mut out);
        let right = out[..N] == words[..N] && out[N..] == [0; 8][N..];
        expect(right, "a stored word")
    }

    /// Every order of four lanes.
    fn check_shuffle() -> Result<(), String> {
        macro_rules! orders {
            ($word:ident, $($high:literal)*) => {
                [$(orders!(@ $word, $high, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)),*].concat()
            };
            (@ $word:ident, $high:literal, $($low:literal)*) => {
                vec![$($word.shuffle::<{ 16 * $high + $low }>()),*]
            };
        }
        let word = Self::any();
        let moved = orders!(word, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        let from = |order: usize, lane: usize| lane / 4 * 4 + (order >> (lane % 4 * 2)) % 4;
        let right = |order: usize, lane| moved[order].0[lane] == word.0[from(order, lane)];
        let right = |order| (0..N).all(|lane| right(order, lane));
        expect(moved.len() == 256 && (0..256).all(right), "a lane")
    }

    /// Every mask.
    fn check_select(mask: usize) -> Result<(), String> {
        let [set, clear] = [Self::any(), Self::any()];
        let out = Self::select(mask as u8, set, clear);
        let expected = |lane: usize| if mask >> lane & 1 == 1 { set } else { clear };
        let right = |lane: usize| out.0[lane] == expected(lane).0[lane];
        expect((0..N).all(right), "a lane")
    }

    /// Every answer of the lanes.
    fn check_is_zero(answers: usize) -> Result<(), String> {
        let word = Self::any();
        registers::begin(answers as u8, Vec::new());
        let mask = word.is_zero();
        let asked = questions();
        let expected = (0..N).map(|lane| (lane, Question::IsZero(value(word.0[lane]))));
        expect(asked == expected.collect::<Vec<_>>(), "what is compared")?;
        expect(usize::from(mask) == answers % (1 << N), "a bit")
    }

    /// Every mask.
    fn check_add_where(mask: usize) -> Result<(), String> {
        let [a, b] = [Self::any(), Self::any()];
        let out = Self::add_where(mask as u8, a, b);
        let right = |lane: usize| {
            let set = BigInt::from(mask >> lane & 1);
            same(out.0[lane], &value(a.0[lane]).plus(&set, &value(b.0[lane])))
        };
        expect((0..N).all(right), "a lane")
    }

    /// Every mask.
    fn check_subtract_where(mask: usize) -> Result<(), String> {
        let (a, from) = (Self::any(), (1 << 61) - 19);
        let out = Self::subtract_where(mask as u8, from, a);
        let right = |lane: usize| {
            let a = value(a.0[lane]);
            let difference = Value::constant(from.into()).minus(&a);
            let expected = if mask >> lane & 1 == 1 { difference } else { a };
            same(out.0[lane], &expected)
        };
        expect((0..N).all(right), "a lane")
    }

    /// Every item: the same in all lanes, and another one in each. A lane of the result depends on
    /// its own index alone.
    fn check_look_up(case: usize) -> Result<(), String> {
        let tables: [[u64; 32]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| any()));
        let items: [usize; 8] = std::array::from_fn(|lane| (case + 5 * lane * (case / 32)) % 32);
        let bit = |j: usize, lane: usize| ((items[lane] >> j & 1) as u8) << lane;
        let masks = std::array::from_fn(|j| (0..8).map(|lane| bit(j, lane)).sum());
        let out: [Self; 3] = Self::look_up(&tables, masks);
        let right = |table: usize, lane: usize| out[table].0[lane] == tables[table][items[lane]];
        expect((0..3).all(|t| (0..N).all(|lane| right(t, lane))), "an item")
    }

    /// All cases of [`DIGITS`].
    fn check_digits(case: usize) -> Result<(), String> {
        let (shift, width) = ((case % 64) as u32, (case / 64 % 7 + 2) as u32);
        let has_half = case / 448 % 2 == 1;
        let answers = [0, 0xff, 0x2b][case / 896];
        let half = if has_half { 1 << (width - 1) } else { 0 };
        let mask = (1 << width) - 1;
        let [low, high] = [0, 1].map(|_| -> [u64; 8] { std::array::from_fn(|_| any()) });
        registers::begin(answers, Vec::new());
        let digits = Self::digits(&low, &high, Cut { shift, mask, half });
        let asked = questions();
        for lane in 0..N {
            // Not an operation of the run: no mutant alters it.
            let on = |operation, words: &[Exact]| Exact::apply(operation, words);
            let below = on(Operation::ShiftRight(shift), &[symbol(low[lane])]);
            let above = on(Operation::ShiftLeft(64 - shift), &[symbol(high[lane])]);
            let both = on(Operation::Or, &[below, above]);
            let raised = on(Operation::And, &[both, on(Operation::Splat(mask), &[])]);
            let half = Value::constant(half.into());
            let difference = raised.term().value.minus(&half);
            let is_negative = has_half && answers >> lane & 1 == 1;
            let sign = BigInt::from(if is_negative { -1 } else { 1 });
            let magnitude = Value::default().plus(&sign, &difference);
            expect(same(digits.magnitudes[lane], &magnitude), "a magnitude")?;
            expect((digits.negative >> lane & 1 == 1) == is_negative, "a sign")?;
            let of_lane = || asked.iter().filter(|(of, _)| *of == lane);
            let question = Question::IsNegative(wrapped(&difference));
            expect(
                of_lane().all(|(_, asked)| *asked == question),
                "what is compared",
            )?;
            let any = of_lane().next().is_some();
            expect(any == has_half, "whether it is compared")?;
        }
        let no_magnitude = digits.magnitudes[N..]
            .iter()
            .all(|&magnitude| magnitude == 0);
        let no_sign = u32::from(digits.negative) >> N == 0;
        expect(no_magnitude && no_sign, "lanes that there are not")
    }
}
