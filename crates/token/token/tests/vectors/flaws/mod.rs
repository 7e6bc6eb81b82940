//! Invalid tokens, each made from a valid token by adding one flaw.

mod aggregate;
mod blocks;
mod chain;
mod challenges;
mod edwards25519;
mod encodings;
mod forged;
pub mod of;
mod statements;

use aggregate::aggregate;
use blocks::{blocks, root_keys};
use chain::chain;
use challenges::challenges;
use encodings::{encodings, limits};
use of::Of;
use statements::statements;

use crate::equations::Twin;
use crate::format::Vector;

/// All invalid tokens of a scheme, made from the valid tokens.
pub fn all<S: Twin>(valid: &[Vector]) -> Vec<Vector> {
    let of = |name: &str| Of {
        valid: valid.iter().find(|vector| vector.name == name).unwrap(),
    };
    let mut all = encodings::<S>(&of("caveats"), &of("statement"));
    all.extend(limits(&of("exactly at its limits")));
    all.extend(root_keys::<S>(
        &of("caveats"),
        &of("one root key under two numbers"),
    ));
    all.extend(blocks::<S>(&of("caveats")));
    all.extend(challenges::<S>(&of("caveats"), &of("sealed")));
    all.extend(statements::<S>(&of("statement")));
    all.extend(match S::NAME {
        "chain" => chain(&of("caveats"), &of("sealed")),
        _ => aggregate(&of("caveats"), &of("one block")),
    });
    all
}
