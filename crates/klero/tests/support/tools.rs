//! Claims that own their bytes, honest ones, comparing the library with the
//! reference, and reading the shared vectors.

use std::io::Write;
use std::path::PathBuf;

use klero::{Backend, Batch, Claim, Invalid, SecretKey};

use super::oracle;
use super::reference::{self, SUITES, Suite};

/// One `#[test]` for each suite, `CHECK::SUITE`, out of `fn CHECK(&Suite)`.
#[macro_export]
macro_rules! every_suite {
    ($($check:ident),+ $(,)?) => { $(
        mod $check {
            $crate::every_suite! { @ $check:
                praos praos_original draft10_tai draft10_tai_bc draft13 draft13_bc
                rfc9381_tai rfc9381_ell2 rfc9381_tai_bc rfc9381_ell2_bc
                praos_128 praos_144 praos_tai praos_blake2b
            }
        }
    )+ };
    (@ $check:ident: $($suite:ident)+) => { $(
        #[test]
        fn $suite() {
            super::$check($crate::support::tools::model(stringify!($suite)));
        }
    )+ };
}

/// The reference's suite of that name (`_` and `-` are the same).
pub fn model(name: &str) -> &'static Suite {
    let name = name.replace('_', "-");
    let found = SUITES.iter().find(|suite| suite.name == name);
    found.unwrap_or_else(|| panic!("no suite {name}"))
}

/// The library's suite of the same name.
pub fn subject(suite: &Suite) -> klero::Suite {
    suite.name.parse().unwrap()
}

// -------------------------------------------------------------------- claims

/// The verdict of the reference, comparable with the library's.
pub type Expected = Result<[u8; 64], Invalid>;

/// A claim that owns its bytes, and the verdict of the reference on it.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub key: Vec<u8>,
    pub alpha: Vec<u8>,
    pub proof: Vec<u8>,
    pub output: Option<Vec<u8>>,
    pub expected: Expected,
}

impl Case {
    pub fn new(suite: &Suite, name: impl Into<String>, claim: &Claim) -> Case {
        Case {
            name: name.into(),
            key: claim.key.to_vec(),
            alpha: claim.alpha.to_vec(),
            proof: claim.proof.to_vec(),
            output: claim.output.map(<[u8]>::to_vec),
            expected: reference::verify(suite, claim),
        }
    }

    pub fn claim(&self) -> Claim<'_> {
        Claim {
            key: &self.key,
            alpha: &self.alpha,
            proof: &self.proof,
            output: self.output.as_deref(),
        }
    }
}

/// Claims with keys of a few owners, so that keys repeat; two of three name
/// their output. The reference finds them valid.
pub fn honest(suite: &Suite, count: usize) -> Vec<Case> {
    let mut rng = Rng(count as u64);
    (0..count)
        .map(|index| {
            let key = SecretKey::from_seed(subject(suite), &owner(index % 7));
            let len = rng.below(100);
            let alpha = rng.bytes(len);
            let (proof, output) = key.prove(&alpha);
            let claim = Claim {
                key: key.public_key().as_bytes(),
                alpha: &alpha,
                proof: proof.as_bytes(),
                output: (index % 3 != 0).then_some(output.as_bytes()),
            };
            let case = Case::new(suite, format!("honest {index}"), &claim);
            assert_eq!(case.expected, Ok(output.0), "{} {case:?}", suite.name);
            case
        })
        .collect()
}

/// The seed of a key owner. Attackers and honest neighbours share owners.
pub fn owner(index: usize) -> [u8; 32] {
    [index as u8; 32]
}

/// One thing wrong with the claim, or nothing after all.
pub fn spoil(rng: &mut Rng, case: &mut Case) {
    let at = |rng: &mut Rng, bytes: &[u8]| rng.below(bytes.len());
    match rng.below(9) {
        0 | 1 => {
            let at = at(rng, &case.proof);
            rng.flip_a_bit(&mut case.proof, at);
        }
        2 => {
            let at = at(rng, &case.key);
            rng.flip_a_bit(&mut case.key, at);
        }
        3 => case.alpha.push(rng.next() as u8),
        4 => case.output = Some(rng.bytes(64)),
        5 => {
            let at = 16 * rng.below(case.proof.len() / 16);
            let bytes = rng.bytes(16);
            case.proof[at..at + 16].copy_from_slice(&bytes);
        }
        6 => case.proof = rng.bytes(case.proof.len()),
        7 => case.key = rng.bytes(32),
        _ => {
            let len = rng.below(200);
            case.proof.resize(len, 0);
        }
    }
}

