//! A table of the layouts of a state. A row has the list lengths that depend on the version of the node.
//!
//! To add a layout, add a row here. If the fields of its lists differ too, change `state.rs`, `stake.rs` and
//! `header.rs`. Update the versions of nodes in `mod.rs`, docs/rules.md, docs/chain.md, docs/leaderlog.md and
//! the help of `--ledger`. Add a state to `tests/ledger`.

/// A layout: the possible lengths of each list whose length depends on the version of the node.
pub(super) struct Layout {
    /// `Bound`: time, slot, epoch, and a round if Peras is enabled. Source: `HardFork/History/Summary.hs`.
    pub bound: &'static [u64],
    /// `ShelleyLedgerState`: last block, new epoch state, transition, and in the newer layout the latest
    /// round of Peras. Source: `Shelley/Ledger/Ledger.hs`.
    pub ledger: &'static [u64],
    /// `SnapShot`: stake by delegator, pool by delegator, and pools. In the newer layout, the first two are
    /// one map. Source: `State/SnapShots.hs`.
    pub snapshot: &'static [u64],
    /// A pool of a snapshot: `PoolParams` (`PoolParams.hs`), or in the newer layout `StakePoolSnapShot`
    /// (`State/SnapShots.hs`).
    pub pool: &'static [u64],
    /// `PraosState`: last slot, counters, five nonces, and in the newer layout the nonce of the previous
    /// epoch. Source: `Protocol/Praos.hs`.
    pub praos: &'static [u64],
}

/// Every layout that can be read. A list with any other number of items is refused, and so is a state whose
/// lists belong to different rows.
pub(super) static LAYOUTS: [Layout; 2] = [
    // Node 9.0 to 10.6: ouroboros-consensus 0.19 to 0.30, cardano-ledger-core 1.13 to 1.18.
    Layout {
        bound: &[3],
        ledger: &[3],
        snapshot: &[3],
        pool: &[9],
        praos: &[7],
    },
    // Node 10.7 to 11.1: ouroboros-consensus 1.0 to 4.1, cardano-ledger-core 1.19 to 1.21.
    Layout {
        bound: &[3, 4],
        ledger: &[4],
        snapshot: &[2],
        pool: &[10],
        praos: &[8],
    },
];
