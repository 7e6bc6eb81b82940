//! Aggregated BLS signatures on BLS12-381: one point for all blocks. Each message contains the
//! signer's key and everything before it.
//!
//! Boneh, Lynn and Shacham (2001), aggregated as in draft-irtf-cfrg-bls-signature, where
//! the message of every signer contains the signer's key ("message augmentation"), so that
//! no key can be chosen to cancel another. Keys are in G1, signatures in G2:
//! ```text
//! h_i   = the prefix hash of kind, P_i and m_i
//! S_i   = S_{i-1} + x_i·H(h_i)
//! token: (P_i, m_i) of all blocks, and S
//! valid: P_0 is the root key, and e(g, S) = Π e(P_i, H(h_i))
//! ```
//! Every point is checked to be in its group. The third party, and all who saw its statement,
//! know its signature and could subtract it; so the holder covers that block with a signature
//! by a fresh key over an empty message. A seal is a last block whose message,
//! [`Challenge::encode`], is not part of the token.
//!
//! A block takes 48 bytes (96 if a third party signed it), the seal 48, and the end 96.

use alloc::vec::Vec;

use blst::BLST_ERROR;
use blst::min_pk::{self, AggregateSignature, Signature};
use zeroize::Zeroizing;

use crate::block::{Block, Blocks, Body};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, SecretKey};
use crate::kind::{BLOCK, COVER, EXTERNAL, ROOT, SEAL};
use crate::prefix::{Hashed, Tags};
use crate::scheme::{Binding, Construction, Presented};

/// Aggregated BLS signatures: the smallest tokens of five blocks or more, and slow to verify.
///
/// Keys have 48 bytes. The keys and the signature of n blocks take 48n + 96 bytes.
///
/// ```
/// use klero_token::{Bls, SecretKey, Verified};
/// let root = SecretKey::<Bls>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?.append(b"until noon")?;
/// assert_eq!(token.encode()?.len(), 13 + 2 * 5 + 8 + 10 + 2 * 48 + 96);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bls;

const TAGS: Tags = Tags {
    init: b"klero-token/v1/bls/init",
    block: b"klero-token/v1/bls/block",
};

/// The domain separation tag of the hash to the curve.
const DST: &[u8] = b"KLERO-TOKEN-V1-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";

/// The context string for deriving keys.
const KEY_INFO: &[u8] = b"klero-token/v1/bls/key";

/// P_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; 48]);

/// The signer of the payload and, in an external block, the holder's cover.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Link {
    signer: Key,
    cover: Option<Key>,
}

impl From<Key> for Link {
    fn from(signer: Key) -> Self {
        Self {
            signer,
            cover: None,
        }
    }
}

impl Key {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        reader.array("key").map(Self)
    }
}

impl AsRef<[u8]> for Key {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Key {
    type Error = core::array::TryFromSliceError;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        bytes.try_into().map(Self)
    }
}

/// The seal's key, if there is a seal, and S, which is secret unless the token is sealed.
#[derive(Clone)]
pub struct End {
    seal: Option<Key>,
    s: Zeroizing<[u8; 96]>,
}

/// P and its signature; that of a holder is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Stated {
    key: Key,
    signature: Zeroizing<[u8; 96]>,
}

/// A point of G1, not infinity.
fn decode_key(bytes: &Key) -> Result<min_pk::PublicKey, KeyFault> {
    min_pk::PublicKey::key_validate(&bytes.0).map_err(|error| match error {
        BLST_ERROR::BLST_BAD_ENCODING => KeyFault::NotCanonical,
        BLST_ERROR::BLST_PK_IS_INFINITY => KeyFault::SmallOrder,
        _ => KeyFault::NotAPoint,
    })
}

/// h_i of a block.
fn next(before: &Binding, kind: u8, key: &Key, payload: &[u8]) -> Binding {
    TAGS.next(before, &Hashed::new(kind, &key.0, &[], payload))
}

/// The signed messages of a block: the payload and, in an external block, the empty message of
/// the cover.
fn signed(block: &Block<Bls>) -> impl Iterator<Item = (u8, &Key, &[u8])> {
    let payload = (block.kind.byte(), &block.link.signer, &*block.payload);
    let cover = block.link.cover.as_ref();
    [payload]
        .into_iter()
        .chain(cover.map(|cover| (COVER, cover, &[][..])))
}

