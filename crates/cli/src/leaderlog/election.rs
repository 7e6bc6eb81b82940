//! An election: everything that determines who leads in an epoch, except the keys.

use std::ops::Range;
use std::time::SystemTime;

use klero_audit::{Anchor, read_anchors};
use klero_cardano::{Checksum, ClaimKind, Decentralization, Era, Network, Nonce, Protocol, Turn};
use klero_leader::{
    Distribution, LeaderValue, NoLeader, PoolId, Stake, Threshold, TotalSource, VrfKeyHash,
};

use super::Args;
use super::clock::start;
use super::node::Node;
use crate::ui::error::Error;

/// An epoch with its nonce and its stake.
pub struct Election {
    pub network: Network,
    pub epoch: u64,
    /// The kind of claim with which a pool shows that it leads.
    pub kind: ClaimKind,
    pub nonce: Nonce,
    /// The share of the slots that belongs to the genesis delegates, and is left out of the draw.
    pub d: Decentralization,
    pub slots: Range<u64>,
    /// The time at which slot 0 began, or why it is not known.
    pub start: Result<SystemTime, &'static str>,
    stake: Distribution,
    /// The result of checking the CRC-32 of the ledger state, if there is a state.
    pub checksum: Option<Checksum>,
    /// The slot of the last block of the database, if there is one.
    pub last_slot: Option<u64>,
}

/// A pool that takes part in the draw, with its stake and its threshold.
pub struct Candidate {
    pub pool: PoolId,
    pub vrf: VrfKeyHash,
    /// True if the stake distribution has the hash of the pool's VRF key. This hash is then equal to `vrf`.
    pub is_registered: bool,
    pub stake: Stake,
    pub total_source: TotalSource,
    pub threshold: Threshold,
    /// The probability that the pool leads in a slot.
    pub probability: f64,
}

impl Election {
    /// Makes the election that the options describe.
    pub fn of(args: &Args) -> Result<Self, Error> {
        let network = match &args.db {
            Some(dir) => Some(args.network.network(dir)?),
            None => args.network.named()?,
        };
        let Some(mut network) = network else {
            return Err(Error::new("expected --network or --shelley-genesis"));
        };
        args.stake.shares(&mut network)?;
        let node = args.db.as_deref().map(|dir| Node::read(dir, &network));
        let node = node.transpose()?;
        let of_node = node.as_ref().map(|node| node.epoch(args.next));
        let Some(epoch) = args.epoch.or(of_node) else {
            return Err(Error::new("expected --epoch or --db"));
        };
        let slots = slots(&network, epoch)?;
        // A node's ledger state is read only if its era uses Praos, so no slots are left out of the draw.
        let (kind, d, nonce) = match &node {
            Some(node) => {
                let nonce = node.nonce(epoch, &network)?;
                (ClaimKind::Praos, Decentralization::NONE, nonce)
            }
            None => {
                let kind = kind(&network, epoch)?;
                let d = share(&network, epoch, kind)?;
                (kind, d, nonce(args, epoch, &network)?)
            }
        };
        let last_slot = node.as_ref().map(|node| node.slot);
        let (mut stakes, checksum) = match node {
            Some(Node { state, .. }) => (state.stake, Some(state.checksum)),
            None => args.stake.all()?,
        };
        let stake = stakes
            .remove(&epoch)
            .ok_or_else(|| no_stake(args, epoch, stakes.keys()))?;
        Ok(Self {
            start: start(&network),
            network,
            epoch,
            kind,
            nonce,
            d,
            slots,
            stake,
            checksum,
            last_slot,
        })
    }

    /// Returns the pool as a candidate. Fails if the stake lacks the pool, or has another VRF key for it.
    pub fn candidate(&self, pool: PoolId, vrf: VrfKeyHash) -> Result<Candidate, Error> {
        let refused = |why: NoLeader| Error::at(format_args!("epoch {}", self.epoch), why);
        let known = self.stake.pool(&pool);
        let known = known.ok_or_else(|| refused(NoLeader::UnknownPool { pool }))?;
        if let Some(registered) = known.vrf.filter(|registered| *registered != vrf) {
            return Err(refused(NoLeader::OtherVrfKey {
                pool,
                registered,
                used: vrf,
            }));
        }
        let threshold = Threshold::new(known.stake, self.network.active_slots());
        let last = threshold.last_tpraos().map(LeaderValue::TPraos);
        Ok(Candidate {
            pool,
            vrf,
            is_registered: known.vrf.is_some(),
            stake: known.stake,
            total_source: self.stake.total_source(),
            probability: last.map_or(0.0, |last| last.fraction()),
            threshold,
        })
    }

    /// True if a slot is part of the draw of the pools.
    pub fn is_drawn(&self, slot: u64) -> bool {
        self.d == Decentralization::NONE || self.network.turn(slot, self.d) == Some(Turn::Pools)
    }

