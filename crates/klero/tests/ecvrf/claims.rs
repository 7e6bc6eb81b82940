//! The tests of `vectors/ecvrf.json`, made for any suite. The verdict of each is stated where the
//! test is made, from the way in which it is made; [`Maker::push`] compares it with the model's.

use klero_reference::curve::{B, L, Point, decode, sum_of_products};
use klero_reference::field::{Field, P, bytes_le, int, int_le};
use klero_reference::{
    self as reference, BigUint, ELL2_DST, Form, Invalid, Map, Rules, Suite, expand, hash_to_curve,
    map_to_curve,
};
use sha2::{Digest, Sha512};

use crate::format::{Group, Test, Verdict};
use crate::support::case::{Case, owner};
use crate::support::forger::{Forger, OWNERS, TORSION, encoding, nonce, small_order_encodings};
use crate::support::hostile::hidden_by;

/// The suites of the file, those in use.
const SUITES: [&str; 10] = [
    "praos",
    "praos-original",
    "draft10-tai",
    "draft10-tai-bc",
    "draft13",
    "draft13-bc",
    "rfc9381-tai",
    "rfc9381-ell2",
    "rfc9381-tai-bc",
    "rfc9381-ell2-bc",
];

/// What the maker of a test knows about its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stated {
    Valid,
    /// Valid for a verifier that does not validate keys.
    WithoutKeyCheck,
    Invalid(Check),
}

use Stated::{Valid, WithoutKeyCheck};

/// The first check that fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Check {
    Key,
    Length,
    Gamma,
    Scalar,
    Equations,
    Output,
}

const KEY: Stated = Stated::Invalid(Check::Key);
const LENGTH: Stated = Stated::Invalid(Check::Length);
const GAMMA: Stated = Stated::Invalid(Check::Gamma);
const SCALAR: Stated = Stated::Invalid(Check::Scalar);
const EQUATIONS: Stated = Stated::Invalid(Check::Equations);
const OUTPUT: Stated = Stated::Invalid(Check::Output);

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

/// All groups of the file.
pub fn groups() -> Vec<Group> {
    let suites = SUITES.map(|name| Suite::named(name).unwrap());
    std::thread::scope(|scope| {
        let threads = suites.map(|suite| scope.spawn(|| group(suite)));
        threads.map(|thread| thread.join().unwrap()).into()
    })
}

fn group(suite: &'static Suite) -> Group {
    let mut maker = Maker {
        suite,
        tests: Vec::new(),
    };
    maker.alphas();
    maker.points();
    maker.other_suites();
    maker.modified();
    maker.outputs();
    maker.lengths();
    maker.keys();
    maker.torsion();
    maker.gammas();
    maker.scalars();
    maker.nonces();
    maker.challenges();
    if suite.form == Form::Bytes128 {
        maker.commitments();
    }
    Group {
        suite,
        tests: maker.tests,
    }
}

struct Maker {
    suite: &'static Suite,
    tests: Vec<Test>,
}

