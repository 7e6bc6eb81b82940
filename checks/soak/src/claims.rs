//! Random claims, on every backend.

use klero::{Backend, Method, Verifier};
use klero_reference::Suite;

use crate::record::Checked;
use crate::support::compare::{check_group, subject, verdict};
use crate::support::source::{Made, Source};

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
    let backends = Backend::all();
    assert!(
        backends.len() > 1,
        "backends are compared, and this processor has one alone"
    );
    let mut tried = 0;
    for turn in 0.. {
        if tried >= WITHOUT {
            break;
        }
        let group = source.group();
        let method = [Method::Sum, Method::OneByOne, Method::Auto][turn % 3];
        // Two at least.
        let slow = backends.len() > 2 && turn % 10 != 0;
        let backends = backends
            .iter()
            .filter(|backend| !(slow && backend.name() == "portable"));
        agree(suite, method, &group, backends.copied());
        tried += group.len();
    }
    Checked {
        inputs: tried as u64,
        of: suite.name.to_owned(),
    }
}

/// These backends give the same verdicts, and those that are expected on honest claims.
fn agree(suite: &Suite, method: Method, made: &[Made], backends: impl Iterator<Item = Backend>) {
    let claims: Vec<_> = made.iter().map(|made| made.case.claim()).collect();
    let mut first = None;
    for backend in backends {
        let verifier = Verifier::new(subject(suite))
            .backend(backend)
            .method(method);
        let verdicts = verifier.verify_many(&claims).verdicts;
        assert_eq!(verdicts.len(), made.len(), "{} on {backend:?}", suite.name);
        let (before, expected) = first.get_or_insert_with(|| (backend, verdicts.clone()));
        for (index, Made { case, altered }) in made.iter().enumerate() {
            let (got, name) = (&verdicts[index], suite.name);
            assert_eq!(
                got, &expected[index],
                "{name} number {index}: {backend:?}, then {before:?}: {case:x?}"
            );
            assert!(
                *altered || verdict(*got) == case.expected,
                "{name} number {index} on {backend:?}: {got:?}: {case:x?}"
            );
        }
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

    #[test]
    fn a_verdict_that_is_wrong_on_all_backends_is_found() {
        let suite = suite(0);
        let mut group = Source::new(suite, 1).group();
        let all = || Backend::all().into_iter();
        agree(suite, Method::Auto, &group, all());
        let honest = group.iter_mut().find(|made| !made.altered).unwrap();
        honest.case.expected = Ok([0; 64]);
        assert!(catch_unwind(move || agree(suite, Method::Auto, &group, all())).is_err());
    }
}
