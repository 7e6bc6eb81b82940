//! Root keys: whose tokens a verifier accepts.

use alloc::collections::BTreeMap;

use crate::key::{Keys, PublicKey};

/// Where a verifier finds the root key of a token: one [`PublicKey`] with the number 0, some
/// [`RootKeys`], or a function of the number.
///
/// The issuer chose the number, and signed it with the first block.
///
/// ```
/// use klero_token::{Chain, PublicKey, SecretKey, Verified};
/// let key = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&key, 2026, b"may read", &[])?.into_unverified();
///
/// let public = *key.public_key();
/// assert!(token.clone().verify(&public, None).is_err());
/// token.verify(&|id| (id == 2026).then_some(public), None)?;
/// # Ok::<(), klero_token::Error>(())
/// ```
pub trait FindRoot<S: Keys> {
    /// The root key with this number.
    fn find(&self, id: u32) -> Option<PublicKey<S>>;
}

impl<S: Keys> FindRoot<S> for PublicKey<S> {
    fn find(&self, id: u32) -> Option<PublicKey<S>> {
        (id == 0).then_some(*self)
    }
}

impl<S: Keys> FindRoot<S> for RootKeys<S> {
    fn find(&self, id: u32) -> Option<PublicKey<S>> {
        self.get(id).copied()
    }
}

impl<S: Keys, F: Fn(u32) -> Option<PublicKey<S>>> FindRoot<S> for F {
    fn find(&self, id: u32) -> Option<PublicKey<S>> {
        self(id)
    }
}

/// The root keys whose tokens a verifier accepts, each under a number that the issuer chose.
/// A token carries the number of its root key, so that an issuer can change keys.
///
/// ```
/// use klero_token::{Chain, RootKeys, SecretKey};
/// let [old, new] = [7, 8].map(|seed| *SecretKey::<Chain>::from_seed(&[seed; 32]).public_key());
/// let mut roots: RootKeys<Chain> = [(2025, old), (2026, new)].into_iter().collect();
/// assert_eq!(roots.get(2026), Some(&new));
/// assert_eq!(roots.remove(2025), Some(old));
/// assert_eq!(roots.get(2025), None);
/// ```
#[derive(Clone, Debug)]
pub struct RootKeys<S: Keys>(BTreeMap<u32, PublicKey<S>>);

impl<S: Keys> RootKeys<S> {
    /// No root keys: every token is refused.
    #[must_use]
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a root key. Returns the key that had this number before, if any.
    pub fn insert(&mut self, id: u32, key: PublicKey<S>) -> Option<PublicKey<S>> {
        self.0.insert(id, key)
    }

    /// Removes the root key with this number, and returns it.
    pub fn remove(&mut self, id: u32) -> Option<PublicKey<S>> {
        self.0.remove(&id)
    }

    /// The root key with this number.
    pub fn get(&self, id: u32) -> Option<&PublicKey<S>> {
        self.0.get(&id)
    }
}

impl<S: Keys> Default for RootKeys<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// One root key with the number 0.
impl<S: Keys> From<PublicKey<S>> for RootKeys<S> {
    fn from(key: PublicKey<S>) -> Self {
        Self(BTreeMap::from([(0, key)]))
    }
}

impl<S: Keys> FromIterator<(u32, PublicKey<S>)> for RootKeys<S> {
    fn from_iter<I: IntoIterator<Item = (u32, PublicKey<S>)>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}

impl<S: Keys> Extend<(u32, PublicKey<S>)> for RootKeys<S> {
    fn extend<I: IntoIterator<Item = (u32, PublicKey<S>)>>(&mut self, keys: I) {
        self.0.extend(keys);
    }
}
