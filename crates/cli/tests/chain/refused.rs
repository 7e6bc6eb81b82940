//! Runs that are refused: status 2, and a line that says why.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use klero_cardano::{Era, EraStarts, Network};
use klero_forge::Recipe;
use serde_json::Value;

use crate::common::Place;
use crate::db::Chain;
use crate::run::{json, verify};

#[test]
fn no_database() {
    let place = Place::new();
    place
        .run("chain verify nowhere --network preview")
        .refused("nowhere: No such file");
    fs::create_dir(place.path("empty")).unwrap();
    place
        .run("chain verify empty --network preview")
        .refused("empty has no chunk files (00000.chunk and so on)");
    place.write("file", "x");
    place
        .run("chain verify file --network preview")
        .refused("file: Not a directory");
}

#[test]
fn which_network() {
    let place = Place::new();
    place.write("00000.chunk", "");
    place.run("chain verify .").refused(
        "cannot tell the network: there is no protocolMagicId or shelley-genesis.json in or \
             beside .; say --network mainnet, preprod or preview, or --shelley-genesis FILE",
    );
    place.write("protocolMagicId", "508");
    place.run("chain verify .").refused(
        "network magic 508, which is not built in: give its Shelley genesis file with \
             --shelley-genesis FILE\n",
    );
    place.write("protocolMagicId", "five");
    place
        .run("chain verify .")
        .refused("\"five\" is not a network magic");
    place.write("protocolMagicId", "2");
    place.run("chain verify . --network mainnet").refused(
        "the database is of network magic 2, mainnet has 764824073; say --network preview",
    );
    place.write("protocolMagicId", "508");
    place.run("chain verify . --network mainnet").refused(
        "of network magic 508, mainnet has 764824073; name its network with \
             --shelley-genesis and --era-start\n",
    );
    place.write("protocolMagicId", "2");
    // Nothing is wrong, and nothing was checked.
    let ran = place.run("chain verify .").ends(3);
    assert!(
        ran.stdout.contains("No blocks: nothing was checked."),
        "{}",
        ran.stdout
    );
}

/// A database without a magic: its first block shows the network.
#[test]
fn another_network() {
    let forged = |eras| Chain::forged(&Recipe::of_eras(eras));
    let byron = forged(&[(Era::Byron, 1), (Era::Shelley, 1)]);
    let alonzo = forged(&[(Era::Alonzo, 1)]);
    let refused = |dir: &Path, options: &str, words: &str| {
        for json in ["", " --json"] {
            let ran = verify(&dir.join("immutable"), &format!("{options}{json}")).refused(words);
            assert!(ran.stderr.contains("--network"), "{}", ran.stderr);
            // Before anything is verified.
            assert_eq!(ran.stdout, "");
        }
    };
    for chain in [&byron, &alonzo] {
        // The magic shows it, too, and no message mentions a state that does not exist yet.
        let place = Place::new();
        let state = place.path("state");
        let options = format!("--network preview --state {}", state.display());
        let ran = verify(&chain.dir, &options).refused("of network magic 508, preview has 2");
        assert!(!ran.stderr.contains("was not written"), "{}", ran.stderr);
        fs::remove_file(chain.dir.join("protocolMagicId")).unwrap();
    }
    refused(
        &byron.dir,
        "--network mainnet",
        "its first block is of network magic 508, expected 764824073",
    );
    refused(
        &byron.dir,
        "--network preview",
        "its first block is of network magic 508, expected 2",
    );
    refused(
        &alonzo.dir,
        "--network mainnet",
        "its first block is of Alonzo at slot 0, but epoch 0 of mainnet is of Byron; it looks \
         like preview: try --network preview",
    );
    // With the genesis file, but without the end of Byron.
    let (genesis, _) = byron.options.split_once(" --era-start").unwrap();
    refused(
        &byron.dir,
        genesis,
        "its first block is of Byron at slot 0, but epoch 0 of custom is not of Byron; name its",
    );
    if let Some(preview) = Chain::preview() {
        let words =
            "of Alonzo at slot 0, but epoch 0 of preprod is of Byron; it looks like preview";
        refused(&preview.dir, "--network preprod", words);
    }
}

