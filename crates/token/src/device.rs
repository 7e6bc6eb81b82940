//! Keys in hardware or in a service: what is to be signed and what is made of the signature are
//! two steps, and the program that takes them does not need the secret key.
//!
//! | | issuer ([`Minting`]) | third party ([`Request::to_sign`](crate::Request::to_sign)) | holder ([`Sealing`]) |
//! |---|---|---|---|
//! | `Chain` | any Ed25519 device | any Ed25519 device | any Ed25519 device |
//! | `Aggregate` | none: no device makes half of a Schnorr signature | any Ed25519 device | none |

use alloc::vec::Vec;

use crate::body::{Block, Body, End};
use crate::caveat::Caveat;
use crate::chain::{Chain, draft_for, sign_draft};
use crate::draft::{Device, Draft};
use crate::ed25519::refused;
use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::kind::{Kind, ROOT, SEAL};
use crate::link::Link;
use crate::scheme::Secret;
use crate::seal::Challenge;
use crate::stack::wiped;
use crate::token::{Token, Verified};

/// A new token that the issuer's device has not signed yet.
///
/// ```
/// use klero_token::{Chain, Minting, PublicKey};
/// # use ed25519_dalek::{Signer, SigningKey};
/// # let device = SigningKey::from_bytes(&[7; 32]);
/// # let public = PublicKey::<Chain>::from_bytes(device.verifying_key().as_bytes())?;
/// let minting = Minting::<Chain>::prepare(&public, 0, b"may read", &["method GET".parse()?])?;
/// // The device knows nothing of tokens: it signs these bytes.
/// let signature = device.sign(minting.to_sign());
/// let token = minting.assemble(&signature.to_bytes())?;
/// assert_eq!(token.blocks()[0].payload(), b"may read");
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct Minting<S: Device> {
    root: PublicKey<S>,
    body: Body,
    payload: Vec<u8>,
    draft: Draft,
}

impl<S: Device> Minting<S> {
    /// Begins a token, as [`Verified::mint`] with the secret key would. The bearer's key is made from
    /// random bytes alone, since the issuer's key is not here: the random source must be good.
    ///
    /// # Errors
    /// [`Error::NoRandomness`], [`Error::TooLarge`], [`Error::Caveat`].
    pub fn prepare(
        root: &PublicKey<S>,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Self, Error> {
        let body = Body::begin::<S>(root_id);
        let payload = Block::root_payload(rights, caveats)?;
        let draft = wiped(|| S::draft(root, &body.state(), ROOT, &payload))?;
        Ok(Self {
            root: *root,
            body,
            payload,
            draft,
        })
    }

    /// What the device signs: all of the first block.
    pub fn to_sign(&self) -> &[u8] {
        &self.draft.message
    }

    /// The token with the device's signature of 64 bytes.
    ///
    /// # Errors
    /// As for a token that arrived, if this is not the root key's signature.
    pub fn assemble(self, signature: &[u8]) -> Result<Verified<S>, Error> {
        check_length(signature, S::SIGNATURE, Place::Block(0))?;
        let made = S::complete(self.draft, signature);
        let body = self.body.with(Kind::Root, self.payload, made)?;
        let (root, id) = (self.root, body.root_id);
        Token::new(body).verify(&|number| (number == id).then_some(root), None)
    }
}

fn check_length(signature: &[u8], expected: usize, place: Place) -> Result<(), Error> {
    if signature.len() != expected {
        return Err(Error::Signature { place });
    }
    Ok(())
}

/// The seal of a token whose last key is in a device, before the device signs it.
///
/// Whoever steals such a token can do nothing with it: it holds no secret. See
/// [`Token::entrust`].
pub struct Sealing<T> {
    token: Token<Chain, T>,
    draft: Draft,
}

impl<T> Token<Chain, T> {
    /// The token with a further block of caveats, given over to a device: its key is the next,
    /// so that only the device can seal the token, and nobody can add to it.
    ///
    /// # Errors
    /// [`Error::Sealed`], [`Error::Held`], [`Error::TooLarge`], [`Error::Caveat`].
    ///
    /// ```
    /// use klero_token::{Chain, Challenge, PublicKey, SecretKey, Verified};
    /// # use ed25519_dalek::{Signer, SigningKey};
    /// # let device = SigningKey::from_bytes(&[7; 32]);
    /// # let key = PublicKey::<Chain>::from_bytes(device.verifying_key().as_bytes())?;
    /// let root = SecretKey::<Chain>::generate()?;
    /// let token = Verified::mint(&root, 0, b"may read", &[])?;
    /// let held = token.entrust(&key, &["path /files".parse()?])?;
    ///
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealing = held.sealing(&challenge)?;
    /// let sealed = sealing.assemble(&device.sign(sealing.to_sign()).to_bytes())?;
    /// sealed.into_unverified().verify(root.public_key(), Some(&challenge))?;
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub fn entrust(&self, device: &PublicKey<Chain>, caveats: &[Caveat]) -> Result<Self, Error> {
        let payload = crate::caveat::write(caveats)?.into_bytes();
        let draft = draft_for(&self.body.state(), Kind::Caveats.byte(), device, &payload);
        let secret = self.body.secret()?;
        let link = wiped(|| sign_draft(&draft, secret))?;
        let mut body = self
            .body
            .with(Kind::Caveats, payload, (link, Secret::default()))?;
        body.end = End::Held;
        Ok(Token::new(body))
    }

    /// The first step of the seal that a device makes; the second is [`Sealing::assemble`].
    ///
    /// # Errors
    /// [`Error::NotHeld`], [`Error::EmptyNonce`].
    pub fn sealing(&self, challenge: &Challenge<'_>) -> Result<Sealing<T>, Error> {
        let End::Held = self.body.end else {
            return Err(Error::NotHeld);
        };
        let payload = challenge.encode()?;
        let key = self.device()?;
        let draft = Chain::draft(&key, &self.body.state(), SEAL, &payload)?;
        Ok(Sealing {
            token: self.clone(),
            draft,
        })
    }

    /// The last key.
    fn device(&self) -> Result<PublicKey<Chain>, Error> {
        let last = self.body.blocks.last().ok_or(Error::NoBlocks)?;
        PublicKey::from_bytes(last.link.committed())
    }
}

impl<T> Sealing<T> {
    /// What the device signs.
    pub fn to_sign(&self) -> &[u8] {
        &self.draft.message
    }

    /// The sealed token, with the device's signature of 64 bytes.
    ///
    /// # Errors
    /// [`Error::Signature`] and the like, if this is not the device's signature.
    pub fn assemble(&self, signature: &[u8]) -> Result<Token<Chain, T>, Error> {
        let key = self.token.device()?;
        let place = Place::Seal;
        check_length(signature, Chain::SIGNATURE, place)?;
        klero_ed25519::Rules::STRICT
            .verify(key.bytes(), &self.draft.message, signature)
            .map_err(|invalid| refused(invalid, place, place))?;
        let mut body = self.token.body.clone();
        body.end = End::Sealed {
            seal: Link::new(&self.draft.committed, signature),
            rest: Secret::default(),
        };
        Ok(Token::new(body))
    }
}
