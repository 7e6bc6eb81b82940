//! Makes the vectors with the second implementation, which draws nothing at random.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use klero_token::{Keys, Limits, Place, SecretKey, ThirdParty};
use sha2::{Digest, Sha512};

use crate::caveats::{is_caveat, normal_path};
use crate::encoding::{CAVEATS, OPAQUE, Parts, ROOT, Refusal, SEAL, STATEMENT};
use crate::equations::{
    Twin, chain_message, coefficients_at, nonce, state, stated, statement_message,
};
use crate::flaws;
use crate::format::{Asked, Asking, Check, File, Key, Line, Link, Path, Stated, Texts, Vector};
use crate::verdict::answer;

/// Seeds of the root keys 0 and 7, and of third parties.
pub const ROOTS: [(u32, [u8; 32]); 2] = [(0, [1; 32]), (7, [2; 32])];
pub const THIRD_PARTY: [u8; 32] = [3; 32];
const ANOTHER: [u8; 32] = [4; 32];

/// A token, with a record of how each link was made.
#[derive(Clone)]
pub struct Maker<S> {
    pub parts: Parts,
    links: Vec<Link>,
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

    /// The seed of the key that signs the next link.
    pub fn signer(&self) -> [u8; 32] {
        self.seed(self.links.len())
    }

    fn seed(&self, link: usize) -> [u8; 32] {
        match link {
            0 => self.root,
            link => [0x10 + link as u8; 32],
        }
    }

    pub fn state(&self) -> [u8; 64] {
        state(S::ID, self.parts.root_id, &self.parts.blocks)
    }

