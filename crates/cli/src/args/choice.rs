//! Arguments whose value must be one of certain names, for example the names of the suites.
//!
//! The help lists the names, shells complete them, and the error for a wrong name suggests similar names. A
//! type may accept other spellings too, such as older names of suites.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};
use klero::{Backend, Suite};
#[cfg(feature = "tables")]
use klero_arrow::Encoding;
use klero_audit::Check;
use klero_cardano::Network;

/// A parser of an argument whose value must be one of `names`. It returns the `T` with that name.
#[derive(Clone)]
pub struct Choice<T> {
    /// The names, in the order in which help lists them.
    pub names: Vec<&'static str>,
    /// Returns the `T` with this name. Other spellings may be accepted, too.
    pub read: fn(&str) -> Option<T>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        if let Some(read) = value.to_str().and_then(self.read) {
            return Ok(read);
        }
        // `read` does not accept the value, so clap makes the error.
        let name = PossibleValuesParser::new(&self.names).parse_ref(command, arg, value)?;
        let never = || Error::raw(clap::error::ErrorKind::InvalidValue, "a name is not read");
        (self.read)(&name).ok_or_else(never)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// Returns the name in `names` that looks most like `name`, if any of them is similar.
pub fn near(names: &'static [&'static str], name: &str) -> Option<String> {
    let names = PossibleValuesParser::new(names);
    let error = names.parse_ref(&Command::new(""), None, OsStr::new(name));
    match error.err()?.get(ContextKind::SuggestedValue)? {
        ContextValue::String(near) => Some(near.clone()),
        _ => None,
    }
}

/// A suite.
pub fn suite() -> Choice<Suite> {
    Choice {
        names: Suite::ALL.iter().map(|suite| suite.name()).collect(),
        read: |name| name.parse().ok(),
    }
}

/// A backend that this processor has.
pub fn backend() -> Choice<Backend> {
    Choice {
        names: Backend::all().into_iter().map(Backend::name).collect(),
        read: |name| name.parse().ok(),
    }
}

/// An encoding of bytes as text.
#[cfg(feature = "tables")]
pub fn encoding() -> Choice<Encoding> {
    const ALL: [Encoding; 2] = [Encoding::Hex, Encoding::Base64];
    Choice {
        names: ALL.map(Encoding::name).into(),
        read: |name| ALL.into_iter().find(|encoding| encoding.name() == name),
    }
}

/// A built-in network.
pub fn network() -> Choice<Network> {
    Choice {
        names: vec!["mainnet", "preprod", "preview"],
        read: Network::by_name,
    }
}

/// A check of a chain.
pub fn check() -> Choice<Check> {
    Choice {
        names: Check::ALL.map(Check::name).into(),
        read: Check::from_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_if_they_look_alike() {
        let near = |name| near(&["before", "method"], name);
        assert_eq!(near("methods").as_deref(), Some("method"));
        assert_eq!(near("befor").as_deref(), Some("before"));
        assert_eq!(near("unless"), None);
    }

    #[test]
    fn every_name_is_read() {
        fn all<T>(choice: &Choice<T>) {
            for name in &choice.names {
                assert!((choice.read)(name).is_some(), "{name}");
            }
        }
        all(&suite());
        all(&backend());
        all(&encoding());
        all(&network());
        all(&check());
    }
}
