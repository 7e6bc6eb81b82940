//! Every message but the last can be replaced in a token that is valid.
//!
//! h_i only occurs in v, as S·h_i next to W. So W + S·(h_old - h_new) hides the change.

use klero_studies::{
    ristretto::{KeyPair, hash_to_curve},
    vrf1, vrf2,
};

/// Rewrites all but the last message of a token of either scheme.
macro_rules! rewrite {
    ($token:expr) => {{
        let mut token = $token;
        let (_, blocks) = token.blocks.split_last_mut().unwrap();
        for block in blocks {
            let old = hash_to_curve(&block.key, &block.message);
            block.message = b"everything".to_vec();
            let new = hash_to_curve(&block.key, &block.message);
            token.w += token.s * (old - new);
        }
        token
    }};
}

#[test]
fn seed_vrf1() {
    let [root, a, b] = [b"root", b"aaaa", b"bbbb"].map(|seed| KeyPair::from_seed(seed));
    let token = vrf1::Token::new(&root, b"little")
        .append(&a, b"less")
        .append(&b, b"nothing");
    let rewritten = rewrite!(token.clone());
    assert_ne!(rewritten.blocks[..2], token.blocks[..2]);
    assert!(rewritten.verify(&root.public()));
}

#[test]
fn seed_vrf2() {
    let [root, a, b] = [b"root", b"aaaa", b"bbbb"].map(|seed| KeyPair::from_seed(seed));
    let token = vrf2::Token::new(&root, b"little")
        .append(&a, b"less")
        .append(&b, b"nothing");
    let rewritten = rewrite!(token.clone());
    assert_ne!(rewritten.blocks[..2], token.blocks[..2]);
    assert!(rewritten.verify(&root.public()));
}
