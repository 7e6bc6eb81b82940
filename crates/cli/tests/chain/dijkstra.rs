//! A chain of Dijkstra, which is an experimental era.

use klero_cardano::Era;
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{report, verify};

#[test]
fn a_chain_of_dijkstra_is_not_all_checked() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 2), (Era::Dijkstra, 2)]));
    let ran = report(chain.dir.path(), "", 3);
    assert_eq!(ran["experimental"], true);
    assert_eq!(ran["epochs"][2]["eras"][0], "Dijkstra");
    let text = verify(chain.dir.path(), "").ends(3).stdout;
    for words in [
        "Not all was checked: nothing wrong in the rest.",
        "\nDijkstra is experimental: its headers are in flux; Leios and Peras certificates are not \
         checked.\n",
        "; Leios and Peras certificates.\n",
    ] {
        assert!(text.contains(words), "{text}");
    }
}
