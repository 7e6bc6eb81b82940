//! Incremental half-aggregated Schnorr signatures on ristretto255: one scalar for all
//! blocks.
//!
//! Chalkias, Garillot, Kondi and Nikolaenko, *Non-interactive half-aggregation of EdDSA
//! and variants of Schnorr signatures* (2021); Chen and Zhao, *Half-aggregation of
//! Schnorr signatures with tight reductions* (2022). The challenge of each block is a hash of
//! the block and everything before it:
//! ```text
//! h_i = the prefix hash of kind, P_i, R_i and m_i     z_0 = 1, z_i = Hs(tag_z ‖ h_i)
//! c_i = Hs(tag_c ‖ h_i)
//! k_i = Hs(tag_n ‖ x_i ‖ 32 random bytes ‖ h_{i-1} ‖ kind ‖ le64|m_i| ‖ m_i)
//! R_i = k_i·G,  s_i = k_i + c_i·x_i,  S_i = S_{i-1} + z_i·s_i
//! token: (P_i, R_i, m_i) of all blocks, and S
//! valid: P_0 is the root key, and S·G = Σ z_i·(R_i + c_i·P_i)
//! ```
//! c_i and z_i depend on all of block i and on everything before it, so no term of a later
//! block can cancel that of the root key. Removing a block takes its s_i, a discrete
//! logarithm. The third party, and all who saw its statement, know the s_i of its block; so
//! the holder covers that block with a signature by a fresh key over an empty message. A seal
//! is a last block whose message, [`Challenge::encode`], is not part of the token.
//!
//! A block takes 64 bytes (128 if a third party signed it), the seal 64, and the end 32.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use klero_lanes::engine;
use zeroize::{Zeroize, Zeroizing};

use crate::block::{Block, Blocks, Body};
use crate::challenge::Challenge;
use crate::codec::Reader;
use crate::equation::{
    Equation, Message, Pair, TAGS, challenge, hash_to_scalar, next, verify_together, weight,
};
use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, SecretKey};
use crate::kind::{BLOCK, COVER, EXTERNAL, ROOT, SEAL};
use crate::scheme::{Binding, Construction, Presented};

/// Half-aggregated Schnorr signatures: the smallest tokens of up to three blocks (as large as
/// `Bls` at four), and the fastest to extend and to verify.
///
/// Keys have 32 bytes. The keys and signatures of n blocks take 64n + 32 bytes.
///
/// ```
/// use klero_token::{Aggregate, SecretKey, Verified};
/// let root = SecretKey::<Aggregate>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?.append(b"until noon")?;
/// assert_eq!(token.encode()?.len(), 13 + 2 * 5 + 8 + 10 + 2 * 64 + 32);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate;

const TAG_NONCE: &[u8] = b"klero-token/v1/aggregate/nonce";
const TAG_KEY: &[u8] = b"klero-token/v1/aggregate/key";

/// The signer of the payload and, in an external block, the holder's cover.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Link {
    signer: Pair,
    cover: Option<Pair>,
}

/// The seal, if there is one, and S, which is secret unless the token is sealed.
#[derive(Clone)]
pub struct End {
    seal: Option<Pair>,
    s: Zeroizing<[u8; 32]>,
}

/// P, R and s of one signature; s of a holder is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Stated {
    pair: Pair,
    s: Zeroizing<[u8; 32]>,
}

/// The secret scalar; wiped when dropped.
#[derive(Clone)]
pub struct Secret {
    x: Scalar,
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.x.zeroize();
    }
}

/// The signed messages of a block: the payload and, in an external block, the empty message of
/// the cover.
fn signed(block: &Block<Aggregate>) -> impl Iterator<Item = (u8, &Pair, &[u8])> {
    let payload = (block.kind.byte(), &block.link.signer, &*block.payload);
    let cover = block.link.cover.as_ref();
    [payload]
        .into_iter()
        .chain(cover.map(|cover| (COVER, cover, &[][..])))
}