/// x_i·H(h_i). Constant time in the key.
fn sign(key: &SecretKey<Bls>, before: &Binding, kind: u8, payload: &[u8]) -> Stated {
    let own = *key.public_key().bytes();
    let h = next(before, kind, &own, payload);
    Stated {
        key: own,
        signature: Zeroizing::new(key.expanded().sign(&h, DST, &[]).to_bytes()),
    }
}

/// S_{i-1} plus a signature. Both are in the group, or were never verified.
fn accumulate(sum: &[u8; 96], own: &Stated) -> Result<Zeroizing<[u8; 96]>, Error> {
    let point = |bytes: &[u8; 96]| {
        Signature::from_bytes(bytes).map_err(|_| Error::SignaturePoint {
            place: Place::Aggregate,
        })
    };
    let mut total = AggregateSignature::from_signature(&point(sum)?);
    total.add_aggregate(&AggregateSignature::from_signature(&point(&own.signature)?));
    Ok(Zeroizing::new(total.to_signature().to_bytes()))
}

/// Signs a further block and adds the signature to S.
fn add(
    body: &Body<Bls>,
    kind: u8,
    payload: &[u8],
    key: &SecretKey<Bls>,
) -> Result<(Key, Zeroizing<[u8; 96]>), Error> {
    let own = sign(key, &Bls::binding(&body.blocks), kind, payload);
    Ok((own.key, accumulate(&body.end.s, &own)?))
}

impl Keys for Bls {
    const NAME: &'static str = "bls";
    const KEY_LENGTH: usize = 48;

    type KeyBytes = Key;
    type Expanded = min_pk::SecretKey;

    fn expand(seed: &[u8; 32]) -> min_pk::SecretKey {
        // Fails only for seeds of less than 32 bytes.
        min_pk::SecretKey::key_gen(seed, KEY_INFO).unwrap_or_default()
    }

    fn public(secret: &min_pk::SecretKey) -> Key {
        Key(secret.sk_to_pk().to_bytes())
    }

    fn check_key(bytes: &Key) -> Result<(), KeyFault> {
        decode_key(bytes).map(drop)
    }
}

#[allow(private_interfaces)]
impl Blocks for Bls {
    const ID: u8 = 3;

    type Link = Link;
    type End = End;

    fn is_sealed(end: &End) -> bool {
        end.seal.is_some()
    }

    fn digests(blocks: &[Block<Self>]) -> Vec<[u8; 64]> {
        let mut h = TAGS.first();
        blocks
            .iter()
            .map(|block| {
                for (kind, key, payload) in signed(block) {
                    h = next(&h, kind, key, payload);
                }
                h
            })
            .collect()
    }

    fn key(link: &Link) -> &Key {
        link.cover.as_ref().unwrap_or(&link.signer)
    }

    fn external_key(link: &Link) -> Option<&Key> {
        link.cover.is_some().then_some(&link.signer)
    }

    fn write_link(link: &Link, out: &mut Vec<u8>) {
        out.extend(link.signer.0);
        if let Some(cover) = &link.cover {
            out.extend(cover.0);
        }
    }

    fn read_link(kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
        Ok(Link {
            signer: Key::read(reader)?,
            cover: (kind == EXTERNAL).then(|| Key::read(reader)).transpose()?,
        })
    }

    fn write_end(end: &End, out: &mut Vec<u8>) {
        if let Some(seal) = &end.seal {
            out.extend(seal.0);
        }
        out.extend(*end.s);
    }

    fn read_end(sealed: bool, reader: &mut Reader<'_>) -> Result<End, Error> {
        Ok(End {
            seal: sealed.then(|| Key::read(reader)).transpose()?,
            s: Zeroizing::new(reader.array("aggregate signature")?),
        })
    }
}

#[allow(private_interfaces)]
impl Construction for Bls {
    type Statement = Stated;

    fn mint(root: &SecretKey<Self>, payload: &[u8]) -> Result<(Link, End), Error> {
        let own = sign(root, &TAGS.first(), ROOT, payload);
        let end = End {
            seal: None,
            s: own.signature,
        };
        Ok((own.key.into(), end))
    }

