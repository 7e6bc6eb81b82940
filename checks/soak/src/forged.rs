//! Headers that each break one rule, or none.

use anyhow::ensure;
use klero::Backend;

use crate::headers::context::Era;
use crate::headers::format::{HeaderTest, Vectors};
use crate::headers::names::{ROUNDINGS, RULES};
use crate::headers::{library, twin, vectors};
use crate::record::Checked;

/// The second judge is slow: it takes one header in this many.
const OF_THE_TWIN: usize = 20;

/// Headers in a slice.
const HEADERS: u64 = 1_000;

/// Shares of the slots that are the overlay, before Babbage.
const OVERLAYS: [(u64, u64); 4] = [(3, 5), (1, 2), (9, 10), (13, 50)];

/// The library finds the rule that each header breaks, and nothing else: alone, and in batches in random order,
/// each on a random backend. A second judge must agree on some of them.
pub fn headers(number: u64) -> anyhow::Result<Checked> {
    let era = Era::ALL[(number % Era::ALL.len() as u64) as usize];
    let mut random = fastrand::Rng::with_seed(number);
    let mut judged = 0;
    while judged < HEADERS {
        let epoch = random.u64(100..1_000_000);
        let overlay = OVERLAYS[random.usize(..OVERLAYS.len())];
        let makers = format!("slice {number}, {judged}: ");
        let vectors = vectors::of_epoch(era, epoch, overlay, &makers);
        let file = serde_json::from_str(&vectors.file(RULES, ROUNDINGS))?;
        judge(&vectors, &mut random);
        let by_the_twin = twin::agrees(&file, random.usize(..OF_THE_TWIN), OF_THE_TWIN);
        ensure!(by_the_twin > 0, "the second judge judged no header");
        let headers = vectors.headers().map(|(_, tests)| tests.len() as u64);
        judged += headers.sum::<u64>();
    }
    Ok(Checked {
        inputs: judged,
        of: era.name.to_owned(),
    })
}

/// The library judges them alone, and together.
fn judge(vectors: &Vectors, random: &mut fastrand::Rng) {
    draw_backend(random);
    library::agrees_alone(vectors);
    for (context, tests) in vectors.headers() {
        for stake in &vectors.stakes {
            let of_stake = tests.iter().filter(|test| test.stake == stake.name);
            let mut of_stake: Vec<&HeaderTest> = of_stake.collect();
            random.shuffle(&mut of_stake);
            while !of_stake.is_empty() {
                let batch = of_stake.split_off(of_stake.len() - random.usize(1..=of_stake.len()));
                draw_backend(random);
                library::agrees_together(context, stake, &batch);
            }
        }
    }
}

/// Makes a random backend the default, which checks take.
fn draw_backend(random: &mut fastrand::Rng) {
    let all = Backend::all();
    all[random.usize(..all.len())].make_default();
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use crate::headers::format::Group;

    use super::*;

    /// Each judge finds that a header is invalid of which the opposite is stated.
    #[test]
    fn one_wrong_verdict_is_found() {
        let mut random = fastrand::Rng::with_seed(0);
        let mut vectors = vectors::of_epoch(Era::ALL[5], 200, (0, 1), "test: ");
        let Group::Headers { tests, .. } = &vectors.groups[0] else {
            unreachable!("the group is of headers");
        };
        let chosen = tests
            .iter()
            .position(|test| test.broken == Some("leader-value"));
        let chosen = chosen.unwrap();
        let mut all_agree = |vectors: &Vectors| {
            let file = serde_json::from_str(&vectors.file(RULES, ROUNDINGS)).unwrap();
            let by_the_twin = || twin::agrees(&file, chosen, OF_THE_TWIN);
            [
                catch_unwind(AssertUnwindSafe(|| judge(vectors, &mut random))).is_ok(),
                catch_unwind(AssertUnwindSafe(by_the_twin)).is_ok(),
            ]
        };
        assert_eq!(all_agree(&vectors), [true; 2]);
        let Group::Headers { tests, .. } = &mut vectors.groups[0] else {
            unreachable!("the group is of headers");
        };
        tests[chosen].broken = None;
        assert_eq!(all_agree(&vectors), [false; 2]);
    }
}
