//! The nonces along a walk. Every block since Shelley that the walk returns moves them, even a wrong one.

use pallas_crypto::hash::Hash;

use crate::chain::era::Protocol;
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::{Nonce, NonceState};

/// Moves the nonces past a block: into its epoch, then by its `contribution`. A block of Byron has no
/// contribution, and moves nothing. `nonces` is `None` if the walk computes none. Returns the nonce that the
/// block's claims are about: the built-in one of the epoch, or the one that the chain makes, or one that a
/// caller named.
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
