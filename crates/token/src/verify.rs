//! From tokens and challenges to verdicts: what is the same in every scheme.
//!
//! The states of all tokens are hashed side by side, and the statements in all of them are
//! verified side by side; the links are up to the scheme.

use alloc::vec::Vec;

use klero_ed25519::{Claim as Ed25519Claim, Rules};
use klero_lanes::{engine, through};

use crate::body::Body;
use crate::claim::{Claim, Signed};
use crate::ed25519::refused;
use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::kind::SEAL;
use crate::link::End;
use crate::links;
use crate::roots::RootKeys;
use crate::seal::Challenge;
use crate::state::{State, Step};

/// A token that is what the verifier asked for.
struct Presented<'a> {
    body: &'a Body,
    root: PublicKey,
    /// The payload of the seal, if the token is sealed: the verifier's challenge.
    answer: Option<Vec<u8>>,
}

impl<'a> Presented<'a> {
    fn new(
        body: &'a Body,
        roots: &RootKeys,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Self, Error> {
        let answer = match (&body.end, challenge) {
            (End::Bearer(_), None) => None,
            (End::Sealed { .. }, Some(challenge)) => Some(challenge.encode()?),
            (End::Sealed { .. }, None) => return Err(Error::Sealed),
            (End::Held, None) => return Err(Error::Held),
            (End::Bearer(_) | End::Held, Some(_)) => return Err(Error::NotSealed),
        };
        let id = body.root_id;
        let root = roots.get(body.scheme, id).ok_or(Error::UnknownRoot(id))?;
        Ok(Self {
            body,
            root: *root,
            answer,
        })
    }

    /// All that is hashed, the seal last.
    fn steps(&self) -> Vec<Step<'_>> {
        let seal = match (&self.body.end, &self.answer) {
            (End::Sealed { seal, .. }, Some(answer)) => {
                Some(Step::new(SEAL, seal.as_bytes(), answer))
            }
            _ => None,
        };
        let blocks = self.body.blocks.iter().map(|block| block.step());
        blocks.chain(seal).collect()
    }

    /// The claim, with all states of the token.
    fn claim(&self, states: &[State]) -> Claim<'_> {
        let blocks = self.body.blocks.iter().enumerate();
        let blocks = blocks.map(|(i, block)| Signed {
            kind: block.kind().byte(),
            payload: block.whole_payload(),
            link: block.link(),
            before: states[i],
            after: states[i + 1],
            place: Place::Block(i),
        });
        let last = self.body.blocks.len();
        let seal = match (&self.body.end, &self.answer) {
            (End::Sealed { seal, .. }, Some(payload)) => Some(Signed {
                kind: SEAL,
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
            root_id: self.body.root_id,
            links: blocks.chain(seal).collect(),
            end: &self.body.end,
        }
    }
}

/// The verdict on each token, with its challenge if it must answer one.
pub(crate) fn verdicts<'a>(
    tokens: impl Iterator<Item = (&'a Body, Option<&'a Challenge<'a>>)>,
    roots: &RootKeys,
) -> Vec<Result<(), Error>> {
    let presented = tokens.map(|(body, challenge)| Presented::new(body, roots, challenge));
    let verdicts = through(presented.collect(), of_presented);
    verdicts.into_iter().map(|pair| pair?.1).collect()
}

fn of_presented(presented: &[Presented<'_>]) -> Vec<Result<(), Error>> {
    let tokens: Vec<_> = presented
        .iter()
        .map(|token| (token.body.scheme.id(), token.body.root_id, token.steps()))
        .collect();
    let states = State::all(engine(), &tokens);
    let claims: Vec<_> = presented
        .iter()
        .zip(&states)
        .map(|(token, states)| token.claim(states))
        .collect();
    let mut verdicts = links::verify(&claims);
    for (token, place, refusal) in wrong_statements(presented, &states) {
        // The first reason counts, and links come first.
        if verdicts[token].is_ok() {
            verdicts[token] = Err(refused(refusal, place, place));
        }
    }
    verdicts
}

/// The statements that third parties did not make: the number of the token, the place, and why.
fn wrong_statements(
    presented: &[Presented<'_>],
    states: &[Vec<State>],
) -> Vec<(usize, Place, klero_ed25519::Invalid)> {
    let mut statements = Vec::new();
    for (number, (token, states)) in presented.iter().zip(states).enumerate() {
        for (i, (block, before)) in token.body.blocks.iter().zip(states).enumerate() {
            if let Some(parts) = block.statement() {
                let message = parts.message(token.body.scheme, before);
                statements.push((number, Place::ThirdParty(i), parts, message));
            }
        }
    }
    let claims: Vec<_> = statements
        .iter()
        .map(|(_, _, parts, message)| Ed25519Claim::new(parts.key, message, parts.signature))
        .collect();
    let verdicts = Rules::STRICT.verify_many(&claims);
    let verdicts = statements.iter().zip(verdicts);
    verdicts
        .filter_map(|((number, place, ..), verdict)| Some((*number, *place, verdict.err()?)))
        .collect()
}