impl Maker {
    fn push(&mut self, stated: Stated, flags: &[&'static str], comment: &str, mut case: Case) {
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
        self.tests.push(Test {
            comment: comment.to_owned(),
            flags: flags.to_vec(),
            seed: None,
            case,
            verdict,
        });
    }

    /// An honest claim, and its seed.
    fn push_honest(&mut self, who: usize, flags: &[&'static str], comment: &str, alpha: &[u8]) {
        let case = self.honest(who, alpha);
        self.push(Valid, flags, comment, case);
        self.tests.last_mut().unwrap().seed = Some(owner(who));
    }

    fn honest(&self, who: usize, alpha: &[u8]) -> Case {
        Case::honest_by_model(self.suite, &owner(who), alpha)
    }

    fn forger(&self, alpha: &[u8]) -> Forger<'static> {
        Forger::new(self.suite, 1, 0, alpha, nonce())
    }

    /// Changes an honest claim.
    fn change(
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

    // ---------------------------------------------------------- hash to curve

    fn alphas(&mut self) {
        self.push_honest(0, &["Honest"], "alpha of five bytes", b"alpha");
        self.push_honest(1, &["Honest", "AlphaLength"], "alpha empty", b"");
        // Up to 111 bytes of the last block the padding of SHA-512 fits beside them. The string
        // that is hashed to the curve has 36, 34 or 204 bytes beside alpha.
        let fits = match self.suite.map {
            Map::Tai => 111 - 36,
            Map::Draft03 => 111 - 34,
            Map::Ell2 => 128 + 111 - 204,
        };
        for len in [fits, fits + 1, 300] {
            let alpha: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let comment = format!("alpha of {len} bytes");
            self.push_honest(3, &["Honest", "AlphaLength"], &comment, &alpha);
        }
    }

    fn points(&mut self) {
        match self.suite.map {
            Map::Tai => {
                let counters =
                    |alpha: &[u8]| points_by_counter(self.suite, 0, alpha).next().unwrap().0;
                let alphas = [1, 2, 3, 10].map(|counter| {
                    let alpha = numbers().find(|alpha| counters(alpha) == counter);
                    (counter, alpha.unwrap())
                });
                for (counter, alpha) in alphas {
                    let comment = format!("the first point is that of counter {counter}");
                    self.push_honest(0, &["Honest", "Counter"], &comment, &alpha);
                }
            }
            Map::Draft03 | Map::Ell2 => {
                let mut seen = Vec::new();
                for alpha in numbers().take(64) {
                    let branch = elligator2_branch(self.suite, 0, &alpha);
                    if !seen.contains(&branch) {
                        seen.push(branch.clone());
                        self.push_honest(0, &["Honest", "Elligator2Branch"], &branch, &alpha);
                    }
                }
            }
        }
        self.wrong_points();
    }

    fn wrong_points(&mut self) {
        let alpha = b"alpha";
        let forger = self.forger(alpha);
        let uncleared = map_to_curve(self.suite, &forger.key, alpha).unwrap();
        let mut points = vec![
            ("-H", forger.h.neg()),
            ("H without the cofactor", uncleared),
        ];
        if self.suite.map == Map::Tai {
            let (_, second) = points_by_counter(self.suite, 1, alpha).nth(1).unwrap();
            points.push(("the second point that is found", second.mul(&int(8))));
        }
        for (what, h) in points {
            let mut forger = forger.clone();
            forger.gamma = h.mul(&forger.x);
            forger.v = h.mul(&forger.k);
            forger.h = h;
            let comment = format!("a proof for {what}");
            self.push(EQUATIONS, &["WrongPoint"], &comment, forger.case(""));
        }
    }

    // ---------------------------------------------------------- honest claims, changed

    fn other_suites(&mut self) {
        let proof = |suite| reference::prove(suite, &owner(1), b"alpha").0;
        let mut seen = vec![proof(self.suite)];
        for name in SUITES {
            let other = proof(Suite::named(name).unwrap());
            if other.len() == self.suite.proof_len() && !seen.contains(&other) {
                seen.push(other.clone());
                self.change(
                    EQUATIONS,
                    "OtherSuite",
                    &format!("proof of {name}"),
                    |case| {
                        case.proof = other;
                    },
                );
            }
        }
    }

    fn modified(&mut self) {
        let other = self.honest(1, b"other");
        let key = expand(&owner(2)).public;
        let end = self.suite.proof_len();
        let mut change = |comment: &str, change: &dyn Fn(&mut Case)| {
            self.change(EQUATIONS, "Modified", comment, change);
        };
        change("alpha with a zero byte more", &|case| case.alpha.push(0));
        change("key of another owner", &|case| case.key = key.to_vec());
        change("key negated", &|case| case.key[31] ^= 0x80);
        change("Gamma negated", &|case| case.proof[31] ^= 0x80);
        change("Gamma of another alpha", &|case| {
            case.proof[..32].copy_from_slice(&other.proof[..32]);
        });
        change("s of another alpha", &|case| {
            case.proof[end - 32..].copy_from_slice(&other.proof[end - 32..]);
        });
        if end == 80 {
            change("lowest bit of c", &|case| case.proof[32] ^= 1);
            change("c = 0", &|case| case.proof[32..48].fill(0));
        }
        change("proof all zeros", &|case| case.proof.fill(0));
        self.change(GAMMA, "Modified", "proof all ff", |case| {
            case.proof.fill(0xff)
        });
    }

    fn outputs(&mut self) {
        let suite = self.suite;
        let honest = self.honest(1, b"alpha");
        let gamma = *honest.proof.first_chunk().unwrap();
        let other = self.honest(1, b"other").output;
        let without_cofactor = reference::output(suite, &gamma).to_vec();
        let cases = [
            ("beta of Gamma without the cofactor", Some(without_cofactor)),
            ("beta of another alpha", other),
            ("beta all zeros", Some(vec![0; 64])),
        ];
        for (comment, beta) in cases {
            self.change(OUTPUT, "Output", comment, |case| case.output = beta);
        }
    }

    fn lengths(&mut self) {
        let whole = self.suite.proof_len();
        for len in [0, whole - 1, whole + 1] {
            self.change(LENGTH, "ProofLength", &format!("{len} bytes"), |case| {
                case.proof.resize(len, 0);
            });
        }
        for form in [Form::Bytes80, Form::Bytes128] {
            let other = Suite {
                form,
                ..*self.suite
            };
            if form != self.suite.form {
                let comment = format!("the same proof in the form of {} bytes", other.proof_len());
                self.change(LENGTH, "ProofLength", &comment, |case| {
                    case.proof = reference::prove(&other, &owner(1), &case.alpha).0;
                });
            }
        }
        for len in [31, 33] {
            self.change(KEY, "KeyLength", &format!("{len} bytes"), |case| {
                case.key.resize(len, 0);
            });
        }
    }

    // ---------------------------------------------------------- keys

    fn keys(&mut self) {
        // With x = 0, Γ and both multiples of it are the identity, and s = k. The multiple of Y
        // vanishes for this residue of c.
        let residue = match self.suite.rules {
            Rules::Cardano => 5,
            Rules::Rfc | Rules::Original => 0,
        };
        for key in small_order_encodings() {
            let mut forger = Forger::with_key(self.suite, int(0), key, b"anyone", nonce());
            forger.c_mod_8 = Some(residue);
            let canonical = TORSION.iter().any(|point| point.encode() == key);
            let flags = if canonical {
                &["SmallOrderKey"][..]
            } else {
                &["SmallOrderKey", "NonCanonicalKey"]
            };
            let stated = if canonical && key_check_is_optional(self.suite) {
                WithoutKeyCheck
            } else {
                KEY
            };
            self.push(stated, flags, &small_order_name(&key), forger.case(""));
        }
        let (above, comment) = y_above_p();
        let top = (int(1) << 255) - int(1);
        for (flag, y, sign, comment) in [
            ("NonCanonicalKey", above, false, &comment[..]),
            ("NonCanonicalKey", top, true, "y = 2^255-1, sign bit"),
            ("KeyNotOnCurve", int(2), false, "y = 2"),
        ] {
            let (x, key) = (OWNERS[1].0.clone(), encoding(&y, sign));
            let forger = Forger::with_key(self.suite, x, key, b"alpha", nonce());
            self.push(KEY, &[flag], comment, forger.case(""));
        }
        for (x, comment) in [(int(1), "Y = B"), (&*L - int(1), "Y = -B")] {
            let key = B.mul(&x).encode();
            let forger = Forger::with_key(self.suite, x, key, b"alpha", nonce());
            self.push(Valid, &["UnusualKey"], comment, forger.case(""));
        }
    }

    // ---------------------------------------------------------- points of small order

    /// Multiples of T, a point of order 8, on Y, Γ, U and V, and the residue of c mod 8.
    fn torsion(&mut self) {
        let cardano = |c, error| hidden_by(Rules::Cardano, c, error);
        let rfc = |c, error| hidden_by(Rules::Rfc, c, error);
        let mut errors = Vec::new();
        for place in 0..2 {
            let mut push = |error, commitment, c| {
                let mut all = [0; 4];
                all[place] = error;
                all[place + 2] = commitment;
                errors.push((all, c));
            };
            // Multiples that vanish under the rules of one family, and one under neither.
            for (error, c) in [(1, 5), (1, 0), (1, 1), (2, 1), (4, 3), (4, 2)] {
                push(error, 0, c);
            }
            // Multiples that an error on U or V hides.
            push(1, cardano(1, 1), 1);
            push(1, rfc(1, 1), 1);
            // Errors on U or V alone.
            push(0, 1, 0);
            push(0, 4, 5);
        }
        // Errors that cancel in the sum of the equations.
        errors.extend([([1, 1, 0, 0], 5), ([1, 1, 0, 0], 0)]);
        errors.extend([([1, 7, 0, 0], 4), ([0, 0, 1, 7], 3)]);
        for (errors, c) in errors {
            self.one_torsion(errors, c);
        }
    }

    fn one_torsion(&mut self, errors: [usize; 4], c: u8) {
        let [y, gamma, u, v] = errors;
        let holds = |rules| hidden_by(rules, c, y) == u && hidden_by(rules, c, gamma) == v;
        let (cardano, rfc) = (holds(Rules::Cardano), holds(Rules::Rfc));
        let mut flags = Vec::new();
        flags.extend((y != 0).then_some("MixedOrderKey"));
        flags.extend((gamma != 0).then_some("MixedOrderGamma"));
        flags.extend((u != 0 || v != 0).then_some("MixedOrderCommitment"));
        flags.extend((cardano && !rfc).then_some("CardanoRules"));
        flags.extend((rfc && !cardano).then_some("RfcRules"));

        let names = ["Y", "Gamma", "U", "V"].into_iter().zip(errors);
        let names: Vec<_> = names
            .filter(|(_, error)| *error != 0)
            .map(|(name, error)| format!("{name} + {}", multiple(error, "T")))
            .collect();
        let mut forger = Forger::new(self.suite, 2, y, b"torsion", nonce());
        forger = forger.with_errors([gamma, u, v]);
        forger.c_mod_8 = Some(c);
        let stated = if holds(self.suite.rules) {
            Valid
        } else {
            EQUATIONS
        };
        let comment = format!("{}, c = {c} mod 8", names.join(", "));
        self.push(stated, &flags, &comment, forger.case(""));
    }

    // ---------------------------------------------------------- Γ and s

    fn gammas(&mut self) {
        let forger = self.forger(b"gamma");
        let mut push = |stated, flag, y: &BigUint, sign, comment: &str| {
            let mut forger = forger.clone();
            forger.gamma_bytes = Some(encoding(y, sign));
            self.push(stated, &[flag], comment, forger.case(""));
        };
        let order_8 = int_le(&TORSION[1].encode()) % (int(1) << 255);
        let minus_one = &*P - int(1);
        push(EQUATIONS, "SmallOrderGamma", &int(1), false, "identity");
        push(EQUATIONS, "SmallOrderGamma", &minus_one, false, "order 2");
        push(EQUATIONS, "SmallOrderGamma", &int(0), false, "order 4");
        push(EQUATIONS, "SmallOrderGamma", &order_8, false, "order 8");
        let flag = "NonCanonicalGamma";
        push(EQUATIONS, flag, &int(1), true, "identity with the sign bit");
        push(
            EQUATIONS,
            flag,
            &minus_one,
            true,
            "order 2 with the sign bit",
        );
        push(GAMMA, flag, &P, false, "y = p");
        push(GAMMA, flag, &(&*P + int(1)), false, "y = p+1");
        let (above, comment) = y_above_p();
        push(GAMMA, flag, &above, false, &comment);
        push(GAMMA, "GammaNotOnCurve", &int(2), false, "y = 2");

        // Γ that is not xH, and s = k with Γ = 0.
        let flag = &["OneEquation"];
        let mut first = forger.clone();
        first.gamma = first.gamma.add(&B);
        self.push(EQUATIONS, flag, "U holds, V does not", first.case(""));
        let key = forger.key;
        let second = Forger::with_key(self.suite, int(0), key, b"gamma", nonce());
        self.push(EQUATIONS, flag, "V holds, U does not", second.case(""));

        // aU + bV = s(aB + bH) - c(aY + bΓ) for Γ = (z(aB + bH) - aY)/b and s = k + cz.
        let y = &OWNERS[1].1;
        let minus_one = &*L - int(1);
        for (a, b, comment) in [
            (int(1), int(1), "U + V holds"),
            (int(1), minus_one, "U - V holds"),
            (int(3), int(5), "3U + 5V holds"),
        ] {
            let z: BigUint = int(0xf00d) << 200;
            let mut forger = Forger::with_key(self.suite, z.clone(), key, b"sum", nonce());
            let sum = B.mul(&a).add(&forger.h.mul(&b)).mul(&z);
            let sum = sum.add(&y.mul(&a).neg());
            forger.gamma = sum.mul(&b.modinv(&L).unwrap());
            self.push(EQUATIONS, flag, comment, forger.case(""));
        }
    }

    fn scalars(&mut self) {
        let at = self.suite.proof_len() - 32;
        let s = int_le(&self.honest(1, b"alpha").proof[at..]);
        let reduced = self.suite.rules == Rules::Original;
        let mut set = |stated, flag, s: BigUint, comment: &str| {
            self.change(stated, flag, comment, |case| {
                case.proof[at..].copy_from_slice(&bytes_le(&s));
            });
        };
        for k in [1, 14] {
            let stated = if reduced { Valid } else { SCALAR };
            set(
                stated,
                "ScalarPlusL",
                &s + &*L * int(k as u128),
                &format!("s + {}", multiple(k, "L")),
            );
        }
        let flag = "ScalarRange";
        set(EQUATIONS, flag, int(0), "s = 0");
        set(EQUATIONS, flag, &*L - int(1), "s = L-1");
        let beyond = if reduced { EQUATIONS } else { SCALAR };
        set(beyond, flag, L.clone(), "s = L");
        for bit in [253u32, 255] {
            set(beyond, flag, &s + (int(1) << bit), &format!("s + 2^{bit}"));
        }
        set(beyond, flag, (int(1) << 256) - int(1), "s = 2^256-1");
    }

    // ---------------------------------------------------------- U, V and c

    fn nonces(&mut self) {
        for (k, comment) in [
            (int(0), "k = 0"),
            (int(1), "k = 1"),
            (&*L - int(1), "k = L-1"),
        ] {
            let forger = Forger::new(self.suite, 2, 0, b"nonce", k);
            self.push(Valid, &["SpecialNonce"], comment, forger.case(""));
        }
    }

    fn challenges(&mut self) {
        for (byte, comment) in [(0, "first byte of c is 0"), (15, "last byte of c is 0")] {
            let mut forger = self.forger(b"challenge");
            let (h, gamma) = (forger.h.encode(), forger.gamma.encode());
            let challenge = |u: &Point, v: &Point| {
                let points = [h, gamma, u.encode(), v.encode()];
                reference::challenge(self.suite, &forger.key, points)
            };
            while challenge(&forger.u, &forger.v)[byte] != 0 {
                forger.k += 1u32;
                forger.u = forger.u.add(&B);
                forger.v = forger.v.add(&forger.h);
            }
            self.push(Valid, &["SpecialChallenge"], comment, forger.case(""));
        }
    }

    /// U and V of proofs of 128 bytes.
    fn commitments(&mut self) {
        let flag = &["CommitmentEncoding"];
        // k = 0: U and V are the identity, which has other encodings.
        let zero = Forger::new(self.suite, 2, 0, b"nonce", int(0));
        let sign = encoding(&int(1), true);
        let above = encoding(&(&*P + int(1)), false);
        for (bytes, what) in [(sign, "with the sign bit"), (above, "as y = p+1")] {
            for (u, v) in [(true, false), (false, true), (true, true)] {
                let mut forger = zero.clone();
                forger.u_bytes = u.then_some(bytes);
                forger.v_bytes = v.then_some(bytes);
                let points = match (u, v) {
                    (true, true) => "U and V",
                    (true, false) => "U",
                    _ => "V",
                };
                let comment = format!("identity as {points}, {what}");
                self.push(EQUATIONS, flag, &comment, forger.case(""));
            }
        }
        // Y and U with a component of order 2: the error of U is hidden if c is odd or even.
        let c = if self.suite.rules == Rules::Cardano {
            2
        } else {
            3
        };
        let mut minus_one = Forger::new(self.suite, 2, 4, b"nonce", int(0)).with_errors([0, 4, 0]);
        minus_one.c_mod_8 = Some(c);
        let flags = &["MixedOrderKey", "MixedOrderCommitment", "SpecialNonce"];
        self.push(Valid, flags, "U of order 2", minus_one.case(""));
        minus_one.u_bytes = Some(encoding(&(&*P - int(1)), true));
        self.push(
            EQUATIONS,
            flag,
            "U of order 2 with the sign bit",
            minus_one.case(""),
        );

        let forger = self.forger(b"commitment");
        let mut push = |comment: &str, change: &dyn Fn(&mut Forger)| {
            let mut forger = forger.clone();
            change(&mut forger);
            self.push(EQUATIONS, flag, comment, forger.case(""));
        };
        push("U negated", &|forger| forger.u = forger.u.neg());
        push("V negated", &|forger| forger.v = forger.v.neg());
        push("U and V negated", &|forger| {
            forger.u = forger.u.neg();
            forger.v = forger.v.neg();
        });
        push("U and V exchanged", &|forger| {
            std::mem::swap(&mut forger.u, &mut forger.v);
        });
        push("U + B, V - B", &|forger| {
            forger.u = forger.u.add(&B);
            forger.v = forger.v.add(&B.neg());
        });
        let off_curve = encoding(&int(2), false);
        push("U is no point", &|forger| forger.u_bytes = Some(off_curve));
        push("V is no point", &|forger| forger.v_bytes = Some(off_curve));
        push("U = 2^255-1", &|forger| {
            forger.u_bytes = Some(
                [[0xff; 31].as_slice(), &[0x7f]]
                    .concat()
                    .try_into()
                    .unwrap(),
            )
        });
    }
}

/// The alphas 0, 1, 2, … in two bytes.
fn numbers() -> impl Iterator<Item = [u8; 2]> {
    (0u16..).map(u16::to_be_bytes)
}

/// Whether the document that defines the suite leaves key validation to the caller. Cardano's and
/// Algorand's libsodium always validate.
fn key_check_is_optional(suite: &Suite) -> bool {
    suite.name.starts_with("rfc9381")
}

/// The smallest y from p + 2 on that is that of a point: p itself and p + 1 are of small order.
fn y_above_p() -> (BigUint, String) {
    let above = (2..19)
        .find(|y| decode(&bytes_le(&int(*y))).is_ok())
        .unwrap();
    (&*P + int(above), format!("y = p+{above}"))
}

/// Which of the encodings of points of small order this is.
fn small_order_name(bytes: &[u8; 32]) -> String {
    let y = int_le(bytes) % (int(1) << 255);
    let names = [
        (int(0), "y = 0, order 4"),
        (int(1), "y = 1, identity"),
        (&*P - int(1), "y = -1, order 2"),
        (P.clone(), "y = p, order 4"),
        (&*P + int(1), "y = p+1, identity"),
    ];
    let name = names.iter().find(|(named, _)| *named == y);
    let name = name.map_or("order 8", |(_, name)| name);
    let sign = if bytes[31] >> 7 == 1 {
        ", sign bit"
    } else {
        ""
    };
    format!("{name}{sign}")
}

/// `count` times something.
fn multiple(count: usize, of: &str) -> String {
    match count {
        1 => of.to_owned(),
        _ => format!("{count}{of}"),
    }
}

/// The points that try and increment finds, with their counters, before the cofactor.
fn points_by_counter(suite: &Suite, who: usize, alpha: &[u8]) -> impl Iterator<Item = (u8, Point)> {
    let key = expand(&owner(who)).public;
    let start = [&[suite.octet, 1], &key[..], alpha].concat();
    (0..=255).filter_map(move |counter| {
        let hash = suite.hash_32(&[&start, &[counter, 0]]);
        decode(&hash).ok().map(|point| (counter, point))
    })
}

/// Which candidate Elligator2 takes, and in draft-03 the bit of the hash that is cleared.
fn elligator2_branch(suite: &Suite, who: usize, alpha: &[u8]) -> String {
    let salted = [&expand(&owner(who)).public, alpha].concat();
    let (r, bit) = if suite.map == Map::Draft03 {
        let mut hash = suite.hash_32(&[&[suite.octet, 1], &salted]);
        let bit = format!(", bit 255 of the hash is {}", hash[31] >> 7);
        hash[31] &= 0x7f;
        (int_le(&hash), bit)
    } else {
        // expand_message_xmd of RFC 9380, section 5.3.1, for 48 bytes.
        let tag = [ELL2_DST, &[suite.octet, 40]].concat();
        let first = Sha512::digest([&[0; 128], &salted[..], &[0, 48, 0], &tag].concat());
        let uniform = Sha512::digest([&first[..], &[1], &tag].concat());
        (BigUint::from_bytes_be(&uniform[..48]), String::new())
    };
    // w = u(u² + Au + 1) for the first candidate u = -A/(1 + 2r²).
    let (r, one, a) = (Field::new(r), Field::small(1), Field::small(486662));
    let u = &-&a * &(&one + &(&Field::small(2) * &(&r * &r))).invert();
    let w = &u * &(&(&u * &(&u + &a)) + &one);
    let candidate = if w.sqrt().is_some() {
        "first"
    } else {
        "second"
    };
    format!("{candidate} candidate{bit}")
}

/// Whether the equations of the RFC hold, which is all that a verifier checks that does not
/// validate keys and decodes as the RFC says.
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
