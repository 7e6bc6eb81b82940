//! The file `vectors/ecvrf.json`: its types, and its writer.

use std::{env, fs};

use serde::Serialize;

use crate::support::case::Case;

/// The environment variable that makes the test write the file.
const WRITE: &str = "KLERO_WRITE_VECTORS";

/// A flag, its meaning, and what decides the verdicts of its tests, in the words of `docs/ecvrf-vectors.md`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    #[serde(skip)]
    pub name: &'static str,
    pub description: &'static str,
    pub decided_by: &'static str,
}

/// The verdict that a test of the file states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Valid,
    Acceptable,
    Invalid,
}

/// A claim with the verdict that it must get.
pub struct Test {
    pub comment: String,
    pub flags: Vec<&'static str>,
    /// The seed of the key, if an honest prover made the proof.
    pub seed: Option<[u8; 32]>,
    pub case: Case,
    pub verdict: Verdict,
}

/// The tests of a suite.
pub struct Group {
    pub suite: &'static klero_reference::Suite,
    pub tests: Vec<Test>,
}

/// The JSON members of a group that come before its tests, in the order of the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    suite: &'a str,
    suite_string: String,
    encode_to_curve: &'a str,
    challenge: &'a str,
    proof_length: usize,
    rules: &'a str,
    defined_by: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    tc_id: usize,
    comment: &'a str,
    flags: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    sk: Option<String>,
    pk: String,
    alpha: String,
    pi: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<String>,
    result: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_by: Option<&'static str>,
}

fn head(suite: &klero_reference::Suite) -> Head<'_> {
    use klero_reference::{Map, Rules, Transcript};
    Head {
        suite: suite.name,
        suite_string: hex::encode([suite.octet]),
        encode_to_curve: match suite.map {
            Map::Tai => "try-and-increment",
            Map::Draft03 => "elligator2-draft03",
            Map::Ell2 => "elligator2-rfc9380",
        },
        challenge: match suite.transcript {
            Transcript::Draft03 => "draft03",
            Transcript::Draft10 => "draft10",
            Transcript::Rfc => "rfc9381",
        },
        proof_length: suite.proof_len(),
        rules: match suite.rules {
            Rules::Cardano => "cardano",
            Rules::Rfc => "rfc",
            Rules::Original => "original",
        },
        defined_by: match suite.name {
            "praos" => "draft-irtf-cfrg-vrf-03 as in Cardano's fork of libsodium since 2023",
            "praos-original" => "draft-irtf-cfrg-vrf-03 as in Algorand's fork of libsodium",
            "draft10-tai" => "draft-irtf-cfrg-vrf-10, rules of Cardano",
            "draft10-tai-bc" => "draft-irtf-cfrg-vrf-10, rules of Cardano, U and V instead of c",
            "draft13" => "draft-irtf-cfrg-vrf-13 as in Cardano's fork of libsodium",
            "draft13-bc" => {
                "crypto_vrf_ietfdraft13_verify_batchcompat of Cardano's fork of libsodium"
            }
            "rfc9381-tai" => "RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI",
            "rfc9381-ell2" => "RFC 9381, ECVRF-EDWARDS25519-SHA512-ELL2",
            "rfc9381-tai-bc" => "RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI, U and V instead of c",
            "rfc9381-ell2-bc" => "RFC 9381, ECVRF-EDWARDS25519-SHA512-ELL2, U and V instead of c",
            name => unreachable!("{name} is not in the file"),
        },
    }
}

fn line(tc_id: usize, test: &Test) -> Line<'_> {
    let Case {
        key,
        alpha,
        proof,
        output,
        ..
    } = &test.case;
    Line {
        tc_id,
        comment: &test.comment,
        flags: &test.flags,
        sk: test.seed.map(hex::encode),
        pk: hex::encode(key),
        alpha: hex::encode(alpha),
        pi: hex::encode(proof),
        beta: output.as_ref().map(hex::encode),
        result: test.verdict,
        accepted_by: (test.verdict == Verdict::Acceptable).then_some("key-not-validated"),
    }
}

/// Returns the text of the file. Each flag and each test has one line, so that a diff can be read.
fn file(flags: &[Flag], groups: &[Group]) -> String {
    let notes: Vec<_> = flags.iter().map(note).collect();
    let mut count = 0;
    let groups: Vec<_> = groups
        .iter()
        .map(|group| {
            let tests = group.tests.iter().map(|test| {
                count += 1;
                format!("    {}", json(&line(count, test)))
            });
            let tests = tests.collect::<Vec<_>>().join(",\n");
            let head = json(&head(group.suite));
            let members = head.trim_matches(['{', '}']);
            format!("  {{{members},\n   \"tests\":[\n{tests}]}}")
        })
        .collect();
    format!(
        "{{\"schema\":\"ecvrf.schema.json\",\n \"numberOfTests\":{count},\n \"notes\":{{\n{}}},\n \
         \"testGroups\":[\n{}]}}\n",
        notes.join(",\n"),
        groups.join(",\n")
    )
}

fn note(flag: &Flag) -> String {
    let name = json(&flag.name);
    format!("  {name}:{}", json(flag))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Asserts that the file is equal to the generated text, byte for byte.
pub fn compare(flags: &[Flag], groups: &[Group]) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../vectors/ecvrf.json");
    let made = file(flags, groups);
    if env::var_os(WRITE).is_some() {
        fs::write(path, &made).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == made,
        "ecvrf.json is not what is made: set {WRITE}, and look at the difference"
    );
}
