//! The schemes as a value of an option.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use klero_token::Scheme;

/// A scheme, by name.
pub fn scheme() -> impl TypedValueParser<Value = Scheme> {
    let value = |scheme: Scheme| {
        PossibleValue::new(scheme.name()).help(match scheme {
            Scheme::Chain => "A chain of Ed25519 signatures",
            Scheme::Aggregate => {
                "One point for each block, on ristretto255: smaller and faster; experimental"
            }
        })
    };
    PossibleValuesParser::new(Scheme::ALL.map(value))
        .try_map(|name| Scheme::named(&name).ok_or("expected the name of a scheme"))
}
