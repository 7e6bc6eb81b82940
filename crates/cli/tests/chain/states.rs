//! State files: each run reads only what is new, and a state that does not fit is refused.

use std::fs;
use std::path::Path;

use klero_audit::State;
use klero_cardano::{Block, Era, StateFile};
use klero_forge::{Flip, Recipe, Repair};
use serde_json::{Value, json};

use crate::common::Place;
use crate::db::*;
use crate::run::{report, total, verify};

fn options(chain: &Chain, state: &Path) -> String {
    format!("{} --state {}", chain.options, state.display())
}

fn place(block: &Block) -> Value {
    json!({
        "slot": block.place.slot,
        "number": block.place.number,
        "block": block.place.hash.to_string(),
        "era": block.place.era.name(),
    })
}

/// Blocks and proofs that all runs with the state have checked.
fn checked(report: &Value) -> (u64, u64) {
    let checked = &report["state"]["checked"];
    (
        checked["blocks"].as_u64().unwrap(),
        checked["proofs"].as_u64().unwrap(),
    )
}

#[test]
fn a_run_with_new_blocks_and_one_without() {
    let chain = Chain::small();
    let place_of_state = Place::new();
    let state = place_of_state.path("state.json");
    let options = options(&chain, &state);
    let db = chain.copy(chain.chunks() - 2);
    let first = report(db.dir.path(), &options, 0);
    assert_eq!(first["start"], json!({"from": "genesis"}));
    db.add(&chain, chain.chunks() - 2..chain.chunks());
    let second = report(db.dir.path(), &options, 0);
    let after = &first["state"]["after"];
    assert_eq!(second["start"], json!({"from": "state", "after": after}));
    let last = place(chain.blocks.last().unwrap());
    assert_eq!(second["state"]["after"], last);
    assert_eq!(second["state"]["advanced"], true);
    let all = (chain.blocks.len() as u64, chain.proofs_from(0));
    assert_eq!(checked(&second), all);

    // Nothing is read again, nothing written.
    let before = fs::read(&state).unwrap();
    let ran = report(db.dir.path(), &options, 0);
    assert_eq!((total(&ran, "blocks"), total(&ran, "proofs")), (0, 0));
    assert_eq!(ran["state"]["advanced"], false);
    assert_eq!(ran["state"]["after"], last);
    let text = verify(db.dir.path(), &options).ends(0).stdout;
    assert!(text.contains("No new blocks."), "{text}");
    for words in ["proofs/s", "Leader values"] {
        assert!(!text.contains(words), "{text}");
    }
    assert!(text.contains("State: left as it was in"), "{text}");
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(place_of_state.names(), ["state.json"]);
}

#[test]
fn the_first_chunks_and_then_the_rest() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let place = Place::new();
    let options = options(&chain, &place.path("state"));
    let db = chain.copy(60);
    let first = report(db.dir.path(), &options, 0);
    let second = report(&chain.dir, &options, 0);
    let sum = |name| total(&first, name) + total(&second, name);
    assert_eq!([sum("blocks"), sum("valid")], [25_932, 38_944]);
    assert_eq!(checked(&second), (25_932, 38_944));
    // 60 chunks are three whole epochs.
    let whole = report(&chain.dir, "--network preview", 0);
    let rows = |report: &Value| report["epochs"].as_array().unwrap().clone();
    assert_eq!([rows(&first), rows(&second)].concat(), rows(&whole));
    let text = verify(&chain.dir, &options).ends(0).stdout;
    assert!(
        text.contains("up to there 38,944 proofs in 25,932 blocks are valid"),
        "{text}"
    );
}

/// What is wrong is in the state, and every run with it says so.
#[test]
fn what_earlier_runs_found_wrong() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let place_of_state = Place::new();
    let state = place_of_state.path("state");
    let options = options(&chain, &state);
    let db = chain.copy(chain.chunks());
    db.flip(block, Flip::Kes, Repair::Nothing);
    let first = report(db.dir.path(), &options, 1);
    // A fault, and the signature.
    assert_eq!(first["state"]["checked"]["wrong"], 2);
    let saved = fs::read(&state).unwrap();
    let again = report(db.dir.path(), &options, 1);
    assert_eq!(total(&again, "blocks"), 0);
    assert_eq!(again["state"]["advanced"], false);
    let text = verify(db.dir.path(), &options).ends(1).stdout;
    for words in [
        "Something is wrong: 2 things that earlier runs found wrong. No new blocks.",
        " and 2 things are wrong. Once the database is repaired, delete the file",
    ] {
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(fs::read(&state).unwrap(), saved);
}

/// A small chain that was verified, and the file of its state.
struct Saved {
    chain: Chain,
    place: Place,
    options: String,
    text: String,
}

impl Saved {
    fn new() -> Saved {
        let chain = Chain::small();
        let place = Place::new();
        let options = options(&chain, &place.path("state"));
        report(&chain.dir, &options, 0);
        let text = place.read("state");
        Saved {
            chain,
            place,
            options,
            text,
        }
    }

