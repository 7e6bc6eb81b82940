//! Decides who makes the block of a slot: a pool that wins the lottery or, in some slots of a young network,
//! the genesis delegate whose turn it is.
//!
//! Every pool draws in every slot of the lottery, as on a real chain. A pool with a share σ of the stake wins
//! if its leader value, a number p from 0 to 1, is below 1-(1-f)^σ. If the pool has n of all N units of
//! stake, σ is n/N, so it wins if (1-p)^N > (1-f)^n. The exponents are whole, so integers suffice to compute
//! the powers, and all machines agree. If several pools win, the one with the lowest p makes the block.
//!
//! In TPraos, a share d of the slots is taken out of the lottery. These slots are the overlay. Genesis
//! delegates take turns at every ⌊1/f⌋-th slot of the overlay. All other slots of the overlay are empty.
//!
//! For a mutant of [`Mutant::OF_STAKE`], a maker draws as usual and makes a block that it must not make.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use klero::SecretKey;
use klero_cardano::{Cert, ClaimKind, Hash, Nonce, Protocol, Vrf};
use klero_leader::{ActiveSlots, Distribution, LeaderValue, PoolId, VrfKeyHash};

use crate::error::ForgeError;
use crate::hash::blake2b_224;
use crate::maker::Maker;
use crate::mutant::Mutant;
use crate::plan::Epoch;
use crate::recipe::Recipe;
use crate::seed::Seed;

/// The number of genesis delegates of a forged network, the same as on mainnet.
const DELEGATES: u64 = 7;
/// The number 1 in fixed point, with 63 binary digits after the point.
const ONE: u128 = 1 << 63;

/// A slot in which a block is made, and the maker of the block.
pub(crate) struct Win<'a> {
    pub slot: u64,
    pub maker: &'a Maker,
    /// The protocol version that the maker announces.
    pub version: u64,
    pub vrf: Vrf,
    /// True for a slot of the overlay.
    pub overlay: bool,
}

/// The makers who may make the block of a slot.
#[derive(Clone, Copy)]
enum Turn<'a> {
    /// A slot of the lottery.
    Pools,
    /// An active slot of the overlay.
    Delegate(&'a Maker),
    /// An inactive slot of the overlay.
    Nobody,
}

/// The makers of blocks, and the rules of their turns.
pub(crate) struct Makers {
    pub seed: Seed,
    f: ActiveSlots,
    pools: Vec<Maker>,
    stake: u32,
    /// The genesis delegates, each with the hash of its genesis key, sorted by this hash.
    pub delegates: Vec<(Hash<28>, Maker)>,
    /// For mutants: a copy of each pool, with a VRF key that the pool did not register.
    rekeyed: Vec<Maker>,
    /// For mutants: a pool without stake.
    stranger: Maker,
}

impl Makers {
    pub(crate) fn new(recipe: &Recipe) -> Result<Self, ForgeError> {
        let seed = Seed(recipe.seed);
        let stake = recipe
            .stakes
            .iter()
            .try_fold(0u32, |sum, stake| sum.checked_add(*stake));
        let Some(stake @ 1..) = stake else {
            return Err(ForgeError::Recipe(
                "the stakes must add up to 1 to 4294967295".into(),
            ));
        };
        let pools: Vec<_> = (0..)
            .zip(&recipe.stakes)
            .map(|(number, stake)| Maker::new(&seed, "pool", number, *stake))
            .collect();
        let mut delegates: Vec<_> = (0..DELEGATES)
            .map(|number| {
                let genesis_key = blake2b_224(&seed.bytes("genesis key", number));
                (
                    genesis_key,
                    Maker::new(&seed, "genesis delegate", number, 0),
                )
            })
            .collect();
        delegates.sort_by_key(|(genesis_key, _)| *genesis_key);
        Ok(Self {
            stranger: Maker::new(&seed, "stranger", 0, 0),
            rekeyed: pools.iter().map(Maker::with_other_vrf_key).collect(),
            seed,
            f: recipe.f.clone(),
            pools,
            stake,
            delegates,
        })
    }

    /// The stake of the pools, with the hashes of their VRF keys.
    pub(crate) fn distribution(&self) -> Distribution {
        let fits = "stakes that were added up";
        let mut builder = Distribution::builder();
        for pool in &self.pools {
            let vrf = VrfKeyHash::of_key(pool.vrf.public_key().as_bytes());
            let added = builder.pool(pool.id(), pool.stake.into(), Some(vrf));
            added.expect(fits);
        }
        builder.total(self.stake.into());
        builder.build().expect(fits)
    }

    /// The secret VRF key of each pool.
    pub(crate) fn vrf_keys(&self) -> BTreeMap<PoolId, SecretKey> {
        let pools = self.pools.iter();
        pools.map(|pool| (pool.id(), pool.vrf.clone())).collect()
    }

    /// True if there is a block in a slot of Byron. About one slot in 256 has none.
    pub(crate) fn byron_is_there(&self, slot: u64) -> bool {
        self.seed.bytes("byron missed", slot)[0] != 0
    }

