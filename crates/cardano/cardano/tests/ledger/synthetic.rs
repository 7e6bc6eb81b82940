//! Made-up ledger states, with several pools and delegators.

use klero_cardano::{Era, Hash, LastBlock, Nonce, NonceState};
use klero_forge::ledger::{Delegator, Snapshot, State};
use klero_leader::{PoolId, VrfKeyHash};

/// Makes a state with random content. For the same arguments, the content is always the same.
pub fn synthetic(pools: usize, delegators: usize) -> State {
    let mut random = fastrand::Rng::with_seed(11);
    let random = &mut random;
    let snapshots = core::array::from_fn(|_| snapshot(random, pools, delegators));
    let nonce = |random: &mut fastrand::Rng| Nonce::Value(hash(random));
    let issuers: Vec<Hash<28>> = (0..pools).map(|_| hash(random)).collect();
    let mut numbers = || issuers.iter().map(|by| (*by, random.u64(..300))).collect();
    let [counters, blocks, blocks_before] = [numbers(), numbers(), numbers()];
    State {
        last: LastBlock {
            era: Era::Conway,
            boundary: false,
            slot: 70_000_000,
            number: 3_000_000,
            hash: hash(random),
        },
        eras: (0..7).map(|n| (n * 432_000, n)).collect(),
        nonces: NonceState {
            epoch: 164,
            eta0: nonce(random),
            eta_v: nonce(random),
            eta_c: nonce(random),
            eta_h: Nonce::Neutral,
            lab: nonce(random),
        },
        previous: nonce(random),
        counters,
        blocks,
        blocks_before,
        stake: snapshots[1].distribution(),
        snapshots,
    }
}

/// Sets the era of the state's last block.
pub fn in_era(era: Era, mut state: State) -> State {
    state.last.era = era;
    state
}

/// Makes a snapshot of registered pools and of delegators. The last pool has no delegators, and some
/// delegators belong to a retired pool.
fn snapshot(random: &mut fastrand::Rng, pools: usize, delegators: usize) -> Snapshot {
    let pool = |random: &mut fastrand::Rng| PoolId::new(*hash(random));
    let registered: Vec<PoolId> = (0..pools).map(|_| pool(random)).collect();
    let mut of_pools = registered[..pools - 1].to_vec();
    of_pools.push(pool(random));
    let mut delegators: Vec<Delegator> = (0..delegators)
        .map(|_| Delegator {
            script: random.bool(),
            hash: hash(random),
            stake: random.u64(1..1 << 40),
            pool: of_pools[random.usize(..of_pools.len())],
        })
        .collect();
    delegators.sort_by_key(|delegator| (!delegator.script, delegator.hash));
    let vrf = |pool| (pool, VrfKeyHash::new(*hash(random)));
    Snapshot {
        delegators,
        pools: registered.into_iter().map(vrf).collect(),
    }
}

fn hash<const N: usize>(random: &mut fastrand::Rng) -> Hash<N> {
    Hash::new(core::array::from_fn(|_| random.u8(..)))
}
