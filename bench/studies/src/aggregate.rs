//! The scheme `aggregate` of klero-token as a small model, in which every binding of its hashes is a
//! switch.
//!
//! ```text
//! h_0 = H(begin ‖ kind ‖ P_0 ‖ R_0 ‖ m_0)      c_0 = Hs(challenge ‖ h_0)   S_0 = k_0 + c_0·x_0
//! h_i = H(h_{i-1} ‖ kind ‖ Y_i ‖ m_i)          z_i = Hs(weight ‖ h_i)      S_i = S_{i-1} + z_i·y_i
//! valid: S·G = R_0 + c_0·P_0 + Σ z_i·Y_i
//! ```
//! With [`Bindings::ALL`] these are the bytes of klero-token, which hashes the length of m_i before
//! it. Each other value is a scheme that looks alike and is
//! broken: the tests in `tests/attacks/aggregate` show how. Nonces are given by the caller, so that
//! attackers can choose them.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};

/// The kinds of links that the model needs, as klero-token numbers them.
pub mod kind {
    /// The first link.
    pub const ROOT: u8 = 0;
    /// A holder's link.
    pub const OPAQUE: u8 = 3;
    /// The link of a seal.
    pub const SEAL: u8 = 4;
}

/// A hash of everything so far.
pub type State = [u8; 64];

/// What the hashes bind.
#[derive(Clone, Copy, Debug)]
pub struct Bindings {
    /// P_0 is in h_0.
    pub root: bool,
    /// R_0 is in h_0.
    pub commitment: bool,
    /// Y_i is in h_i.
    pub point: bool,
    /// h_{i-1} is in h_i.
    pub prefix: bool,
    /// S is in the factors of many tokens.
    pub sum: bool,
    /// Only these low bits of c_0 and z_i count.
    pub bits: u32,
}

/// A link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its kind, in [`kind`].
    pub kind: u8,
    /// R_0 or Y_i.
    pub point: CompressedRistretto,
    /// What it says.
    pub payload: Vec<u8>,
}

/// A token for the root key that a verifier names.
#[derive(Clone, Debug)]
pub struct Token {
    /// P_0.
    pub root: CompressedRistretto,
    /// The links, that of a seal last.
    pub links: Vec<Link>,
    /// S.
    pub s: Scalar,
}

impl Link {
    /// Adds a point to the point.
    ///
    /// # Panics
    /// If the encoding is not that of a point.
    pub fn move_by(&mut self, by: RistrettoPoint) {
        self.point = (decoded(&self.point) + by).compress();
    }

    /// A link with this logarithm.
    pub fn new(kind: u8, logarithm: &Scalar, payload: &[u8]) -> Self {
        Self {
            kind,
            point: RistrettoPoint::mul_base(logarithm).compress(),
            payload: payload.to_vec(),
        }
    }
}

impl Bindings {
    /// Those of klero-token.
    pub const ALL: Self = Self {
        root: true,
        commitment: true,
        point: true,
        prefix: true,
        sum: true,
        bits: 256,
    };

    /// A token of one link, signed by the root key with this nonce.
    pub fn mint(&self, x: &Scalar, nonce: &Scalar, payload: &[u8]) -> Token {
        let mut token = Token {
            root: RistrettoPoint::mul_base(x).compress(),
            links: vec![Link::new(kind::ROOT, nonce, payload)],
            s: Scalar::ZERO,
        };
        token.s = nonce + self.scalars(&token)[0] * x;
        token
    }

    /// The token with a further link, or a seal, whose point has the logarithm y.
    pub fn add(&self, token: &Token, kind: u8, y: &Scalar, payload: &[u8]) -> Token {
        let mut token = token.clone();
        token.links.push(Link::new(kind, y, payload));
        token.s += self.scalars(&token)[token.links.len() - 1] * y;
        token
    }

    /// The state before the first link, for the root key with this number.
    pub fn begin(root_id: u32) -> State {
        sha512(&[b"klero-token/begin\x03", &[2], &root_id.to_le_bytes()])
    }