// ---------------------------------------------------------------- comparing

fn bytes(verdict: klero::Verdict) -> Expected {
    verdict.map(|output| output.0)
}

/// The backends to compare. Where everything is asserted, and so takes its time, the
/// fastest and the portable one: the fields of all are tested in `lanes`.
pub fn backends() -> Vec<Backend> {
    let mut backends = Backend::all();
    if cfg!(debug_assertions) && backends.len() > 2 {
        backends.drain(1..backends.len() - 1);
    }
    backends
}

/// The library alone, on every backend, says what the reference says, reason and output
/// included; of the proof without its claim as well. So does the fast oracle.
pub fn check_alone(suite: &Suite, case: &Case) {
    assert_eq!(
        oracle::verify(suite, &case.claim()),
        case.expected,
        "{} oracle: {case:x?}",
        suite.name
    );
    for backend in backends() {
        let verdict = bytes(subject(suite).verify_on(backend, &case.claim()));
        let name = suite.name;
        assert_eq!(
            verdict, case.expected,
            "{name} alone, {backend:?}: {case:x?}"
        );
    }
    assert_eq!(
        bytes(subject(suite).proof_to_hash(&case.proof)),
        reference::proof_to_hash(suite, &case.proof),
        "{} proof_to_hash: {case:x?}",
        suite.name,
    );
}

/// And so does a batch of these cases, claim by claim.
pub fn check_batch<'a>(suite: &Suite, cases: impl IntoIterator<Item = &'a Case>) {
    check_batch_with(suite, klero::Coefficients::Hashed, cases);
}

pub fn check_batch_with<'a>(
    suite: &Suite,
    coefficients: klero::Coefficients,
    cases: impl IntoIterator<Item = &'a Case>,
) {
    let cases: Vec<&Case> = cases.into_iter().collect();
    for (turn, backend) in backends().into_iter().enumerate() {
        // By a sum, however few they are, and once each for itself as well.
        let ways: &[usize] = if turn == 0 { &[1, usize::MAX] } else { &[1] };
        for &sum_from in ways {
            let mut batch = Batch::new(subject(suite))
                .with_coefficients(coefficients)
                .with_backend(backend)
                .with_sum_from(sum_from);
            batch.extend(cases.iter().map(|case| case.claim()));
            let verdicts = batch.verify();
            assert_eq!(verdicts.len(), cases.len());
            for (index, (verdict, case)) in verdicts.into_iter().zip(&cases).enumerate() {
                assert_eq!(
                    bytes(verdict),
                    case.expected,
                    "{} number {index} of {} on {backend:?} with {coefficients:?}, sums from \
                     {sum_from}: {case:x?}",
                    suite.name,
                    cases.len(),
                );
            }
        }
    }
}

/// A batch of `count` honest neighbours with `group` put in at `position`.
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

/// Alone, in a batch of its own, beside one honest neighbour, and among 0 to 16
/// of them: at the first, a middle, the last or a random position by `turn`.
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

/// The first, a middle, the last or a random position among `count` neighbours.
pub fn position(rng: &mut Rng, turn: usize, count: usize) -> usize {
    [0, count / 2, count, rng.below(count + 1)][turn % 4]
}

// --------------------------------------------------------------- randomness

/// SplitMix64: the same numbers on every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    pub fn flip_a_bit(&mut self, bytes: &mut [u8], at: usize) {
        bytes[at] ^= 1 << self.below(8);
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

// ------------------------------------------------------------ shared vectors

/// A file or folder among the shared vectors; None, said loudly, if this
/// checkout stands without them.
pub fn shared_vectors(name: &str) -> Option<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");
    let path = PathBuf::from(root).join(name);
    if !path.exists() {
        // Not eprintln!, which the test harness swallows when a test passes.
        let line = format!("\nSKIPPED: {} is not there\n", path.display());
        let _ = std::io::stderr().write_all(line.as_bytes());
        return None;
    }
    Some(path)
}

/// The entries of a JSON file that is one array.
pub fn json_array(text: &str) -> Vec<serde_json::Value> {
    serde_json::from_str(text).unwrap()
}

/// A field in hex; it must be there.
pub fn hex_field(entry: &serde_json::Value, name: &str) -> Vec<u8> {
    let text = entry[name].as_str();
    let text = text.unwrap_or_else(|| panic!("no text field {name} in {entry}"));
    hex::decode(text).unwrap()
}
