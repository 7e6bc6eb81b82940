//! Collects tests. A caller states the verdict of each test, and the maker compares it with the model's
//! verdict.

use klero_reference::curve::{B, L, decode, sum_of_products};
use klero_reference::field::{P, bytes_le, int, int_le};
use klero_reference::{self as reference, BigUint, Form, Invalid, Rules, Suite, hash_to_curve};

use crate::format::{Test, Verdict};
use crate::support::case::{Case, owner};
use crate::support::forger::{Forger, nonce};

/// The verdict that is stated for a test by the code that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stated {
    Valid,
    /// Valid only for a verifier that does not validate keys.
    WithoutKeyCheck,
    Invalid(Check),
}

pub use Stated::{Valid, WithoutKeyCheck};

/// The first check that a claim fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    Key,
    Length,
    Gamma,
    Scalar,
    Equations,
    Output,
}

pub const KEY: Stated = Stated::Invalid(Check::Key);
pub const LENGTH: Stated = Stated::Invalid(Check::Length);
pub const GAMMA: Stated = Stated::Invalid(Check::Gamma);
pub const SCALAR: Stated = Stated::Invalid(Check::Scalar);
pub const EQUATIONS: Stated = Stated::Invalid(Check::Equations);
pub const OUTPUT: Stated = Stated::Invalid(Check::Output);

fn check(reason: Invalid) -> Check {
    match reason {
        Invalid::KeyLength(_)
        | Invalid::KeyNotCanonical
        | Invalid::KeyNotOnCurve
        | Invalid::KeySmallOrder => Check::Key,
        Invalid::ProofLength { .. } => Check::Length,
        Invalid::GammaNotCanonical | Invalid::GammaNotOnCurve => Check::Gamma,
        Invalid::ScalarNotCanonical => Check::Scalar,
        Invalid::ChallengeMismatch | Invalid::UMismatch | Invalid::VMismatch => Check::Equations,
        Invalid::OutputMismatch => Check::Output,
        Invalid::NoCurvePoint | Invalid::OutputLength(_) => unreachable!("no test has it"),
    }
}

/// Collects the tests of a suite.
pub struct Maker {
    pub suite: &'static Suite,
    pub tests: Vec<Test>,
}

impl Maker {
    pub fn push(&mut self, stated: Stated, flags: &[&'static str], comment: &str, mut case: Case) {
        let name = self.suite.name;
        let modelled = case.expected.map_err(check);
        let verdict = match stated {
            Valid => {
                let output =
                    modelled.unwrap_or_else(|check| panic!("{name}, {comment}: {check:?}"));
                case.output = Some(output.to_vec());
                Verdict::Valid
            }
            WithoutKeyCheck => {
                assert_eq!(
                    case.expected,
                    Err(Invalid::KeySmallOrder),
                    "{name}, {comment}"
                );
                assert!(equations_hold(self.suite, &case), "{name}, {comment}");
                let output = reference::proof_to_hash(self.suite, &case.proof).unwrap();
                case.output = Some(output.to_vec());
                Verdict::Acceptable
            }
            Stated::Invalid(check) => {
                assert_eq!(modelled, Err(check), "{name}, {comment}");
                if check != Check::Output {
                    case.output = None;
                }
                Verdict::Invalid
            }
        };
        self.check_rules(flags, comment, &case);
        self.tests.push(Test {
            comment: comment.to_owned(),
            flags: flags.to_vec(),
            seed: None,
            case,
            verdict,
        });
    }

    /// Asserts that `CardanoRules` or `RfcRules` is a flag exactly if the claim is valid, in the model, only
    /// under these rules. Skips the original rules, which differ from the others also because they reduce s.
    fn check_rules(&self, flags: &[&str], comment: &str, case: &Case) {
        if self.suite.rules == Rules::Original {
            return;
        }
        let [cardano, rfc] = [Rules::Cardano, Rules::Rfc].map(|rules| {
            let suite = Suite {
                rules,
                ..*self.suite
            };
            let Case {
                key, alpha, proof, ..
            } = case;
            reference::verify(&suite, key, alpha, proof, None).is_ok()
        });
        let name = self.suite.name;
        for (flag, holds) in [
            ("CardanoRules", cardano && !rfc),
            ("RfcRules", rfc && !cardano),
        ] {
            assert_eq!(flags.contains(&flag), holds, "{name}, {comment}: {flag}");
        }
    }

    /// Adds an honest claim with its seed.
    pub fn push_honest(&mut self, who: usize, flags: &[&'static str], comment: &str, alpha: &[u8]) {
        let case = self.honest(who, alpha);
        self.push(Valid, flags, comment, case);
        self.tests.last_mut().unwrap().seed = Some(owner(who));
    }

    pub fn honest(&self, who: usize, alpha: &[u8]) -> Case {
        Case::honest_by_model(self.suite, &owner(who), alpha)
    }

    pub fn forger(&self, alpha: &[u8]) -> Forger<'static> {
        Forger::new(self.suite, 1, 0, alpha, nonce())
    }

    /// Changes an honest claim, and adds it.
    pub fn change(
        &mut self,
        stated: Stated,
        flag: &'static str,
        comment: &str,
        change: impl FnOnce(&mut Case),
    ) {
        let case = self.honest(1, b"alpha");
        let case = case.changed(self.suite, comment, change);
        self.push(stated, &[flag], comment, case);
    }
}

/// True if s is below L and the equations of the RFC hold. After decoding, a verifier by the RFC that does
/// not validate keys checks nothing else.
fn equations_hold(suite: &Suite, case: &Case) -> bool {
    assert_eq!(suite.rules, Rules::Rfc);
    let (key, proof) = (*case.key.first_chunk().unwrap(), &case.proof[..]);
    let field = |at: usize| *proof[at..].first_chunk::<32>().unwrap();
    let (y, gamma) = (decode(&key).unwrap(), decode(&field(0)).unwrap());
    let h = hash_to_curve(suite, &key, &case.alpha).unwrap();
    let s = int_le(&field(proof.len() - 32));
    let challenge = |u, v| reference::challenge(suite, &key, [h.encode(), field(0), u, v]);
    let sent = match suite.form {
        Form::Bytes80 => *proof[32..].first_chunk().unwrap(),
        _ => challenge(field(32), field(64)),
    };
    let c = int_le(&sent);
    let u = sum_of_products([(&s, &B), (&c, &y.neg())]).encode();
    let v = sum_of_products([(&s, &h), (&c, &gamma.neg())]).encode();
    s < *L && challenge(u, v) == sent
}

/// Returns the smallest y above p + 1 that encodes a point, and the name of y. (y = p and y = p + 1 encode
/// points of small order.)
pub fn y_above_p() -> (BigUint, String) {
    let above = (2..19)
        .find(|y| decode(&bytes_le(&int(*y))).is_ok())
        .unwrap();
    (&*P + int(above), format!("y = p+{above}"))
}

/// Returns the name of a multiple, such as `3T`.
pub fn multiple(count: usize, of: &str) -> String {
    match count {
        1 => of.to_owned(),
        _ => format!("{count}{of}"),
    }
}

/// The alphas 0, 1, 2, …, two bytes each.
pub fn numbers() -> impl Iterator<Item = [u8; 2]> {
    (0u16..).map(u16::to_be_bytes)
}
