//! The right to make a block. No pool, whatever its stake, can lead with a leader value that is f or more.

use crate::chain::claim::ClaimKind;
use crate::chain::era::Protocol;
use crate::chain::header::{Lottery, Place, Vrf};
use crate::chain::network::Network;

/// The result of comparing a leader value with f. Only a value below f lets a pool lead, whatever its stake
/// (see [`ActiveSlots::exceeds`](klero_leader::ActiveSlots::exceeds)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leadership {
    /// A Byron block has no leader value.
    None,
    /// Below f.
    Below,
    /// At or above f: no pool could make a block with this value.
    AtOrAbove,
    /// The block was made by a genesis delegate before Babbage. The bound does not apply to delegates.
    Delegate,
    /// Not compared: the block was made before Babbage, and the network's genesis delegates are not known.
    NotMade,
}

impl Leadership {
    /// Compares the leader value in `lottery` with f. `place` and `lottery` are fields of the same header.
    #[must_use]
    pub fn of(network: &Network, place: &Place, lottery: Option<&Lottery>) -> Leadership {
        let Some(lottery) = lottery else {
            return Leadership::None;
        };
        let (kind, output) = match &lottery.vrf {
            Vrf::TPraos { leader, .. } => (ClaimKind::Leader, &leader.output),
            Vrf::Praos(cert) => (ClaimKind::Praos, &cert.output),
        };
        if place.era.protocol() == Protocol::TPraos {
            match network.delegates() {
                None => return Leadership::NotMade,
                Some(delegates) if delegates.contains(&lottery.issuer()) => {
                    return Leadership::Delegate;
                }
                Some(_) => {}
            }
        }
        match network.active_slots().exceeds(&kind.leader_value(output)) {
            true => Leadership::Below,
            false => Leadership::AtOrAbove,
        }
    }
}
