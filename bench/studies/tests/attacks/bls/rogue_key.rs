//! A key made from that of the root.

use blst::min_pk::{AggregatePublicKey, PublicKey};

use super::*;

/// No other block has the message of the root's block, and each message contains its key.
#[test]
fn cancels_nothing() {
    let mine = secret_key(&MY_SEED);
    let mut rogue = AggregatePublicKey::from_public_key(&mine.sk_to_pk());
    let key = PublicKey::uncompress(&root()).unwrap();
    rogue.sub_aggregate(&AggregatePublicKey::from_public_key(&key));
    let mut token = honest(&["everything", "everything"]);
    token.blocks[1].key = rogue.to_public_key().compress();

    let both = token.state();
    let mut first = token.clone();
    first.blocks.truncate(1);
    let [first, both] =
        [first.state(), both].map(|state| mine.sign(&state, DOMAIN, &[]).compress());
    for sum in [first, both, add(&first, &both)] {
        token.sum = sum;
        refused(&token, None, "signature");
    }
}
