//! Tokens without blocks.

use super::*;

/// No blocks, with any end, and sealed by anyone.
#[test]
fn no_blocks() {
    refused(&Token::new(0), None, "no blocks");
    refused(&sealed(Token::new(0)), Some(CHALLENGE), "no blocks");
    assert!(Token::new(0).verify(&root(), None).is_err());
}
