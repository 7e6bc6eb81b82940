//! Chains with the ledger state of a node beside them.

use std::fs;
use std::path::{Path, PathBuf};

use klero_cardano::{Era, Hash, Nonce};
use klero_forge::ledger::State;
use klero_forge::{Recipe, forge};
use serde_json::json;

use crate::common::{Place, Ran};
use crate::run::{findings, report, verify};

const ERAS: [(Era, u64); 2] = [(Era::Babbage, 1), (Era::Conway, 2)];

/// A forged chain, in the directory `db`, and the state after its last block.
struct Chain {
    place: Place,
    dir: PathBuf,
    state: State,
}

impl Chain {
    fn new(eras: &[(Era, u64)]) -> Self {
        let place = Place::new();
        let dir = place.path("db");
        let forged = forge(&Recipe::of_eras(eras), &dir, |_, _| {}).unwrap();
        let state = forged.ledger.unwrap();
        Self { place, dir, state }
    }

    /// The directory that was forged.
    fn saved(&self) -> PathBuf {
        let slot = self.state.last.slot.to_string();
        self.dir.join("ledger").join(slot)
    }

    /// The file in it.
    fn file(&self) -> PathBuf {
        self.saved().join("state")
    }

    /// A file with something changed.
    fn changed(&self, change: impl FnOnce(&mut State)) -> PathBuf {
        let mut state = self.state.clone();
        change(&mut state);
        let path = self.place.path("state");
        fs::write(&path, state.write()).unwrap();
        path
    }

    fn verify(&self, state: &Path) -> Ran {
        verify(&self.dir, &format!("--ledger {}", state.display()))
    }

    fn report(&self, state: &Path, status: i32) -> serde_json::Value {
        report(&self.dir, &format!("--ledger {}", state.display()), status)
    }
}

#[test]
fn a_state_that_agrees() {
    let chain = Chain::new(&ERAS);
    let slot = chain.state.last.slot;
    let text = chain.verify(&chain.saved()).ends(0).stdout;
    let line = format!(
        "Ledger state: compared at slot {slot}: tip, nonces, certificate counters, blocks made by \
         pools in epochs 1 to 2 agree. Checksum: right."
    );
    assert!(text.contains(&line), "{text}");
    assert!(text.contains("\nWho may lead: "), "{text}");
    let ran = chain.report(&chain.file(), 0);
    assert_eq!(
        ran["ledger"],
        json!({
            "last": ran["tip"],
            "place": "found",
            "compared": {"nonces": true, "counters": true, "blocks": [1, 2]},
            "differences": [],
            "checksum": "right",
        })
    );
    assert_eq!(ran["stake"], json!({"2": "given", "3": "given"}));
    assert_eq!(findings(&ran), Vec::<String>::new());
    // The margins of those who led by it.
    let margins = chain.place.path("margins.csv");
    let options = format!(
        "--ledger {} --margins {}",
        chain.file().display(),
        margins.display()
    );
    verify(&chain.dir, &options).ends(0);
    let led = ran["epochs"][2]["leaders"]["valid"].as_u64().unwrap();
    let rows = fs::read_to_string(margins).unwrap().lines().count() as u64;
    assert_eq!(rows, led + 1);
    // Without a state nothing is said.
    let ran = report(&chain.dir, "", 0);
    assert_eq!(ran["ledger"], json!(null));
}

