//! A chain of Ed25519 signatures: each block names the key that signs the next.
//!
//! The construction of Biscuit v2. The root key signs the first block, which names a
//! fresh public key; whoever holds its secret half can add a block, which names the next
//! key, and so on. A bearer token carries the last secret key; a sealed one carries a
//! signature by it over the verifier's challenge instead.
//!
//! The signed message is
//! ```text
//! tag ‖ kind ‖ SHA-512 of the previous signature (zeros for the root block)
//!     ‖ next public key (zeros for a seal and a statement) ‖ le64 length ‖ message
//!     ‖ in an external block: the third party's key ‖ its signature
//! ```
//! A third party signs the same with the kind "statement". The message of a seal is
//! [`Challenge::encode`]. Verification is strict: a signature with a component of small order
//! is refused, in one token and in many.
//!
//! A block takes 96 bytes; the end takes 32 (bearer) or 64 (sealed).

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use ed25519_dalek::hazmat::ExpandedSecretKey;
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use klero_ed25519::{Claim, Invalid, Rules};
use klero_lanes::{Point, engine, y_is_canonical};
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::block::{Block, Blocks, Body};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, SecretKey};
use crate::kind::{BLOCK, EXTERNAL, ROOT, SEAL, STATEMENT};
use crate::scheme::{Binding, Construction, Presented};

/// Ed25519 signatures, one for each block, as in Biscuit. Use this scheme unless there is a
/// reason for another.
///
/// Keys have 32 bytes. The keys and signatures of n blocks take 96n + 32 bytes.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?.append(b"until noon")?;
/// assert_eq!(token.encode()?.len(), 13 + 2 * 5 + 8 + 10 + 2 * 96 + 32);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain;

/// The next key, the signature, and the third party's key and signature if there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    next: [u8; 32],
    signature: [u8; 64],
    external: Option<External>,
}

/// A third party's key and signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct External {
    key: [u8; 32],
    signature: [u8; 64],
}

/// The end of a chain.
#[derive(Clone)]
pub enum End {
    /// The seed of the last block's key.
    Bearer(Zeroizing<[u8; 32]>),
    /// The seal's signature.
    Sealed(Box<[u8; 64]>),
}

/// The signed message.
fn message(
    kind: u8,
    binding: &Binding,
    next: &[u8; 32],
    payload: &[u8],
    external: Option<&External>,
) -> Vec<u8> {
    let mut message = b"klero-token/v1/chain".to_vec();
    message.push(kind);
    message.extend(binding);
    message.extend(next);
    message.extend(le64(payload));
    message.extend(payload);
    if let Some(External { key, signature }) = external {
        message.extend(key);
        message.extend(signature);
    }
    message
}

fn le64(payload: &[u8]) -> [u8; 8] {
    (payload.len() as u64).to_le_bytes()
}

fn sign(key: &SigningKey, message: &[u8]) -> [u8; 64] {
    key.sign(message).to_bytes()
}

/// The next key in messages that are not blocks.
const NO_NEXT: [u8; 32] = [0; 32];

/// What follows a signature is bound to this hash of it.
fn hash(signature: &[u8; 64]) -> Binding {
    Sha512::digest(signature).into()
}

/// A further block, signed by the key at the end of the token.
fn add(
    body: &Body<Chain>,
    kind: u8,
    payload: &[u8],
    external: Option<External>,
    next: &SecretKey<Chain>,
) -> Result<(Link, End), Error> {
    let binding = Chain::binding(&body.blocks);
    let public = next.public_key().bytes();
    let message = message(kind, &binding, public, payload, external.as_ref());
    let link = Link {
        next: *public,
        signature: sign(&last_key(body)?, &message),
        external,
    };
    Ok((link, End::Bearer(Zeroizing::new(*next.as_bytes()))))
}

/// The key that may add to the token.
fn last_key(body: &Body<Chain>) -> Result<SigningKey, Error> {
    match &body.end {
        End::Bearer(seed) => Ok(SigningKey::from_bytes(seed)),
        End::Sealed(_) => Err(Error::Sealed),
    }
}

impl Keys for Chain {
    const NAME: &'static str = "chain";
    const KEY_LENGTH: usize = 32;

    type KeyBytes = [u8; 32];
    type Expanded = SigningKey;

    fn expand(seed: &[u8; 32]) -> SigningKey {
        SigningKey::from_bytes(seed)
    }

    fn public(secret: &SigningKey) -> [u8; 32] {
        secret.verifying_key().to_bytes()
    }

