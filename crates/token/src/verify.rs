//! From tokens and challenges to verdicts: what is the same in every scheme.
//!
//! The states of all tokens are hashed side by side, and the statements in all of them are
//! verified side by side; the links are up to the scheme.

use alloc::vec::Vec;

use klero_ed25519::{Claim as Ed25519Claim, verify_many};
use klero_lanes::{engine, through};

use crate::block::Block;
use crate::claim::{Claim, Signed};
use crate::ed25519::refused;
use crate::error::{Error, Place};
use crate::key::{KeyKind, PublicKey};
use crate::kind::{SEAL, sealed_by};
use crate::link::End;
use crate::links;
use crate::roots::RootKeys;
use crate::seal::Challenge;
use crate::state::{State, Step};
use crate::statement::Parts;
use crate::token::Token;
use crate::webauthn::{self, RelyingParty};

/// A token that is what the verifier asked for.
struct Presented<'a> {
    token: &'a Token,
    root: PublicKey,
    /// The payload of the seal, if the token is sealed: the verifier's challenge.
    answer: Option<Vec<u8>>,
    /// The verifier's.
    relying_party: Option<&'a RelyingParty>,
}

impl<'a> Presented<'a> {
    fn new(
        token: &'a Token,
        roots: &'a RootKeys,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Self, Error> {
        let answer = match (&token.end, challenge) {
            (End::Bearer(_), None) => None,
            (End::Sealed { .. }, Some(challenge)) => Some(challenge.encode()?),
            (End::Sealed { .. }, None) => return Err(Error::Sealed),
            (End::Held, None) => return Err(Error::Held),
            (End::Bearer(_) | End::Held, Some(_)) => return Err(Error::NotSealed),
        };
        let id = token.root_id;
        let root = roots.get(token.scheme, id).ok_or(Error::UnknownRoot(id))?;
        Ok(Self {
            token,
            root: *root,
            answer,
            relying_party: roots.relying_party(),
        })
    }

    /// The kind of a seal, which is by the key that the last block names.
    fn seal_kind(&self) -> u8 {
        let last = self.token.blocks.last().and_then(Block::entrusted_to);
        last.map_or(SEAL, |(key, _)| sealed_by(key))
    }

    /// All that is hashed, the seal last.
    fn steps(&self) -> Vec<Step<'_>> {
        let seal = match (&self.token.end, &self.answer) {
            (End::Sealed { seal, .. }, Some(answer)) => {
                Some(Step::new(self.seal_kind(), seal.as_bytes(), answer))
            }
            _ => None,
        };
        let blocks = self.token.blocks.iter().map(|block| block.step());
        blocks.chain(seal).collect()
    }

    /// The claim, with all states of the token.
    fn claim(&self, states: &[State]) -> Claim<'_> {
        let blocks = self.token.blocks.iter().enumerate();
        let blocks = blocks.map(|(i, block)| Signed {
            kind: block.byte(),
            payload: block.whole_payload(),
            link: block.link(),
            before: states[i],
            after: states[i + 1],
            place: Place::Block(i),
        });
        let last = self.token.blocks.len();
        let seal = match (&self.token.end, &self.answer) {
            (End::Sealed { seal, .. }, Some(payload)) => Some(Signed {
                kind: self.seal_kind(),
                payload,
                link: seal,
                before: states[last],
                after: states[last + 1],
                place: Place::Seal,
            }),
            _ => None,
        };
        Claim {
            root: self.root,
            root_id: self.token.root_id,
            links: blocks.chain(seal).collect(),
            end: &self.token.end,
            relying_party: self.relying_party,
        }
    }
}

/// The verdict on each token, with its challenge if it must answer one.
pub(crate) fn verdicts<'a>(
    tokens: impl Iterator<Item = (&'a Token, Option<&'a Challenge<'a>>)>,
    roots: &'a RootKeys,
) -> Vec<Result<(), Error>> {
    let presented = tokens.map(|(token, challenge)| Presented::new(token, roots, challenge));
    let verdicts = through(presented.collect(), of_presented);
    verdicts.into_iter().map(|pair| pair?.1).collect()
}

fn of_presented(presented: &[Presented<'_>]) -> Vec<Result<(), Error>> {
    let tokens: Vec<_> = presented
        .iter()
        .map(|token| (token.token.scheme.id(), token.token.root_id, token.steps()))
        .collect();
    let states = State::all(engine(), &tokens);
    let claims: Vec<_> = presented
        .iter()
        .zip(&states)
        .map(|(token, states)| token.claim(states))
        .collect();
    let mut verdicts = links::verify(&claims);
    for (token, refusal) in wrong_statements(presented, &states, &verdicts) {
        // The first reason counts, and links come first.
        if verdicts[token].is_ok() {
            verdicts[token] = Err(refusal);
        }
    }
    verdicts
}

/// A statement in a token.
struct Stated<'a> {
    token: usize,
    place: Place,
    parts: Parts<'a>,
    message: Vec<u8>,
    relying_party: Option<&'a RelyingParty>,
}

/// The statements that third parties did not make: the number of the token, and why, in order.
/// Those by keys of P-256, which take longest, are looked at only if the links hold.
fn wrong_statements(
    presented: &[Presented<'_>],
    states: &[Vec<State>],
    links: &[Result<(), Error>],
) -> Vec<(usize, Error)> {
    let mut statements = Vec::new();
    for (number, (token, states)) in presented.iter().zip(states).enumerate() {
        for (i, (block, before)) in token.token.blocks.iter().zip(states).enumerate() {
            if let Some(parts) = block.statement() {
                statements.push(Stated {
                    token: number,
                    place: Place::ThirdParty(i),
                    message: parts.message(token.token.scheme, before),
                    parts,
                    relying_party: token.relying_party,
                });
            }
        }
    }
    let claims: Vec<_> = statements
        .iter()
        .filter(|stated| stated.parts.by == KeyKind::Ed25519)
        .map(|stated| {
            let parts = &stated.parts;
            Ed25519Claim::new(parts.key, &stated.message, parts.signature)
        })
        .collect();
    let verdicts = verify_many(&claims);
    assert_eq!(
        verdicts.len(),
        claims.len(),
        "one verdict for each statement"
    );
    let mut verdicts = verdicts.into_iter();
    let verdict = |stated: &Stated<'_>| match stated.parts.by {
        KeyKind::Es256 | KeyKind::Passkey if links[stated.token].is_ok() => {
            stated.verify_es256().err()
        }
        KeyKind::Es256 | KeyKind::Passkey => None,
        _ => {
            let (place, invalid) = (stated.place, verdicts.next().and_then(Result::err));
            invalid.map(|invalid| refused(invalid, place, place))
        }
    };
    let refusals: Vec<_> = statements.iter().map(verdict).collect();
    statements
        .iter()
        .zip(refusals)
        .filter_map(|(stated, refusal)| Some((stated.token, refusal?)))
        .collect()
}

impl Stated<'_> {
    /// Verifies what a key of P-256 signed.
    fn verify_es256(&self) -> Result<(), Error> {
        let (place, party) = (self.place, self.relying_party);
        if self.parts.by == KeyKind::Passkey {
            webauthn::required(party, place)?;
        }
        self.parts.verify_es256(&self.message, party, place)
    }
}
