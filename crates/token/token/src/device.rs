//! Keys in hardware or in a service. A program takes two steps: it makes the message to sign, and then it
//! uses the device's signature. The program does not need the secret key.
//!
//! | | issuer: [`Minting`] | third party: [`to_sign`](crate::Request::to_sign) | holder: [`Sealing`] |
//! |---|---|---|---|
//! | `chain` | Ed25519 device | Ed25519 or ES256 device, or passkey | Ed25519 or ES256 device, or passkey |
//! | `aggregate` | none: no device makes Schnorr signatures on ristretto255 | as in `chain` | none |

use alloc::vec::Vec;

use klero_lanes::wiped;

use crate::algorithms::{read_signature, sign};
use crate::block::{Block, Link};
use crate::caveat::{self, Caveat};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::roots::RootKeys;
use crate::scheme::{KeyKind, ROOT, Scheme, kinds};
use crate::signature::Signature;
use crate::signed::{End, Secret};
use crate::statement::Parts;
use crate::token::Token;
use crate::verify::Verified;
use crate::{chain, signature, webauthn};

/// A new token that the issuer's device has not signed yet.
///
/// ```
/// use klero_token::{Minting, PublicKey, Scheme};
/// # use ed25519_dalek::{Signer, SigningKey};
/// # let device = SigningKey::from_bytes(&[7; 32]);
/// # let public = PublicKey::from_bytes(Scheme::Chain, device.verifying_key().as_bytes())?;
/// let minting = Minting::prepare(&public, 0, b"may read", &["method GET".parse()?])?;
/// // The device knows nothing about tokens. It only signs these bytes.
/// let signature = device.sign(minting.to_sign());
/// let token = minting.assemble(&signature.to_bytes())?;
/// assert_eq!(token.unverified_blocks()[0].payload(), b"may read");
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct Minting {
    root: PublicKey,
    /// The token, still without blocks.
    token: Token,
    payload: Vec<u8>,
    /// The public key in the first block, and the matching secret key.
    next: (Vec<u8>, Secret),
    message: Vec<u8>,
}

impl Minting {
    /// In `chain`, the message to sign for a first block begins with these bytes, and no other message does.
    /// If a device or a service with the root key signs only messages that begin with these bytes, nobody can
    /// make it sign a message that is valid for another purpose.
    pub const FIRST_BLOCK: &'static [u8] = b"klero-token/chain\x03\x00";

    /// Begins a token. [`Token::mint`] makes the bearer's key from random bytes and the issuer's secret key.
    /// This function has only the random bytes, so the random source must be good.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless `root` is a key of [`KeyKind::Chain`]; [`Error::NoRandomness`],
    /// [`Error::Caveat`].
    pub fn prepare(
        root: &PublicKey,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        if root.kind() != KeyKind::Chain {
            return Err(Error::WrongKey(root.kind(), "chain"));
        }
        let token = Token::begin(Scheme::Chain, root_id, &Limits::default());
        let payload = Block::root_payload(rights, caveats)?;
        let before = token.state();
        let next = wiped(|| chain::next_key(&[], &before, ROOT, &payload))?;
        Ok(Self {
            root: *root,
            message: chain::message(&before, ROOT, &next.0, &payload),
            token,
            payload,
            next,
        })
    }

    /// The message that the device signs. It covers the whole first block.
    pub fn to_sign(&self) -> &[u8] {
        &self.message
    }

    /// Adds the device's signature, 64 bytes, and returns the finished token.
    ///
    /// # Errors
    /// The errors of [`Token::verify`] if `signature` is not the root key's signature of the message; and the
    /// errors of [`Token::mint`].
    pub fn assemble(self, signature: &[u8]) -> Result<Token, Error> {
        let (next, secret) = self.next;
        let link = Link::new(&next, read_signature(signature, Place::Block(0))?);
        let end = End::Bearer(secret);
        let token = self.token.with(ROOT, self.payload, link, end)?;
        let roots: RootKeys = [(token.root_id, self.root)].into_iter().collect();
        token.verify(&roots, None).map(Verified::into_token)
    }
}

/// An unsigned seal, for a token whose last key is in a device.
///
/// A thief cannot use such a token, because it contains no secret. See [`Token::entrust`].
pub struct Sealing {
    token: Token,
    key: PublicKey,
    message: Vec<u8>,
}