    /// The number of slots that are part of the draw.
    pub fn drawn(&self) -> u64 {
        let slots = self.slots.clone();
        slots.filter(|slot| self.is_drawn(*slot)).count() as u64
    }
}

/// Makes the error for an epoch whose stake is not known. `found` lists the epochs whose stake is known.
fn no_stake<'a>(args: &Args, epoch: u64, found: impl Iterator<Item = &'a u64>) -> Error {
    let found: Vec<_> = found.map(u64::to_string).collect();
    let found = found.join(", ");
    Error::new(match &args.db {
        Some(dir) => format!(
            "--db {}: the newest state of the ledger has the stake of epochs {found}, and not of {epoch}",
            dir.display()
        ),
        None if found.is_empty() => {
            "no stake was given: expected --stake FILE or --ledger STATE".to_owned()
        }
        None => format!(
            "--stake: there is no stake that decides in epoch {epoch}: found that of {found} (--offset \
             adds to a column epoch; a snapshot of 0 lovelace does not count)"
        ),
    })
}

/// The slots of an epoch.
fn slots(network: &Network, epoch: u64) -> Result<Range<u64>, Error> {
    let first = network.first_slot(epoch);
    match first.checked_add(network.epoch_length()) {
        Some(end) => Ok(first..end),
        None => Err(Error::new(format!(
            "--epoch {epoch}: expected a smaller number"
        ))),
    }
}

/// Returns the kind of claim with which pools show that they lead in an epoch.
fn kind(network: &Network, epoch: u64) -> Result<ClaimKind, Error> {
    let starts = network.era_starts();
    // An era whose start is not known may have begun once every earlier era with a known start has begun.
    let has_begun = |era: Era| {
        let mut before = Era::ALL.into_iter().filter(|before| *before <= era);
        before.all(|era| starts.of(era).is_none_or(|start| start <= epoch))
    };
    let may_be = |protocol: Protocol| {
        let mut eras = Era::ALL.into_iter();
        eras.any(|era| era.protocol() == protocol && network.admits(era, epoch) && has_begun(era))
    };
    match (may_be(Protocol::TPraos), may_be(Protocol::Praos)) {
        _ if epoch < starts.shelley => Err(Error::new(format!(
            "--epoch {epoch}: this is an epoch of Byron, in which no pool leads: expected {} or \
             later",
            starts.shelley
        ))),
        (false, _) => Ok(ClaimKind::Praos),
        (true, false) => Ok(ClaimKind::Leader),
        (true, true) => Err(Error::new(format!(
            "pools lead by another rule before Babbage, and whether epoch {epoch} is before it is \
             not known: expected --era-start, as in --era-start babbage=12"
        ))),
    }
}

/// The share of the slots that belongs to the genesis delegates.
fn share(network: &Network, epoch: u64, kind: ClaimKind) -> Result<Decentralization, Error> {
    if kind == ClaimKind::Praos {
        return Ok(Decentralization::NONE);
    }
    let d = network.decentralization(epoch).ok_or_else(|| {
        Error::new(format!(
            "the share of the slots that belongs to the genesis delegates in epoch {epoch} of {} \
             is not known: expected --decentralization {epoch}=D",
            network.name()
        ))
    })?;
    if d != Decentralization::NONE && network.delegations().is_none() {
        return Err(Error::new(
            "the genesis file names no delegates (genDelegs), to whom --decentralization gives \
             slots",
        ));
    }
    Ok(d)
}

/// The nonce of the epoch.
fn nonce(args: &Args, epoch: u64, network: &Network) -> Result<Nonce, Error> {
    let mut given = args.nonce;
    if let Some(file) = &args.nonces {
        let anchors = read_anchors(file, network, Some(epoch));
        let anchors = anchors.map_err(|error| Error::at("--nonces", error))?;
        for anchor in anchors {
            let Anchor::Nonce { epoch: of, nonce } = anchor else {
                return Err(Error::at("--nonces", "expected nonces, and no blocks"));
            };
            let known = network.known_nonce(of).or(given.filter(|_| of == epoch));
            if known.is_some_and(|known| known != nonce) {
                let fault = format_args!("another nonce of epoch {of} is known");
                return Err(Error::at("--nonces", fault));
            }
            if of == epoch {
                given = Some(nonce);
            }
        }
    }
    match (given, network.known_nonce(epoch)) {
        (Some(given), Some(known)) if given != known => Err(Error::new(format!(
            "--nonce: the nonce of epoch {epoch} of {} is known to be {known}",
            network.name()
        ))),
        (Some(nonce), _) | (None, Some(nonce)) => Ok(nonce),
        (None, None) => Err(Error::new(format!(
            "the nonce of epoch {epoch} of {} is not known{}: expected --nonce or --nonces",
            network.name(),
            network.built_in_nonces().map_or(String::new(), |epochs| {
                let (first, last) = epochs.into_inner();
                format!(" (those of epochs {first} to {last} are built in)")
            })
        ))),
    }
}
