//! Verification of tokens and of their seals: the part that is the same in every scheme.
//!
//! The states of all tokens are hashed together in lanes. The Ed25519 statements of all tokens are verified
//! together. Each scheme verifies the links in its own way.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Deref;

use klero_ed25519::{Claim as Ed25519Claim, verify_many};
use klero_lanes::{engine, through};

use crate::algorithms::refused;
use crate::block::Block;
use crate::challenge::Challenge;
use crate::error::{Error, Place};
use crate::roots::RootKeys;
use crate::scheme::{KeyKind, Scheme, kinds};
use crate::signed::{Claim, End, Signed};
use crate::state::{State, Step};
use crate::statement::Parts;
use crate::token::Token;
use crate::webauthn;
use crate::{aggregate, chain};

/// A verified token: a root key signed it, and if the verifier set a challenge, the token is sealed to it.
/// Only a verified token can be [checked](Self::check). Adding a block to it gives an unverified [`Token`].
#[derive(Clone, Debug)]
pub struct Verified {
    token: Token,
    /// The audience of the challenge with which the token was verified, if there was one.
    pub(crate) answers: Option<Box<str>>,
}

impl Verified {
    /// The blocks, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.token.blocks
    }

    /// The token without the verdict on it.
    pub fn into_token(self) -> Token {
        self.token
    }
}

impl Deref for Verified {
    type Target = Token;

    fn deref(&self) -> &Token {
        &self.token
    }
}

impl Token {
    /// Verifies a token: a root key signed the first block, a holder of the token added each further block,
    /// every statement was made for this token by its third party, and if there is a challenge, the token is
    /// sealed to it. Variable time.
    ///
    /// # Errors
    /// The first reason to refuse the token. Without a challenge: [`Error::Sealed`] if the token is sealed,
    /// [`Error::Held`] if its last key is in a device. With a challenge: [`Error::NotSealed`] if the token is
    /// not sealed. In both cases: [`Error::Passkey`] if an assertion of a passkey is not for the
    /// [relying party](RootKeys::set_relying_party) of `roots`. Without one, every assertion is refused.
    ///
    /// ```
    /// use klero_token::{Challenge, Error, Limits, RootKeys, Scheme, SecretKey, Token};
    /// let root = SecretKey::generate(Scheme::Aggregate)?;
    /// let roots = RootKeys::from(*root.public_key());
    /// let token = Token::mint(&root, 0, b"may read", &[])?;
    ///
    /// // The verifier sets a challenge, and the holder seals the token to it.
    /// let challenge = Challenge { nonce: &[9; 16], audience: "shop", time: 1_800_000_000 };
    /// let sealed = token.seal(&challenge)?.encode()?;
    ///
    /// let arrived = Token::decode(&sealed, &Limits::default())?;
    /// assert!(arrived.clone().verify(&roots, Some(&challenge)).is_ok());
    /// let other = Challenge { nonce: &[8; 16], ..challenge };
    /// assert!(arrived.verify(&roots, Some(&other)).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn verify(
        self,
        roots: &RootKeys,
        challenge: Option<&Challenge<'_>>,
    ) -> Result<Verified, Error> {
        // There is one verdict for each token.
        Self::verify_many([(self, challenge.copied())], roots).remove(0)
    }

    /// Verifies many tokens of any scheme together, each with the challenge to which it must be sealed, if
    /// any. Returns the verdicts of [`verify`](Self::verify), in the order of the tokens. Takes less time.
    ///
    /// ```
    /// use klero_token::{RootKeys, Scheme, SecretKey, Token};
    /// let root = SecretKey::generate(Scheme::Chain)?;
    /// let token = Token::mint(&root, 0, b"may read", &[])?;
    /// let tokens = [token.clone(), token].map(|token| (token, None));
    /// let verdicts = Token::verify_many(tokens, &RootKeys::from(*root.public_key()));
    /// assert!(verdicts.iter().all(Result::is_ok));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    #[must_use = "the verdicts are the result"]
    pub fn verify_many<'a>(
        tokens: impl IntoIterator<Item = (Self, Option<Challenge<'a>>)>,
        roots: &RootKeys,
    ) -> Vec<Result<Verified, Error>> {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let verdicts = verdicts(&tokens, roots);
        tokens
            .into_iter()
            .zip(verdicts)
            .map(|((token, challenge), verdict)| {
                let answers = challenge.map(|challenge| challenge.audience.into());
                verdict.map(|()| Verified { token, answers })
            })
            .collect()
    }
}

