//! Keys in hardware or in a service. Making the message and using its signature are two steps, and the
//! program that takes them does not need the secret key.
//!
//! | | issuer: [`Minting`] | third party: [`to_sign`](crate::Request::to_sign) | holder: [`Sealing`] |
//! |---|---|---|---|
//! | `chain` | Ed25519 device | Ed25519 or ES256 device, or passkey | Ed25519 or ES256 device, or passkey |
//! | `aggregate` | none: no device makes half of a Schnorr signature | as in `chain` | none |

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
/// // The device knows nothing of tokens: it signs these bytes.
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
    /// The key that the first block names, and its secret half.
    next: (Vec<u8>, Secret),
    message: Vec<u8>,
}

impl Minting {
    /// The first bytes of the message of every first block of `chain`, and of no other message. If a device
    /// or a service with the root key signs only messages that begin so, nobody can have it sign a message
    /// that counts elsewhere.
    pub const FIRST_BLOCK: &'static [u8] = b"klero-token/chain\x03\x00";

    /// Begins a token, as [`Token::mint`] with the secret key would. The bearer's key is made from
    /// random bytes alone, since the issuer's key is not here: the random source must be good.
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

    /// The message that the device signs: it covers all of the first block.
    pub fn to_sign(&self) -> &[u8] {
        &self.message
    }

    /// The token with the device's signature of 64 bytes.
    ///
    /// # Errors
    /// As [`Token::verify`], if this is not the root key's signature; otherwise as [`Token::mint`].
    pub fn assemble(self, signature: &[u8]) -> Result<Token, Error> {
        let (next, secret) = self.next;
        let link = Link::new(&next, read_signature(signature, Place::Block(0))?);
        let end = End::Bearer(secret);
        let token = self.token.with(ROOT, self.payload, link, end)?;
        let roots: RootKeys = [(token.root_id, self.root)].into_iter().collect();
        token.verify(&roots, None).map(Verified::into_token)
    }
}

/// The seal of a token whose last key is in a device, before the device signs it.
///
/// A thief can do nothing with such a token: it holds no secret. See [`Token::entrust`].
pub struct Sealing {
    token: Token,
    key: PublicKey,
    message: Vec<u8>,
}

impl Token {
    /// The token with a further block of caveats, entrusted to a device: the device's key is the next key, so
    /// that only the device can seal the token, and nobody can add to it. An Ed25519 key may also be of
    /// [`KeyKind::Chain`].
    ///
    /// # Errors
    /// [`Error::WrongKey`] if token or key is of [`KeyKind::Aggregate`]; and those of
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

    /// The first step of the seal that a device makes; the second is [`Sealing::assemble`].
    ///
    /// # Errors
    /// [`Error::NotHeld`], [`Error::EmptyNonce`]; [`Error::Malformed`] if the token's last key is not valid.
    pub fn sealing(&self, challenge: &Challenge<'_>) -> Result<Sealing, Error> {
        let End::Held = self.end else {
            return Err(Error::NotHeld);
        };
        let payload = challenge.encode()?;
        let last = self.blocks.last().ok_or(Error::NotHeld)?;
        // After a statement, too, the next key is an Ed25519 key, whatever key made the statement.
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

    /// The message that the device signs, with Ed25519 or ES256; for a passkey, the challenge for
    /// `navigator.credentials.get`, 32 bytes.
    #[must_use]
    pub fn to_sign(&self) -> Vec<u8> {
        signature::to_sign(self.key.kind(), self.message.clone())
    }

    /// The sealed token, with the signature that the device returned. The verifier checks for which relying
    /// party a passkey signed.
    ///
    /// # Errors
    /// [`Error::Signature`] or [`Error::Passkey`] if this is not the device's signature;
    /// [`Error::WrongKey`] if a device with such a key signs in another form; [`Error::TooLarge`].
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
