//! BLS, as it is sound: one sum of BLS signatures on BLS12-381, where each message contains the
//! signer's key and everything before it. 48n + 96 bytes.
//!
//! Boneh, Lynn and Shacham (2001), aggregated as in draft-irtf-cfrg-bls-signature with "message
//! augmentation", so that no key can be chosen to cancel another. It has what [`pairing`] lacks,
//! and the encoding and the hashes of klero-token, in which it is scheme 3:
//!
//! ```text
//! h_i   = the state after link i, P_i
//! S_i   = S_{i-1} + x_i·H(h_i)
//! token: (P_i, m_i) of all links, and S
//! valid: P_0 is the root key, and e(g, S) = Π e(P_i, H(h_i))
//! ```
//!
//! Every point is checked to be in its group. klero-token does not have it: its `aggregate` is
//! fifty times as fast to verify, and depends on no other library. Here it is measured beside the
//! others, and the attacks of the studies fail on it. As an experiment, it draws nothing at random:
//! whoever adds a link says with which key.
//!
//! [`pairing`]: crate::pairing

mod points;

use blst::BLST_ERROR;
use blst::min_pk::{PublicKey, Signature};
use ed25519_dalek::VerifyingKey;
use sha2::{Digest, Sha512};

pub use points::{add, infinity, negated, public_key, secret_key};

/// The domain separation tag of H, the hash to G2.
pub const DOMAIN: &[u8] = b"KLERO-TOKEN-V2-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";

/// Kinds of links, which are hashed.
pub mod kind {
    /// The first block: 16 random bytes ‖ le32 length ‖ rights ‖ caveats.
    pub const ROOT: u8 = 0;
    /// Caveats, one to a line.
    pub const CAVEATS: u8 = 1;
    /// A third party's key, signature and statement.
    pub const STATEMENT: u8 = 2;
    /// Any bytes.
    pub const OPAQUE: u8 = 3;
    /// The answer to a challenge, which is not a block.
    pub const SEAL: u8 = 4;
}

/// The payload of a first block with these rights and no caveats. Its random bytes are not.
pub fn rights(rights: &[u8]) -> Vec<u8> {
    let length = (rights.len() as u32).to_le_bytes();
    [&[0x77; 16], &length[..], rights].concat()
}

/// Why a token is refused, and where, in the words of `vectors/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub reason: &'static str,
    /// Where.
    pub place: Option<String>,
}

fn refuse<T>(reason: &'static str) -> Result<T, Refused> {
    let place = None;
    Err(Refused { reason, place })
}

/// Refuses unless it holds.
fn ensure(holds: bool, reason: &'static str, place: impl ToString) -> Result<(), Refused> {
    let place = Some(place.to_string());
    match holds {
        true => Ok(()),
        false => Err(Refused { reason, place }),
    }
}

/// The largest token that a verifier accepts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Signatures: of blocks, of statements in them, and of a seal.
    pub signatures: u32,
    /// Those that take a pairing: of blocks and of a seal.
    pub pairings: u32,
    /// Lines of caveats.
    pub caveats: u32,
    /// Bytes of the encoding.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            signatures: 64,
            pairings: 16,
            caveats: 256,
            bytes: 65_536,
        }
    }
}

/// A block, or the seal with the challenge as its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// One of [`kind`].
    pub kind: u8,
    /// P.
    pub key: [u8; 48],
    /// m.
    pub payload: Vec<u8>,
}

impl Link {
    /// The block of this number.
    fn decode(left: &mut &[u8], number: u32) -> Result<Self, Refused> {
        let [kind] = array(left)?;
        let may_stand = match number {
            0 => kind == kind::ROOT,
            _ => [kind::CAVEATS, kind::STATEMENT, kind::OPAQUE].contains(&kind),
        };
        ensure(may_stand, "kind", format!("block {number}"))?;
        let key = array(left)?;
        let length = u32::from_le_bytes(array(left)?);
        Ok(Self {
            kind,
            key,
            payload: take(left, length as usize)?.to_vec(),
        })
    }

    /// How many lines of caveats it has.
    fn caveats(&self) -> Result<usize, Refused> {
        let lines = match self.kind {
            kind::ROOT => caveats_of_root(&self.payload)?,
            kind::CAVEATS => &self.payload,
            _ => &[],
        };
        Ok(match lines {
            [] => 0,
            _ => lines.split(|byte| *byte == b'\n').count(),
        })
    }
}

