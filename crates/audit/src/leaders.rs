//! Who may lead: headers against the stake of their epochs, and against the turns of the genesis
//! delegates.
//!
//! The stake of an epoch is not in its headers: the caller gives it. Where it was not given, nothing is
//! said. Before Babbage some slots belong to genesis delegates; which ones depends on d, which is not
//! in the headers either ([`Network::decentralization`]). Where d is not known, the blocks of delegates
//! are not judged, and those of pools are judged as in slots of the lottery.

use std::collections::BTreeMap;

use klero_cardano::{
    Decentralization, Delegate, Fault, Hash, Lottery, Network, Place, Protocol, Turn, Vrf,
};
use klero_lanes::engine;
use klero_leader::{Distribution, LeaderValue, Leaders, PoolId, Stake, VrfKeyHash};

use crate::hash::blake2b;

/// The right of a header's maker to make it, as the stake or the turn of a delegate gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Right {
    /// The slot is a genesis delegate's, and this is the delegate.
    Delegate,
    /// The pool leads.
    Pool(Lead),
}

/// A pool that leads in a slot, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The epoch.
    pub epoch: u64,
    /// The slot.
    pub slot: u64,
    /// The pool.
    pub pool: PoolId,
    /// BLAKE2b-256 of its VRF key.
    pub vrf: VrfKeyHash,
    /// Its stake, of the total.
    pub stake: Stake,
    /// The leader value divided by the largest one with which it leads: at most 1.
    pub margin: f64,
}

/// The stake that decides, by epoch.
pub(crate) struct Stakes {
    network: Network,
    epochs: BTreeMap<u64, Leaders>,
}

/// What a header shows of its maker, with its hashes.
struct Candidate<'a> {
    place: &'a Place,
    issuer: [u8; 28],
    vrf: [u8; 32],
    value: LeaderValue,
}

impl Stakes {
    /// The stake of some epochs of a network.
    pub(crate) fn new(network: &Network, given: &BTreeMap<u64, Distribution>) -> Self {
        let f = network.active_slots();
        let epochs = given.iter();
        let epochs = epochs.map(|(epoch, of)| (*epoch, Leaders::new(of, f)));
        Self {
            epochs: epochs.collect(),
            network: network.clone(),
        }
    }

    /// The verdict on the right of each maker, in order; `None` where it is not known.
    pub(crate) fn judge<'a>(
        &self,
        headers: &[(&'a Place, &'a Lottery)],
    ) -> Vec<Option<Result<Right, Fault>>> {
        let candidates = candidates(headers);
        candidates.iter().map(|one| self.judge_one(one)).collect()
    }

    fn judge_one(&self, of: &Candidate<'_>) -> Option<Result<Right, Fault>> {
        let (slot, epoch) = (of.place.slot, self.network.epoch(of.place.slot));
        let d = match of.place.era.protocol() {
            Protocol::TPraos => self.network.decentralization(epoch),
            Protocol::Praos | Protocol::Byron => Some(Decentralization::NONE),
        };
        match d.filter(|d| *d != Decentralization::NONE) {
            Some(d) => match self.network.turn(slot, d) {
                Some(Turn::Delegate(delegate)) => return Some(of.is(delegate)),
                Some(Turn::Nobody) => return Some(Err(Fault::ReservedSlot {})),
                Some(Turn::Pools) => {}
                None => return None,
            },
            None if d.is_none() && self.is_delegate(of) => return None,
            None => {}
        }
        let pool = PoolId::new(of.issuer);
        let vrf = VrfKeyHash::new(of.vrf);
        let judged = self.epochs.get(&epoch)?.judge(&pool, &vrf, &of.value);
        Some(match judged {
            Ok(lead) => Ok(Right::Pool(Lead {
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

    /// Whether a header is of one of the genesis delegates.
    fn is_delegate(&self, of: &Candidate<'_>) -> bool {
        let delegates = self.network.delegates();
        delegates.is_none_or(|delegates| delegates.contains(&Hash::new(of.issuer)))
    }
}

impl Candidate<'_> {
    fn is(&self, expected: Delegate) -> Result<Right, Fault> {
        let (found, vrf) = (Hash::new(self.issuer), Hash::new(self.vrf));
        let is_same = found == expected.issuer && expected.vrf.is_none_or(|of| of == vrf);
        match is_same {
            true => Ok(Right::Delegate),
            false => Err(Fault::WrongDelegate {
                expected: expected.issuer,
                found,
            }),
        }
    }
}

/// What headers show of their makers. The hashes of all are computed together.
fn candidates<'a>(headers: &[(&'a Place, &'a Lottery)]) -> Vec<Candidate<'a>> {
    let of_all = |key: fn(&Lottery) -> &[u8; 32]| headers.iter().map(move |(_, of)| &key(of)[..]);
    let issuers = blake2b::<28>(engine(), of_all(|of| &of.issuer_key));
    let keys = blake2b::<32>(engine(), of_all(|of| &of.vrf_key));
    // The values of Praos are hashes; those of TPraos are the outputs themselves.
    let outputs = headers.iter().map(|(_, of)| match &of.vrf {
        Vrf::TPraos { leader, .. } => leader.output,
        Vrf::Praos(cert) => cert.output,
    });
    let outputs: Vec<[u8; 64]> = outputs.collect();
    let tagged: Vec<[u8; 65]> = outputs
        .iter()
        .map(|output| {
            let mut message = [b'L'; 65];
            message[1..].copy_from_slice(output);
            message
        })
        .collect();
    let hashed = blake2b::<32>(engine(), tagged.iter().map(|message| &message[..]));
    let of_vrf = outputs.into_iter().zip(hashed);
    headers
        .iter()
        .zip(issuers.into_iter().zip(keys))
        .zip(of_vrf)
        .map(|(((place, of), (issuer, vrf)), (output, hash))| Candidate {
            place,
            issuer,
            vrf,
            value: match &of.vrf {
                Vrf::TPraos { .. } => LeaderValue::TPraos(output),
                Vrf::Praos(_) => LeaderValue::Praos(hash),
            },
        })
        .collect()
}
