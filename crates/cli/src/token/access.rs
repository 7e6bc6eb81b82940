//! The request of `--access`.
//!
//! ```text
//! {
//!     "audience": "shop",
//!     "method": "GET",
//!     "path": "/files/17",
//!     "fields": {"user": "alice"},
//!     "now": "2026-11-23T06:15:00Z"
//! }
//! ```
//! Every member may be left out. Without `now`, the time of this machine's clock is used.

use std::fmt;

use klero_token::{Access, Refused, Revoked, Verified};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::clock;
use crate::ui::error::Error;

/// The members of a request, for help texts.
pub const SHAPE: &str = "\
The request (--access), a JSON object; a caveat on what it leaves out refuses:
  audience   the name of the service
  method     the method of the request
  path       its path as it arrived, without the query
  fields     an object of texts, for caveats NAME = VALUE
  now        the time, such as 2026-11-23T06:15:00Z (default: that of the clock)";

/// A request, as the command line gives it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    audience: Option<String>,
    method: Option<String>,
    path: Option<String>,
    #[serde(default, deserialize_with = "pairs")]
    fields: Vec<(String, String)>,
    #[serde(default, deserialize_with = "time")]
    now: Option<u64>,
}

impl Told {
    /// The time of the request.
    pub fn now(&self) -> Result<u64, Error> {
        self.now.map_or_else(clock::now, Ok)
    }

    /// Returns the rights that a token gives to the request at the time `now`. Does not look for revoked
    /// blocks, which `check_revoked` of the verifier refuses.
    pub fn check(&self, token: &Verified, now: u64) -> Result<Vec<u8>, Refused> {
        let fields = self.fields.iter();
        let fields: Vec<_> = fields
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();
        let access = Access {
            audience: self.audience.as_deref(),
            path: self.path.as_deref(),
            method: self.method.as_deref(),
            fields: &fields,
            ..Access::at(now, Revoked::none())
        };
        token.check(&access).map(|rights| rights.to_vec())
    }
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    clock::time(&text).map(Some).map_err(D::Error::custom)
}

/// Reads all members of an object, even two with the same name. A caveat on this name must hold for both.
fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    struct Pairs;

    impl<'de> Visitor<'de> for Pairs {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of texts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }

    deserializer.deserialize_map(Pairs)
}