    fn check_key(bytes: &[u8; 32]) -> Result<(), KeyFault> {
        if !y_is_canonical(bytes) {
            return Err(KeyFault::NotCanonical);
        }
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyFault::NotAPoint)?;
        // Both encodings with x = 0 have small order, so the sign needs no check of its own.
        if key.is_weak() {
            return Err(KeyFault::SmallOrder);
        }
        Ok(())
    }
}

#[allow(private_interfaces)]
impl Blocks for Chain {
    const ID: u8 = 1;

    type Link = Link;
    type End = End;

    fn is_sealed(end: &End) -> bool {
        matches!(end, End::Sealed(_))
    }

    fn digests(blocks: &[Block<Self>]) -> Vec<[u8; 64]> {
        let mut digest = [0; 64];
        blocks
            .iter()
            .map(|block| {
                let external = block.link.external.as_ref();
                digest = Sha512::new()
                    .chain_update(b"klero-token/v1/chain/block")
                    .chain_update(digest)
                    .chain_update([block.kind.byte()])
                    .chain_update(block.link.next)
                    .chain_update(external.map_or([0; 32], |external| external.key))
                    .chain_update(le64(&block.payload))
                    .chain_update(&block.payload)
                    .finalize()
                    .into();
                digest
            })
            .collect()
    }

    fn key(link: &Link) -> &[u8; 32] {
        &link.next
    }

    fn external_key(link: &Link) -> Option<&[u8; 32]> {
        link.external.as_ref().map(|external| &external.key)
    }

    fn write_link(link: &Link, out: &mut Vec<u8>) {
        out.extend(link.next);
        out.extend(link.signature);
        if let Some(external) = &link.external {
            Self::write_statement(external, out);
        }
    }

    fn read_link(kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
        Ok(Link {
            next: reader.array("next key")?,
            signature: reader.array("signature")?,
            external: (kind == EXTERNAL)
                .then(|| Self::read_statement(reader))
                .transpose()?,
        })
    }

    fn write_end(end: &End, out: &mut Vec<u8>) {
        match end {
            End::Bearer(seed) => out.extend(seed.as_slice()),
            End::Sealed(signature) => out.extend(signature.as_slice()),
        }
    }

    fn read_end(sealed: bool, reader: &mut Reader<'_>) -> Result<End, Error> {
        Ok(if sealed {
            End::Sealed(Box::new(reader.array("seal")?))
        } else {
            End::Bearer(Zeroizing::new(reader.array("secret key")?))
        })
    }
}

#[allow(private_interfaces)]
impl Construction for Chain {
    type Statement = External;

    fn mint(root: &SecretKey<Self>, payload: &[u8]) -> Result<(Link, End), Error> {
        let next = SecretKey::<Self>::generate()?;
        let public = next.public_key().bytes();
        let link = Link {
            next: *public,
            signature: sign(
                root.expanded(),
                &message(ROOT, &[0; 64], public, payload, None),
            ),
            external: None,
        };
        Ok((link, End::Bearer(Zeroizing::new(*next.as_bytes()))))
    }

