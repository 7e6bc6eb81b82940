//! The right to lead: headers against the stake of their epochs, and against the turns of the genesis
//! delegates.
//!
//! The stake of an epoch is not in its headers: the caller gives it. Where it was not given, there is no
//! verdict on a pool. Before Babbage some slots belong to genesis delegates. Which ones depends on d, which
//! is not in the headers either ([`Network::decentralization`]). Where d is not known, blocks of delegates
//! are not judged, and blocks of pools are judged as in slots of the lottery.

use std::collections::BTreeMap;

use klero_cardano::{
    Decentralization, Delegate, Fault, Lottery, Network, Place, Protocol, Turn, Vrf,
};
use klero_leader::{LeaderValue, Leaders, PoolId, Stake, VrfKeyHash};

/// The lead of a pool in a slot, with its margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The epoch of the slot.
    pub epoch: u64,
    /// The slot.
    pub slot: u64,
    /// The pool.
    pub pool: PoolId,
    /// BLAKE2b-256 of its VRF key.
    pub vrf: VrfKeyHash,
    /// The stake of the pool, and the total.
    pub stake: Stake,
    /// The leader value divided by the largest one that leads with this stake: at most 1.
    pub margin: f64,
}

/// The verdict on a maker's right: the lead of a pool, or `None` in the turn of a genesis delegate.
pub(crate) type Right = Result<Option<Lead>, Fault>;

/// Judges a maker's right by turns of delegates and the stake of some epochs; `None` if neither decides.
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

/// Judges a header in the turn of a genesis delegate.
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
