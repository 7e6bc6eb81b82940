//! The draw, which evaluates a pool's VRF at every slot of an election.

use std::ops::Range;
use std::sync::Arc;

use klero::SecretKey;
use klero_leader::Threshold;
use klero_support::{Queue, ordered};

use super::election::{Candidate, Election};
use crate::ui::interrupt::Interrupt;
use crate::ui::progress::Progress;

/// The number of slots that a thread evaluates together: enough to fill every lane of the vectors, and few
/// enough that Ctrl-C soon takes effect.
const SLICE: usize = 1024;

/// A slot in which the pool leads.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    pub slot: u64,
    /// The leader value divided by the largest leader value with which the pool leads.
    pub margin: f64,
}

/// Returns all slots in which a pool with this key leads, in ascending order. Returns `None` if interrupted.
/// The key is wiped at the end.
pub fn draw(
    election: &Arc<Election>,
    candidate: &Candidate,
    key: SecretKey,
    interrupt: &Interrupt,
) -> Option<Vec<Lead>> {
    let Range { start, end } = election.slots;
    let slices = (start..end)
        .step_by(SLICE)
        .map(move |first| first..end.min(first.saturating_add(SLICE as u64)));
    let (election, threshold) = (Arc::clone(election), candidate.threshold.clone());
    let queue = Queue::new(move |slice: Range<u64>| {
        let slots = slice.end - slice.start;
        (slots, leads(&election, &threshold, &key, slice))
    });
    let mut bar = Progress::counting("slots", true);
    let mut all = Vec::new();
    for (slots, leads) in ordered(slices, queue) {
        all.extend(leads);
        bar.advance(slots as usize, (bar.rows() + slots, Some(end - start)));
        if interrupt.pressed() {
            return None;
        }
    }
    Some(all)
}

/// Returns the slots of a slice in which the pool leads. Computes the outputs in constant time with respect
/// to the key.
fn leads(
    election: &Election,
    threshold: &Threshold,
    key: &SecretKey,
    slice: Range<u64>,
) -> Vec<Lead> {
    let slots: Vec<u64> = slice.filter(|slot| election.is_drawn(*slot)).collect();
    let alphas: Vec<[u8; 32]> = slots
        .iter()
        .map(|slot| election.kind.alpha(*slot, election.nonce))
        .collect();
    let outputs = key.evaluate_many(&alphas);
    let values = outputs
        .iter()
        .map(|output| election.kind.leader_value(&output.0));
    slots
        .into_iter()
        .zip(values)
        .filter(|(_, value)| threshold.leads(value))
        .map(|(slot, value)| Lead {
            slot,
            margin: threshold.margin(&value),
        })
        .collect()
}
