//! Points of small order, added to Y, Γ, U and V.

use klero_reference::Rules;

use super::maker::{EQUATIONS, Maker, Valid, multiple};
use crate::support::forger::{Forger, nonce};
use crate::support::hostile::hidden_by;

/// Makes tests in which multiples of T, a point of order 8, are added to Y, Γ, U and V, for given residues of
/// c mod 8.
pub fn make(maker: &mut Maker) {
    let cardano = |c, error| hidden_by(Rules::Cardano, c, error);
    let rfc = |c, error| hidden_by(Rules::Rfc, c, error);
    let mut errors = Vec::new();
    for place in 0..2 {
        let mut push = |error, commitment, c| {
            let mut all = [0; 4];
            all[place] = error;
            all[place + 2] = commitment;
            errors.push((all, c));
        };
        // Multiplied by the multiplier of Y and Γ, these errors vanish under the rules of one family (Cardano
        // or RFC), except for the error (1, 1), which vanishes under neither.
        for (error, c) in [(1, 5), (1, 0), (1, 1), (2, 1), (4, 3), (4, 2)] {
            push(error, 0, c);
        }
        // An error on U or V cancels the error on Y or Γ, under the rules of one family.
        push(1, cardano(1, 1), 1);
        push(1, rfc(1, 1), 1);
        // Errors on U or V alone.
        push(0, 1, 0);
        push(0, 4, 5);
    }
    // The first two errors vanish in both equations under the rules of one family. The other two cancel in
    // the sum of the equations.
    errors.extend([([1, 1, 0, 0], 5), ([1, 1, 0, 0], 0)]);
    errors.extend([([1, 7, 0, 0], 4), ([0, 0, 1, 7], 3)]);
    for (errors, c) in errors {
        one_torsion(maker, errors, c);
    }
}

/// True if the equations hold with these multiples of T added to Y, Γ, U and V.
fn holds(rules: Rules, [y, gamma, u, v]: [usize; 4], c: u8) -> bool {
    hidden_by(rules, c, y) == u && hidden_by(rules, c, gamma) == v
}

/// Returns a flag for each kind of point with an error, and one if the verdict depends on the rules.
pub fn flags(errors: [usize; 4], c: u8) -> Vec<&'static str> {
    let [y, gamma, u, v] = errors;
    let [cardano, rfc] = [Rules::Cardano, Rules::Rfc].map(|rules| holds(rules, errors, c));
    let mut flags = Vec::new();
    flags.extend((y != 0).then_some("MixedOrderKey"));
    flags.extend((gamma != 0).then_some("MixedOrderGamma"));
    flags.extend((u != 0 || v != 0).then_some("MixedOrderCommitment"));
    flags.extend((cardano && !rfc).then_some("CardanoRules"));
    flags.extend((rfc && !cardano).then_some("RfcRules"));
    flags
}

fn one_torsion(maker: &mut Maker, errors: [usize; 4], c: u8) {
    let [y, gamma, u, v] = errors;
    let names = ["Y", "Gamma", "U", "V"].into_iter().zip(errors);
    let names: Vec<_> = names
        .filter(|(_, error)| *error != 0)
        .map(|(name, error)| format!("{name} + {}", multiple(error, "T")))
        .collect();
    let mut forger = Forger::new(maker.suite, 2, y, b"torsion", nonce());
    forger = forger.with_errors([gamma, u, v]);
    forger.c_mod_8 = Some(c);
    let stated = if holds(maker.suite.rules, errors, c) {
        Valid
    } else {
        EQUATIONS
    };
    let comment = format!("{}, c = {c} mod 8", names.join(", "));
    maker.push(stated, &flags(errors, c), &comment, forger.case(""));
}