    /// The state is refused, with and without `--json`, and left as it is.
    fn refused(&self, dir: &Path, options: &str, words: &str) {
        let state = self.place.path("state");
        let before = fs::read(&state).unwrap();
        let ran = verify(dir, options).refused(words);
        let named = ran.stderr.contains(&state.display().to_string());
        assert!(named, "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
        verify(dir, &format!("{options} --json")).refused(words);
        assert_eq!(fs::read(&state).unwrap(), before);
        assert_eq!(self.place.names(), ["state"]);
    }

    /// As [`refused`](Self::refused), on the chain that was verified, with other bytes for the state.
    fn refused_as(&self, state: impl AsRef<[u8]>, words: &str) {
        self.place.write("state", state);
        self.refused(&self.chain.dir, &self.options, words);
    }
}

/// The database ends before the state, has another block there, or is of another network.
#[test]
fn a_state_of_another_database() {
    let saved = Saved::new();
    let chain = &saved.chain;
    let short = chain.copy(chain.chunks() - 2);
    saved.refused(short.dir.path(), &saved.options, "the database ends at");
    let other = chain.copy(chain.chunks());
    let last = chain.blocks.last().unwrap();
    other.flip(last, Flip::Kes, Repair::CrcAndHash);
    saved.refused(other.dir.path(), &saved.options, "the database has block");
    let network = Chain::forged(&Recipe {
        seed: [1; 32],
        ..Recipe::of_eras(&[(Era::Shelley, 2)])
    });
    let strange = options(&network, &saved.place.path("state"));
    let words = "the saved state is of network custom";
    saved.refused(&network.dir, &strange, words);
    saved.refused(&chain.dir, &strange, words);
}

#[test]
fn a_state_that_is_damaged() {
    let saved = Saved::new();
    let number = saved.chain.blocks.last().unwrap().place.number.to_string();
    let changed = "was changed since it was written";
    for (old, new, words) in [
        (
            "\"version\": 3",
            "\"version\": 2",
            "the saved state has version 2, this program reads version 3; begin a new state file",
        ),
        ("{", "[", "not a saved state"),
        ("\"eta_v\"", "\"eta_w\"", "not a saved state"),
        ("\"eta_v\": \"", "\"eta_v\": \"0", "hexadecimal"),
        (number.as_str(), "-1", "not a saved state"),
        ("\"epoch\": 12", "\"epoch\": 11", changed),
        (number.as_str(), "1", changed),
        ("\"era\": \"Conway\"", "\"era\": \"Babbage\"", changed),
        ("\"checks\"", "\"tied\": 700000, \"checks\"", changed),
        ("\"proofs\": ", "\"proofs\": 1", changed),
    ] {
        let damaged = saved.text.replacen(old, new, 1);
        assert_ne!(damaged, saved.text, "{old}");
        saved.refused_as(damaged, words);
    }
    let text = &saved.text;
    for length in [0, 1, text.len() / 2, text.len() - 2] {
        saved.refused_as(&text[..length], "not a saved state");
    }
    saved.refused_as([0xff, 0xfe], "UTF-8");
}

/// One that was written on purpose, and does not agree with itself.
#[test]
fn a_state_that_contradicts_itself() {
    let saved = Saved::new();
    let mut torn = State::from_json(&saved.text).unwrap();
    torn.walk.nonces.epoch = 11;
    saved.refused_as(torn.to_json().unwrap(), "nonces of epoch 11");
}

#[test]
fn a_link_to_a_state_stays_one() {
    let chain = Chain::small();
    let place = Place::new();
    fs::create_dir(place.path("there")).unwrap();
    let (link, there) = (place.path("link"), place.path("there/state"));
    report(&chain.dir, &options(&chain, &there), 0);
    let whole = fs::read(&there).unwrap();
    std::os::unix::fs::symlink(&there, &link).unwrap();
    let part = chain.copy(chain.chunks() - 2);
    fs::remove_file(&there).unwrap();
    report(part.dir.path(), &options(&chain, &there), 0);
    report(&chain.dir, &options(&chain, &link), 0);
    assert!(link.is_symlink());
    assert_eq!(fs::read(&there).unwrap(), whole);
}

#[test]
fn a_state_that_cannot_be_saved() {
    let chain = Chain::small();
    let options = options(&chain, Path::new("/nowhere/state"));
    verify(&chain.dir, &options).refused("no directory /nowhere");
    // The file cannot be written, which is known before anything is verified.
    let options = self::options(&chain, Path::new("/proc/state"));
    let ran = verify(&chain.dir, &options).refused("/proc/state");
    assert_eq!(ran.stdout, "");
    let place = Place::new();
    let directory = format!("{} --state {}", chain.options, place.path("").display());
    verify(&chain.dir, &directory).refused("directory");
    // A file that can be made, but not written.
    let command = format!(
        "ulimit -f 0; klero chain verify {} {} --state state",
        chain.dir.display(),
        chain.options
    );
    let (status, said, errors) = place.shell_ends(&command);
    assert_eq!(status, 2, "{errors}");
    assert!(said.contains("All valid: "), "{said}");
    let words = "klero: the state was not saved: cannot write state: File too large";
    assert!(errors.starts_with(words), "{errors}");
    assert_eq!(place.names(), [""; 0]);
}
