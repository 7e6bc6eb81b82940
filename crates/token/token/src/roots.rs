//! The root keys whose tokens a verifier accepts, and the relying party whose passkeys the verifier accepts.

use alloc::collections::BTreeMap;

use crate::key::PublicKey;
use crate::scheme::{KeyKind, Scheme};
use crate::webauthn::RelyingParty;

/// The root keys whose tokens a verifier accepts, each under a number that the issuer chose. A token carries
/// the number of its root key, so that an issuer can change keys. Keys of different schemes may have the same
/// number. The key of a third party can be inserted, but has no effect, since it is no token's root key.
///
/// ```
/// use klero_token::{RootKeys, Scheme, SecretKey, Token};
/// let [old, new] = [7, 8].map(|seed| SecretKey::from_seed(Scheme::Chain, &[seed; 32]));
/// let token = Token::mint(&new, 2026, b"may read", &[])?;
///
/// let mut roots = RootKeys::from(*old.public_key());
/// assert!(token.clone().verify(&roots, None).is_err());
/// roots.insert(2026, *new.public_key());
/// token.verify(&roots, None)?;
///
/// assert_eq!(roots.remove(Scheme::Chain, 0), Some(*old.public_key()));
/// assert_eq!(roots.get(Scheme::Chain, 0), None);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RootKeys {
    keys: BTreeMap<(KeyKind, u32), PublicKey>,
    relying_party: Option<RelyingParty>,
}

impl RootKeys {
    /// No root keys, so that every token is refused.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a root key with this number. Replaces and returns the key of the same kind and number, if any.
    pub fn insert(&mut self, id: u32, key: PublicKey) -> Option<PublicKey> {
        self.keys.insert((key.kind(), id), key)
    }

    /// Removes the root key of this scheme with this number, and returns it.
    pub fn remove(&mut self, scheme: Scheme, id: u32) -> Option<PublicKey> {
        self.keys.remove(&(scheme.into(), id))
    }

    /// The root key of this scheme with this number.
    pub fn get(&self, scheme: Scheme, id: u32) -> Option<&PublicKey> {
        self.keys.get(&(scheme.into(), id))
    }

    /// Sets the relying party for which assertions of passkeys are accepted. Without a relying party, a token
    /// with a passkey's seal or statement is refused with [`Error::Passkey`](crate::Error::Passkey).
    pub fn set_relying_party(&mut self, party: RelyingParty) {
        self.relying_party = Some(party);
    }

    /// The relying party for which assertions of passkeys are accepted, if there is one.
    pub fn relying_party(&self) -> Option<&RelyingParty> {
        self.relying_party.as_ref()
    }
}

/// One root key with the number 0.
impl From<PublicKey> for RootKeys {
    fn from(key: PublicKey) -> Self {
        [(0, key)].into_iter().collect()
    }
}

impl FromIterator<(u32, PublicKey)> for RootKeys {
    fn from_iter<I: IntoIterator<Item = (u32, PublicKey)>>(keys: I) -> Self {
        let mut roots = Self::new();
        roots.extend(keys);
        roots
    }
}

impl Extend<(u32, PublicKey)> for RootKeys {
    fn extend<I: IntoIterator<Item = (u32, PublicKey)>>(&mut self, keys: I) {
        for (id, key) in keys {
            self.insert(id, key);
        }
    }
}
