//! The commands on the pages run as they stand there.

use crate::cip22;
use crate::common::Place;

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
