//! The schemes by name, and how a name selects one at run time.

use clap::ValueEnum;
use klero_token::Scheme;

/// The schemes, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemeName {
    /// A chain of Ed25519 signatures
    Chain,
    /// Half-aggregated Schnorr signatures on ristretto255: smaller and faster
    Aggregate,
}

/// Calls a function that is generic over the scheme, with the scheme of this name.
macro_rules! with_scheme {
    ($scheme:expr, $function:ident($($argument:expr),*)) => {
        match $scheme {
            $crate::token::scheme::SchemeName::Chain => $function::<klero_token::Chain>($($argument),*),
            $crate::token::scheme::SchemeName::Aggregate => {
                $function::<klero_token::Aggregate>($($argument),*)
            }
        }
    };
}
pub(crate) use with_scheme;

impl SchemeName {
    /// The scheme that the library gives this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::value_variants().iter().copied();
        all.find(|scheme| scheme.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        fn name_of<S: Scheme>() -> &'static str {
            S::NAME
        }
        with_scheme!(self, name_of())
    }
}
