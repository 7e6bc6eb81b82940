//! Compares a node's ledger state with the chain: the last block of the state, and the five nonces after that
//! block, which can also be computed from the headers.

use klero_cardano::{Checksum, Fault, Hash, LastBlock, LedgerState, NonceState};

use crate::anchor::Met;

/// A ledger state ([`Audit::ledger`](crate::Audit::ledger)), with the result of comparing it with the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// The last block of the state.
    pub last: LastBlock,
    /// The state's nonces after its last block.
    pub nonces: NonceState,
    /// The result of comparing the state's bytes with the CRC-32 that the node wrote for them.
    pub checksum: Checksum,
    /// The result of comparing the last block with the chain.
    pub met: Met,
    /// True if the nonces were compared. They are not compared if the chain lacks the state's last block, if
    /// the audit computes no nonces, or if a nonce is in doubt.
    pub nonces_compared: bool,
}

impl Ledger {
    /// Creates the result for a state that is not compared yet.
    pub(crate) fn new(state: LedgerState) -> Self {
        Self {
            last: state.last,
            nonces: state.nonces,
            checksum: state.checksum,
            met: Met::NotReached,
            nonces_compared: false,
        }
    }

    /// Compares the state's last block with the chain's block at its slot, which has this `hash`. If they are
    /// equal, compares the nonces. `nonces` is `None` if the audit computes none or if one is in doubt.
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

    /// Records that the chain lacks the state's last block. `found` is the chain's block at that slot, if
    /// any.
    pub(crate) fn lack(&mut self, found: Option<Hash<32>>) -> Fault {
        self.met = Met::No;
        Fault::LedgerState {
            what: "last block",
            ledger: self.last.hash.to_string(),
            chain: found.map_or("none".into(), |hash| hash.to_string()),
        }
    }
}