#[test]
fn a_state_that_differs() {
    let chain = Chain::new(&ERAS);
    let slot = chain.state.last.slot;
    let file = chain.changed(|of| of.nonces.eta_c = Nonce::Value(Hash::new([0xab; 32])));
    let text = chain.verify(&file).ends(1).stdout;
    let ours = chain.state.nonces.eta_c;
    let reason = format!(
        "candidate nonce: the ledger state has {}, the chain {ours}",
        "ab".repeat(32)
    );
    assert!(text.contains("\nledger: epoch 2, "), "{text}");
    for words in [
        &reason[..],
        "Something is wrong: 1 difference from the ledger state. ",
        &format!(
            "Ledger state: compared at slot {slot}: 1 difference (nonces). Checksum: not checked."
        ),
    ] {
        assert!(text.contains(words), "{text}");
    }
    let ran = chain.report(&file, 1);
    let difference = json!({
        "what": "candidate nonce",
        "ledger": "ab".repeat(32),
        "chain": ours.to_string(),
    });
    assert_eq!(ran["ledger"]["differences"], json!([difference]));
    assert_eq!(ran["ledger"]["checksum"], "not checked");
    let mut found = ran["findings"][0].clone();
    let fields = found.as_object_mut().unwrap();
    assert!(fields.remove("chunk").unwrap().is_number());
    assert_eq!(
        found,
        json!({
            "finding": "ledger",
            "epoch": 2,
            "slot": slot,
            "block": ran["tip"]["block"],
            "what": "candidate nonce",
            "ledger": "ab".repeat(32),
            "chain": ours.to_string(),
            "reason": reason,
            "count": 1,
            "last": null,
        })
    );
    assert_eq!(ran["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_state_of_another_block() {
    let chain = Chain::new(&ERAS);
    let slot = chain.state.last.slot;
    let text = |change: &dyn Fn(&mut State), status| {
        chain.verify(&chain.changed(change)).ends(status).stdout
    };
    let last = format!("its last block, {} at slot", chain.state.last.hash);
    let ran = text(&|of| of.last.slot += 1, 3);
    let words = format!("{last} {}, is not in what was read.", slot + 1);
    assert!(
        ran.contains(&format!("Ledger state: not compared: {words}")),
        "{ran}"
    );
    let ran = text(&|of| of.last.hash = Hash::new([1; 32]), 1);
    let words = format!("Ledger state: compared at slot {slot}: 1 difference (last block).");
    assert!(ran.contains(&words), "{ran}");
}

/// A real one, whose stake decides in epochs 0 and 1.
#[test]
fn a_state_of_another_network() {
    let real =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/leader/state.86392");
    if !real.is_file() {
        println!("SKIPPED: no ledger state at {}", real.display());
        return;
    }
    let chain = Chain::new(&[(Era::Byron, 2), (Era::Conway, 1)]);
    let ran = chain.verify(&real).ends(3).stdout;
    let words = "Ledger state: not compared: its last block, \
                 1d38de4ffae6090c24151578d331b1021adb8f37d158011616db4d47d1704968 at slot 86392, is \
                 not in what was read.";
    assert!(ran.contains(words), "{ran}");
    // Its pools are not those of a chain with blocks in these epochs.
    let chain = Chain::new(&ERAS);
    let ran = chain.report(&real, 1);
    assert_eq!(ran["findings"][0]["finding"], "unknown-pool");
}

#[test]
fn files_that_are_no_states() {
    let chain = Chain::new(&ERAS);
    let bytes = fs::read(chain.file()).unwrap();
    let place = &chain.place;
    let refused = |name: &str, bytes: &[u8], words: &str| {
        fs::write(place.path(name), bytes).unwrap();
        let path = place.path(name);
        let words = format!("--ledger {}: {words}", path.display());
        chain.verify(&path).refused(&words);
    };
    refused(
        "cut",
        &bytes[..500],
        "the ledger state ends at byte 500, where ",
    );
    refused(
        "alonzo",
        &[0x82, 1, 0x82, 0x85],
        "byte 3 of the ledger state, eras of the ledger: expected 6 (up to Babbage) or 7 (up to \
         Conway), found 5 (up to Alonzo)",
    );
    refused(
        "text",
        b"not a state",
        "byte 0 of the ledger state, version and content of the file: expected a list of 2 items, \
         found ",
    );
    let meta = chain.file().with_file_name("meta");
    fs::write(&meta, r#"{"backend": "utxohd-mem", "checksum": 1}"#).unwrap();
    let words = format!("expected 1 (00000001), as in {}", meta.display());
    chain.verify(&chain.file()).refused(&words);
    fs::remove_file(&meta).unwrap();
    let missing = place.path("missing");
    let words = format!("--ledger: {}: No such file", missing.display());
    chain.verify(&missing).refused(&words);
    // Stake of its epoch from elsewhere.
    let table = place.path("stake.csv");
    let pool = chain.state.stake.pools[0].pool;
    fs::write(&table, format!("epoch,pool,stake\n2,{pool},5\n")).unwrap();
    let options = format!(
        "--ledger {} --stake {}",
        chain.file().display(),
        table.display()
    );
    verify(&chain.dir, &options)
        .refused("the stake of epoch 2 is given, and is in the ledger state as well");
}
