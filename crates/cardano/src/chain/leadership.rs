//! The right to make a block, by its header: the leader value against the bound for any stake.

use crate::chain::claim::ClaimKind;
use crate::chain::era::Protocol;
use crate::chain::header::{Lottery, Place, Vrf};
use crate::chain::network::Network;

/// The comparison of a leader value with f, the bound for any stake
/// ([`ActiveSlots::exceeds`](klero_leader::ActiveSlots::exceeds)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leadership {
    /// A Byron block has no leader value.
    None,
    /// Below f.
    Below,
    /// At or above f: no pool could lead with it.
    AtOrAbove,
    /// The block of a genesis delegate before Babbage, to whom the bound does not apply.
    Delegate,
    /// A block before Babbage in a network whose genesis delegates are not known.
    NotMade,
}

impl Leadership {
    /// The comparison for a header with this place and lottery ticket.
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
