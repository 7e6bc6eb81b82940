//! Keys and tokens for the tests.

use crate::common::Place;

pub const CHALLENGE: &str = "--challenge \
    {\"nonce\":\"00112233445566778899aabbccddeeff\",\"audience\":\"shop\",\"time\":1800000000}";

/// A place with the key pairs of all schemes, such as `chain.skey` and `chain.vkey`.
pub fn place() -> Place {
    let place = Place::new();
    for scheme in ["chain", "aggregate"] {
        keygen(&place, &format!("--scheme {scheme}"), scheme);
    }
    place
}

/// Makes a key pair, NAME.skey and NAME.vkey, with the options `what_for`.
pub fn keygen(place: &Place, what_for: &str, name: &str) {
    let line = format!("token keygen {what_for} --out-secret {name}.skey --out-public {name}.vkey");
    place.run(&line).ends(0);
}

/// A token of two blocks, "all" and "some".
pub fn token(place: &Place) -> String {
    let minted = place.run("token mint --key chain.skey --payload all");
    let line = "token append --root chain.vkey --payload some";
    place.run_with(line, minted.ends(0).stdout).ends(0).stdout
}
