//! Keys: a seed of 32 bytes in every scheme, and the key pair that the scheme derives from it.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Debug};
use core::str::FromStr;

use base64ct::{Base64UrlUnpadded, Encoding};
use sha2::{Digest, Sha512};
use subtle::ConstantTimeEq;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::error::{Error, KeyFault, Place};
use crate::stack::wiped;
use crate::state::{State, le64};

/// Keeps [`Keys`] to this crate, which does not export it.
pub trait Sealed {}

/// The keys of a scheme, or of a [`ThirdParty`](crate::ThirdParty): derivation from a seed,
/// encoding, and validity. Other crates cannot implement it.
#[allow(missing_docs)]
pub trait Keys: Sealed + Copy + Debug + Eq + 'static {
    /// The name of the scheme, as the command line takes it.
    const NAME: &'static str;
    /// What the text of a secret key begins with.
    const SECRET_NAME: &'static str;
    /// The length of a public key in bytes.
    const KEY_LENGTH: usize;

    type KeyBytes: Copy + Eq + Debug + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    /// What signing needs, derived from the seed; wiped when dropped.
    type Expanded: Clone;

    fn expand(seed: &[u8; 32]) -> Self::Expanded;
    fn public(secret: &Self::Expanded) -> Self::KeyBytes;
    fn check_key(bytes: &Self::KeyBytes) -> Result<(), KeyFault>;
}

/// A secret key: a seed of 32 secret, uniformly random bytes. `Debug` does not show it, and
/// it is wiped when dropped.
///
/// ```
/// use klero_token::{Aggregate, SecretKey};
/// let key = SecretKey::<Aggregate>::generate()?;
/// assert_eq!(SecretKey::from_bytes(key.as_bytes())?, key);
/// assert_eq!(key.to_text().parse::<SecretKey<Aggregate>>()?, key);
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, PublicKey(aggregate, "));
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct SecretKey<S: Keys> {
    // On the heap, so that moving the key leaves no copy behind.
    secrets: Box<(Zeroizing<[u8; 32]>, S::Expanded)>,
    public: PublicKey<S>,
}

impl<S: Keys> SecretKey<S> {
    /// The key with this seed. Constant time.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let (secrets, bytes) = wiped(|| {
            let secrets = Box::new((Zeroizing::new(*seed), S::expand(seed)));
            let bytes = S::public(&secrets.1);
            (secrets, bytes)
        });
        Self {
            secrets,
            public: PublicKey { bytes },
        }
    }

    /// The key with this seed, which must be 32 bytes.
    ///
    /// # Errors
    /// [`Error::Key`] with [`KeyFault::Length`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        if bytes.len() != seed.len() {
            let fault = KeyFault::Length {
                got: bytes.len(),
                expected: seed.len(),
            };
            return Err(alone(fault));
        }
        seed.copy_from_slice(bytes);
        Ok(Self::from_seed(&seed))
    }

    /// A new key from the random source of the operating system.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails.
    pub fn generate() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(Error::NoRandomness)?;
        Ok(Self::from_seed(&seed))
    }

    /// The seed, 32 bytes. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.secrets.0
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey<S> {
        &self.public
    }

    /// The seed as text: the name of the scheme, `-secret:`, and base64url. Secret. It is read
    /// by [`FromStr`].
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(text(S::SECRET_NAME, self.as_bytes()))
    }

    pub(crate) fn expanded(&self) -> &S::Expanded {
        &self.secrets.1
    }

    /// A new key for one link, from random bytes *and* from what only the bearer knows and what
    /// the link says: where the random source repeats itself, no key does, and nobody who
    /// knows its output knows the key. (An issuer's key in a device tells nothing, so the first key
    /// of such a token is as secret as the random source.)
    pub(crate) fn hedged(
        secret: &[u8],
        before: &State,
        kind: u8,
        payload: &[u8],
    ) -> Result<Self, Error> {
        let mut random = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *random).map_err(Error::NoRandomness)?;
        Ok(Self::hedge(&random, secret, before, kind, payload))
    }

    fn hedge(random: &[u8; 32], secret: &[u8], before: &State, kind: u8, payload: &[u8]) -> Self {
        let hash = Sha512::new()
            .chain_update(b"klero-token/key\x02")
            .chain_update(random)
            .chain_update(le64(secret))
            .chain_update(secret)
            .chain_update(before.0)
            .chain_update([kind])
            .chain_update(le64(payload))
            .chain_update(payload);
        let mut wide = Zeroizing::new([0; 64]);
        hash.finalize_into((&mut *wide).into());
        let mut seed = Zeroizing::new([0; 32]);
        seed.copy_from_slice(&wide[..32]);
        Self::from_seed(&seed)
    }
}

/// The text of [`to_text`](SecretKey::to_text).
impl<S: Keys> FromStr for SecretKey<S> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        read_text(S::SECRET_NAME, text, &mut *seed)?;
        Ok(Self::from_seed(&seed))
    }
}

impl<S: Keys> Clone for SecretKey<S> {
    fn clone(&self) -> Self {
        Self {
            secrets: wiped(|| self.secrets.clone()),
            public: self.public,
        }
    }
}

