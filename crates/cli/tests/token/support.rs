//! Keys and tokens for the tests.

use crate::common::{Place, Ran};

const SCHEMES: [&str; 2] = ["chain", "aggregate"];
pub const CHALLENGE: &str = "--challenge \
    {\"nonce\":\"00112233445566778899aabbccddeeff\",\"audience\":\"shop\",\"time\":1800000000}";

/// A place with a key pair of each scheme, `chain.skey` and `chain.vkey` and so on.
pub fn place() -> Place {
    let place = Place::new();
    for scheme in SCHEMES {
        keygen(&place, scheme, scheme);
    }
    place
}

pub fn keygen(place: &Place, scheme: &str, name: &str) {
    let line =
        format!("token keygen --scheme {scheme} --out-secret {name}.skey --out-public {name}.vkey");
    place.run(&line).ends(0);
}

/// The key pair of a third party, `name.skey` and `name.vkey`.
pub fn third_party(place: &Place, name: &str) {
    let line =
        format!("token keygen --third-party --out-secret {name}.skey --out-public {name}.vkey");
    place.run(&line).ends(0);
}

/// A token of two blocks, "all" and "some".
pub fn token(place: &Place, scheme: &str) -> String {
    let minted = place
        .run(&format!("token mint --key {scheme}.skey --payload all"))
        .ends(0)
        .stdout;
    let line = format!("token append --root {scheme}.vkey --payload some");
    place.run_with(&line, minted).ends(0).stdout
}

pub fn sealed(place: &Place, scheme: &str) -> String {
    let line = format!("token seal --audience shop --root {scheme}.vkey {CHALLENGE}");
    place.run_with(&line, token(place, scheme)).ends(0).stdout
}

/// These options, and what they leave unsaid: there is no challenge, and nothing is revoked.
fn said(options: &str) -> String {
    let mut options = options.to_owned();
    for (option, otherwise) in [
        ("challenge", " --no-challenge"),
        ("revoked", " --none-revoked"),
    ] {
        if !options.contains(option) {
            options += otherwise;
        }
    }
    options
}

pub fn verify(place: &Place, options: &str, tokens: impl Into<Vec<u8>>) -> Ran {
    place.run_with(&format!("token verify {}", said(options)), tokens)
}
