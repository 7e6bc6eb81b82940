//! The nonces along a walk. They move at the blocks that the walk returns, whatever is wrong with these.

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::{Nonce, NonceState};

/// Moves the nonces past a block: into its epoch, then by its `contribution`. A block of Byron has none, and
/// moves nothing. There are no nonces if the walk began after the first block of the chain. Returns the nonce
/// that the block's claims are about: the built-in one of the epoch, or the one that the chain makes, or one
/// that a caller named.
pub(super) fn pass(
    nonces: Option<&mut NonceState>,
    network: &Network,
    place: &Place,
    contribution: Option<Hash<32>>,
) -> Option<Nonce> {
    let contribution = contribution?;
    let epoch = network.epoch(place.slot);
    let mut computed = None;
    if let Some(state) = nonces {
        let extra = match place.era.protocol() {
            Protocol::TPraos => network.extra_entropy(epoch),
            _ => Nonce::Neutral,
        };
        state.tick(epoch, extra);
        computed = (state.epoch == epoch).then_some(state.eta0);
        let in_window = network.feeds_candidate(place.era, place.slot);
        state.update(contribution, in_window, place.prev_hash);
    }
    network
        .built_in_nonce(epoch)
        .or(computed)
        .or_else(|| network.known_nonce(epoch))
}