    /// The state after a link.
    pub fn after(&self, before: &State, root: &CompressedRistretto, link: &Link) -> State {
        let first = link.kind == kind::ROOT;
        let bound = |bound: bool, point: &CompressedRistretto| match bound {
            true => point.as_bytes().to_vec(),
            false => Vec::new(),
        };
        let root = bound(first && self.root, root);
        let point = bound(
            if first { self.commitment } else { self.point },
            &link.point,
        );
        let nothing = Self::begin(0);
        let before = if self.prefix { before } else { &nothing };
        let length = (link.payload.len() as u64).to_le_bytes();
        let tag = b"klero-token/link\x03";
        sha512(&[
            tag,
            before,
            &[link.kind],
            &root,
            &point,
            &length,
            &link.payload,
        ])
    }

    /// c_0 or z_i, given the state after the link.
    pub fn scalar(&self, kind: u8, after: &State) -> Scalar {
        let tag: &[u8] = match kind {
            kind::ROOT => b"klero-token/challenge\x03",
            _ => b"klero-token/weight\x03",
        };
        let mut scalar = Scalar::from_bytes_mod_order_wide(&sha512(&[tag, after])).to_bytes();
        for bit in self.bits..256 {
            scalar[bit as usize / 8] &= !(1 << (bit % 8));
        }
        Scalar::from_bytes_mod_order(scalar)
    }

    /// c_0, and z_i of all further links.
    pub fn scalars(&self, token: &Token) -> Vec<Scalar> {
        self.scalars_from(&Self::begin(0), token)
    }

    fn scalars_from(&self, begin: &State, token: &Token) -> Vec<Scalar> {
        let mut state = *begin;
        let scalar = |link: &Link| {
            state = self.after(&state, &token.root, link);
            self.scalar(link.kind, &state)
        };
        token.links.iter().map(scalar).collect()
    }

    /// `S·G - R_0 - c_0·P_0 - Σ z_i·Y_i`: the identity, if the token is valid.
    ///
    /// # Panics
    /// If an encoding is not that of a point.
    pub fn error(&self, token: &Token) -> RistrettoPoint {
        self.error_from(&Self::begin(0), token)
    }

    fn error_from(&self, begin: &State, token: &Token) -> RistrettoPoint {
        let scalars = self.scalars_from(begin, token);
        let mut error = RistrettoPoint::mul_base(&token.s) - scalars[0] * decoded(&token.root);
        for (i, (link, scalar)) in token.links.iter().zip(&scalars).enumerate() {
            let weight = if i == 0 { &Scalar::ONE } else { scalar };
            error -= weight * decoded(&link.point);
        }
        error
    }

    /// Whether the token is valid.
    ///
    /// # Panics
    /// As [`error`](Self::error).
    pub fn holds(&self, token: &Token) -> bool {
        self.holds_from(&Self::begin(0), token)
    }

    /// [`holds`](Self::holds), if the root key has another number.
    ///
    /// # Panics
    /// As [`error`](Self::error).
    pub fn holds_from(&self, begin: &State, token: &Token) -> bool {
        self.error_from(begin, token) == RistrettoPoint::default()
    }

    /// The factors of many tokens in one sum.
    pub fn factors(&self, tokens: &[Token]) -> Vec<Scalar> {
        let mut all = Sha512::new().chain_update(b"klero-token/batch\x03");
        for token in tokens {
            let after = |state: State, link: &Link| self.after(&state, &token.root, link);
            all.update(token.links.iter().fold(Self::begin(0), after));
            if self.sum {
                all.update(token.s.as_bytes());
            }
        }
        let all: [u8; 64] = all.finalize().into();
        let numbers = 0..tokens.len() as u64;
        let factor = |number: u64| {
            let hash = sha512(&[b"klero-token/factor\x03", &all, &number.to_le_bytes()]);
            let (factor, _) = hash.split_first_chunk().expect("64 bytes");
            Scalar::from(u128::from_le_bytes(*factor))
        };
        numbers.map(factor).collect()
    }

    /// Whether one sum accepts all tokens.
    ///
    /// # Panics
    /// As [`error`](Self::error).
    pub fn hold_together(&self, tokens: &[Token]) -> bool {
        let errors = tokens.iter().map(|token| self.error(token));
        let factors = self.factors(tokens);
        let sum: RistrettoPoint = errors
            .zip(factors)
            .map(|(error, factor)| factor * error)
            .sum();
        sum == RistrettoPoint::default()
    }
}

fn decoded(point: &CompressedRistretto) -> RistrettoPoint {
    point.decompress().expect("an encoding of a point")
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}
