//! The nonces along a walk. Every block since Shelley that the walk returns updates them, even a block with
//! faults.

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::{Nonce, NonceState};

/// Updates the nonces with a block: moves them to the block's epoch, and then folds in its `contribution`. A
/// Byron block has no contribution: it changes nothing and gives `None`. `nonces` is `None` if the walk does
/// not compute nonces. Returns the epoch nonce for the block's claims, which is the first of these that
/// exists: the built-in nonce, the nonce computed from the chain, the nonce that a caller set.
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
