//! Errors of small order on Y, Γ, U and V.

use std::collections::BTreeMap;

use klero_reference::{Rules, Suite};

use crate::support::case::Case;
use crate::support::forger::{Forger, nonce};
use crate::support::rng::Rng;

/// Returns the m for which m·T, added to U, hides from verification that `error`·T was added to Y.
pub fn hidden_by(rules: Rules, c_mod_8: u8, error: usize) -> usize {
    let c = usize::from(c_mod_8);
    let multiplier = match rules {
        Rules::Cardano => 5 + 8 - c, // L = 5 mod 8
        Rules::Rfc | Rules::Original => 8 - c,
    };
    multiplier * error % 8
}

/// The multiples of T that are added to Y, Γ, U and V, and the residue of c mod 8.
type Errors = ([usize; 4], u8);

/// Returns errors of order 2, 4 and 8 for each residue of c, on one point or on several points. Many errors
/// on several points cancel under one family of rules, or in a sum of the equations. Some errors are random.
fn torsion_errors() -> Vec<Errors> {
    let mut errors = Vec::new();
    for residue in 0..8 {
        for error in [1, 2, 4] {
            let negated = 8 - error;
            for point in 0..4 {
                let mut one = [0; 4];
                one[point] = error;
                errors.push((one, residue));
            }
            for rules in [Rules::Cardano, Rules::Rfc] {
                let hidden = hidden_by(rules, residue, error);
                errors.push(([error, 0, hidden, 0], residue));
                errors.push(([0, error, 0, hidden], residue));
                errors.push(([error, error, hidden, hidden], residue));
            }
            if residue % 2 == 0 {
                errors.push(([0, 0, error, negated], residue));
                errors.push(([0, 0, error, error], residue));
                errors.push(([error, negated, 0, 0], residue));
            } else {
                errors.push(([error, error, error, error], residue));
            }
        }
    }
    let mut rng = Rng(8);
    let random = (0..24).map(|_| (std::array::from_fn(|_| rng.below(8)), rng.below(8) as u8));
    errors.extend(random);
    errors
}

fn torsion_cases(suite: &Suite, errors: Vec<Errors>) -> Vec<Case> {
    // There are only three owners, so that keys repeat.
    let mut forgers = BTreeMap::new();
    let cases = errors.into_iter().map(|(errors, residue)| {
        let [y, gamma, u, v] = errors;
        let forger = forgers
            .entry(y)
            .or_insert_with(|| Forger::new(suite, y % 3, y, b"torsion", nonce()));
        let mut forger = forger.with_errors([gamma, u, v]);
        forger.c_mod_8 = Some(residue);
        forger.case(format!(
            "{errors:?} times T on Y, Γ, U, V, c = {residue} mod 8"
        ))
    });
    cases.collect()
}

/// Claims with errors of small order on every point, with every residue of the challenge.
pub fn torsion(suite: &Suite) -> Vec<Case> {
    torsion_cases(suite, torsion_errors())
}

/// At most `count` of the claims of [`torsion`], chosen at random.
pub fn some_torsion(suite: &Suite, rng: &mut Rng, count: usize) -> Vec<Case> {
    let mut errors = torsion_errors();
    rng.shuffle(&mut errors);
    errors.truncate(count);
    torsion_cases(suite, errors)
}