/// The claim to verify for a token. `answer` is the payload of its seal, if any. All states are still zero.
fn claim<'a>(
    token: &'a Token,
    answer: Option<&'a [u8]>,
    roots: &'a RootKeys,
) -> Result<Claim<'a>, Error> {
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
            // The key in the last block signed the seal.
            let last = token.blocks.last().and_then(Block::entrusted_to);
            let [.., kind] = kinds(last.map_or(KeyKind::Ed25519, |(key, _)| key));
            Some(signed(kind, payload, seal, Place::Seal))
        }
        _ => None,
    };
    Ok(Claim {
        scheme: token.scheme,
        root_id: token.root_id,
        blocks: &token.blocks,
        end: &token.end,
        root: *root.ok_or(Error::UnknownRoot(token.root_id))?,
        links: blocks.chain(seal).collect(),
        relying_party: roots.relying_party(),
    })
}

/// The payload of a token's seal: the encoded challenge. `None` for a bearer token without a challenge.
fn answer(token: &Token, challenge: Option<&Challenge<'_>>) -> Result<Option<Vec<u8>>, Error> {
    match (&token.end, challenge) {
        (End::Bearer(_), None) => Ok(None),
        (End::Sealed { .. }, Some(challenge)) => challenge.encode().map(Some),
        (End::Sealed { .. }, None) => Err(Error::Sealed),
        (End::Held, None) => Err(Error::Held),
        (End::Bearer(_) | End::Held, Some(_)) => Err(Error::NotSealed),
    }
}

/// The verdict on each token. Each token comes with the challenge to which it must be sealed, if any.
fn verdicts(tokens: &[(Token, Option<Challenge<'_>>)], roots: &RootKeys) -> Vec<Result<(), Error>> {
    let answers = tokens
        .iter()
        .map(|(token, challenge)| answer(token, challenge.as_ref()));
    let answers: Vec<_> = answers.collect();
    let claims = tokens.iter().zip(&answers).map(|((token, _), answer)| {
        let answer = answer.as_ref().map_err(Clone::clone)?;
        claim(token, answer.as_deref(), roots)
    });
    let mut claims: Vec<_> = claims.collect();
    let to_hash = claims.iter().flatten().map(|claim| {
        let steps = claim.links.iter();
        let steps =
            steps.map(|signed| Step::new(signed.kind, signed.link.as_bytes(), signed.payload));
        (claim.scheme.id(), claim.root_id, steps.collect())
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
        // Only the first error of a token is reported. An error of its links comes before all statements.
        if verdicts[token].is_ok() {
            verdicts[token] = Err(refusal);
        }
    }
    verdicts
}

/// The verdict on the links of each token. Variable time, except that [`Scheme::Chain`] is constant time in
/// the secrets of bearers.
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

/// The invalid statements in the order of the tokens, each as the number of its token and the error.
/// Statements by P-256 keys take longest, so they are verified only if all links of their token are valid.
fn wrong_statements(claims: &[Claim<'_>], links: &[Result<(), Error>]) -> Vec<(usize, Error)> {
    let statements = claims.iter().enumerate().flat_map(|(number, claim)| {
        let blocks = claim.blocks.iter().zip(&claim.links).enumerate();
        blocks.filter_map(move |(i, (block, signed))| {
            let parts = block.statement()?;
            let message = parts.message(claim.scheme, &signed.before);
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
