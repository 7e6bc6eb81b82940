//! From tokens and challenges to verdicts: what is the same in every scheme.
//!
//! The states of all tokens are hashed side by side, and the statements in all of them are
//! verified side by side; the links are up to the scheme.

use alloc::vec;
use alloc::vec::Vec;

use klero_ed25519::{Claim as Ed25519Claim, verify_many};
use klero_lanes::{engine, through};

use crate::algorithms::refused;
use crate::block::{Block, Link};
use crate::challenge::Challenge;
use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::roots::RootKeys;
use crate::scheme::KeyKind;
use crate::scheme::{Scheme, kinds};
use crate::state::{State, Step};
use crate::statement::Parts;
use crate::token::{End, Token};
use crate::webauthn::{self, RelyingParty};
use crate::{aggregate, chain};

/// A link with all that its signature covers.
pub(crate) struct Signed<'a> {
    pub(crate) kind: u8,
    pub(crate) payload: &'a [u8],
    pub(crate) link: &'a Link,
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) place: Place,
}

/// A token to verify, all but its statements.
pub(crate) struct Claim<'a> {
    pub(crate) token: &'a Token,
    pub(crate) root: PublicKey,
    /// All links, that of the seal last. There is one or more.
    pub(crate) links: Vec<Signed<'a>>,
    /// The verifier's.
    pub(crate) relying_party: Option<&'a RelyingParty>,
}

impl<'a> Claim<'a> {
    /// The claim of a token that answers so, without the states.
    fn new(token: &'a Token, answer: Option<&'a [u8]>, roots: &'a RootKeys) -> Result<Self, Error> {
        let root = roots.get(token.scheme, token.root_id);
        let signed = |kind, payload, link, place| Signed {
            kind,
            payload,
            link,
            before: State([0; 64]),
            after: State([0; 64]),
            place,
        };
        let blocks = token.blocks.iter().enumerate().map(|(i, block)| {
            let place = Place::Block(i);
            signed(block.byte, &block.whole_payload, &block.link, place)
        });
        let seal = match (&token.end, answer) {
            (End::Sealed { seal, .. }, Some(payload)) => {
                // By the key that the last block names.
                let last = token.blocks.last().and_then(Block::entrusted_to);
                let [.., kind] = kinds(last.map_or(KeyKind::Ed25519, |(key, _)| key));
                Some(signed(kind, payload, seal, Place::Seal))
            }
            _ => None,
        };
        Ok(Self {
            token,
            root: *root.ok_or(Error::UnknownRoot(token.root_id))?,
            links: blocks.chain(seal).collect(),
            relying_party: roots.relying_party(),
        })
    }
}

/// The payload of the seal, if the token is sealed: the verifier's challenge. There is no other way
/// to write one down.
fn answer(token: &Token, challenge: Option<&Challenge<'_>>) -> Result<Option<Vec<u8>>, Error> {
    match (&token.end, challenge) {
        (End::Bearer(_), None) => Ok(None),
        (End::Sealed { .. }, Some(challenge)) => challenge.encode().map(Some),
        (End::Sealed { .. }, None) => Err(Error::Sealed),
        (End::Held, None) => Err(Error::Held),
        (End::Bearer(_) | End::Held, Some(_)) => Err(Error::NotSealed),
    }
}

