//! The session at the top of the first page runs as it stands there.

use crate::cip22;
use crate::common::Place;

/// The text with every digit of a hash or a key replaced: keys are new in each run.
fn shape(text: &str) -> String {
    let word = |word: &str| {
        let is_value = word.len() >= 64 && word.bytes().all(|c| c.is_ascii_hexdigit());
        word.replace(|_| is_value, "#")
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

#[test]
fn proofs_and_tables_on_the_first_page() {
    let page = include_str!("../../../../README.md");
    let mut blocks = page.split("```sh\n").skip(1);
    let block = blocks.find(|block| block.starts_with("klero keygen"));
    let (block, _) = block.unwrap().split_once("```").unwrap();
    let place = Place::new();
    // A smaller sample is as good, and takes less time.
    let (status, said, errors) = place.shell_ends(&block.replace("100000", "1000"));
    assert_eq!(status, 0, "{errors}");
    assert!(said.contains("\nvalid\n"), "{said}");
    assert!(
        errors.starts_with("claims.parquet: 1,000 rows, 1,000 valid, "),
        "{errors}"
    );
    assert!(place.names().contains(&"verdicts.parquet".to_owned()));
}

/// With the key of the example in CIP-22, and so with its proof.
#[test]
fn the_page_on_cip_22() {
    let page = include_str!("../../../../docs/cip22.md");
    let blocks = page.split("```sh\n").skip(1);
    let blocks: String = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let place = Place::new();
    let (seed, key) = (cip22::SEED, cip22::KEY);
    place.write(
        "vrf.skey",
        format!(r#"{{"type": "VrfSigningKey_PraosVRF", "cborHex": "5840{seed}{key}"}}"#),
    );
    place.write(
        "vrf.vkey",
        format!(r#"{{"type": "VrfVerificationKey_PraosVRF", "cborHex": "5820{key}"}}"#),
    );
    #[cfg(unix)]
    std::fs::set_permissions(
        place.path("vrf.skey"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let said = place.shell(&blocks);
    assert_eq!(
        said,
        format!("{}\noutput: {}\nvalid\n", cip22::HASH, cip22::OUTPUT)
    );
    assert!(
        place
            .read("answer")
            .starts_with(&format!("proof:  {}\n", cip22::PROOF))
    );
}

#[test]
fn the_first_session() {
    let page = include_str!("../../../../README.md");
    let (_, session) = page.split_once("```console\n").unwrap();
    let (session, _) = session.split_once("```").unwrap();
    assert!(session.lines().all(|line| line.len() <= 80), "{session}");
    let place = Place::new();
    let steps: Vec<_> = session.split("$ ").skip(1).collect();
    assert_eq!(steps.len(), 4, "{session}");
    for (i, step) in steps.iter().enumerate() {
        let (command, shown) = step.split_once('\n').unwrap();
        let (status, said, errors) = place.shell_ends(command);
        assert_eq!(
            (shape(&said), errors.as_str()),
            (shape(shown), ""),
            "{command}"
        );
        // The last claim is invalid.
        assert_eq!(status, i32::from(i == 3), "{command}");
    }
    // A second key in the same directory is refused, with a way out.
    let (again, _) = steps[0].split_once('\n').unwrap();
    let (status, _, errors) = place.shell_ends(again);
    assert_eq!(
        (status, errors.as_str()),
        (
            2,
            "klero: cannot write vrf.skey: the file exists. To keep its key, work in another \
             directory or choose other names (--out-secret, --out-public); if nobody needs it, \
             delete the file or give --force\n"
        )
    );
}
