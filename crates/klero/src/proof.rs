//! Proofs and outputs as bytes, and the parts of a proof.

use core::{fmt, slice};

use curve25519_dalek::scalar::Scalar;
use klero_lanes::Point;

use crate::error::Invalid;
use crate::point::{self, Decoded, NotAPoint};
use crate::suite::{ProofForm, Rules, Suite};
use crate::transcript::{self, Challenge};

/// beta, the output of the VRF: 64 bytes.
///
/// ```
/// use klero::{SecretKey, Suite};
/// let (proof, output) = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).prove(b"alpha");
/// assert_eq!(Suite::PRAOS.proof_to_hash(proof.as_bytes()), Ok(output));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Output(pub [u8; 64]);

impl Output {
    /// The 64 bytes.
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl AsRef<[u8]> for Output {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, "Output", &self.0)
    }
}

/// A proof as the suite lays it out: 80, 128 or 144 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Proof {
    bytes: [u8; 144],
    len: usize,
}

impl Proof {
    /// Γ, then what the form keeps of U, V and c, then s.
    pub(crate) fn new(
        form: ProofForm,
        [gamma, u, v]: [&[u8; 32]; 3],
        c: &Challenge,
        s: &[u8; 32],
    ) -> Self {
        let mut proof = Self {
            bytes: [0; 144],
            len: 0,
        };
        let parts: &[&[u8]] = match form {
            ProofForm::GammaCS => &[gamma, c, s],
            ProofForm::GammaUVS => &[gamma, u, v, s],
            ProofForm::GammaUVCS => &[gamma, u, v, c, s],
        };
        for part in parts {
            proof.bytes[proof.len..][..part.len()].copy_from_slice(part);
            proof.len += part.len();
        }
        proof
    }

    /// The bytes of the proof.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Proof {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, "Proof", self.as_bytes())
    }
}

fn write_hex(f: &mut fmt::Formatter<'_>, name: &str, bytes: &[u8]) -> fmt::Result {
    write!(f, "{name}(")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
    f.write_str(")")
}

/// A proof taken apart.
pub(crate) struct Parts<'a> {
    pub(crate) gamma: &'a [u8; 32],
    pub(crate) commitment: Commitment<'a>,
    pub(crate) s: &'a [u8; 32],
}

/// How a proof says what k·B and k·H are.
#[derive(Clone, Copy)]
pub(crate) enum Commitment<'a> {
    /// Not at all: c is given, and verifying recomputes them.
    Challenge(&'a Challenge),
    /// By their encodings U and V, from which c is hashed.
    Points(&'a [u8; 32], &'a [u8; 32]),
    /// By U and V and, once more, c.
    Both(&'a [u8; 32], &'a [u8; 32], &'a Challenge),
}

impl<'a> Commitment<'a> {
    /// The encodings of U and V, if they are given.
    pub(crate) fn points(self) -> Option<[&'a [u8; 32]; 2]> {
        match self {
            Self::Challenge(_) => None,
            Self::Points(u, v) | Self::Both(u, v, _) => Some([u, v]),
        }
    }
}

impl<'a> Parts<'a> {
    pub(crate) fn split(form: ProofForm, proof: &'a [u8]) -> Result<Self, Invalid> {
        let mut rest = proof;
        let split = |rest: &mut &'a [u8]| {
            Some(Self {
                gamma: take(rest)?,
                commitment: match form {
                    ProofForm::GammaCS => Commitment::Challenge(take(rest)?),
                    ProofForm::GammaUVS => Commitment::Points(take(rest)?, take(rest)?),
                    ProofForm::GammaUVCS => Commitment::Both(take(rest)?, take(rest)?, take(rest)?),
                },
                s: take(rest)?,
            })
        };
        split(&mut rest)
            .filter(|_| rest.is_empty())
            .ok_or(Invalid::ProofLength {
                expected: form.len(),
                got: proof.len(),
            })
    }
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (part, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(part)
}

/// Γ, from what a decoder found.
pub(crate) fn gamma(decoded: Decoded) -> Result<Point, Invalid> {
    decoded.map_err(|error| match error {
        NotAPoint::NotCanonical => Invalid::GammaNotCanonical,
        NotAPoint::NotOnCurve => Invalid::GammaNotOnCurve,
    })
}

pub(crate) fn decode_s(rules: Rules, bytes: &[u8; 32]) -> Result<Scalar, Invalid> {
    match rules {
        Rules::Original => Ok(Scalar::from_bytes_mod_order(*bytes)),
        Rules::Cardano | Rules::Rfc => {
            Option::from(Scalar::from_canonical_bytes(*bytes)).ok_or(Invalid::ScalarNotCanonical)
        }
    }
}

impl Suite {
    /// beta of a proof that is *not verified*: `ECVRF_proof_to_hash`, RFC 9381,
    /// section 5.2. Only for proofs known to be valid; else use
    /// [`verify`](Suite::verify). Variable time.
    ///
    /// # Errors
    /// What [`verify`](Suite::verify) says of a proof that cannot be decoded.
    ///
    /// ```
    /// use klero::{Invalid, Suite};
    /// let error = Suite::RFC9381_TAI.proof_to_hash(&[0; 79]).unwrap_err();
    /// assert_eq!(error, Invalid::ProofLength { expected: 80, got: 79 });
    /// ```
    pub fn proof_to_hash(self, proof: &[u8]) -> Result<Output, Invalid> {
        let parts = Parts::split(self.proof_form, proof)?;
        let engine = klero_lanes::engine();
        let gamma = gamma(point::decode(engine, slice::from_ref(parts.gamma))[0])?;
        decode_s(self.rules, parts.s)?;
        let (mut multiple, mut encoded) = ([Point::IDENTITY], [[0; 32]]);
        engine.mul_by_cofactor(&[gamma], &mut multiple);
        engine.encode(&multiple, &mut encoded);
        Ok(transcript::outputs(engine, self, &encoded)[0])
    }
}