    fn link(&mut self, kind: u8, payload: &[u8]) {
        let (before, seed) = (self.state(), self.signer());
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
            seed: seed.into(),
            link: (&link).into(),
            state: after.into(),
            ..Link::default()
        };
        match S::NAME {
            "chain" => {
                let next = &link[..link.len() - 64];
                made.signs = Some(chain_message(kind, &before, next, payload).into());
            }
            "aggregate" => {
                let (c, z) = coefficients_at(kind, &after);
                let k = nonce(&before, kind, &seed, payload);
                made.k = Some(k.as_bytes().into());
                made.c = Some(c.as_bytes().into());
                made.z = Some(z.as_bytes().into());
            }
            _ => made.signs = Some(after.into()),
        }
        if kind == SEAL {
            S::close(&mut self.parts);
        } else {
            let id = Sha512::digest([&b"klero-token/id\x02"[..], &after].concat());
            made.id = Some(id[..32].into());
        }
        self.links.push(made);
    }

    pub fn caveats(mut self, lines: impl AsRef<[u8]>) -> Self {
        self.link(CAVEATS, lines.as_ref());
        self
    }

    fn opaque(mut self, payload: &[u8]) -> Self {
        self.link(OPAQUE, payload);
        self
    }

    /// A statement, whatever its bytes.
    pub fn statement(mut self, payload: &[u8]) -> Self {
        self.link(STATEMENT, payload);
        self
    }

    fn stated(self, seed: [u8; 32], text: &str) -> Self {
        let state = self.state();
        let payload = stated(S::ID, &state, &seed, text.as_bytes());
        let length = (payload.len() as u32).to_le_bytes();
        let made = Stated {
            seed: seed.into(),
            request: [&b"KT\x02"[..], &[S::ID, 2], &state].concat().into(),
            stated: text.into(),
            signs: statement_message(S::ID, &state, &payload[..32], text.as_bytes()).into(),
            statement: [&b"KT\x02"[..], &[S::ID, 3], &length, &payload]
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

    fn valid(self, name: &str, checks: impl Into<Vec<Check>>) -> Vector {
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

pub fn asked() -> Asked {
    Asked {
        nonce: b"sixteen bytes...".into(),
        audience: "shop".into(),
        time: 1_800_000_000,
    }
}

/// A request that tells everything.
fn full() -> Asking {
    Asking {
        now: 1_799_999_999,
        audience: Some("shop".into()),
        path: Some("/files/17".into()),
        method: Some("GET".into()),
        fields: vec![("plan".into(), "free".into())],
    }
}

fn but(change: impl FnOnce(&mut Asking)) -> Asking {
    let mut access = full();
    change(&mut access);
    access
}

fn granted(access: Asking) -> Check {
    Check {
        access,
        opaque_accepted: false,
        granted: true,
        block: None,
        caveat: None,
        reason: None,
    }
}

fn refused(access: Asking, block: usize, caveat: &str, reason: &str) -> Check {
    Check {
        granted: false,
        block: Some(block),
        caveat: Some(caveat.into()),
        reason: Some(reason.into()),
        ..granted(access)
    }
}

fn at_path(path: &str) -> Asking {
    but(|access| access.path = Some(path.into()))
}

/// The file of a scheme.
pub fn file<S: Twin>() -> File {
    let mut tokens = valid::<S>();
    tokens.extend(flaws::all::<S>(&tokens));
    let keys = ROOTS.map(|(_, seed)| {
        let key = *SecretKey::<S>::from_seed(&seed).public_key();
        Key {
            seed: seed.into(),
            public: key.as_bytes().into(),
            text: key.to_string(),
        }
    });
    File {
        scheme: S::NAME.into(),
        keys: keys.into(),
        roots: roots::<S>(ROOTS),
        limits: Limits::default().into(),
        tokens,
    }
}

/// Root keys, from their seeds.
pub fn roots<S: Keys>(
    seeds: impl IntoIterator<Item = (u32, [u8; 32])>,
) -> BTreeMap<u32, crate::format::Hex> {
    let public = |seed| {
        SecretKey::<S>::from_seed(&seed)
            .public_key()
            .as_bytes()
            .into()
    };
    seeds
        .into_iter()
        .map(|(id, seed)| (id, public(seed)))
        .collect()
}

/// `vouched`, by the third party, that somebody is of age.
fn vouched() -> String {
    let key = *SecretKey::<ThirdParty>::from_seed(&THIRD_PARTY).public_key();
    format!("vouched {key} of age")
}

pub const BEFORE: &str = "before 2027-01-15T08:00:00Z\naudience shop";
const AFTER: &str = "after 2026-01-01T00:00:00Z";

/// Three blocks of caveats.
pub fn narrowed<S: Twin>() -> Maker<S> {
    Maker::mint(0, "account 17", BEFORE)
        .caveats("path /files\nmethod GET HEAD")
        .caveats(format!("{AFTER}\nplan = free"))
}

/// Two blocks, of which the first asks for a statement.
pub fn unvouched<S: Twin>() -> Maker<S> {
    Maker::mint(0, "account 17", &vouched()).caveats("path /files")
}

fn valid<S: Twin>() -> Vec<Vector> {
    let mint = || Maker::<S>::mint(0, "account 17", "");
    let vouched = vouched();
    let unmet = |block| [refused(full(), block, &vouched, "unmet")];
    let mut opaque_accepted = granted(full());
    opaque_accepted.opaque_accepted = true;
    let unknown = |shown| [refused(full(), 1, shown, "unknown")];
    let sealed = |asked: Asked, token: Maker<S>, name| Vector {
        challenge: Some(asked.clone()),
        ..token.seal(&asked).valid(name, [])
    };
    let limited = unvouched::<S>().stated(THIRD_PARTY, "of age");
    let limited = sealed(asked(), limited, "exactly at its limits");
    let limits = Limits {
        signatures: 5,
        pairings: if S::NAME == "bls" { 4 } else { 0 },
        caveats: 2,
        bytes: limited.token.0.len(),
    };
    let short = Asked {
        nonce: [0].into(),
        audience: String::new(),
        time: 0,
    };
    vec![
        mint().valid("one block", [granted(Asking::default())]),
        Maker::<S>::mint(0, "", "").valid("no rights", [granted(Asking::default())]),
        Maker::<S>::mint(7, "account 17", "").valid("root key 7", []),
        Vector {
            roots: Some(roots::<S>([(0, ROOTS[0].1), (7, ROOTS[0].1)])),
            ..narrowed::<S>().valid("one root key under two numbers", [])
        },
        narrowed::<S>().valid("caveats", caveat_checks()),
        mint()
            .caveats("")
            .valid("a block of no caveats", [granted(full())]),
        mint().opaque(b"weekdays").opaque(b"").valid(
            "opaque blocks",
            [refused(full(), 1, "8 bytes", "opaque"), opaque_accepted],
        ),
        mint()
            .caveats("weekday Monday")
            .valid("an unknown caveat", unknown("weekday Monday")),
        mint()
            .caveats("method GET\n")
            .valid("a line feed at the end", unknown("")),
        mint()
            .caveats(b"\xff")
            .valid("not UTF-8", unknown("\u{fffd}")),
        unvouched::<S>().valid("vouched, without a statement", unmet(0)),
        unvouched::<S>()
            .stated(THIRD_PARTY, "of age")
            .valid("statement", [granted(full())]),
        unvouched::<S>()
            .stated(ANOTHER, "of age")
            .valid("statement by another", unmet(0)),
        unvouched::<S>()
            .stated(THIRD_PARTY, "of age 18")
            .valid("statement of another text", unmet(0)),
        mint()
            .stated(THIRD_PARTY, "of age")
            .caveats(&vouched)
            .valid("statement before its caveat", unmet(2)),
        unvouched::<S>()
            .stated(ANOTHER, "")
            .stated(THIRD_PARTY, "of age")
            .valid("two statements", [granted(full())]),
        sealed(asked(), narrowed(), "sealed"),
        sealed(short, mint(), "sealed to a short challenge"),
        Vector {
            limits: Some(limits.into()),
            ..limited
        },
    ]
}

fn caveat_checks() -> Vec<Check> {
    let (before, after) = ("before 2027-01-15T08:00:00Z", AFTER);
    let now = |now| but(|access| access.now = now);
    let with_fields = |values: &[&str]| {
        let field = |value: &&str| ("plan".into(), (*value).into());
        but(|access| access.fields = values.iter().map(field).collect())
    };
    vec![
        granted(full()),
        granted(but(|access| access.method = Some("HEAD".into()))),
        granted(at_path("/files")),
        granted(at_path("/%66iles/a%20b")),
        granted(now(1_767_225_600)),
        refused(now(1_767_225_599), 2, after, "unmet"),
        refused(now(1_800_000_000), 0, before, "unmet"),
        refused(
            but(|access| access.audience = Some("Shop".into())),
            0,
            "audience shop",
            "unmet",
        ),
        refused(
            but(|access| access.audience = None),
            0,
            "audience shop",
            "missing",
        ),
        refused(at_path("/filesystem"), 1, "path /files", "unmet"),
        refused(at_path("/"), 1, "path /files", "unmet"),
        refused(at_path("/files/../etc"), 1, "path /files", "path"),
        refused(
            but(|access| access.path = None),
            1,
            "path /files",
            "missing",
        ),
        refused(
            but(|access| access.method = Some("get".into())),
            1,
            "method GET HEAD",
            "unmet",
        ),
        refused(
            but(|access| access.method = None),
            1,
            "method GET HEAD",
            "missing",
        ),
        refused(with_fields(&["paid"]), 2, "plan = free", "unmet"),
        refused(with_fields(&["free", "paid"]), 2, "plan = free", "unmet"),
        refused(with_fields(&[]), 2, "plan = free", "missing"),
    ]
}

/// Where a signature that covers the link is found wrong: in `chain` there, in the others in the
/// sum.
pub fn wrong<S: Twin>(place: Place) -> Refusal {
    let place = match S::NAME {
        "chain" => place,
        _ => Place::Aggregate,
    };
    ("signature", Some(place))
}

/// The file of what is the same in every scheme.
pub fn texts() -> Texts {
    let vouched = vouched();
    let [no_key, weak_key] = [31, 32].map(|length| {
        use base64ct::{Base64UrlUnpadded, Encoding};
        let key = Base64UrlUnpadded::encode_string(&vec![0; length]);
        format!("vouched ed25519:{key} of age")
    });
    let lines = include_str!("lines.txt").lines();
    let with_space = [
        "before ",
        "before 2026-11-23T06:15:00Z ",
        "audience ",
        "audience shop ",
        "method ",
        "account = ",
        "account = 17 ",
    ];
    let more = [
        &vouched,
        &no_key,
        &weak_key,
        "",
        "audience a\tb",
        "audience a\u{85}b",
    ];
    let lines = lines.chain(with_space).chain(more).map(|line| Line {
        line: line.into(),
        caveat: is_caveat(line),
    });
    let paths = include_str!("paths.txt").lines();
    let paths = paths.chain(["", "/a\u{7f}"]).map(|path| Path {
        path: path.into(),
        normal: normal_path(path),
    });
    Texts {
        lines: lines.collect(),
        paths: paths.collect(),
    }
}
