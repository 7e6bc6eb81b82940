//! From tokens and challenges to verdicts: what every scheme does in the same way.
//!
//! The states of all tokens are hashed side by side, and the statements in all of them are
//! verified side by side; the links are up to the scheme.

use alloc::vec::Vec;

use klero_ed25519::{Claim as Ed25519Claim, Rules};
use klero_lanes::engine;

use crate::body::{Body, End};
use crate::ed25519::refused;
use crate::error::{Error, Place};
use crate::key::{Keys, PublicKey};
use crate::kind::SEAL;
use crate::link::Link;
use crate::roots::FindRoot;
use crate::scheme::{Claim, Proof, Scheme, Secret, Signed};
use crate::seal::Challenge;
use crate::state::{State, Step};

/// A token that is what the verifier asked for.
pub(crate) struct Presented<'a, S: Keys> {
    body: &'a Body,
    root: PublicKey<S>,
    shown: Shown<'a>,
}

/// What stands behind the blocks: of a sealed token with the verifier's challenge as its payload.
enum Shown<'a> {
    Bearer(&'a Secret),
    Sealed {
        seal: &'a Link,
        payload: Vec<u8>,
        rest: &'a Secret,
    },
}

impl<'a, S: Scheme> Presented<'a, S> {
    pub(crate) fn new(
        body: &'a Body,
        roots: &impl FindRoot<S>,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Self, Error> {
        let shown = match (&body.end, challenge) {
            (End::Bearer(secret), None) => Shown::Bearer(secret),
            (End::Sealed { seal, rest }, Some(challenge)) => Shown::Sealed {
                seal,
                payload: challenge.encode()?,
                rest,
            },
            (End::Sealed { .. }, None) => return Err(Error::Sealed),
            (End::Held, None) => return Err(Error::Held),
            (End::Bearer(_) | End::Held, Some(_)) => return Err(Error::NotSealed),
        };
        Ok(Self {
            body,
            root: roots
                .find(body.root_id)
                .ok_or(Error::UnknownRoot(body.root_id))?,
            shown,
        })
    }

    /// All that is hashed, the seal last.
    fn steps(&self) -> Vec<Step<'_>> {
        let seal = match &self.shown {
            Shown::Bearer(_) => None,
            Shown::Sealed { seal, payload, .. } => Some(Step::new(SEAL, seal.as_bytes(), payload)),
        };
        let blocks = self.body.blocks.iter().map(|block| block.step());
        blocks.chain(seal).collect()
    }

    /// The claim, with all states of the token.
    fn claim(&self, states: &[State]) -> Claim<'_, S> {
        let blocks = self
            .body
            .blocks
            .iter()
            .enumerate()
            .map(|(i, block)| Signed {
                kind: block.kind().byte(),
                payload: &block.whole_payload,
                link: &block.link,
                before: states[i],
                after: states[i + 1],
                place: Place::Block(i),
            });
        let blocks = blocks.collect();
        let proof = match &self.shown {
            Shown::Bearer(secret) => Proof::Bearer(secret),
            Shown::Sealed {
                seal,
                payload,
                rest,
            } => {
                let last = self.body.blocks.len();
                let seal = Signed {
                    kind: SEAL,
                    payload,
                    link: seal,
                    before: states[last],
                    after: states[last + 1],
                    place: Place::Seal,
                };
                Proof::Sealed(seal, rest)
            }
        };
        Claim {
            root: self.root,
            root_id: self.body.root_id,
            blocks,
            proof,
        }
    }
}

/// The verdict on each token.
pub(crate) fn verdicts<S: Scheme>(presented: &[Presented<'_, S>]) -> Vec<Result<(), Error>> {
    let tokens: Vec<_> = presented
        .iter()
        .map(|token| (token.body.root_id, token.steps()))
        .collect();
    let states = State::all(engine(), S::ID, &tokens);
    let claims: Vec<_> = presented
        .iter()
        .zip(&states)
        .map(|(token, states)| token.claim(states))
        .collect();
    let mut statements = Vec::new();
    for (number, (token, claim)) in presented.iter().zip(&claims).enumerate() {
        for (block, signed) in token.body.blocks.iter().zip(&claim.blocks) {
            if let Some(parts) = block.statement() {
                statements.push((number, signed, parts));
            }
        }
    }
    let mut verdicts = S::verify(&claims);
    let messages: Vec<_> = statements
        .iter()
        .map(|(_, signed, parts)| parts.message(S::ID, &signed.before))
        .collect();
    let of_ed25519: Vec<_> = statements
        .iter()
        .zip(&messages)
        .map(|((_, _, parts), message)| Ed25519Claim::new(parts.key, message, parts.signature))
        .collect();
    let held = Rules::STRICT.verify_many(&of_ed25519);
    for ((number, signed, _), held) in statements.into_iter().zip(held) {
        if let (Ok(()), Err(invalid)) = (&verdicts[number], held) {
            let place = match signed.place {
                Place::Block(block) => Place::ThirdParty(block),
                place => place,
            };
            verdicts[number] = Err(refused(invalid, place, place));
        }
    }
    verdicts
}
