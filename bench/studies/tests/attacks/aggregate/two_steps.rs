//! A holder who shows Y before the challenge is fixed seals what it never saw: 253 open sessions give
//! one seal more, to any challenge (Benhamouda, Lepoint, Loss, Orrù and Raykova, *On the (in)security
//! of ROS*, 2021).
//!
//! A seal of a token with the sum S is `S_j = S + z_j·y_j`. Divided by z_j it is a Schnorr signature
//! with the key S·G: `s_j = y_j + e_j·S`, where `e_j = 1/z_j`. The attacker knows all Y_j, and for each
//! two challenges, so two values of e_j. With `r_j = 2^j / (e_j' - e_j)` he takes `Y* = Σ r_j·Y_j`, which
//! fixes e* for a challenge of his choice. He writes `e* - Σ r_j·e_j` in binary, and where bit j is set
//! he asks session j for the second challenge, else for the first. Then `Σ r_j·(what he asked for) =
//! e*`, and so `Σ r_j·s_j` is the signature for Y* and e*.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::kind::SEAL;
use klero_studies::aggregate::{Bindings, Link, Token};

use super::narrowed;

/// As many sessions as a scalar has bits.
const SESSIONS: usize = 253;

/// The holder, who should have asked for the challenge first.
struct Holder {
    token: Token,
    nonces: Vec<Scalar>,
}

impl Holder {
    fn new() -> Self {
        let nonces =
            (0..SESSIONS).map(|i| Scalar::from(7 + 1000 * i as u64) * Scalar::from(i as u64 + 3));
        Self {
            token: narrowed(&Bindings::ALL),
            nonces: nonces.collect(),
        }
    }

    /// The first step.
    fn points(&self) -> Vec<RistrettoPoint> {
        self.nonces.iter().map(RistrettoPoint::mul_base).collect()
    }

    /// The second step, once for each session.
    fn seal(&self, session: usize, challenge: &[u8]) -> Token {
        Bindings::ALL.add(&self.token, SEAL, &self.nonces[session], challenge)
    }
}

/// The token, which everyone may know but for its sum, with a seal and this sum.
fn sealed(seen: &Token, point: RistrettoPoint, challenge: &[u8], s: Scalar) -> Token {
    let mut token = seen.clone();
    token.s = s;
    token.links.push(Link {
        kind: SEAL,
        point: point.compress(),
        payload: challenge.to_vec(),
    });
    token
}

/// 1/z of the seal.
fn e(seen: &Token, point: RistrettoPoint, challenge: &[u8]) -> Scalar {
    let token = sealed(seen, point, challenge, Scalar::ZERO);
    Bindings::ALL.scalars(&token).last().unwrap().invert()
}

#[test]
fn open_sessions_give_a_seal_that_nobody_made() {
    let holder = Holder::new();
    let seen = Token {
        s: Scalar::ZERO,
        ..holder.token.clone()
    };
    let points = holder.points();
    let challenges = [&b"one"[..], b"two"];
    let mut power = Scalar::ONE;
    let mut factors = Vec::new();
    let mut rest = Scalar::ZERO;
    for point in &points {
        let [first, second] = challenges.map(|challenge| e(&seen, *point, challenge));
        let factor = power * (second - first).invert();
        rest += factor * first;
        factors.push(factor);
        power += power;
    }

    let chosen = b"whatever the attacker likes";
    let point = points
        .iter()
        .zip(&factors)
        .map(|(point, r)| r * point)
        .sum();
    let e = e(&seen, point, chosen);
    let bits = (e - rest).to_bytes();
    let mut s = Scalar::ZERO;
    for (session, factor) in factors.iter().enumerate() {
        let bit = bits[session / 8] >> (session % 8) & 1;
        let answer = holder.seal(session, challenges[usize::from(bit)]);
        assert!(Bindings::ALL.holds(&answer));
        let z = *Bindings::ALL.scalars(&answer).last().unwrap();
        s += factor * answer.s * z.invert();
    }
    assert!(Bindings::ALL.holds(&sealed(&seen, point, chosen, s * e.invert())));
}
