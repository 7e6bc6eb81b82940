//! Whether a kernel is right for all inputs: its claim as an equation of polynomials modulo p, and
//! its result within its bounds.

use crate::attempt::attempt;
use crate::field::backends::Reading;
use crate::field::kernels::{Claim, Kernel, Output, Place, Words};
use crate::field::model::Model;
use crate::integer::{p, polynomial, read};
use crate::least;
use crate::words::domain::Operation;
use crate::words::execution::{Mode, execute};
use crate::words::interval::Interval;
use crate::words::polynomial::Value;
use crate::words::symbol::{self, Selection, Symbol};

pub struct Shown {
    /// Where the words of its result lie.
    pub ranges: Option<[Interval; 5]>,
    pub operations: Vec<Operation>,
}

/// Words in the ranges of an input.
pub fn symbols(input: &Place) -> Words<Symbol> {
    let low = Interval::below(1 << 26);
    input.ranges.map(|range| {
        Model(match input.halves {
            true => {
                let halves = [(1, low), (1 << 26, range.shift_right(26))];
                Symbol::input(range, &halves, false)
            }
            false => {
                let is_double = input.reading == Reading::Doubles;
                Symbol::input(range, &[(1, range)], is_double)
            }
        })
    })
}

/// Checks a kernel, executed in this mode.
pub fn check(kernel: &Kernel<Symbol>, mode: &Mode) -> Result<Shown, String> {
    let check = |answer| attempt(|| check_with(kernel, mode.clone(), answer)).flatten();
    let shown = check(false)?;
    if let Claim::IsZero(_) | Claim::IsOdd(_) = kernel.claim {
        check(true)?;
    }
    Ok(shown)
}

fn check_with(kernel: &Kernel<Symbol>, mode: Mode, answer: bool) -> Result<Shown, String> {
    symbol::begin(Selection::ByMask, answer);
    let inputs: Vec<_> = kernel.inputs.iter().map(symbols).collect();
    let aside = match &kernel.claim {
        Claim::Least(of) | Claim::IsZero(of) | Claim::IsOdd(of) => Some(of(&inputs)),
        _ => None,
    };
    let (out, operations) = execute(mode, || (kernel.run)(&inputs));
    let out = match (out, aside) {
        (Output::Words(out), aside) => {
            let out = read(kernel.output, out);
            for (i, (range, bound)) in out.ranges.iter().zip(kernel.bounds).enumerate() {
                if !range.is_within(bound) {
                    return Err(format!("limb {i} is out of its bounds"));
                }
            }
            let value = |i: usize| read(kernel.inputs[i].reading, inputs[i]).value;
            if let Some(entering) = aside {
                least::check(&out.value, &value(0), &read(Reading::Limbs(51), entering))?;
            } else {
                let claimed = claimed(&kernel.claim, value)?;
                if !out.value.minus(&claimed).modulo(&p()).is_zero() {
                    return Err("the value is wrong".to_owned());
                }
            }
            Some(out.ranges)
        }
        (Output::Mask(mask), Some(least)) => {
            asked(&kernel.claim, least, answer, mask == 1)?;
            None
        }
        (Output::Mask(_), None) => unreachable!("every mask has a least residue"),
    };
    Ok(Shown {
        ranges: out,
        operations,
    })
}

/// The result that is claimed of a kernel, or the value that its answer is about.
pub fn claimed<D>(claim: &Claim<D>, value: impl Fn(usize) -> Value) -> Result<Value, String> {
    let product = |a: Value, b: Value| a.product(&b).ok_or("the degree of inputs".to_owned());
    Ok(match claim {
        Claim::Input(i) => value(*i),
        Claim::Product => product(value(0), value(1))?,
        Claim::Square => product(value(0), value(0))?,
        Claim::Sum => value(0).plus(&1.into(), &value(1)),
        Claim::Difference => value(0).minus(&value(1)),
        Claim::Negative => Value::default().minus(&value(0)),
        Claim::Least(_) | Claim::IsZero(_) | Claim::IsOdd(_) => value(0),
    })
}

/// Checks that one comparison with 0 was made, of the right word, and that its answer was returned.
fn asked(
    claim: &Claim<Symbol>,
    least: Words<Symbol>,
    answer: bool,
    returned: bool,
) -> Result<(), String> {
    let (right, expected) = match claim {
        Claim::IsZero(_) => (least.map(|word| polynomial(word.0.word())).to_vec(), answer),
        _ => (vec![polynomial(least[0].0.low_bits(1))], !answer),
    };
    let questions = symbol::questions();
    let [question] = &questions[..] else {
        return Err(format!("{} comparisons with 0", questions.len()));
    };
    let same = question.iter().all(|word| right.contains(word))
        && right.iter().all(|word| question.contains(word));
    match same && returned == expected {
        true => Ok(()),
        false => Err("another word was compared with 0".to_owned()),
    }
}
