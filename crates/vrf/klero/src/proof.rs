//! Proofs as bytes, and their parts.

use core::slice;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::Point;

use crate::bytes::{bytes_type, wrong_length};
use crate::decode::{self, NotAPoint};
use crate::error::{Error, Invalid};
use crate::output::Output;
use crate::scalar;
use crate::suite::{ProofForm, Rules, Suite};
use crate::transcript::{self, Challenge};

/// A proof of 80, 128 or 144 bytes, depending on the suite.
///
/// ```
/// use klero::{Proof, SecretKey, Suite};
/// let (proof, _) = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).prove(b"alpha");
/// assert_eq!(proof.as_bytes().len(), 80);
/// assert_eq!(proof.to_string().parse::<Proof>()?, proof);
/// # Ok::<(), klero::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Proof {
    /// The bytes from `len` on are zero, so the derived `Ord` orders proofs like slices of their bytes.
    bytes: [u8; 144],
    len: usize,
}

impl Proof {
    /// Makes a proof from its parts: Γ, then U, V and c if the form has them, then s.
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

impl TryFrom<&[u8]> for Proof {
    type Error = Error;

    /// Accepts any 80, 128 or 144 bytes. [`Suite::proof_from_bytes`] checks their content.
    fn try_from(proof: &[u8]) -> Result<Self, Error> {
        if !matches!(proof.len(), 80 | 128 | 144) {
            return Err(wrong_length(proof.len()));
        }
        let mut bytes = [0; 144];
        bytes[..proof.len()].copy_from_slice(proof);
        Ok(Self {
            bytes,
            len: proof.len(),
        })
    }
}

bytes_type!(Proof, 144);

/// The parts of a proof.
pub(crate) struct Parts<'a> {
    pub(crate) gamma: &'a [u8; 32],
    /// The encodings of U = k·B and V = k·H. If the proof lacks them, verifiers compute them from c and s.
    pub(crate) points: Option<[&'a [u8; 32]; 2]>,
    /// The challenge c. If the proof lacks it, verification computes it by hashing U and V, among others.
    pub(crate) challenge: Option<&'a Challenge>,
    pub(crate) s: &'a [u8; 32],
}

impl<'a> Parts<'a> {
    /// The placeholder, in the row of a proof of a wrong length, for the parts of the proof.
    pub(crate) const NONE: Self = Self {
        gamma: &[0; 32],
        points: None,
        challenge: None,
        s: &[0; 32],
    };

    pub(crate) fn split(form: ProofForm, proof: &'a [u8]) -> Result<Self, Invalid> {
        let mut rest = proof;
        let mut split = || {
            let gamma = take(&mut rest)?;
            let mut points = || Some([take(&mut rest)?, take(&mut rest)?]);
            let (points, challenge) = match form {
                ProofForm::GammaCS => (None, Some(take(&mut rest)?)),
                ProofForm::GammaUVS => (Some(points()?), None),
                ProofForm::GammaUVCS => (Some(points()?), Some(take(&mut rest)?)),
            };
            let s = take(&mut rest)?;
            Some(Self {
                gamma,
                points,
                challenge,
                s,
            })
        };
        split()
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

/// Returns the reason why a claim is invalid, given the reason why its Γ is not a point.
pub(crate) fn not_gamma(fault: NotAPoint) -> Invalid {
    match fault {
        NotAPoint::NotCanonical => Invalid::GammaNotCanonical,
        NotAPoint::NotOnCurve => Invalid::GammaNotOnCurve,
    }
}

/// Decodes s to a scalar below L. The rules determine whether an s of L or more is reduced or rejected.
pub(crate) fn decode_s(rules: Rules, bytes: &[u8; 32]) -> Result<[u8; 32], Invalid> {
    match rules {
        Rules::Original => Ok(Scalar::from_bytes_mod_order(*bytes).to_bytes()),
        Rules::Cardano | Rules::Rfc if scalar::is_canonical(bytes) => Ok(*bytes),
        Rules::Cardano | Rules::Rfc => Err(Invalid::ScalarNotCanonical),
    }
}

impl Suite {
    /// Reads a proof from untrusted bytes, without verifying it. The bytes must have the suite's length, Γ
    /// must be a point, and s must be canonical if the suite's rules require it. Runs in variable time.
    ///
    /// # Errors
    /// The reason that [`verify`](Suite::verify) gives for a proof that does not decode.
    #[doc(alias = "ecvrf_decode_proof")]
    pub fn proof_from_bytes(self, bytes: &[u8]) -> Result<Proof, Invalid> {
        self.decode_gamma(bytes)?;
        let wrong_length = |_| Invalid::ProofLength {
            expected: self.proof_len(),
            got: bytes.len(),
        };
        Proof::try_from(bytes).map_err(wrong_length)
    }

    /// Returns the output beta of a proof, but does *not verify* it: `ECVRF_proof_to_hash`, RFC 9381, section
    /// 5.2. Only for proofs known to be valid. Use [`verify`](Suite::verify) for all others. Runs in variable
    /// time.
    ///
    /// # Errors
    /// The reason that [`verify`](Suite::verify) gives for a proof that does not decode.
    #[doc(alias = "ecvrf_proof_to_hash")]
    #[doc(alias = "vrf_proof_to_hash")]
    pub fn proof_to_hash(self, proof: &(impl AsRef<[u8]> + ?Sized)) -> Result<Output, Invalid> {
        let gamma = self.decode_gamma(proof.as_ref())?;
        let engine = klero_lanes::engine();
        let (mut multiple, mut encoded) = ([Point::IDENTITY], [[0; 32]]);
        engine.mul_by_cofactor(&[gamma], &mut multiple);
        engine.encode(&multiple, &mut encoded);
        Ok(transcript::outputs(engine, self, &encoded)[0])
    }

    /// Returns Γ of a proof, or the reason why the proof does not decode.
    fn decode_gamma(self, proof: &[u8]) -> Result<Point, Invalid> {
        let parts = Parts::split(self.proof_form, proof)?;
        let decoded = decode::decode(klero_lanes::engine(), slice::from_ref(parts.gamma));
        let gamma = decoded.row(0).map_err(not_gamma)?;
        decode_s(self.rules, parts.s)?;
        Ok(gamma)
    }
}
