//! The kinds of checks that an audit makes. Each can be left out.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of check. Links, numbers, slots, eras, CRC-32s and computed nonces are always checked, because the
/// other checks depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Check {
    /// VRF proofs, and the comparison of leader values with the active slots coefficient f.
    Vrf,
    /// KES signatures. The certificate of each must cover the KES period of the header's slot.
    Kes,
    /// Operational certificates, and the bounds on their numbers.
    Certificates,
    /// Hashes and sizes of block bodies.
    Bodies,
}

impl Check {
    /// All checks, in the order in which reports list them.
    pub const ALL: [Self; 4] = [Self::Vrf, Self::Kes, Self::Certificates, Self::Bodies];

    /// The name of the check: `vrf`, `kes`, `certificates` or `bodies`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrf => "vrf",
            Self::Kes => "kes",
            Self::Certificates => "certificates",
            Self::Bodies => "bodies",
        }
    }

    /// The check with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }

    /// The subject of the check, in words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Vrf => "VRF proofs and leader values",
            Self::Kes => "KES signatures",
            Self::Certificates => "operational certificates",
            Self::Bodies => "hashes and sizes of block bodies",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_found_by_their_names() {
        for check in Check::ALL {
            assert_eq!(Check::from_name(check.name()), Some(check));
        }
        assert_eq!(Check::from_name("KES"), None);
    }
}
