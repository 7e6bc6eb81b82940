//! Claims about proofs, and the verdicts on them.

use alloc::vec::Vec;

use crate::error::Invalid;
use crate::output::Output;

/// The claim that `proof` is valid and proves that `key` maps `alpha` to `output`. The bytes are borrowed.
/// They may be untrusted and of any length: the verdict gives the reason if they are invalid.
///
/// ```
/// use klero::{Claim, Invalid, SecretKey, Suite, Verifier};
/// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
/// let (proof, output) = key.prove(b"slot 7");
/// let claims = [
///     Claim::new(key.public_key(), b"slot 7", &proof).with_output(&output),
///     Claim::new(&[2; 32], b"slot 7", &[0; 80]),
/// ];
/// let verdicts = Suite::PRAOS.verify_many(&claims);
/// assert_eq!(verdicts, [Ok(output), Err(Invalid::KeyNotOnCurve)]);
/// ```
#[must_use = "a claim says nothing until it is verified"]
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The public key, 32 bytes.
    pub key: &'a [u8],
    /// The input, of any length.
    pub alpha: &'a [u8],
    /// The proof: 80, 128 or 144 bytes, depending on the suite.
    pub proof: &'a [u8],
    /// The claimed output, 64 bytes. `None` if the claim is only about the proof.
    pub output: Option<&'a [u8]>,
}

impl<'a> Claim<'a> {
    /// Makes a claim about a key, an input and a proof. Each may be bytes or a type of this crate.
    pub fn new(
        key: &'a (impl AsRef<[u8]> + ?Sized),
        alpha: &'a (impl AsRef<[u8]> + ?Sized),
        proof: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self {
            key: key.as_ref(),
            alpha: alpha.as_ref(),
            proof: proof.as_ref(),
            output: None,
        }
    }

    /// Adds an output to the claim.
    pub fn with_output(self, output: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self {
            output: Some(output.as_ref()),
            ..self
        }
    }

    /// Returns the proven output, or an error if a claimed output differs from it or has a wrong length.
    pub(crate) fn compare_output(&self, proven: Output) -> Verdict {
        match self.output {
            Some(claimed) if claimed.len() != 64 => Err(Invalid::OutputLength(claimed.len())),
            Some(claimed) if claimed != proven.0 => Err(Invalid::OutputMismatch),
            _ => Ok(proven),
        }
    }
}

/// The verdict on a claim: the output that its proof proves, or the reason why the claim is invalid.
pub type Verdict = Result<Output, Invalid>;

/// The verdicts on many claims, and a count of the claims that were verified again by themselves.
#[must_use = "the verdicts are in the report"]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// One verdict for each claim, in the order of the claims.
    pub verdicts: Vec<Verdict>,
    /// The number of claims that were verified again, each by itself, because no sum of equations accepted
    /// them. Unlike the verdicts, this number depends on the backend, the method and the number of threads.
    pub verified_alone: usize,
}

impl Report {
    /// Joins the reports on groups of claims, in the order of the groups.
    pub(crate) fn of(groups: Vec<Self>, claims: usize) -> Self {
        let mut report = Self {
            verdicts: Vec::with_capacity(claims),
            verified_alone: 0,
        };
        for group in groups {
            report.verdicts.extend(group.verdicts);
            report.verified_alone += group.verified_alone;
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_byte_and_the_length_of_a_claimed_output_count() {
        let proven = Output(core::array::from_fn(|i| i as u8));
        let verdict = |claimed: &[u8]| {
            let claim = Claim::new(&[0; 32], b"", &[0; 80]).with_output(claimed);
            claim.compare_output(proven)
        };
        assert_eq!(verdict(&proven.0), Ok(proven));
        for (place, bit) in (0..64).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut claimed = proven.0;
            claimed[place] ^= 1 << bit;
            assert_eq!(
                verdict(&claimed),
                Err(Invalid::OutputMismatch),
                "byte {place}"
            );
        }
        for length in (0..64).chain([65, 128]) {
            let claimed: Vec<u8> = proven.0.into_iter().cycle().take(length).collect();
            assert_eq!(verdict(&claimed), Err(Invalid::OutputLength(length)));
        }
    }
}
