//! Tokens of `aggregate` with a second block that anybody could add.

use crate::encoding::{CAVEATS, Part, Parts};
use crate::equations::{Twin, state};
use crate::maker::{BEFORE, Maker};

/// Makes a token of two blocks, the second with this link. `end` computes the token's end from the end before
/// the second block was added and the state after it was added.
pub fn second<S: Twin>(link: Vec<u8>, end: impl FnOnce(&[u8], &[u8; 64]) -> Vec<u8>) -> Parts {
    let mut token = Maker::<S>::mint(0, "account 17", BEFORE).parts;
    token.blocks.push(Part {
        kind: CAVEATS,
        link,
        payload: b"path /files\nmethod GET HEAD".to_vec(),
    });
    let after = state(S::ID, 0, &token.blocks);
    token.end = end(&token.end, &after);
    token
}
