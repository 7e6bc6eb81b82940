//! Headers that each break one rule, or none.

use anyhow::ensure;
use klero::Backend;
use klero_reference::header::{agrees, cases};
use klero_vectors::{Era, of_epoch};
use serde_json::Value;

use crate::library::{self, groups, tests};

/// The model is slow: it takes one header in this many.
const OF_THE_MODEL: usize = 20;

/// Headers in a slice.
const HEADERS: u64 = 1_000;

/// Shares of the slots that are the overlay, before Babbage.
const OVERLAYS: [(u64, u64); 4] = [(3, 5), (1, 2), (9, 10), (13, 50)];

/// The library finds the rule that each header breaks, and nothing else: alone, and in batches in random order,
/// each on a random backend. The model must agree on some of them. Returns how many there were.
pub fn headers(number: u64) -> anyhow::Result<u64> {
    let era = Era::ALL[(number % Era::ALL.len() as u64) as usize];
    let mut random = fastrand::Rng::with_seed(number);
    let mut judged = 0;
    while judged < HEADERS {
        let epoch = random.u64(100..1_000_000);
        let overlay = OVERLAYS[random.usize(..OVERLAYS.len())];
        let makers = format!("slice {number}, {judged}: ");
        let file = serde_json::from_str(&of_epoch(era, epoch, overlay, &makers))?;
        judge(&file, &mut random);
        let count = cases(&file).count();
        ensure!(count > OF_THE_MODEL, "an epoch has {count} headers");
        let chosen = cases(&file).skip(random.usize(..OF_THE_MODEL));
        chosen.step_by(OF_THE_MODEL).for_each(agrees);
        judged += count as u64;
    }
    Ok(judged)
}

/// The library judges them alone, and together.
fn judge(file: &Value, random: &mut fastrand::Rng) {
    draw_backend(random);
    library::agrees_alone(file);
    let stakes = file["stakes"].as_object().expect("the file has stakes");
    for group in groups(file, "headers") {
        for stake in stakes.keys() {
            let of_stake = tests(group).iter().filter(|test| test["stake"] == **stake);
            let mut of_stake: Vec<_> = of_stake.collect();
            random.shuffle(&mut of_stake);
            while !of_stake.is_empty() {
                let batch = of_stake.split_off(of_stake.len() - random.usize(1..=of_stake.len()));
                draw_backend(random);
                library::agrees_together(file, group, stake, &batch);
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

    use super::*;

    /// Each judge finds an invalid header that is stated to be valid.
    #[test]
    fn one_wrong_verdict_is_found() {
        let mut random = fastrand::Rng::with_seed(0);
        let text = of_epoch(Era::ALL[5], 200, (0, 1), "test: ");
        let mut file: Value = serde_json::from_str(&text).unwrap();
        let all = tests(&file["testGroups"][0]);
        let chosen = all.iter().position(|test| test["broken"] == "leader-value");
        let chosen = chosen.unwrap();
        let mut all_agree = |file: &Value| {
            let cases = || cases(file).skip(chosen).step_by(OF_THE_MODEL);
            let by_the_model = || cases().for_each(agrees);
            let by_the_library = AssertUnwindSafe(|| judge(file, &mut random));
            [
                catch_unwind(by_the_library).is_ok(),
                catch_unwind(AssertUnwindSafe(by_the_model)).is_ok(),
            ]
        };
        assert_eq!(all_agree(&file), [true; 2]);
        let test = &mut file["testGroups"][0]["tests"][chosen];
        test["result"] = "valid".into();
        test.as_object_mut().unwrap().remove("broken");
        assert_eq!(all_agree(&file), [false; 2]);
    }
}