/// The signature of one block: P_i, R_i and s_i. Constant time in the key.
fn sign(
    key: &SecretKey<Aggregate>,
    before: &Binding,
    kind: u8,
    payload: &[u8],
) -> Result<Stated, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random).map_err(Error::NoRandomness)?;
    let x = &key.expanded().x;
    let length = (payload.len() as u64).to_le_bytes();
    let nonce = Zeroizing::new(hash_to_scalar(
        TAG_NONCE,
        &[x.as_bytes(), &*random, before, &[kind], &length, payload],
    ));
    let pair = Pair {
        key: *key.public_key().bytes(),
        commitment: RistrettoPoint::mul_base(&nonce).compress().to_bytes(),
    };
    let c = challenge(&next(before, kind, &pair, payload));
    let s = Zeroizing::new(*nonce + c * x);
    Ok(Stated {
        pair,
        s: Zeroizing::new(s.to_bytes()),
    })
}

/// S_i from S_{i-1} and s_i, which is canonical, for i > 0.
fn accumulate(
    sum: &[u8; 32],
    before: &Binding,
    kind: u8,
    payload: &[u8],
    own: &Stated,
) -> Zeroizing<[u8; 32]> {
    let weight = weight(&next(before, kind, &own.pair, payload));
    let [sum, s] = [*sum, *own.s].map(Scalar::from_bytes_mod_order);
    Zeroizing::new((sum + weight * s).to_bytes())
}

/// Signs a further block and adds its s to S.
fn add(
    body: &Body<Aggregate>,
    kind: u8,
    payload: &[u8],
    key: &SecretKey<Aggregate>,
) -> Result<(Pair, Zeroizing<[u8; 32]>), Error> {
    let before = Aggregate::binding(&body.blocks);
    let own = sign(key, &before, kind, payload)?;
    Ok((
        own.pair,
        accumulate(&body.end.s, &before, kind, payload, &own),
    ))
}

/// The number of tokens in one sum. In a larger group one invalid token would cost more.
const GROUP: usize = 64;

impl Keys for Aggregate {
    const NAME: &'static str = "aggregate";
    const KEY_LENGTH: usize = 32;

    type KeyBytes = [u8; 32];
    type Expanded = Secret;

    fn expand(seed: &[u8; 32]) -> Secret {
        Secret {
            x: hash_to_scalar(TAG_KEY, &[seed]),
        }
    }

    fn public(secret: &Secret) -> [u8; 32] {
        RistrettoPoint::mul_base(&secret.x).compress().to_bytes()
    }

    fn check_key(bytes: &[u8; 32]) -> Result<(), KeyFault> {
        // The decoder does not distinguish other encodings of points from those of none.
        let point = CompressedRistretto(*bytes).decompress();
        let point = point.ok_or(KeyFault::NotAPoint)?;
        if point.is_identity() {
            return Err(KeyFault::SmallOrder);
        }
        Ok(())
    }
}

#[allow(private_interfaces)]
impl Blocks for Aggregate {
    const ID: u8 = 2;

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
                for (kind, pair, payload) in signed(block) {
                    h = next(&h, kind, pair, payload);
                }
                h
            })
            .collect()
    }

    fn key(link: &Link) -> &[u8; 32] {
        &link.cover.as_ref().unwrap_or(&link.signer).key
    }

    fn external_key(link: &Link) -> Option<&[u8; 32]> {
        link.cover.is_some().then_some(&link.signer.key)
    }

    fn write_link(link: &Link, out: &mut Vec<u8>) {
        link.signer.write(out);
        if let Some(cover) = &link.cover {
            cover.write(out);
        }
    }

    fn read_link(kind: u8, reader: &mut Reader<'_>) -> Result<Link, Error> {
        Ok(Link {
            signer: Pair::read(reader)?,
            cover: (kind == EXTERNAL).then(|| Pair::read(reader)).transpose()?,
        })
    }

    fn write_end(end: &End, out: &mut Vec<u8>) {
        if let Some(seal) = &end.seal {
            seal.write(out);
        }
        out.extend(*end.s);
    }

    fn read_end(sealed: bool, reader: &mut Reader<'_>) -> Result<End, Error> {
        Ok(End {
            seal: sealed.then(|| Pair::read(reader)).transpose()?,
            s: Zeroizing::new(reader.array("aggregate signature")?),
        })
    }
}

