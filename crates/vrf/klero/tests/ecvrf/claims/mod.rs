//! Makes the tests of `vectors/ecvrf.json`, for any suite. The code that makes a test knows how its claim is
//! built, and states the verdict that follows. [`Maker::push`] compares this verdict with the model's.

mod changed;
mod commitments;
mod gamma;
mod hash_to_curve;
mod keys;
mod maker;
mod scalar;
mod torsion;

use klero_reference::Suite;

use crate::format::Group;
use maker::Maker;

/// The suites of the file, which are the suites in use.
const SUITES: [&str; 10] = [
    "praos",
    "praos-original",
    "draft10-tai",
    "draft10-tai-bc",
    "draft13",
    "draft13-bc",
    "rfc9381-tai",
    "rfc9381-ell2",
    "rfc9381-tai-bc",
    "rfc9381-ell2-bc",
];

/// Makes all groups of the file.
pub fn groups() -> Vec<Group> {
    let suites = SUITES.map(|name| Suite::named(name).unwrap());
    std::thread::scope(|scope| {
        let threads = suites.map(|suite| scope.spawn(move || group(suite, &suites)));
        threads.map(|thread| thread.join().unwrap()).into()
    })
}

fn group(suite: &'static Suite, suites: &[&'static Suite]) -> Group {
    let mut maker = Maker {
        suite,
        tests: Vec::new(),
    };
    hash_to_curve::make(&mut maker);
    changed::make(&mut maker, suites);
    keys::make(&mut maker);
    torsion::make(&mut maker);
    gamma::make(&mut maker);
    scalar::make(&mut maker);
    commitments::make(&mut maker);
    Group {
        suite,
        tests: maker.tests,
    }
}
