//! Comparison of a node's ledger state with the chain: its last block, and the five nonces after it, which
//! headers determine as well.

use klero_cardano::{Checksum, Fault, Hash, LastBlock, LedgerState, NonceState};

use crate::anchor::Met;

/// A ledger state ([`Audit::ledger`](crate::Audit::ledger)), and its comparison with the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// The last block of the state.
    pub last: LastBlock,
    /// The nonces after it.
    pub nonces: NonceState,
    /// The comparison of the state's bytes with the CRC-32 that the node wrote for them.
    pub checksum: Checksum,
    /// The comparison of its last block with the chain.
    pub met: Met,
    /// True if its nonces were compared. They are not if the chain lacks the state's last block, if the
    /// audit computes no nonces, or if a nonce is in doubt.
    pub nonces_compared: bool,
}

impl Ledger {
    /// A state to compare with a chain, before any of the chain is read.
    pub(crate) fn new(state: LedgerState) -> Self {
        Self {
            last: state.last,
            nonces: state.nonces,
            checksum: state.checksum,
            met: Met::NotReached,
            nonces_compared: false,
        }
    }

    /// Compares the state's last block with the block at its slot, and the nonces after both, if the audit
    /// computes them and none is in doubt.
    pub(crate) fn meet(&mut self, hash: Hash<32>, nonces: Option<&NonceState>) -> Vec<Fault> {
        if hash != self.last.hash {
            return vec![self.lack(Some(hash))];
        }
        self.met = Met::Yes;
        let Some(chain) = nonces else {
            return Vec::new();
        };
        self.nonces_compared = true;
        let ours = &self.nonces;
        let nonces = [
            ("epoch nonce", ours.eta0, chain.eta0),
            ("evolving nonce", ours.eta_v, chain.eta_v),
            ("candidate nonce", ours.eta_c, chain.eta_c),
            (
                "nonce of the last block of the epoch before",
                ours.eta_h,
                chain.eta_h,
            ),
            (
                "nonce of the hash before the last block",
                ours.lab,
                chain.lab,
            ),
        ];
        let other = nonces.into_iter().filter(|(_, ours, chain)| ours != chain);
        other
            .map(|(what, ledger, chain)| Fault::LedgerState {
                what,
                ledger: ledger.to_string(),
                chain: chain.to_string(),
            })
            .collect()
    }

    /// Records that the chain has another block in place of the state's last one, or none.
    pub(crate) fn lack(&mut self, found: Option<Hash<32>>) -> Fault {
        self.met = Met::No;
        Fault::LedgerState {
            what: "last block",
            ledger: self.last.hash.to_string(),
            chain: found.map_or("none".into(), |hash| hash.to_string()),
        }
    }
}