    /// Returns the maker and the proofs of the block in a slot after Byron, if there is a block.
    pub(crate) fn draw(&self, epoch: &Epoch, eta0: Nonce, slot: u64) -> Option<Win<'_>> {
        let ballot = self.ballot(epoch, eta0, slot);
        match ballot.turn {
            Turn::Nobody => None,
            Turn::Delegate(delegate) => Some(ballot.made_by(ballot.of(delegate))),
            Turn::Pools => {
                let draws = ballot.of_each(&self.pools);
                let wins = draws.filter(|draw| self.wins(draw.value, draw.maker.stake));
                Some(ballot.made_by(wins.min_by_key(|draw| draw.value)?))
            }
        }
    }

    /// Returns the maker and the proofs of a mutant of [`Mutant::OF_STAKE`], in the first of `slots` in which
    /// the mutant is possible. If the maker is a pool, its leader value is below f. With any other value, no
    /// pool could lead, whatever its stake, and a verifier would report another fault.
    pub(crate) fn pretend(
        &self,
        mutant: Mutant,
        epoch: &Epoch,
        eta0: Nonce,
        mut slots: RangeInclusive<u64>,
    ) -> Option<Win<'_>> {
        slots.find_map(|slot| {
            let ballot = self.ballot(epoch, eta0, slot);
            let could_lead = |draw: &Draw<'_>| self.wins(draw.value, self.stake);
            let wins = |draw: &Draw<'_>| self.wins(draw.value, draw.maker.stake);
            let draw = match (mutant, ballot.turn) {
                (Mutant::NoLeader, Turn::Pools) => ballot
                    .of_each(&self.pools)
                    .find(|draw| could_lead(draw) && !wins(draw)),
                (Mutant::OtherVrfKey, Turn::Pools) => ballot.of_each(&self.rekeyed).find(wins),
                (Mutant::UnknownPool, Turn::Pools) => {
                    Some(ballot.of(&self.stranger)).filter(could_lead)
                }
                (Mutant::WrongDelegate, Turn::Delegate(right)) => {
                    let delegates = self.delegates.iter().map(|(_, maker)| maker);
                    let mut others = delegates.filter(|other| other.cold_key != right.cold_key);
                    others.next().map(|other| ballot.of(other))
                }
                (Mutant::ReservedSlot, Turn::Nobody) => ballot.of_each(&self.pools).find(wins),
                _ => None,
            };
            Some(ballot.made_by(draw?))
        })
    }

    /// Returns the ballot of a slot after Byron.
    fn ballot<'e>(&self, epoch: &'e Epoch, eta0: Nonce, slot: u64) -> Ballot<'e, '_> {
        Ballot {
            epoch,
            eta0,
            slot,
            kind: match epoch.era.protocol() {
                Protocol::Praos => ClaimKind::Praos,
                Protocol::Byron | Protocol::TPraos => ClaimKind::Leader,
            },
            turn: self.turn(epoch, slot),
        }
    }

    /// Returns the turn in a slot. Praos has no overlay, so its slots all belong to the pools.
    fn turn(&self, epoch: &Epoch, slot: u64) -> Turn<'_> {
        // d is `overlay_percent` / 100. The first `s` slots of an epoch contain `position(s)` overlay slots.
        let since = slot - epoch.slots.start;
        let position = |s: u64| (s * epoch.overlay_percent).div_ceil(100);
        let here = position(since);
        if here == position(since + 1) {
            return Turn::Pools;
        }
        let spacing = self.f.denominator() / self.f.numerator();
        let turn = here / spacing % self.delegates.len() as u64;
        match self.delegates.get(turn as usize) {
            Some((_, maker)) if here % spacing == 0 => Turn::Delegate(maker),
            _ => Turn::Nobody,
        }
    }

    /// True if (1-p)^N > (1-f)^n, where n is `stake`, N is the stake of all pools, and p is the next multiple
    /// of 2^-63 above `value` / 2^64.
    fn wins(&self, value: u64, stake: u32) -> bool {
        let (numerator, denominator) = (
            u128::from(self.f.numerator()),
            u128::from(self.f.denominator()),
        );
        let idle = (denominator - numerator) * ONE / denominator;
        let unlucky = ONE - 1 - u128::from(value >> 1);
        power(unlucky, self.stake) > power(idle, stake)
    }
}

/// A slot after Byron, with everything that a maker needs for a draw.
struct Ballot<'e, 'm> {
    epoch: &'e Epoch,
    eta0: Nonce,
    slot: u64,
    kind: ClaimKind,
    turn: Turn<'m>,
}

/// The draw of a maker in a slot.
struct Draw<'a> {
    maker: &'a Maker,
    cert: Cert,
    /// The first 64 bits of the leader value.
    value: u64,
}

impl<'m> Ballot<'_, 'm> {
    fn of_each(&self, makers: &'m [Maker]) -> impl Iterator<Item = Draw<'m>> {
        makers.iter().map(|maker| self.of(maker))
    }

    fn of(&self, maker: &'m Maker) -> Draw<'m> {
        let cert = maker.prove(self.kind, self.slot, self.eta0);
        Draw {
            maker,
            value: first_bits(&self.kind.leader_value(&cert.output)),
            cert,
        }
    }

    /// Returns the slot with the maker of this draw, and the maker's proofs for the block.
    fn made_by(&self, draw: Draw<'m>) -> Win<'m> {
        let Draw { maker, cert, .. } = draw;
        Win {
            slot: self.slot,
            maker,
            version: maker.version(self.epoch),
            vrf: match self.kind {
                ClaimKind::Praos => Vrf::Praos(cert),
                _ => Vrf::TPraos {
                    eta: maker.prove(ClaimKind::Eta, self.slot, self.eta0),
                    leader: cert,
                },
            },
            overlay: !matches!(self.turn, Turn::Pools),
        }
    }
}

/// `base` to the power of `exponent`, in fixed point.
fn power(mut base: u128, mut exponent: u32) -> u128 {
    let mut result = ONE;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base / ONE;
        }
        base = base * base / ONE;
        exponent >>= 1;
    }
    result
}

/// The first 64 bits of a leader value.
fn first_bits(value: &LeaderValue) -> u64 {
    let first = value.as_bytes().first_chunk().expect("32 bytes or 64");
    u64::from_be_bytes(*first)
}
