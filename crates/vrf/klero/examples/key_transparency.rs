//! A key directory that answers a lookup without showing who else is in it.
//!
//! A key-transparency server commits to all users' keys in a tree. If a user's place in the tree were a hash
//! of the name, anyone could test guesses of names against the tree. So the place is the VRF output for the
//! name under the server's key, and only the server can compute it. With each answer the server sends a proof
//! that the place belongs to the name. The client verifies the proof, and learns nothing about other names.
//!
//! ```text
//! cargo run --release -p klero --example key_transparency
//! ```

use std::collections::BTreeMap;

use klero::{Output, Proof, PublicKey, SecretKey, Suite};

const SUITE: Suite = Suite::RFC9381_TAI;

/// A place in the tree: the first half of an output.
type Place = [u8; 32];

fn place(output: &Output) -> Place {
    *output.as_bytes().first_chunk().expect("64 bytes")
}

struct Server {
    key: SecretKey,
    /// The leaves, in the order of the tree. The tree itself is left out of this example.
    leaves: BTreeMap<Place, String>,
}

/// The answer to a lookup. A real answer also contains the path from the leaf to the root.
struct Answer {
    proof: Proof,
    leaf: Option<String>,
}

impl Server {
    fn new(users: &[(&str, &str)]) -> Result<Self, klero::Error> {
        let key = SecretKey::generate(SUITE)?;
        let names: Vec<&str> = users.iter().map(|(name, _)| *name).collect();
        // To place its users, the server needs only outputs, no proofs.
        let places = key.evaluate_many(&names);
        let places = places.iter().map(place);
        let keys = users.iter().map(|(_, key)| String::from(*key));
        let leaves = places.zip(keys).collect();
        Ok(Self { key, leaves })
    }

    fn look_up(&self, name: &str) -> Answer {
        let (proof, output) = self.key.prove(name.as_bytes());
        let leaf = self.leaves.get(&place(&output)).cloned();
        Answer { proof, leaf }
    }
}

/// Returns the place of the name if the proof is valid for this name. The client makes this check.
fn verified_place(server: &PublicKey, name: &str, proof: &Proof) -> Result<Place, klero::Invalid> {
    let verdict = SUITE.verify(server, name, proof);
    verdict.map(|output| place(&output))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new(&[("alice", "key 1"), ("bob", "key 2"), ("carol", "key 3")])?;
    // Clients get this key together with the client program.
    let public = *server.key.public_key();

    let answer = server.look_up("bob");
    let place = verified_place(&public, "bob", &answer.proof)?;
    println!("bob is at {}: {:?}", hex::encode(place), answer.leaf);
    assert_eq!(answer.leaf.as_deref(), Some("key 2"));

    // Absence is proved in the same way: the name's place has no leaf.
    let answer = server.look_up("mallory");
    let place = verified_place(&public, "mallory", &answer.proof)?;
    println!("mallory is at {}: {:?}", hex::encode(place), answer.leaf);
    assert_eq!(answer.leaf, None);

    // The server cannot present the place of another name as bob's place.
    let reason = verified_place(&public, "bob", &server.look_up("carol").proof).unwrap_err();
    println!("carol's proof for bob: {reason}");
    Ok(())
}
