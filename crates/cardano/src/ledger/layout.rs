//! The layouts of a state: a row for each, with the lists whose numbers of items differ between nodes.
//!
//! To add a layout: a row here, and where other fields are read, `state.rs`, `stake.rs` and `header.rs`; the
//! nodes in `mod.rs`, docs/rules.md, docs/chain.md, docs/leaderlog.md and the help of `--ledger`; a state in
//! `tests/ledger`.

/// The numbers of items that the lists of a state have.
pub(super) struct Layout {
    /// `Bound`: time, slot, epoch; and a round, once Peras is there. `HardFork/History/Summary.hs`.
    pub bound: &'static [u64],
    /// `ShelleyLedgerState`: last block, new epoch state, transition; and the latest round of Peras.
    /// `Shelley/Ledger/Ledger.hs`.
    pub ledger: &'static [u64],
    /// `SnapShot`: stake by delegator, pool by delegator, pools; or both by delegator, pools.
    /// `State/SnapShots.hs`.
    pub snapshot: &'static [u64],
    /// A pool of a snapshot: `PoolParams` (`PoolParams.hs`), or `StakePoolSnapShot`
    /// (`State/SnapShots.hs`).
    pub pool: &'static [u64],
    /// `PraosState`: last slot, counters, five nonces; and the nonce of the epoch before.
    /// `Protocol/Praos.hs`.
    pub praos: &'static [u64],
}

/// Every layout that is read. A list with another number of items is refused, and so is a state whose lists
/// belong to different rows.
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
