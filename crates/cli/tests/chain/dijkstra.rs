//! Dijkstra, which is experimental: what the command says of a chain that has it.

use klero_cardano::Era;
use klero_forge::{DijkstraHeaders, Flip, Recipe, Repair};
use serde_json::json;

use crate::db::Chain;
use crate::run::{report, total, verify};

const SAYS: &str = "\nDijkstra is experimental: its headers are in flux; Leios and Peras certificates \
                    are not checked.\n";

fn chain(dijkstra: DijkstraHeaders) -> Chain {
    Chain::forged(&Recipe {
        dijkstra,
        ..Recipe::of_eras(&[(Era::Conway, 2), (Era::Dijkstra, 2)])
    })
}

#[test]
fn it_is_never_all_valid() {
    for form in [DijkstraHeaders::Praos, DijkstraHeaders::Leios] {
        let chain = chain(form);
        assert!(chain.options.contains("dijkstra=2"), "{}", chain.options);
        let ran = report(&chain.dir, &chain.options, 3);
        assert_eq!(ran["result"], "not all checked");
        assert_eq!(ran["experimental"], true);
        assert_eq!(ran["findings"], json!([]));
        assert_eq!(ran["tip"]["era"], "Dijkstra");
        assert_eq!(ran["epochs"][2]["eras"], json!(["Dijkstra"]));
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
        let text = verify(&chain.dir, &chain.options).ends(3).stdout;
        for words in [
            "Not all was checked: nothing wrong in the rest.",
            SAYS,
            "; Leios and Peras certificates.\n",
        ] {
            assert!(text.contains(words), "{text}");
        }
    }
}

#[test]
fn what_is_wrong_comes_first() {
    let chain = chain(DijkstraHeaders::Leios);
    let block = chain.find(|block| block.place.era == Era::Dijkstra && block.epoch == 2);
    let db = chain.copy(chain.chunks());
    db.flip(block, Flip::Proof(0), Repair::CrcAndHash);
    let text = verify(db.dir.path(), &chain.options).ends(1).stdout;
    for words in ["Something is wrong: ", "invalid proof (praos)", SAYS] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn chains_without_it_do_not_name_it() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let ran = report(&chain.dir, &chain.options, 0);
    assert_eq!(ran["experimental"], false);
    let text = verify(&chain.dir, &chain.options).ends(0).stdout;
    assert!(
        !text.contains("Dijkstra") && !text.contains("Leios"),
        "{text}"
    );
}