    fn append(
        body: &Body<Self>,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<(Link, End), Error> {
        let (key, s) = add(body, BLOCK, payload, key)?;
        Ok((key.into(), End { seal: None, s }))
    }

    fn binding(blocks: &[Block<Self>]) -> Binding {
        Self::digests(blocks).pop().unwrap_or(TAGS.first())
    }

    fn state(binding: &Binding, payload: &[u8], key: &SecretKey<Self>) -> Result<Stated, Error> {
        Ok(sign(key, binding, EXTERNAL, payload))
    }

    fn append_external(
        body: &Body<Self>,
        payload: &[u8],
        statement: &Stated,
    ) -> Result<(Link, End), Error> {
        let place = Place::ThirdParty(body.blocks.len());
        let before = Self::binding(&body.blocks);
        let mut equation = Equation {
            h: before,
            terms: Vec::new(),
        };
        equation.append(EXTERNAL, &statement.key, payload, place)?;
        equation.check(&statement.signature, place)?;
        let s = accumulate(&body.end.s, statement)?;
        // Whoever knows the statement could subtract its signature again, but not the cover.
        let before = next(&before, EXTERNAL, &statement.key, payload);
        let own = sign(&SecretKey::generate()?, &before, COVER, &[]);
        let link = Link {
            signer: statement.key,
            cover: Some(own.key),
        };
        let s = accumulate(&s, &own)?;
        Ok((link, End { seal: None, s }))
    }

    fn seal(body: &Body<Self>, challenge: &Challenge<'_>) -> Result<End, Error> {
        let (seal, s) = add(body, SEAL, &challenge.encode(), &SecretKey::generate()?)?;
        Ok(End {
            seal: Some(seal),
            s,
        })
    }

    fn verify(tokens: &[Presented<'_, Self>]) -> Vec<Result<(), Error>> {
        tokens.iter().map(verify_one).collect()
    }

    fn write_statement(statement: &Stated, out: &mut Vec<u8>) {
        out.extend(statement.key.0);
        out.extend(*statement.signature);
    }

    fn read_statement(reader: &mut Reader<'_>) -> Result<Stated, Error> {
        Ok(Stated {
            key: Key::read(reader)?,
            signature: Zeroizing::new(reader.array("third party's signature")?),
        })
    }
}

/// The right side of `e(g, S) = Π e(P_i, H(h_i))`.
struct Equation {
    h: Binding,
    terms: Vec<(min_pk::PublicKey, Binding)>,
}

impl Equation {
    fn append(&mut self, kind: u8, key: &Key, payload: &[u8], place: Place) -> Result<(), Error> {
        let point = decode_key(key).map_err(|fault| Error::Key { place, fault })?;
        self.h = next(&self.h, kind, key, payload);
        self.terms.push((point, self.h));
        Ok(())
    }

    fn check(&self, s: &[u8; 96], place: Place) -> Result<(), Error> {
        let signature =
            Signature::sig_validate(s, true).map_err(|_| Error::SignaturePoint { place })?;
        let keys: Vec<_> = self.terms.iter().map(|(key, _)| key).collect();
        let messages: Vec<_> = self.terms.iter().map(|(_, h)| h.as_slice()).collect();
        // All points were checked to be in their groups.
        match signature.aggregate_verify(false, &messages, DST, &keys, false) {
            BLST_ERROR::BLST_SUCCESS => Ok(()),
            _ => Err(Error::Signature { place }),
        }
    }
}

fn verify_one(token: &Presented<'_, Bls>) -> Result<(), Error> {
    let Body {
        root_id,
        blocks,
        end,
    } = token.body;
    if blocks
        .first()
        .is_none_or(|first| &first.link.signer != token.root.bytes())
    {
        return Err(Error::WrongRoot(*root_id));
    }
    let mut equation = Equation {
        h: TAGS.first(),
        terms: Vec::new(),
    };
    for (i, block) in blocks.iter().enumerate() {
        for (kind, key, payload) in signed(block) {
            let place = match kind {
                EXTERNAL => Place::ThirdParty(i),
                _ => Place::Block(i),
            };
            equation.append(kind, key, payload, place)?;
        }
    }
    if let (Some(key), Some(challenge)) = (&end.seal, token.challenge) {
        equation.append(SEAL, key, &challenge.encode(), Place::Seal)?;
    }
    equation.check(&end.s, Place::Aggregate)
}
