//! The schemes: a value in every key and every token. What they do stands in
//! [`chain`](crate::chain) and [`aggregate`](crate::aggregate); all else, from framing to seals, is
//! the same for both and written once.

use core::fmt;

use crate::kind::{CAVEATS_ES256, CAVEATS_PASSKEY, ROOT, SEAL, SEAL_ES256, SEAL_PASSKEY};

/// The construction by which a token is signed. A key belongs to one scheme, and a token says which is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Ed25519 signatures, one for each block, as in Biscuit. Use this scheme unless there is a
    /// reason for another.
    ///
    /// The keys and signatures of n blocks take 96n + 32 bytes. Any Ed25519 device can be the
    /// issuer, and can hold the last key of a token.
    Chain,
    /// One point for each block and one sum, on ristretto255: the smallest tokens, and the fastest to
    /// extend and to verify. Experimental: nobody has published a proof, and the format may
    /// change.
    ///
    /// The keys and signatures of n blocks take 32n + 64 bytes. No device holds keys of this
    /// scheme.
    Aggregate,
}

impl Scheme {
    /// Both schemes.
    pub const ALL: [Self; 2] = [Self::Chain, Self::Aggregate];

    /// The name of the scheme, as in the texts of keys and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Aggregate => "aggregate",
        }
    }

    /// The scheme of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// The number of the scheme in the encoding.
    pub(crate) fn id(self) -> u8 {
        match self {
            Self::Chain => 1,
            Self::Aggregate => 2,
        }
    }

    /// The scheme of this number.
    pub(crate) fn of_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.id() == id)
    }

    /// Whether a device can hold the last key of a token.
    pub(crate) fn has_devices(self) -> bool {
        self == Self::Chain
    }

    /// The lengths of what is committed and of the signature in a link of this kind.
    pub(crate) fn link_lengths(self, kind: u8) -> [usize; 2] {
        match self {
            Self::Chain => match kind {
                SEAL | SEAL_ES256 | SEAL_PASSKEY => [0, 64],
                CAVEATS_ES256 | CAVEATS_PASSKEY => [33, 64],
                _ => [32, 64],
            },
            Self::Aggregate if kind == ROOT => [64, 0],
            Self::Aggregate => [32, 0],
        }
    }

    /// The length of the secret of a bearer, or of what is left of it when sealed.
    pub(crate) fn end_length(self, sealed: bool) -> usize {
        match self {
            Self::Chain if sealed => 0,
            _ => 32,
        }
    }
}

/// The name.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
