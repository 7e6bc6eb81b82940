//! From claims to verdicts: what bytes can say first, then what the curve says.

use alloc::vec::Vec;

use klero_lanes::{Engine, engine, through};

use crate::check::{Checked, check};
use crate::claim::{Claim, Verdict};
use crate::encoding::is_small_order;
use crate::invalid::Invalid;
use crate::rules::Rules;
use crate::signed::{Signed, parse};

/// Claims that go through the stages together: every vector is full, and what passes between
/// the stages stays in the second cache.
const GROUP: usize = 64;

impl Rules {
    /// Verifies one signature. Takes bytes, trusted or not. Variable time.
    ///
    /// # Errors
    /// The first reason, in the order of [`Invalid`](crate::Invalid), why the signature is invalid.
    pub fn verify(
        self,
        key: &(impl AsRef<[u8]> + ?Sized),
        message: &(impl AsRef<[u8]> + ?Sized),
        signature: &(impl AsRef<[u8]> + ?Sized),
    ) -> Verdict {
        self.verify_many(&[Claim::new(key, message, signature)])[0]
    }

    /// One verdict for each claim, in order: the same that [`verify`](Self::verify) gives for
    /// the claim alone. Variable time, on the thread that calls.
    #[must_use = "the verdicts are the result"]
    pub fn verify_many(self, claims: &[Claim<'_>]) -> Vec<Verdict> {
        self.verify_many_on(engine(), claims)
    }

    /// [`verify_many`](Self::verify_many) on an engine of choice. No verdict depends on it.
    #[must_use = "the verdicts are the result"]
    pub fn verify_many_on(self, engine: Engine, claims: &[Claim<'_>]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(claims.len());
        for claims in claims.chunks(GROUP) {
            let parsed = claims.iter().map(|claim| parse(self, claim)).collect();
            let checked = through(parsed, |signed| check(engine, self, signed));
            let judge = |(signed, checked)| judge(self, &signed, checked);
            verdicts.extend(checked.into_iter().map(|one| one.and_then(judge)));
        }
        verdicts
    }
}

fn judge(rules: Rules, signed: &Signed<'_>, checked: Checked) -> Verdict {
    if !checked.key_on_curve {
        Err(Invalid::KeyNotOnCurve)
    } else if !rules.small_order && is_small_order(signed.key) {
        Err(Invalid::KeySmallOrder)
    } else if !checked.holds {
        Err(Invalid::Mismatch)
    } else if !rules.small_order && is_small_order(signed.r) {
        Err(Invalid::RSmallOrder)
    } else {
        Ok(())
    }
}