/// A token, whether it is valid or not.
///
/// ```
/// use klero_studies::bls::{Limits, Token, kind, public_key, rights};
/// let (root, holder) = ([1; 32], [2; 32]);
/// let mut token = Token::new(0);
/// token.add(kind::ROOT, &root, &rights(b"may read"));
/// token.add(kind::OPAQUE, &holder, b"less");
/// assert!(token.verify(&public_key(&root), None).is_ok());
/// assert_eq!(Token::decode(&token.encode(), &Limits::default()).unwrap(), token);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The number of the root key.
    pub root_id: u32,
    /// The blocks, that of the root first.
    pub blocks: Vec<Link>,
    /// The key of the seal, if there is one.
    pub seal: Option<[u8; 48]>,
    /// S, the sum of the signatures of all links.
    pub sum: [u8; 96],
}

impl Token {
    /// A token of no blocks, which is not valid.
    pub fn new(root_id: u32) -> Self {
        Self {
            root_id,
            blocks: Vec::new(),
            seal: None,
            sum: infinity(),
        }
    }

    /// Adds a block, signed by the key of this seed.
    pub fn add(&mut self, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let signature = self.sign(kind, seed, payload);
        self.blocks.push(Link {
            kind,
            key: public_key(seed),
            payload: payload.to_vec(),
        });
        self.sum = add(&self.sum, &signature);
    }

    /// Seals the token to a challenge.
    pub fn close(&mut self, seed: &[u8; 32], challenge: &[u8]) {
        self.sum = add(&self.sum, &self.sign(kind::SEAL, seed, challenge));
        self.seal = Some(public_key(seed));
    }

    /// What is added to S with the next link: x·H(h).
    pub fn sign(&self, kind: u8, seed: &[u8; 32], payload: &[u8]) -> [u8; 96] {
        let h = after(&self.state(), kind, &public_key(seed), payload);
        secret_key(seed).sign(&h, DOMAIN, &[]).compress()
    }

    /// The state after the last block.
    pub fn state(&self) -> [u8; 64] {
        let root_id = self.root_id.to_le_bytes();
        let begin = sha512(&[b"klero-token/begin\x02\x03", &root_id]);
        let absorb =
            |state: [u8; 64], link: &Link| after(&state, link.kind, &link.key, &link.payload);
        self.blocks.iter().fold(begin, absorb)
    }

    /// Verifies that the root key signed the first block, that the keys in the others signed these,
    /// that third parties made the statements, and that the token is sealed to the challenge if
    /// there is one.
    ///
    /// # Errors
    /// The first reason to refuse the token.
    pub fn verify(&self, root: &[u8], challenge: Option<&[u8]>) -> Result<(), Refused> {
        let mut links = self.blocks.clone();
        match (self.seal, challenge) {
            (None, None) => {}
            (Some(_), None) => return refuse("sealed"),
            (None, Some(_)) => return refuse("not sealed"),
            (Some(key), Some(challenge)) => links.push(Link {
                kind: kind::SEAL,
                key,
                payload: challenge.to_vec(),
            }),
        }
        if links.first().is_none_or(|first| first.key != root) {
            return refuse("wrong root");
        }
        let mut walked = Self::new(self.root_id);
        let (mut messages, mut keys) = (Vec::new(), Vec::new());
        for (i, link) in links.into_iter().enumerate() {
            let place = match link.kind {
                kind::SEAL => "seal".to_owned(),
                _ => format!("block {i}"),
            };
            let key = PublicKey::key_validate(&link.key);
            ensure(key.is_ok(), "key", &place)?;
            keys.extend(key);
            if link.kind == kind::STATEMENT {
                check_statement(
                    &walked.state(),
                    &link.payload,
                    &format!("{place}, third party"),
                )?;
            }
            walked.blocks.push(link);
            messages.push(walked.state());
        }
        let everywhere = "all blocks";
        let sum = Signature::sig_validate(&self.sum, true);
        let Ok(sum) = sum else {
            return ensure(false, "point", everywhere);
        };
        let messages: Vec<_> = messages.iter().map(|message| &message[..]).collect();
        let keys: Vec<_> = keys.iter().collect();
        // All points were checked to be in their groups.
        let held = sum.aggregate_verify(false, &messages, DOMAIN, &keys, false);
        ensure(held == BLST_ERROR::BLST_SUCCESS, "signature", everywhere)
    }

