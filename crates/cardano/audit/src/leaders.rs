//! The right to lead, judged by the stake of an epoch and by the turns of the genesis delegates.
//!
//! The stake of an epoch is not in its headers, so the caller gives it. Without it, blocks in slots of pools
//! are not judged. Before Babbage, genesis delegates have a share d of the slots. The headers do not have d
//! either ([`Network::decentralization`]). If d is not known, blocks of delegates are not judged, and blocks
//! of pools are judged as if all slots were in the lottery.

use std::collections::BTreeMap;

use klero_cardano::{
    Decentralization, Delegate, Fault, Lottery, Network, Place, Protocol, Turn, Vrf,
};
use klero_leader::{LeaderValue, Leaders, PoolId, Stake, VrfKeyHash};

/// A slot in which a pool leads, with the stake and the margin with which it leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The epoch of the slot.
    pub epoch: u64,
    /// The slot.
    pub slot: u64,
    /// The pool.
    pub pool: PoolId,
    /// BLAKE2b-256 of the pool's VRF key.
    pub vrf: VrfKeyHash,
    /// The stake of the pool, and the total stake.
    pub stake: Stake,
    /// The leader value divided by the largest leader value that leads with this stake. It is at most 1.
    pub margin: f64,
}

/// The verdict on a maker's right to lead: the pool's lead, `None` in the slot of a genesis delegate who made
/// the block, or a fault.
pub(crate) type Right = Result<Option<Lead>, Fault>;

/// Judges a maker's right to lead, by the turns of delegates and the stake of some epochs. Returns `None` if
/// these do not decide it.
pub(crate) fn judge_maker(
    network: &Network,
    stake: &BTreeMap<u64, Leaders>,
    (place, lottery): (&Place, &Lottery),
) -> Option<Right> {
    let (slot, epoch) = (place.slot, network.epoch(place.slot));
    let d = match place.era.protocol() {
        Protocol::TPraos => network.decentralization(epoch),
        Protocol::Praos | Protocol::Byron => Some(Decentralization::NONE),
    };
    match d.filter(|d| *d != Decentralization::NONE) {
        Some(d) => match network.turn(slot, d) {
            Some(Turn::Delegate(delegate)) => return Some(judge_delegate(delegate, lottery)),
            Some(Turn::Nobody) => return Some(Err(Fault::ReservedSlot {})),
            Some(Turn::Pools) => {}
            None => return None,
        },
        None if d.is_none() && is_delegate(network, lottery) => return None,
        None => {}
    }
    let leaders = stake.get(&epoch)?;
    let (pool, vrf) = (lottery.pool(), VrfKeyHash::of_key(&lottery.vrf_key));
    let value = match &lottery.vrf {
        Vrf::TPraos { leader, .. } => LeaderValue::TPraos(leader.output),
        Vrf::Praos(cert) => LeaderValue::of_praos(&cert.output),
    };
    Some(match leaders.judge(&pool, &vrf, &value) {
        Ok(lead) => Ok(Some(Lead {
            epoch,
            slot,
            pool,
            vrf,
            stake: lead.stake,
            margin: lead.margin,
        })),
        Err(why) => Err(why.into()),
    })
}

/// Judges the maker of a header in a slot that belongs to a genesis delegate.
fn judge_delegate(expected: Delegate, lottery: &Lottery) -> Right {
    let (found, vrf) = (lottery.issuer(), VrfKeyHash::of_key(&lottery.vrf_key));
    let has_key = expected.vrf.is_none_or(|of| *of == *vrf.as_bytes());
    match found == expected.issuer && has_key {
        true => Ok(None),
        false => Err(Fault::WrongDelegate {
            expected: expected.issuer,
            found,
        }),
    }
}

/// True if a genesis delegate made the header, or if the delegates are not known.
fn is_delegate(network: &Network, lottery: &Lottery) -> bool {
    let delegates = network.delegates();
    delegates.is_none_or(|delegates| delegates.contains(&lottery.issuer()))
}