    fn append(
        body: &Body<Self>,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<(Link, End), Error> {
        add(body, BLOCK, payload, None, key)
    }

    fn binding(blocks: &[Block<Self>]) -> Binding {
        match blocks.last() {
            Some(block) => hash(&block.link.signature),
            None => [0; 64],
        }
    }

    fn state(binding: &Binding, payload: &[u8], key: &SecretKey<Self>) -> Result<External, Error> {
        let stated = message(STATEMENT, binding, &NO_NEXT, payload, None);
        Ok(External {
            key: *key.public_key().bytes(),
            signature: sign(key.expanded(), &stated),
        })
    }

    fn append_external(
        body: &Body<Self>,
        payload: &[u8],
        statement: &External,
    ) -> Result<(Link, End), Error> {
        let binding = Self::binding(&body.blocks);
        let stated = message(STATEMENT, &binding, &NO_NEXT, payload, None);
        let place = Place::ThirdParty(body.blocks.len());
        Rules::STRICT
            .verify(&statement.key, &stated, &statement.signature)
            .map_err(|invalid| refused(invalid, place, place))?;
        add(
            body,
            EXTERNAL,
            payload,
            Some(*statement),
            &SecretKey::generate()?,
        )
    }

    fn seal(body: &Body<Self>, challenge: &Challenge<'_>) -> Result<End, Error> {
        let binding = Self::binding(&body.blocks);
        let answer = challenge.encode();
        let message = message(SEAL, &binding, &NO_NEXT, &answer, None);
        let signature = sign(&last_key(body)?, &message);
        Ok(End::Sealed(Box::new(signature)))
    }

    /// All signatures of all tokens go through the lanes together, and so do all last keys.
    fn verify(tokens: &[Presented<'_, Self>]) -> Vec<Result<(), Error>> {
        let mut signed = Vec::new();
        let mut ends = Vec::with_capacity(tokens.len());
        for token in tokens {
            signatures(token, &mut signed);
            ends.push(signed.len());
        }
        let claims: Vec<_> = signed
            .iter()
            .map(|signed| Claim::new(signed.key, &signed.message, signed.signature))
            .collect();
        let verdicts = Rules::STRICT.verify_many(&claims);
        let bodies: Vec<_> = tokens.iter().map(|token| token.body).collect();
        let possessed = possessed(&bodies);
        let mut begin = 0;
        ends.into_iter()
            .zip(possessed)
            .map(|(end, possessed)| {
                let own = begin..end;
                begin = end;
                for (verdict, signed) in verdicts[own.clone()].iter().zip(&signed[own]) {
                    let [key, signature] = signed.places;
                    verdict.map_err(|invalid| refused(invalid, key, signature))?;
                }
                possessed.then_some(()).ok_or(Error::Possession)
            })
            .collect()
    }

    fn write_statement(statement: &External, out: &mut Vec<u8>) {
        out.extend(statement.key);
        out.extend(statement.signature);
    }

    fn read_statement(reader: &mut Reader<'_>) -> Result<External, Error> {
        Ok(External {
            key: reader.array("third party's key")?,
            signature: reader.array("third party's signature")?,
        })
    }
}

/// A signature of a token.
struct Signed<'a> {
    key: &'a [u8; 32],
    message: Vec<u8>,
    signature: &'a [u8; 64],
    /// Where the key stands, and where the signature.
    places: [Place; 2],
}

/// The signatures of a token, in order.
fn signatures<'a>(token: &Presented<'a, Chain>, signed: &mut Vec<Signed<'a>>) {
    let (mut key, mut key_place) = (token.root.bytes(), Place::Block(0));
    let mut binding = [0; 64];
    for (i, block) in token.body.blocks.iter().enumerate() {
        let (payload, link) = (&block.payload, &block.link);
        if let Some(External { key, signature }) = &link.external {
            signed.push(Signed {
                key,
                message: message(STATEMENT, &binding, &NO_NEXT, payload, None),
                signature,
                places: [Place::ThirdParty(i); 2],
            });
        }
        let external = link.external.as_ref();
        signed.push(Signed {
            key,
            message: message(block.kind.byte(), &binding, &link.next, payload, external),
            signature: &link.signature,
            places: [key_place, Place::Block(i)],
        });
        (key, key_place) = (&link.next, Place::Block(i));
        binding = hash(&link.signature);
    }
    if let (End::Sealed(signature), Some(challenge)) = (&token.body.end, token.challenge) {
        signed.push(Signed {
            key,
            message: message(SEAL, &binding, &NO_NEXT, &challenge.encode(), None),
            signature,
            places: [key_place, Place::Seal],
        });
    }
}

/// The error for a signature whose key stands at another place.
fn refused(invalid: Invalid, key: Place, signature: Place) -> Error {
    let of_key = |fault| Error::Key { place: key, fault };
    match invalid {
        Invalid::KeyNotCanonical => of_key(KeyFault::NotCanonical),
        Invalid::KeyNotOnCurve => of_key(KeyFault::NotAPoint),
        Invalid::KeySmallOrder => of_key(KeyFault::SmallOrder),
        Invalid::ScalarNotCanonical => Error::SignatureScalar { place: signature },
        _ => Error::Signature { place: signature },
    }
}

/// For each token whether, unless it is sealed, it holds the secret half of its last key.
/// Constant time in these keys.
fn possessed(bodies: &[&Body<Chain>]) -> Vec<bool> {
    // Room for all of them, so that no copy is left behind.
    let mut secrets = Zeroizing::new(Vec::with_capacity(bodies.len()));
    for body in bodies {
        if let End::Bearer(seed) = &body.end {
            let scalar = Zeroizing::new(ExpandedSecretKey::from(&**seed).scalar);
            secrets.push(scalar.to_bytes());
        }
    }
    let mut points = Zeroizing::new(vec![Point::IDENTITY; secrets.len()]);
    engine().secret_mul_base(&secrets, &mut points);
    let mut keys = vec![[0; 32]; points.len()];
    engine().encode(&points, &mut keys);
    let mut keys = keys.iter();
    let possessed = |body: &&Body<Chain>| match &body.end {
        End::Bearer(_) => keys.next() == body.blocks.last().map(|last| &last.link.next),
        End::Sealed(_) => true,
    };
    bodies.iter().map(possessed).collect()
}
