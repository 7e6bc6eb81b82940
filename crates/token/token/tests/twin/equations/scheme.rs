//! The operations of a scheme: adding links, and verifying them.

use std::fmt::Debug;

use klero_token::{Error, Place, Scheme};

use crate::encoding::{
    CAVEATS_ES256, CAVEATS_PASSKEY, OPAQUE, Part, Parts, ROOT, Refusal, SEAL, SEAL_ES256,
    SEAL_PASSKEY, STATEMENT, rights,
};
use crate::equations::es256::{es256_holds, passkey_holds};
use crate::equations::state::state;
use crate::equations::strict::{statement_message, strictly};

/// The operations of a scheme. They do not verify a token, so they also add to an invalid token.
pub trait Twin: Copy + Debug + 'static {
    /// The scheme in the library.
    const SCHEME: Scheme;
    /// The name of the scheme.
    const NAME: &'static str = Self::SCHEME.name();
    /// The number of the scheme.
    const ID: u8;

    /// The length of the keys and signatures in a link of this kind.
    fn link_length(kind: u8) -> usize;
    /// The length of the secret after the last link.
    fn secret_length(sealed: bool) -> usize;
    /// The end of a token that has no blocks yet. `root` is the seed of its root key.
    fn beginning(root: &[u8; 32]) -> Vec<u8>;
    /// The verdict on all links under this root key.
    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal>;
    /// Adds a link and its payload. From `seed` come the next key in `Chain`, and in `Aggregate` the root key
    /// (for the first link) and the nonce.
    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]);
    /// The error for a wrong or missing signature at this place.
    fn wrong(place: Place) -> Error;

    /// True if the token is valid under this root key, and sealed to the challenge encoded in `answer`, if
    /// any.
    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool {
        Self::verdict(token, root, answer).is_ok()
    }

    /// The verdict of [`holds`](Self::holds), with the reason.
    fn verdict(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> Result<(), Refusal> {
        Self::links_hold(&Linked::new::<Self>(token, answer), root)?;
        statements_hold::<Self>(token)
    }

    /// Seals the token to the challenge that `answer` encodes.
    fn seal_to(token: &mut Parts, answer: &[u8]) {
        Self::add(token, SEAL, &ANYBODY, answer);
        Self::close(token);
    }

    /// Turns the last link, which must be the link of a seal, into the seal of the token.
    fn close(token: &mut Parts) {
        let seal = token.blocks.pop().unwrap();
        token.sealed = true;
        token.end.truncate(Self::secret_length(true));
        token.end.splice(..0, seal.link);
    }

    /// The length of everything after the last block.
    fn whole_end(sealed: bool) -> usize {
        Self::secret_length(sealed) + if sealed { Self::link_length(SEAL) } else { 0 }
    }

    /// The state after these blocks, in a token whose root key has the number 0.
    fn bound_to(blocks: &[Part]) -> [u8; 64] {
        state(Self::ID, 0, blocks)
    }

    /// Adds a statement by a third party.
    fn add_statement(token: &mut Parts, statement: &[u8]) {
        Self::add(token, STATEMENT, &ANYBODY, statement);
    }
}

/// The links of a token, with everything that is hashed with them. The seal is the last link.
pub struct Linked<'a> {
    pub blocks: Vec<Part>,
    pub token: &'a Parts,
    /// The end of the token, without the seal.
    pub secret: &'a [u8],
}

impl<'a> Linked<'a> {
    fn new<S: Twin>(token: &'a Parts, answer: Option<&[u8]>) -> Self {
        let mut blocks = token.blocks.clone();
        let seal = if token.sealed {
            S::link_length(SEAL)
        } else {
            0
        };
        let (link, secret) = token.end.split_at(seal);
        let seal_link = answer.map(|answer| Part {
            kind: match blocks.last().map(|block| block.kind) {
                Some(CAVEATS_ES256) => SEAL_ES256,
                Some(CAVEATS_PASSKEY) => SEAL_PASSKEY,
                _ => SEAL,
            },
            link: link.to_vec(),
            payload: answer.to_vec(),
        });
        blocks.extend(seal_link);
        Self {
            blocks,
            token,
            secret,
        }
    }

    /// The place of a link.
    pub fn place(&self, link: usize) -> Place {
        match link < self.token.blocks.len() {
            true => Place::Block(link),
            false => Place::Seal,
        }
    }

    /// The state after the first `count` links.
    pub fn after(&self, count: usize) -> [u8; 64] {
        state(self.token.scheme, self.token.root_id, &self.blocks[..count])
    }
}

/// A seed whose value does not matter.
pub const ANYBODY: [u8; 32] = [0xab; 32];

fn statements_hold<S: Twin>(token: &Parts) -> Result<(), Refusal> {
    for (i, block) in token.blocks.iter().enumerate() {
        if !block.states() {
            continue;
        }
        let state = state(token.scheme, token.root_id, &token.blocks[..i]);
        let (key, signature, signed, payload) = block.statement().unwrap();
        let message = statement_message(S::ID, &state, key, payload);
        let place = Place::ThirdParty(i);
        let (key, signature) = ((key, place), (signature, place));
        match signed {
            Some(signed) => passkey_holds(key, &message, signature, signed)?,
            None if block.kind == STATEMENT => strictly(key, &message, signature)?,
            None => es256_holds(key, &message, signature)?,
        }
    }
    Ok(())
}

/// A token with these payloads: first the rights, then opaque blocks. Each block has its own seed.
pub fn token<S: Twin>(root: &[u8; 32], payloads: &[&[u8]]) -> Parts {
    let mut token = Parts::nothing::<S>(&S::beginning(root));
    for (i, payload) in payloads.iter().enumerate() {
        let seed = match S::NAME {
            "chain" => [100 + i as u8; 32],
            _ if i == 0 => *root,
            _ => [99 + i as u8; 32],
        };
        match i {
            0 => S::add(&mut token, ROOT, &seed, &rights(payload)),
            _ => S::add(&mut token, OPAQUE, &seed, payload),
        }
    }
    token
}
