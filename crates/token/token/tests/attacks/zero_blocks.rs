//! A token without blocks.

use crate::encoding::Parts;
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, fails, refused};
use crate::support::errors;

/// A token without blocks: first as a bearer token, then with a seal that the attacker made.
fn no_blocks<S: Twin>() {
    let mut token = Parts::nothing::<S>(&S::beginning(&MY_SEED));
    refused::<S>(&token, None, errors::malformed(errors::NO_BLOCKS));
    S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    refused::<S>(
        &token,
        Some(&CHALLENGE),
        errors::malformed(errors::NO_BLOCKS),
    );
}

fails!(no_blocks);
