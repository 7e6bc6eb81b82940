//! Random claims, on every backend.

use klero::{Backend, Method, Verifier};
use klero_reference::Suite;

use crate::Checked;
use crate::support::case::Case;
use crate::support::compare::{check_group, subject};
use crate::support::random::Source;

/// Claims that are compared with the oracle, in a slice.
const WITH_ORACLE: usize = 20_000;

/// Claims that backends are compared on, in a slice.
const WITHOUT: usize = 200_000;

/// The suite of a slice.
fn suite(number: u64) -> &'static Suite {
    let all = klero::Suite::ALL;
    let suite = all[(number % all.len() as u64) as usize];
    Suite::named(suite.name()).expect("the model has every suite")
}

/// Every backend gives the oracle's verdicts.
pub fn by_the_oracle(number: u64) -> Checked {
    let suite = suite(number);
    let mut source = Source::new(suite, number);
    let mut tried = 0;
    while tried < WITH_ORACLE {
        let cases = source.judged();
        check_group(suite, &mut source.rng, &cases);
        tried += cases.len();
    }
    Checked {
        inputs: tried as u64,
        of: suite.name.to_owned(),
    }
}

/// All backends give the same verdicts, and honest claims are valid.
pub fn by_each_backend(number: u64) -> Checked {
    let suite = suite(number);
    let mut source = Source::new(suite, number);
    let mut tried = 0;
    for group in 0.. {
        if tried >= WITHOUT {
            break;
        }
        let cases = source.group();
        let claims: Vec<_> = cases.iter().map(Case::claim).collect();
        let method = [Method::Sum, Method::OneByOne, Method::Auto][group % 3];
        let mut first = None;
        for backend in Backend::all() {
            if backend.name() == "portable" && group % 10 != 0 {
                continue;
            }
            let verifier = Verifier::new(subject(suite)).backend(backend);
            let verdicts = verifier.method(method).verify_many(&claims).verdicts;
            let first = first.get_or_insert_with(|| (backend, verdicts.clone()));
            let differ = verdicts.iter().zip(&first.1).position(|(a, b)| a != b);
            if let Some(index) = differ {
                panic!(
                    "{} number {index}: {backend:?} says {:?}, {:?} says {:?}: {:x?}",
                    suite.name, verdicts[index], first.0, first.1[index], cases[index]
                );
            }
        }
        tried += cases.len();
    }
    Checked {
        inputs: tried as u64,
        of: suite.name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn one_wrong_verdict_is_found() {
        let suite = suite(0);
        let mut source = Source::new(suite, 1);
        let mut cases = source.judged();
        check_group(suite, &mut source.rng, &cases);
        let last = cases.len() - 1;
        cases[last].expected = Ok([0; 64]);
        let found = catch_unwind(move || check_group(suite, &mut source.rng, &cases));
        assert!(found.is_err());
    }
}
