//! Whose a key is: an issuer's, of a scheme, or a third party's. Each kind has its own way from a
//! seed to a public key, its own rule for the keys that verifiers accept, and its own name in texts.

use core::fmt::Debug;

use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::SigningKey;
use zeroize::Zeroizing;

use crate::error::KeyFault;
use crate::key_kind::KeyKind;
use crate::scheme::Scheme;
use crate::{ed25519, ristretto};

/// Keeps [`Keys`] to this crate, which does not export it.
#[allow(unnameable_types)] // No other crate can implement what needs it.
pub trait Sealed {}

/// Whose a key is: an issuer's, for tokens of a [`Scheme`], or a [third party's](ThirdParty). A key
/// belongs to one use, and its type says to which. Other crates cannot implement it.
pub trait Keys: Sealed + Copy + Debug + Eq + 'static {
    /// What signing needs, derived from the seed; wiped when dropped.
    type Expanded: Clone;

    /// All values.
    const ALL: &'static [Self];
    /// Their names, and those that the texts of secret keys begin with, for errors.
    const NAMES: [&'static str; 2];

    /// The name, with which the text of a public key begins.
    fn name(self) -> &'static str;
    /// What the text of a secret key begins with.
    fn secret_name(self) -> &'static str;
    /// What signing needs.
    fn expand(self, seed: &[u8; 32]) -> Self::Expanded;
    /// The encoding of the public key.
    fn public(secret: &Self::Expanded) -> [u8; 32];
    /// The Ed25519 key, if it is one.
    fn ed25519(secret: &Self::Expanded) -> Option<&SigningKey>;
    /// Whether the keys are Ed25519 keys.
    fn is_ed25519(self) -> bool;
    /// Whether verifiers accept a public key.
    ///
    /// # Errors
    /// Why they do not.
    fn check_key(self, bytes: &[u8; 32]) -> Result<(), KeyFault>;
}

/// Third parties, who make [statements](crate::Statement): Ed25519, in tokens of every scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThirdParty;

/// What an issuer signs with.
#[allow(clippy::large_enum_variant)] // It is in a box.
#[derive(Clone)]
#[allow(unnameable_types)] // The type of an item that is not documented.
pub enum Issuing {
    /// An Ed25519 key.
    Chain(SigningKey),
    /// The secret scalar.
    Aggregate(Zeroizing<Scalar>),
}

impl Sealed for Scheme {}

impl Keys for Scheme {
    type Expanded = Issuing;

    const ALL: &'static [Self] = &Self::ALL;
    const NAMES: [&'static str; 2] = ["chain or aggregate", "chain-secret or aggregate-secret"];

    fn name(self) -> &'static str {
        self.name()
    }

    fn secret_name(self) -> &'static str {
        match self {
            Self::Chain => "chain-secret",
            Self::Aggregate => "aggregate-secret",
        }
    }

    fn expand(self, seed: &[u8; 32]) -> Issuing {
        match self {
            Self::Chain => Issuing::Chain(SigningKey::from_bytes(seed)),
            Self::Aggregate => Issuing::Aggregate(ristretto::secret(seed)),
        }
    }

    fn public(secret: &Issuing) -> [u8; 32] {
        match secret {
            Issuing::Chain(key) => key.verifying_key().to_bytes(),
            Issuing::Aggregate(x) => ristretto::multiple(x),
        }
    }

    fn ed25519(secret: &Issuing) -> Option<&SigningKey> {
        match secret {
            Issuing::Chain(key) => Some(key),
            Issuing::Aggregate(_) => None,
        }
    }

    fn is_ed25519(self) -> bool {
        self == Self::Chain
    }

    fn check_key(self, bytes: &[u8; 32]) -> Result<(), KeyFault> {
        match self {
            Self::Chain => ed25519::check_key(bytes),
            Self::Aggregate => ristretto::check_key(bytes),
        }
    }
}

impl Sealed for ThirdParty {}

impl Keys for ThirdParty {
    type Expanded = SigningKey;

    const ALL: &'static [Self] = &[Self];
    const NAMES: [&'static str; 2] = [Self::NAME, "ed25519-secret"];

    fn name(self) -> &'static str {
        Self::NAME
    }

    fn secret_name(self) -> &'static str {
        Self::NAMES[1]
    }

    fn expand(self, seed: &[u8; 32]) -> SigningKey {
        SigningKey::from_bytes(seed)
    }

    fn public(secret: &SigningKey) -> [u8; 32] {
        secret.verifying_key().to_bytes()
    }

    fn ed25519(secret: &SigningKey) -> Option<&SigningKey> {
        Some(secret)
    }

    fn is_ed25519(self) -> bool {
        true
    }

    fn check_key(self, bytes: &[u8; 32]) -> Result<(), KeyFault> {
        ed25519::check_key(bytes)
    }
}

impl ThirdParty {
    /// The name of third parties' keys, with which their texts begin.
    pub const NAME: &'static str = KeyKind::Ed25519.name();
}
