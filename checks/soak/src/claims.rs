//! Random claims, on every backend.

use std::thread;

use klero::{Backend, Method, Verdict, Verifier, Weights};
use klero_reference::Suite;

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

/// Every backend gives the oracle's verdicts. Returns how many claims there were.
pub fn by_the_oracle(number: u64) -> u64 {
    let suite = suite(number);
    let mut source = Source::new(suite, number);
    let mut tried = 0;
    while tried < WITH_ORACLE {
        let cases = source.judged();
        check_group(suite, &mut source.rng, &cases);
        tried += cases.len();
    }
    tried as u64
}

/// All backends give the same verdicts, and honest claims are valid. For each group it is drawn whether
/// keys are kept from one group to the next, where weights come from, and whether several threads
/// verify it at a time. Returns how many claims there were.
pub fn by_each_backend(number: u64) -> u64 {
    let suite = suite(number);
    let mut source = Source::new(suite, number);
    let backends = Backend::all();
    assert!(
        backends.len() > 1,
        "backends are compared, and this processor has one alone"
    );
    // One key fits, a few, or all.
    let fit = [1, 8, usize::MAX][source.rng.below(3)];
    let forgetful = Verifier::new(subject(suite));
    let keeping = forgetful.clone().keep_keys(fit);
    let (mut turn, mut tried) = (0, 0);
    while tried < WITHOUT {
        let group = source.group();
        let weights = [Weights::Hashed, Weights::Random(source.rng.array())];
        let verifier = [&forgetful, &keeping][source.rng.below(2)].clone();
        let way = Way {
            verifier: verifier
                .method([Method::Sum, Method::OneByOne, Method::Auto][turn % 3])
                .weights(weights[source.rng.below(2)]),
            threads: 1 + source.rng.below(2),
        };
        // Two at least.
        let slow = backends.len() > 2 && turn % 10 != 0;
        let backends = backends
            .iter()
            .filter(|backend| !(slow && backend.name() == "portable"));
        agree(suite, &way, &group, backends.copied());
        tried += group.len();
        turn += 1;
    }
    tried as u64
}

/// How a group is verified.
struct Way {
    verifier: Verifier,
    /// How many threads verify the whole group at the same time. They share the kept keys.
    threads: usize,
}

impl Way {
    fn verdicts(&self, made: &[Made], backend: Backend) -> Vec<Verdict> {
        let claims: Vec<_> = made.iter().map(|made| made.case.claim()).collect();
        let verifier = self.verifier.clone().backend(backend);
        let all = thread::scope(|scope| {
            let one = || verifier.verify_many(&claims).verdicts;
            let running: Vec<_> = (0..self.threads).map(|_| scope.spawn(one)).collect();
            let ends = running.into_iter().map(|thread| thread.join());
            ends.collect::<Result<Vec<_>, _>>()
                .expect("a thread panicked")
        });
        assert!(
            all.iter().all(|verdicts| *verdicts == all[0]),
            "threads disagree on {backend:?}"
        );
        all.into_iter().next().expect("there is a thread")
    }
}

/// These backends give the same verdicts, and those that are expected on honest claims.
fn agree(suite: &Suite, way: &Way, made: &[Made], backends: impl Iterator<Item = Backend>) {
    let mut first = None;
    for backend in backends {
        let verdicts = way.verdicts(made, backend);
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
    use std::panic::{AssertUnwindSafe, catch_unwind};

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
        let way = Way {
            verifier: Verifier::new(subject(suite)),
            threads: 2,
        };
        agree(suite, &way, &group, all());
        let honest = group.iter_mut().find(|made| !made.altered).unwrap();
        honest.case.expected = Ok([0; 64]);
        let again = AssertUnwindSafe(|| agree(suite, &way, &group, all()));
        assert!(catch_unwind(again).is_err());
    }
}