/// Compares in constant time.
impl<S: Keys> PartialEq for SecretKey<S> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

impl<S: Keys> Eq for SecretKey<S> {}

impl<S: Keys> ZeroizeOnDrop for SecretKey<S> {}

impl<S: Keys> fmt::Debug for SecretKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?})", self.public)
    }
}

/// A public key that verifiers accept: 32 bytes, the canonical encoding of a point of the group
/// that is not of small order.
///
/// ```
/// use klero_token::{Chain, PublicKey, SecretKey};
/// let key = *SecretKey::<Chain>::from_seed(&[7; 32]).public_key();
/// assert_eq!(PublicKey::from_bytes(key.as_bytes())?, key);
/// assert_eq!(key.to_string(), "chain:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw");
/// assert_eq!(key.to_string().parse::<PublicKey<Chain>>()?, key);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PublicKey<S: Keys> {
    bytes: S::KeyBytes,
}

impl<S: Keys> PublicKey<S> {
    /// The key with this encoding.
    ///
    /// # Errors
    /// [`Error::Key`] if no verifier would accept it; the [`KeyFault`] says why.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = S::KeyBytes::try_from(bytes).map_err(|_| {
            alone(KeyFault::Length {
                got: bytes.len(),
                expected: S::KEY_LENGTH,
            })
        })?;
        S::check_key(&bytes).map_err(alone)?;
        Ok(Self { bytes })
    }

    /// The encoding, 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    pub(crate) fn bytes(&self) -> &S::KeyBytes {
        &self.bytes
    }
}

/// The name of the scheme, a colon, and base64url.
impl<S: Keys> fmt::Display for PublicKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(S::NAME, self.as_bytes()))
    }
}

/// The text of `Display`, and no other.
impl<S: Keys> FromStr for PublicKey<S> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..S::KEY_LENGTH];
        read_text(S::NAME, text, bytes)?;
        Self::from_bytes(bytes)
    }
}

fn text(name: &str, bytes: &[u8]) -> String {
    // Room for all of it, so that no copy is left behind.
    let mut text = String::with_capacity(name.len() + 1 + 64);
    text.push_str(name);
    text.push(':');
    let mut encoded = Zeroizing::new([0; 64]);
    text.push_str(Base64UrlUnpadded::encode(bytes, &mut *encoded).unwrap_or_default());
    text
}

fn read_text(name: &'static str, text: &str, bytes: &mut [u8]) -> Result<(), Error> {
    let length = bytes.len();
    let encoded = text
        .strip_prefix(name)
        .and_then(|text| text.strip_prefix(':'));
    match encoded.map(|encoded| Base64UrlUnpadded::decode(encoded, bytes)) {
        Some(Ok(decoded)) if decoded.len() == length => Ok(()),
        _ => Err(Error::KeyText(name)),
    }
}

fn alone(fault: KeyFault) -> Error {
    Error::Key {
        place: Place::Alone,
        fault,
    }
}

impl<S: Keys> PartialEq for PublicKey<S> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<S: Keys> Eq for PublicKey<S> {}

impl<S: Keys> fmt::Debug for PublicKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, ", S::NAME)?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::CAVEATS;
    use crate::{Aggregate, Chain};

    /// The random source gives the same 32 bytes again, and somebody knows them. Where they are
    /// the key, as they were before, two holders have one key, and one of them can take the
    /// other's block off; where they are hedged, no key repeats or can be computed.
    #[test]
    fn repeated_randomness_repeats_no_key() {
        fn check<S: Keys>() {
            let random = [7; 32];
            let (one, two) = (State::begin(1, 0), State::begin(1, 1));
            let unhedged = |_: &[u8], _: &State, _: &[u8]| SecretKey::<S>::from_seed(&random);
            let hedged = |secret: &[u8], before: &State, payload: &[u8]| {
                SecretKey::<S>::hedge(&random, secret, before, CAVEATS, payload)
            };
            let all = [
                (&[1; 32], one, b"less"),
                (&[2; 32], one, b"less"),
                (&[1; 32], two, b"less"),
                (&[1; 32], one, b"more"),
            ];
            for (i, (secret, before, payload)) in all.iter().enumerate() {
                let key = hedged(*secret, before, *payload);
                assert_eq!(key, hedged(*secret, before, *payload));
                assert_ne!(key.as_bytes(), &random);
                for (other, before_other, said) in &all[..i] {
                    assert!(
                        unhedged(*secret, before, *payload)
                            == unhedged(*other, before_other, *said)
                    );
                    assert_ne!(key, hedged(*other, before_other, *said));
                }
            }
        }
        check::<Chain>();
        check::<Aggregate>();
    }

    /// What stands before and behind the secret and the payload is of fixed length, or has its
    /// length before it.
    #[test]
    fn hedged_parts_do_not_run_together() {
        let before = State::begin(1, 0);
        let key = |secret: &[u8], payload: &[u8]| {
            SecretKey::<Chain>::hedge(&[7; 32], secret, &before, CAVEATS, payload)
        };
        assert_ne!(key(b"ab", b"c"), key(b"a", b"bc"));
        assert_ne!(key(b"", b"abc"), key(b"abc", b""));
    }
}