#[allow(private_interfaces)]
impl Construction for Aggregate {
    type Statement = Stated;

    fn mint(root: &SecretKey<Self>, payload: &[u8]) -> Result<(Link, End), Error> {
        let Stated { pair, s } = sign(root, &TAGS.first(), ROOT, payload)?;
        Ok((pair.into(), End { seal: None, s }))
    }

    fn append(
        body: &Body<Self>,
        payload: &[u8],
        key: &SecretKey<Self>,
    ) -> Result<(Link, End), Error> {
        let (pair, s) = add(body, BLOCK, payload, key)?;
        Ok((pair.into(), End { seal: None, s }))
    }

    fn binding(blocks: &[Block<Self>]) -> Binding {
        Self::digests(blocks).pop().unwrap_or(TAGS.first())
    }

    fn state(binding: &Binding, payload: &[u8], key: &SecretKey<Self>) -> Result<Stated, Error> {
        sign(key, binding, EXTERNAL, payload)
    }

    fn append_external(
        body: &Body<Self>,
        payload: &[u8],
        statement: &Stated,
    ) -> Result<(Link, End), Error> {
        let before = Self::binding(&body.blocks);
        let place = Place::ThirdParty(body.blocks.len());
        let stated = Message {
            kind: EXTERNAL,
            pair: &statement.pair,
            payload: payload.into(),
            place,
        };
        let equation = Equation::new(&statement.s, vec![stated], place);
        verify_together(engine(), &before, vec![equation], place)
            .pop()
            .unwrap_or(Err(Error::Signature { place }))?;
        let s = accumulate(&body.end.s, &before, EXTERNAL, payload, statement);
        // Whoever knows the statement could subtract its s again, but not that of the cover.
        let before = next(&before, EXTERNAL, &statement.pair, payload);
        let own = sign(&SecretKey::generate()?, &before, COVER, &[])?;
        let link = Link {
            signer: statement.pair,
            cover: Some(own.pair),
        };
        let s = accumulate(&s, &before, COVER, &[], &own);
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
        let group = |tokens: &[_]| {
            let equations = tokens.iter().map(equation).collect();
            verify_together(engine(), &TAGS.first(), equations, Place::Aggregate)
        };
        tokens.chunks(GROUP).flat_map(group).collect()
    }

    fn write_statement(statement: &Stated, out: &mut Vec<u8>) {
        statement.pair.write(out);
        out.extend(*statement.s);
    }

    fn read_statement(reader: &mut Reader<'_>) -> Result<Stated, Error> {
        Ok(Stated {
            pair: Pair::read(reader)?,
            s: Zeroizing::new(reader.array("third party's signature")?),
        })
    }
}

impl From<Pair> for Link {
    fn from(signer: Pair) -> Self {
        Self {
            signer,
            cover: None,
        }
    }
}

/// The equation of a token, if it begins with the root key.
fn equation<'a>(token: &Presented<'a, Aggregate>) -> Result<Equation<'a>, Error> {
    let Body {
        root_id,
        blocks,
        end,
    } = token.body;
    let first = blocks.first().map(|block| &block.link.signer.key);
    if first != Some(token.root.bytes()) {
        return Err(Error::WrongRoot(*root_id));
    }
    let mut messages = Vec::with_capacity(blocks.len() + 1);
    for (i, block) in blocks.iter().enumerate() {
        messages.extend(signed(block).map(|(kind, pair, payload)| Message {
            kind,
            pair,
            payload: payload.into(),
            place: match kind {
                EXTERNAL => Place::ThirdParty(i),
                _ => Place::Block(i),
            },
        }));
    }
    if let (Some(pair), Some(challenge)) = (&end.seal, token.challenge) {
        messages.push(Message {
            kind: SEAL,
            pair,
            payload: challenge.encode().into(),
            place: Place::Seal,
        });
    }
    Equation::new(&end.s, messages, Place::Aggregate)
}
