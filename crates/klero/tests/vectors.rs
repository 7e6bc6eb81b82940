//! Every published and shared test vector: by the reference, by the library
//! alone, and in batches. A file's cases are counted, so that none is skipped.

mod support;

use std::fs;

use klero::{Claim, SecretKey};
use serde_json::Value;
use support::curve::{B, bytes_le};
use support::reference::{self, SUITES, Suite};
use support::tools::{
    Case, Rng, check_among, check_batch, check_everywhere, hex_field, honest, json_array, model,
    shared_vectors, subject,
};

/// The RFC's examples are part of the project.
const RFC9381: &str = include_str!("../testdata/rfc9381.json");

/// One vector of whatever file.
struct Vector {
    suite: &'static Suite,
    name: String,
    seed: Option<[u8; 32]>,
    key: Vec<u8>,
    alpha: Vec<u8>,
    proof: Vec<u8>,
    beta: Option<Vec<u8>>,
    valid: bool,
}

/// Reference and library agree with the vectors and with each other.
fn check(vectors: &[Vector]) {
    let mut rng = Rng(3);
    for suite in &SUITES {
        let vectors: Vec<_> = vectors
            .iter()
            .filter(|vector| vector.suite == suite)
            .collect();
        if vectors.is_empty() {
            continue;
        }
        let neighbours = honest(suite, 64);
        let cases: Vec<Case> = vectors.iter().map(|vector| vector.case()).collect();
        vectors.iter().for_each(|vector| vector.check_prove());
        for case in cases.iter().enumerate() {
            check_everywhere(suite, &neighbours, &mut rng, case);
        }
        check_batch(suite, &cases);
        check_among(suite, &neighbours, 64, 32, &cases);
    }
}

impl Vector {
    /// As a claim; the reference must say what the vector says.
    fn case(&self) -> Case {
        let claim = Claim {
            key: &self.key,
            alpha: &self.alpha,
            proof: &self.proof,
            output: self.beta.as_deref(),
        };
        let case = Case::new(self.suite, &self.name, &claim);
        assert_eq!(
            case.expected.is_ok(),
            self.valid,
            "{}: {case:x?}",
            self.suite.name
        );
        case
    }

    /// Both provers make this very proof from the seed.
    fn check_prove(&self) {
        let Some(seed) = self.seed else { return };
        let key = SecretKey::from_seed(subject(self.suite), &seed);
        assert_eq!(key.public_key().as_bytes()[..], self.key);
        assert_eq!(reference::expand(&seed).pk[..], self.key);
        let (proof, output) = key.prove(&self.alpha);
        assert_eq!(
            proof.as_bytes(),
            self.proof,
            "{} {}",
            self.suite.name,
            self.name
        );
        assert_eq!(Some(&output.0[..]), self.beta.as_deref());
        let (proof, beta) = reference::prove(self.suite, &seed, &self.alpha);
        assert_eq!(
            (proof, Some(beta.to_vec())),
            (self.proof.clone(), self.beta.clone())
        );
    }
}

fn array(bytes: Vec<u8>) -> [u8; 32] {
    bytes.try_into().unwrap()
}

/// `praos-draft03` is an older name of `praos`, the RFC's names are long.
fn suite_of(entry: &Value) -> &'static Suite {
    match entry["suite"].as_str().unwrap() {
        "praos-draft03" => model("praos"),
        "ECVRF-EDWARDS25519-SHA512-TAI" => model("rfc9381-tai"),
        "ECVRF-EDWARDS25519-SHA512-ELL2" => model("rfc9381-ell2"),
        name => model(name),
    }
}

#[test]
fn the_reference_and_the_library_have_the_same_suites() {
    assert_eq!(klero::Suite::ALL.len(), SUITES.len());
    for suite in &SUITES {
        let subject = subject(suite);
        assert_eq!(subject.name(), suite.name);
        assert_eq!(subject.octet(), suite.octet);
        assert_eq!(subject.proof_len(), suite.proof_len);
    }
}

// ----------------------------------------------------------------- RFC 9381

fn rfc_vectors() -> Vec<Vector> {
    let entries = json_array(RFC9381);
    let vectors = entries.iter().map(|entry| Vector {
        suite: suite_of(entry),
        name: format!("RFC 9381, example {}", entry["example"]),
        seed: Some(array(hex_field(entry, "sk"))),
        key: hex_field(entry, "pk"),
        alpha: hex_field(entry, "alpha"),
        proof: hex_field(entry, "pi"),
        beta: Some(hex_field(entry, "beta")),
        valid: true,
    });
    vectors.collect()
}

#[test]
fn rfc9381_proofs() {
    let vectors = rfc_vectors();
    assert_eq!(vectors.len(), 6);
    check(&vectors);
}

#[test]
fn rfc9381_intermediate_values() {
    for (entry, vector) in json_array(RFC9381).iter().zip(rfc_vectors()) {
        let is = |name, value: [u8; 32]| {
            assert_eq!(hex_field(entry, name), value, "{name} of {}", vector.name);
        };
        let suite = vector.suite;
        let key = reference::expand(&vector.seed.unwrap());
        let h = reference::hash_to_curve(suite, &key.pk, &vector.alpha).unwrap();
        let k = reference::nonce(suite, &key.prefix, &h.encode());
        is("pk", key.pk);
        is("x", bytes_le(&key.x));
        is("h", h.encode());
        is("k", bytes_le(&k));
        is("u", B.mul(&k).encode());
        is("v", h.mul(&k).encode());
    }
}

