//! Verifies claims with the library, and compares its verdicts with the expected verdicts.

use klero::{Backend, Method, Verdict, Verifier, Weights};
use klero_reference::{self as reference, Invalid, Suite};

use super::case::{Case, Expected};
use super::oracle;
use super::rng::Rng;

/// The library's suite with the name of this suite of the model.
pub fn subject(suite: &Suite) -> klero::Suite {
    suite.name.parse().unwrap()
}

/// Converts the library's verdict to the model's types.
pub fn verdict(verdict: Verdict) -> Expected {
    verdict.map(|output| output.0).map_err(reason)
}

fn reason(invalid: klero::Invalid) -> Invalid {
    use klero::Invalid as Library;
    match invalid {
        Library::KeyLength(length) => Invalid::KeyLength(length),
        Library::KeyNotCanonical => Invalid::KeyNotCanonical,
        Library::KeyNotOnCurve => Invalid::KeyNotOnCurve,
        Library::KeySmallOrder => Invalid::KeySmallOrder,
        Library::ProofLength { expected, got } => Invalid::ProofLength { expected, got },
        Library::GammaNotCanonical => Invalid::GammaNotCanonical,
        Library::GammaNotOnCurve => Invalid::GammaNotOnCurve,
        Library::ScalarNotCanonical => Invalid::ScalarNotCanonical,
        Library::NoCurvePoint => Invalid::NoCurvePoint,
        Library::ChallengeMismatch => Invalid::ChallengeMismatch,
        Library::UMismatch => Invalid::UMismatch,
        Library::VMismatch => Invalid::VMismatch,
        Library::OutputLength(length) => Invalid::OutputLength(length),
        Library::OutputMismatch => Invalid::OutputMismatch,
        other => panic!("the model has no reason {other:?}"),
    }
}

/// Returns the backends to compare. Builds with every assertion are slow, so they compare only the fastest
/// and the portable backend. (`klero-lanes` tests the arithmetic of all backends.)
pub fn backends() -> Vec<Backend> {
    let mut backends = Backend::all();
    if cfg!(debug_assertions) && backends.len() > 2 {
        backends.drain(1..backends.len() - 1);
    }
    backends
}

/// Asserts that the oracle, and the library on every backend, give a single claim the expected verdict, with
/// its reason and output. Also asserts that library and model compute the same output from the claim's proof.
pub fn check_alone(suite: &Suite, case: &Case) {
    let name = suite.name;
    let oracle = oracle::verify(suite, case);
    assert_eq!(oracle, case.expected, "{name} oracle: {case:x?}");
    for backend in backends() {
        let verifier = Verifier::new(subject(suite)).backend(backend);
        let got = verdict(verifier.verify(&case.claim()));
        assert_eq!(got, case.expected, "{name} alone on {backend:?}: {case:x?}");
    }
    assert_eq!(
        verdict(subject(suite).proof_to_hash(&case.proof)),
        // If the claim is valid, the expected verdict contains the output of its proof.
        case.expected
            .or_else(|_| reference::proof_to_hash(suite, &case.proof)),
        "{name} proof_to_hash: {case:x?}",
    );
}

/// Asserts that every case gets its expected verdict in a batch of these cases, on every backend.
pub fn check_batch<'a>(suite: &Suite, cases: impl IntoIterator<Item = &'a Case>) {
    check_batch_with(suite, Weights::Hashed, cases);
}

/// Checks a batch like [`check_batch`], with weights from the given source.
pub fn check_batch_with<'a>(
    suite: &Suite,
    weights: Weights,
    cases: impl IntoIterator<Item = &'a Case>,
) {
    let cases: Vec<&Case> = cases.into_iter().collect();
    for (turn, backend) in backends().into_iter().enumerate() {
        // Every backend verifies by a sum, even a single case. The first backend also verifies one by one.
        let methods: &[Method] = if turn == 0 {
            &[Method::Sum, Method::OneByOne]
        } else {
            &[Method::Sum]
        };
        for &method in methods {
            let verifier = Verifier::new(subject(suite))
                .weights(weights)
                .backend(backend)
                .method(method);
            let claims: Vec<_> = cases.iter().map(|case| case.claim()).collect();
            let verdicts = verifier.verify_many(&claims).verdicts;
            assert_eq!(verdicts.len(), cases.len());
            for (index, (got, case)) in verdicts.into_iter().zip(&cases).enumerate() {
                assert_eq!(
                    verdict(got),
                    case.expected,
                    "{} number {index} of {} on {backend:?} with {weights:?}, {method:?}: {case:x?}",
                    suite.name,
                    cases.len(),
                );
            }
        }
    }
}

/// Asserts that every backend gives the expected verdicts on the group, and on one of its claims alone.
pub fn check_group(suite: &Suite, rng: &mut Rng, cases: &[Case]) {
    let alone = &cases[rng.below(cases.len())];
    for backend in backends() {
        let methods = [Method::Sum, Method::OneByOne, Method::Auto];
        let method = methods[rng.below(methods.len())];
        let verifier = Verifier::new(subject(suite))
            .backend(backend)
            .method(method);
        let claims: Vec<_> = cases.iter().map(Case::claim).collect();
        let verdicts = verifier.verify_many(&claims).verdicts;
        assert_eq!(verdicts.len(), cases.len());
        for (index, (got, case)) in verdicts.into_iter().zip(cases).enumerate() {
            assert_eq!(
                verdict(got),
                case.expected,
                "{} number {index} of {} on {backend:?}: {case:x?}",
                suite.name,
                cases.len()
            );
        }
        let got = verifier.verify(&alone.claim());
        assert_eq!(
            verdict(got),
            alone.expected,
            "{} alone on {backend:?}: {alone:x?}",
            suite.name
        );
    }
}

/// Checks a batch of the first `count` neighbours with `group` inserted at `position`.
pub fn check_among(
    suite: &Suite,
    neighbours: &[Case],
    count: usize,
    position: usize,
    group: &[Case],
) {
    let (before, after) = neighbours[..count].split_at(position);
    check_batch(suite, before.iter().chain(group).chain(after));
}

/// Checks a case alone, in a batch of its own, beside one honest neighbour, and among 0 to 16 neighbours.
/// `turn` chooses its position among these: the first, a middle, the last or a random position.
pub fn check_everywhere(
    suite: &Suite,
    neighbours: &[Case],
    rng: &mut Rng,
    (turn, case): (usize, &Case),
) {
    let group = std::slice::from_ref(case);
    check_alone(suite, case);
    check_batch(suite, [case]);
    check_among(suite, neighbours, 1, turn % 2, group);
    let count = rng.below(5).pow(2);
    check_among(suite, neighbours, count, position(rng, turn, count), group);
}

/// Returns the first, a middle, the last or a random position among `count` neighbours.
pub fn position(rng: &mut Rng, turn: usize, count: usize) -> usize {
    [0, count / 2, count, rng.below(count + 1)][turn % 4]
}