    /// The token as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![b'K', b'T', 2, 3, self.seal.is_some().into()];
        out.extend(self.root_id.to_le_bytes());
        out.extend((self.blocks.len() as u32).to_le_bytes());
        for block in &self.blocks {
            out.push(block.kind);
            out.extend(block.key);
            out.extend((block.payload.len() as u32).to_le_bytes());
            out.extend(&block.payload);
        }
        out.extend(self.seal.iter().flatten());
        out.extend(self.sum);
        out
    }

    /// The token in `bytes`, not verified.
    ///
    /// # Errors
    /// The bytes are not exactly one token in its one encoding, or exceed the limits.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Refused> {
        if bytes.len() > limits.bytes {
            return refuse("too long");
        }
        let mut left = bytes;
        let header = array::<5>(&mut left)?;
        match header {
            [b'K', b'T', 2, 3, 0 | 1] => {}
            [b'K', b'T', 2, 3, _] => return refuse("form"),
            [b'K', b'T', 2, ..] => return refuse("scheme"),
            [b'K', b'T', ..] => return refuse("version"),
            _ => return refuse("magic"),
        }
        let sealed = header[4] == 1;
        let root_id = u32::from_le_bytes(array(&mut left)?);
        let count = u32::from_le_bytes(array(&mut left)?);
        if count == 0 {
            return refuse("no blocks");
        }
        let mut signatures = count.saturating_add(sealed.into());
        if signatures > limits.signatures.min(limits.pairings) {
            return refuse("too many signatures");
        }
        let mut caveats = 0;
        let mut blocks = Vec::new();
        for i in 0..count {
            let block = Link::decode(&mut left, i)?;
            caveats += block.caveats()?;
            if block.kind == kind::STATEMENT {
                take(&mut &block.payload[..], 96)?;
                signatures += 1;
            }
            if signatures > limits.signatures {
                return refuse("too many signatures");
            }
            if caveats > limits.caveats as usize {
                return refuse("too many caveats");
            }
            blocks.push(block);
        }
        let seal = sealed.then(|| array(&mut left)).transpose()?;
        let sum = array(&mut left)?;
        match left {
            [] => Ok(Self {
                root_id,
                blocks,
                seal,
                sum,
            }),
            _ => refuse("trailing"),
        }
    }
}

fn take<'a>(left: &mut &'a [u8], length: usize) -> Result<&'a [u8], Refused> {
    left.split_off(..length)
        .map_or_else(|| refuse("truncated"), Ok)
}

fn array<const N: usize>(left: &mut &[u8]) -> Result<[u8; N], Refused> {
    let mut out = [0; N];
    out.copy_from_slice(take(left, N)?);
    Ok(out)
}

/// What follows the rights.
fn caveats_of_root(payload: &[u8]) -> Result<&[u8], Refused> {
    let mut left = payload;
    take(&mut left, 16)?;
    let length = u32::from_le_bytes(array(&mut left)?);
    take(&mut left, length as usize)?;
    Ok(left)
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}

fn le64(bytes: &[u8]) -> [u8; 8] {
    (bytes.len() as u64).to_le_bytes()
}

/// The state after a link.
fn after(before: &[u8; 64], kind: u8, key: &[u8; 48], payload: &[u8]) -> [u8; 64] {
    let tag = &b"klero-token/link\x02"[..];
    sha512(&[tag, before, &[kind], key, &le64(payload), payload])
}

/// Strict Ed25519, by the third party, over the state before the block.
fn check_statement(before: &[u8; 64], payload: &[u8], place: &str) -> Result<(), Refused> {
    let mut left = payload;
    let (key, signature) = (array::<32>(&mut left)?, array::<64>(&mut left)?);
    let verifying = VerifyingKey::from_bytes(&key).ok();
    // The encoding must be the canonical one, and the point not of small order.
    let verifying = verifying
        .filter(|known| known.to_edwards().compress().to_bytes() == key && !known.is_weak());
    let Some(verifying) = verifying else {
        return ensure(false, "key", place);
    };
    let s = signature[32..].try_into().expect("32 bytes");
    let canonical: bool = curve25519_dalek::Scalar::from_canonical_bytes(s)
        .is_some()
        .into();
    ensure(canonical, "scalar", place)?;
    let tag = &b"klero-token/statement\x02\x03"[..];
    let message = [tag, before, &key, &le64(left), left].concat();
    let held = verifying.verify_strict(&message, &signature.into());
    ensure(held.is_ok(), "signature", place)
}