impl Token {
    /// Adds a block of caveats that entrusts the token to a device. The device's key becomes the last key, so
    /// only the device can seal the new token, and nobody can add to it. For an Ed25519 device, a key of
    /// [`KeyKind::Chain`] is accepted too.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the token or the key is of [`KeyKind::Aggregate`]; and the errors of
    /// [`narrow`](Self::narrow).
    ///
    /// ```
    /// use klero_token::{Challenge, PublicKey, RootKeys, Scheme, SecretKey, Signature, Token};
    /// # use ed25519_dalek::{Signer, SigningKey};
    /// # let device = SigningKey::from_bytes(&[7; 32]);
    /// # let key = PublicKey::from_bytes(Scheme::Chain, device.verifying_key().as_bytes())?;
    /// let root = SecretKey::generate(Scheme::Chain)?;
    /// let token = Token::mint(&root, 0, b"may read", &[])?;
    /// let held = token.entrust(&key, &["path /files".parse()?])?;
    ///
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealing = held.sealing(&challenge)?;
    /// let signature = device.sign(&sealing.to_sign()).to_bytes();
    /// let sealed = sealing.assemble(Signature::Bytes(&signature))?;
    /// let roots = RootKeys::from(*root.public_key());
    /// sealed.verify(&roots, Some(&challenge))?;
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn entrust(&self, device: &PublicKey, caveats: &[Caveat]) -> Result<Self, Error> {
        let expected = match (self.scheme(), device.kind()) {
            (Scheme::Aggregate, _) => Some("none, since devices hold no tokens of this scheme"),
            (Scheme::Chain, KeyKind::Aggregate) => Some("one that a device can have"),
            (Scheme::Chain, _) => None,
        };
        if let Some(expected) = expected {
            return Err(Error::WrongKey(device.kind(), expected));
        }
        let payload = caveat::write(caveats)?.into_bytes();
        let ([kind, ..], next) = (kinds(device.kind()), device.as_bytes());
        let message = chain::message(&self.state(), kind, next, &payload);
        let secret = self.secret()?;
        let signature = wiped(|| sign(&chain::bearer(secret), &message));
        self.with(kind, payload, Link::new(next, &signature), End::Held)
    }

    /// Begins a device's seal. When the device has signed [`Sealing::to_sign`], call [`Sealing::assemble`].
    ///
    /// # Errors
    /// [`Error::NotHeld`], [`Error::EmptyNonce`]; [`Error::Malformed`] if the token's last key is not valid.
    pub fn sealing(&self, challenge: &Challenge<'_>) -> Result<Sealing, Error> {
        let End::Held = self.end else {
            return Err(Error::NotHeld);
        };
        let payload = challenge.encode()?;
        let last = self.blocks.last().ok_or(Error::NotHeld)?;
        // Links contain Ed25519 keys, even the link of a statement by a P-256 key, unless a block entrusts
        // the token to a P-256 key.
        let (kind, bytes) = last
            .entrusted_to()
            .unwrap_or((KeyKind::Ed25519, last.link.committed()));
        let key = PublicKey::from_bytes(kind, bytes)?;
        let [.., kind] = kinds(key.kind());
        Ok(Sealing {
            token: self.clone(),
            key,
            message: chain::message(&self.state(), kind, &[], &payload),
        })
    }
}

impl Sealing {
    /// The key of the device.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The message that the device signs with Ed25519 or ES256. For a passkey, this is the challenge for
    /// `navigator.credentials.get`, 32 bytes.
    #[must_use]
    pub fn to_sign(&self) -> Vec<u8> {
        signature::to_sign(self.key.kind(), self.message.clone())
    }

    /// The sealed token, with the signature that the device returned. The relying party of a passkey is not
    /// checked here, but by the verifier.
    ///
    /// # Errors
    /// [`Error::Signature`] or [`Error::Passkey`] if this is not the device's signature; [`Error::WrongKey`]
    /// if the device's key does not make signatures of this form; [`Error::TooLarge`].
    pub fn assemble(&self, signature: Signature<'_>) -> Result<Token, Error> {
        let (by, place) = (self.key.kind(), Place::Seal);
        let (signature, signed) = signature.parts(by, place)?;
        let parts = Parts {
            by,
            key: self.key.as_bytes(),
            signature: &signature,
            signed: webauthn::Signed::read(by, &mut Reader::new(&signed), place)?,
            payload: &[],
        };
        parts.verify(&self.message, None, place, place)?;
        let seal = Link::new(&[], &signature);
        self.token.sealed(seal, Secret::new(signed))
    }
}