/// The verdict on each token, with its challenge if it must answer one.
pub(crate) fn verdicts(
    tokens: &[(Token, Option<Challenge<'_>>)],
    roots: &RootKeys,
) -> Vec<Result<(), Error>> {
    let answers = tokens
        .iter()
        .map(|(token, challenge)| answer(token, challenge.as_ref()));
    let answers: Vec<_> = answers.collect();
    let claims = tokens.iter().zip(&answers).map(|((token, _), answer)| {
        let answer = answer.as_ref().map_err(Clone::clone)?;
        Claim::new(token, answer.as_deref(), roots)
    });
    let mut claims: Vec<_> = claims.collect();
    let to_hash = claims.iter().flatten().map(|claim| {
        let steps = claim.links.iter();
        let steps =
            steps.map(|signed| Step::new(signed.kind, signed.link.as_bytes(), signed.payload));
        (
            claim.token.scheme.id(),
            claim.token.root_id,
            steps.collect(),
        )
    });
    let states = State::all(engine(), &to_hash.collect::<Vec<_>>());
    for (claim, states) in claims.iter_mut().flatten().zip(states) {
        for (signed, states) in claim.links.iter_mut().zip(states.windows(2)) {
            (signed.before, signed.after) = (states[0], states[1]);
        }
    }
    let verdicts = through(claims, of_claims);
    verdicts.into_iter().map(|pair| pair?.1).collect()
}

fn of_claims(claims: &[Claim<'_>]) -> Vec<Result<(), Error>> {
    let mut verdicts = of_links(claims);
    for (token, refusal) in wrong_statements(claims, &verdicts) {
        // The first reason counts, and links come first.
        if verdicts[token].is_ok() {
            verdicts[token] = Err(refusal);
        }
    }
    verdicts
}

/// The verdict on the links of each token. Variable time; in [`Scheme::Chain`] constant time in the
/// secrets of bearers.
fn of_links(claims: &[Claim<'_>]) -> Vec<Result<(), Error>> {
    let mut verdicts = vec![Ok(()); claims.len()];
    for scheme in Scheme::ALL {
        let of_scheme = |row: &usize| claims[*row].root.kind() == KeyKind::from(scheme);
        let rows: Vec<_> = (0..claims.len()).filter(of_scheme).collect();
        let claims: Vec<_> = rows.iter().map(|row| &claims[*row]).collect();
        let of_claims = match scheme {
            Scheme::Chain => chain::verify(&claims),
            Scheme::Aggregate => aggregate::verify(&claims),
        };
        assert_eq!(of_claims.len(), rows.len(), "one verdict for each token");
        for (row, verdict) in rows.into_iter().zip(of_claims) {
            verdicts[row] = verdict;
        }
    }
    verdicts
}

/// The statements that third parties did not make: the number of the token, and why, in order.
/// Those by keys of P-256, which take longest, are looked at only if the links hold.
fn wrong_statements(claims: &[Claim<'_>], links: &[Result<(), Error>]) -> Vec<(usize, Error)> {
    let statements = claims.iter().enumerate().flat_map(|(number, claim)| {
        let blocks = claim.token.blocks.iter().zip(&claim.links).enumerate();
        blocks.filter_map(move |(i, (block, signed))| {
            let parts = block.statement()?;
            let message = parts.message(claim.token.scheme, &signed.before);
            Some((number, Place::ThirdParty(i), parts, message))
        })
    });
    let statements: Vec<_> = statements.collect();
    let of_ed25519 = statements
        .iter()
        .filter(|(_, _, parts, _)| parts.by == KeyKind::Ed25519);
    let of_ed25519: Vec<_> = of_ed25519
        .map(|(_, _, parts, message)| Ed25519Claim::new(parts.key, message, parts.signature))
        .collect();
    let verdicts = verify_many(&of_ed25519);
    assert_eq!(
        verdicts.len(),
        of_ed25519.len(),
        "one verdict for each statement"
    );
    let mut verdicts = verdicts.into_iter();
    let refusal = |(number, place, parts, message): &(usize, Place, Parts<'_>, Vec<u8>)| {
        let (party, place) = (claims[*number].relying_party, *place);
        let verdict = match parts.by {
            KeyKind::Es256 | KeyKind::Passkey if links[*number].is_err() => Ok(()),
            KeyKind::Es256 | KeyKind::Passkey => webauthn::required(parts.by, party, place)
                .and_then(|party| parts.verify(message, party, place, place)),
            _ => verdicts
                .next()
                .unwrap_or(Ok(()))
                .map_err(|invalid| refused(invalid, place, place)),
        };
        Some((*number, verdict.err()?))
    };
    statements.iter().filter_map(refusal).collect()
}