/// The RFC's 80-byte proofs have U and V in the 128-byte form; the rest is equal.
#[test]
fn rfc9381_batch_compatible_form() {
    let entries = json_array(RFC9381);
    let vectors = rfc_vectors()
        .into_iter()
        .zip(&entries)
        .map(|(vector, entry)| {
            let (gamma, s) = (&vector.proof[..32], &vector.proof[48..]);
            let (u, v) = (hex_field(entry, "u"), hex_field(entry, "v"));
            Vector {
                suite: model(&format!("{}-bc", vector.suite.name)),
                proof: [gamma, &u, &v, s].concat(),
                ..vector
            }
        });
    check(&vectors.collect::<Vec<_>>());
}

#[test]
fn the_shared_rfc_vectors_are_the_same() {
    let Some(path) = shared_vectors("rfc9381.json") else {
        return;
    };
    assert_eq!(
        json_array(&fs::read_to_string(path).unwrap()),
        json_array(RFC9381)
    );
}

// ------------------------------------------------------------ cardano-base

#[test]
fn cardano_base() {
    let Some(folder) = shared_vectors("cardano-base") else {
        return;
    };
    let mut vectors = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let field = |name: &str| {
            let mut values = text.lines().filter_map(|line| line.split_once(": "));
            let found = values.find(|(key, _)| *key == name);
            found
                .unwrap_or_else(|| panic!("no {name} in {path:?}"))
                .1
                .trim()
        };
        let bytes = |name| match field(name) {
            "empty" => Vec::new(),
            text => hex::decode(text).unwrap(),
        };
        vectors.push(Vector {
            suite: model(match field("vrf") {
                "PraosVRF" => "praos",
                "PraosBatchCompatVRF" => "draft13-bc",
                other => panic!("{other} in {path:?}"),
            }),
            name: path.display().to_string(),
            seed: Some(array(bytes("sk"))),
            key: bytes("pk"),
            alpha: bytes("alpha"),
            proof: bytes("pi"),
            beta: Some(bytes("beta")),
            valid: true,
        });
    }
    assert_eq!(vectors.len(), 14);
    check(&vectors);
}

// -------------------------------------------------------------------- JSON

#[test]
fn cross_implementation() {
    let Some(path) = shared_vectors("cross-implementation.json") else {
        return;
    };
    let entries = json_array(&fs::read_to_string(path).unwrap());
    let suites = [
        ("draft03", "praos"),
        ("draft10_tai", "draft10-tai"),
        ("draft10_tai_batchcompat", "draft10-tai-bc"),
        ("rfc9381_tai", "rfc9381-tai"),
        ("rfc9381_ell2", "rfc9381-ell2"),
    ];
    let mut vectors = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        // seed, pk, alpha, and pi and beta of each suite: nothing else.
        assert_eq!(entry.as_object().unwrap().len(), 3 + 2 * suites.len());
        for (prefix, name) in suites {
            assert_eq!(prefix.parse::<klero::Suite>().unwrap().name(), name);
            vectors.push(Vector {
                suite: model(name),
                name: format!("cross-implementation {index}"),
                seed: Some(array(hex_field(entry, "seed"))),
                key: hex_field(entry, "pk"),
                alpha: hex_field(entry, "alpha"),
                proof: hex_field(entry, &format!("{prefix}_pi")),
                beta: Some(hex_field(entry, &format!("{prefix}_beta"))),
                valid: true,
            });
        }
    }
    assert_eq!(vectors.len(), 160);
    check(&vectors);
}

#[test]
fn more_suites() {
    let Some(path) = shared_vectors("more-suites.json") else {
        return;
    };
    let entries = json_array(&fs::read_to_string(path).unwrap());
    let vectors = entries.iter().enumerate().map(|(index, entry)| Vector {
        suite: suite_of(entry),
        name: format!("more-suites {index}"),
        seed: Some(array(hex_field(entry, "seed"))),
        key: hex_field(entry, "pk"),
        alpha: hex_field(entry, "alpha"),
        proof: hex_field(entry, "pi"),
        beta: Some(hex_field(entry, "beta")),
        valid: true,
    });
    let vectors: Vec<_> = vectors.collect();
    assert_eq!(vectors.len(), 48);
    check(&vectors);
}

/// The two files of claims with a verdict each: how many, and how many valid.
fn verdict_file(file: &str, count: usize, valid: usize) {
    let Some(path) = shared_vectors(file) else {
        return;
    };
    let entries = json_array(&fs::read_to_string(path).unwrap());
    let vectors = entries.iter().map(|entry| Vector {
        suite: suite_of(entry),
        name: entry["case"].as_str().unwrap().to_string(),
        seed: None,
        key: hex_field(entry, "pk"),
        alpha: hex_field(entry, "alpha"),
        proof: hex_field(entry, "pi"),
        beta: None,
        valid: entry["valid"].as_bool().unwrap(),
    });
    let vectors: Vec<_> = vectors.collect();
    assert_eq!(vectors.len(), count);
    assert_eq!(vectors.iter().filter(|vector| vector.valid).count(), valid);
    check(&vectors);
}

#[test]
fn edge_cases() {
    verdict_file("edge-cases.json", 36, 12);
}

#[test]
fn hostile() {
    verdict_file("hostile.json", 291, 107);
}
