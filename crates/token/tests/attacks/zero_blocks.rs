//! A token without blocks.

use crate::encoding::Parts;
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, fails, refused};
use klero_token::Error;

/// No blocks, with any end, and sealed by anyone.
fn no_blocks<S: Twin>() {
    let mut token = Parts::nothing::<S>(&S::beginning(&MY_SEED));
    refused::<S>(&token, None, Error::NoBlocks);
    S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    refused::<S>(&token, Some(&CHALLENGE), Error::NoBlocks);
}

fails!(no_blocks);