/// Pipes, devices and endless files are refused at once.
#[test]
fn files_that_are_none() {
    let place = Place::new();
    place.write("00000.chunk", "");
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.display();
    let why = "pipe: is a pipe, expected a regular file";
    let preview = "chain verify . --network preview";
    place.run(&format!("{preview} --state {pipe}")).refused(why);
    place
        .run(&format!("chain verify . --shelley-genesis {pipe}"))
        .refused(why);
    place
        .run("chain verify . --shelley-genesis /dev/zero")
        .refused("/dev/zero: is a device, expected a regular file");
    std::os::unix::fs::symlink("/dev/zero", place.path("protocolMagicId")).unwrap();
    place
        .run(preview)
        .refused("protocolMagicId: is a device, expected a regular file");
    fs::remove_file(place.path("protocolMagicId")).unwrap();
    for (option, limit) in [
        ("--state", 16 << 20),
        ("--shelley-genesis", 64 << 20),
        ("--nonces", 64 << 20),
        ("--checkpoints", 64 << 20),
    ] {
        let sparse = fs::File::create(place.path("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let network = match option {
            "--shelley-genesis" => "",
            _ => "--network preview",
        };
        place
            .run(&format!("chain verify . {network} {option} sparse"))
            .refused(&format!(
                "sparse: has 1099511627776 bytes, expected at most {limit}"
            ));
    }
}

#[test]
fn a_genesis_file_that_is_none() {
    let chain = Chain::small();
    let place = Place::new();
    for (content, words) in [
        ("", "EOF"),
        ("{}", "missing field"),
        (
            r#"{"activeSlotsCoeff": 2, "securityParam": 1, "epochLength": 1}"#,
            "active slots coefficient",
        ),
        (
            r#"{"activeSlotsCoeff": 0.5, "securityParam": 0, "epochLength": 1}"#,
            "securityParam is 0",
        ),
    ] {
        place.write("genesis.json", content);
        let file = place.path("genesis.json").display().to_string();
        let ran = verify(&chain.dir, &format!("--shelley-genesis {file}")).refused(words);
        assert!(ran.stderr.contains(&file));
    }
    verify(&chain.dir, "--shelley-genesis nowhere").refused("nowhere: No such file");
    let back = chain.options.replace("mary=4", "mary=1");
    verify(&chain.dir, &back).refused("Mary is said to begin in epoch 1, before");
}

/// The hash shows that it is another file, and its line ends show why.
#[test]
fn a_genesis_file_with_other_line_ends() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let file = chain.dir.join("shelley-genesis.json");
    let genesis = fs::read_to_string(&file).unwrap();
    let hash = |text: &str| {
        let network = Network::from_shelley_genesis("", text.as_bytes(), EraStarts::default());
        network.unwrap().genesis_hash().to_string()
    };
    let said = verify(&chain.dir, "").ends(0).stdout;
    assert!(said.contains(&format!("\nGenesis hash: {}\n", hash(&genesis))));
    assert!(!said.contains("CR LF"), "{said}");
    let other = genesis.replace('\n', "\r\n");
    fs::write(&file, &other).unwrap();
    let said = verify(&chain.dir, "").ends(1).stdout;
    let hint = format!("has the hash {}: its lines end with CR LF", hash(&other));
    assert!(said.contains(&hint), "{said}");
    // Of a public network, without the beginning of its chain.
    let place = Place::new();
    place.write("00500.chunk", "");
    let mainnet = include_str!("../../../cardano/networks/mainnet-shelley-genesis.json");
    place.write("shelley-genesis.json", mainnet.replace('\n', "\r\n"));
    place
        .run("chain verify .")
        .refused("names the magic of mainnet, whose file has 1a3be38b")
        .refused("its lines end with CR LF");
}

#[test]
fn command_lines() {
    let nonce = "00".repeat(32);
    for (line, words) in [
        ("", "<DIR>"),
        (
            "x --network moonnet",
            "[possible values: mainnet, preprod, preview]",
        ),
        (
            "x --network preview --shelley-genesis y",
            "cannot be used with",
        ),
        ("x --era-start shelley=1", "--shelley-genesis"),
        (
            "x --shelley-genesis y --era-start byron=1",
            "expected one of shelley, allegra",
        ),
        ("x --shelley-genesis y --era-start mary", "="),
        (
            "x --shelley-genesis y --era-start mary=-1",
            "expected the number of an epoch",
        ),
        ("x --epoch-nonce 1=00", "expected 64 hexadecimal digits"),
        ("x --epoch-nonce one=00", "hexadecimal"),
        ("x --threads 0", "0 is not in 1..=1024"),
    ] {
        let ran = Place::new().run(&format!("chain verify {line}")).ends(2);
        assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
    }
    let chain = Chain::small();
    for (more, words) in [
        ("--era-start mary=4", "names Mary twice"),
        (
            &format!("--epoch-nonce 1={nonce} --epoch-nonce 1={nonce}"),
            "--epoch-nonce names epoch 1 twice",
        ),
        (
            &format!("--extra-entropy 3={nonce},3={nonce}"),
            "--extra-entropy names epoch 3 twice",
        ),
        (
            &format!("--extra-entropy 12={nonce}"),
            "epoch 12 of custom is in none of these",
        ),
        (&format!("--extra-entropy 0={nonce}"), "epoch 0 of custom"),
    ] {
        verify(&chain.dir, &format!("{} {more}", chain.options)).refused(words);
    }
}

/// Every field of the JSON report, at any depth, is named in the help.
#[test]
fn help_names_every_field_of_the_json() {
    let chain = Chain::small();
    let place = Place::new();
    let db = chain.copy(chain.chunks());
    db.remove(3, "chunk");
    db.remove(5, "primary");
    let last = &chain.blocks.last().unwrap().place;
    let options = format!(
        "{} --state {} --expect-tip {}:{} --json",
        chain.options,
        place.path("state").display(),
        last.slot,
        last.hash
    );
    let report = json(&verify(db.dir.path(), &options).ends(1).stdout);
    assert_eq!(report["format"], 1);
    assert_eq!(report["klero"], env!("CARGO_PKG_VERSION"));
    let help = place.run("chain verify --help").ends(0).stdout;
    let words: BTreeSet<&str> = help
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .collect();
    let mut names = BTreeSet::new();
    fields(&report, &mut names);
    assert!(names.len() > 70, "{names:?}");
    for name in names {
        assert!(words.contains(name), "{name} is not in the help");
    }
}

/// The names of all fields.
fn fields<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                names.insert(name);
                self::fields(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, names)),
        _ => {}
    }
}

#[test]
fn help_tells_the_exit_status_and_the_json() {
    let place = Place::new();
    let ran = place.run("chain verify --help").ends(0);
    for words in ["130  interrupted", "unverifiable_since", "not all checked"] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    let ran = place.run("chain verify -h").ends(0);
    assert!(ran.stdout.contains("130  interrupted") && !ran.stdout.contains("unverifiable_since"));
}
