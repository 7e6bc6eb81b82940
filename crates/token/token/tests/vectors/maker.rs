//! Makes tokens with the second implementation, which uses no random values.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use klero_token::{KeyKind, SecretKey};
use sha2::{Digest, Sha512};

use crate::encoding::{CAVEATS, OPAQUE, Parts, ROOT, SEAL, STATEMENT};
use crate::equations::{
    Twin, chain_message, challenge_at, nonce, state, stated, statement_message, weight_at,
};
use crate::format::{Asked, Check, Hex, Link, Stated, Vector};
use crate::verdict::answer;

// The numbers and seeds of the root keys, and the seeds of third parties.
pub const ROOTS: [(u32, [u8; 32]); 2] = [(0, [1; 32]), (7, [2; 32])];
pub const THIRD_PARTY: [u8; 32] = [3; 32];
pub const ANOTHER: [u8; 32] = [4; 32];

pub const BEFORE: &str = "before 2027-01-15T08:00:00Z\naudience shop";
pub const AFTER: &str = "after 2026-01-01T00:00:00Z";

/// A token, with a record of how each link was made.
#[derive(Clone)]
pub struct Maker<S> {
    pub parts: Parts,
    pub links: Vec<Link>,
    root: [u8; 32],
    scheme: PhantomData<S>,
}

impl<S: Twin> Maker<S> {
    /// A token of one block, signed by the root key with this number.
    pub fn mint(root_id: u32, rights: &str, caveats: &str) -> Self {
        let root = ROOTS.iter().find(|(id, _)| *id == root_id).unwrap().1;
        let mut parts = Parts::nothing::<S>(&S::beginning(&root));
        parts.root_id = root_id;
        let mut token = Self {
            parts,
            links: Vec::new(),
            root,
            scheme: PhantomData,
        };
        let payload = [
            &b"16 random bytes."[..],
            &(rights.len() as u32).to_le_bytes(),
            rights.as_bytes(),
            caveats.as_bytes(),
        ];
        token.link(ROOT, &payload.concat());
        token
    }

    /// The seed of the key that signs a link. In `aggregate`, the link's nonce is derived from this seed.
    pub fn seed(&self, link: usize) -> [u8; 32] {
        match link {
            0 => self.root,
            link => [0x10 + link as u8; 32],
        }
    }

    pub fn state(&self) -> [u8; 64] {
        state(S::ID, self.parts.root_id, &self.parts.blocks)
    }

    fn link(&mut self, kind: u8, payload: &[u8]) {
        let (before, seed) = (self.state(), self.seed(self.links.len()));
        let given = match S::NAME {
            "chain" => self.seed(self.links.len() + 1),
            _ => seed,
        };
        S::add(&mut self.parts, kind, &given, payload);
        let after = self.state();
        let link = self.parts.blocks.last().unwrap().link.clone();
        let mut made = Link {
            kind,
            payload: payload.into(),
            link: (&link).into(),
            state: after.into(),
            ..Link::default()
        };
        match S::NAME {
            "chain" => {
                let next = &link[..link.len() - 64];
                made.seed = Some(seed.into());
                made.signs = Some(chain_message(kind, &before, next, payload).into());
            }
            _ => {
                let nonce = Some(nonce(&before, kind, &seed, payload).as_bytes().into());
                if kind == ROOT {
                    made.seed = Some(seed.into());
                    made.k = nonce;
                    made.c = Some(challenge_at(&after).as_bytes().into());
                } else {
                    made.y = nonce;
                    made.z = Some(weight_at(&after).as_bytes().into());
                }
            }
        }
        if kind == SEAL {
            S::close(&mut self.parts);
        } else {
            let id = Sha512::digest([&b"klero-token/id\x03"[..], &after].concat());
            made.id = Some(id[..32].into());
        }
        self.links.push(made);
    }

    pub fn caveats(mut self, lines: impl AsRef<[u8]>) -> Self {
        self.link(CAVEATS, lines.as_ref());
        self
    }

    pub fn opaque(mut self, payload: &[u8]) -> Self {
        self.link(OPAQUE, payload);
        self
    }

    /// Adds a block of the kind `STATEMENT`, with any payload.
    pub fn statement(mut self, payload: &[u8]) -> Self {
        self.link(STATEMENT, payload);
        self
    }

    /// Adds a block of any kind.
    pub fn block(mut self, kind: u8, payload: &[u8]) -> Self {
        self.link(kind, payload);
        self
    }

    pub fn stated(self, seed: [u8; 32], text: &str) -> Self {
        let state = self.state();
        let payload = stated(S::ID, &state, &seed, text.as_bytes());
        let length = (payload.len() as u32).to_le_bytes();
        let made = Stated {
            seed: seed.into(),
            request: [&b"KT\x03"[..], &[S::ID, 2], &state].concat().into(),
            stated: text.into(),
            signs: statement_message(S::ID, &state, &payload[..32], text.as_bytes()).into(),
            passkey: None,
            statement: [&b"KT\x03"[..], &[S::ID, 3], &length, &payload]
                .concat()
                .into(),
        };
        let mut token = self.statement(&payload);
        token.links.last_mut().unwrap().statement = Some(made);
        token
    }

    pub fn seal(mut self, asked: &Asked) -> Self {
        self.link(SEAL, &answer(asked.parts()));
        self
    }

    pub fn valid(self, name: &str, checks: impl Into<Vec<Check>>) -> Vector {
        Vector {
            name: name.into(),
            valid: true,
            token: self.parts.bytes().into(),
            begin: Some(state(S::ID, self.parts.root_id, &[]).into()),
            rights: Some(self.parts.blocks[0].root().unwrap().0.into()),
            links: self.links,
            checks: checks.into(),
            ..Vector::default()
        }
    }
}

/// The public root keys that belong to these seeds, by the numbers of the keys.
pub fn roots<S: Twin>(seeds: impl IntoIterator<Item = (u32, [u8; 32])>) -> BTreeMap<u32, Hex> {
    let public = |seed| {
        SecretKey::from_seed(S::SCHEME, &seed)
            .public_key()
            .as_bytes()
            .into()
    };
    seeds
        .into_iter()
        .map(|(id, seed)| (id, public(seed)))
        .collect()
}

pub fn asked() -> Asked {
    Asked {
        nonce: b"sixteen bytes...".into(),
        audience: "shop".into(),
        time: 1_800_000_000,
    }
}

/// The caveat that requires the third party's statement `of age`.
pub fn vouched() -> String {
    let key = *SecretKey::from_bytes(KeyKind::Ed25519, &THIRD_PARTY)
        .unwrap()
        .public_key();
    format!("vouched {key} of age")
}

/// A token of three blocks with caveats.
pub fn narrowed<S: Twin>() -> Maker<S> {
    Maker::mint(0, "account 17", BEFORE)
        .caveats("path /files\nmethod GET HEAD")
        .caveats(format!("{AFTER}\nplan = free"))
}

/// A token of two blocks. The first block requires a statement.
pub fn unvouched<S: Twin>() -> Maker<S> {
    Maker::mint(0, "account 17", &vouched()).caveats("path /files")
}
