//! The checks of a block against the one before it, its chunk and its epoch.

use std::collections::VecDeque;
use std::mem;

use crate::chain::era::Era;
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::disk::begun::Begun;
use crate::disk::item::{Crc, Stored};
use crate::fault::{Fault, HeaderState, IndexFile};
use crate::finding::{Finding, Location};
use crate::walk::ahead::Ahead;
use crate::walk::event::Event;
use crate::walk::last::LastBlock;

/// The checks of a walk: the state that the next block is checked against, and the events not yet returned.
pub(super) struct Checks {
    pub network: Network,
    /// Events that the walk returns before it reads on.
    pub events: VecDeque<Event>,
    pub last: Option<LastBlock>,
    /// True if the header of the last block may be altered.
    altered: bool,
    /// True if blocks may be lost since the last one.
    lost: bool,
    /// True if the walk may begin with any block.
    pub any_first: bool,
    /// The last era that was reported as not that of its epoch, and the last chunk that was reported as of
    /// another size. Neither is reported again.
    era_reported: Option<(Era, u64)>,
    chunk_reported: Option<u64>,
}

impl Checks {
    pub(super) fn new(network: Network) -> Self {
        Self {
            network,
            events: VecDeque::new(),
            last: None,
            altered: false,
            lost: false,
            any_first: false,
            era_reported: None,
            chunk_reported: None,
        }
    }

    fn fault(&mut self, fault: Fault, at: &Location) {
        self.find(Box::new(Finding::new(fault, at.clone())));
    }

    /// Takes a finding, which the walk returns before it reads on.
    pub(super) fn find(&mut self, finding: Box<Finding>) {
        self.events.push_back(Event::Finding(finding));
    }

    /// True if the block in `chunk` whose first part is `begun` can follow the last block, as far as its
    /// fields are there.
    pub(super) fn follows(&self, begun: &Begun, chunk: u64) -> bool {
        let Begun {
            era,
            boundary,
            number,
            slot,
            prev_hash,
        } = *begun;
        let first = self.network.chunk_start(chunk);
        let right = slot.is_none_or(|slot| {
            let in_chunk = slot.checked_sub(first);
            let epoch = self.network.epoch(slot);
            in_chunk.is_some_and(|n| n < self.network.chunk_size())
                && era.is_none_or(|era| self.network.admits(era, epoch))
        });
        // If blocks may be lost before this one, its right number and predecessor are not known.
        let Some(last) = self.last.as_ref().filter(|_| !self.lost) else {
            return right;
        };
        let expected = last.number.saturating_add(u64::from(!boundary));
        let in_order = |slot| slot > last.slot || (last.boundary && slot == last.slot);
        right
            && slot.is_none_or(in_order)
            && era.is_none_or(|era| era >= last.era)
            && number.is_none_or(|number| number == expected)
            && prev_hash.is_none_or(|hash| hash == Some(last.hash))
    }

    /// The least slot that the next block can have.
    pub(super) fn least_slot(&self) -> u64 {
        self.last
            .as_ref()
            .map_or(0, |last| last.slot.saturating_add(1))
    }

    /// Notes that blocks may be lost: if the next block does not name the last one, that is no second fault.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    /// Makes `block` the last one. If its header may be `altered`, the next block may name another hash.
    pub(super) fn passed(&mut self, block: LastBlock, altered: bool) {
        self.lost = altered;
        self.altered = altered;
        self.last = Some(block);
    }

    /// Reports a header that cannot be used and a CRC-32 that differs. Returns true if the header may be
    /// altered.
    pub(super) fn check_crc(
        &mut self,
        stored: &Stored,
        location: &Location,
        ahead: &mut Ahead<'_>,
    ) -> bool {
        let (hash, why) = match &stored.header {
            Ok(header) => (Some(header.place.hash), None),
            Err(bad) => (
                bad.place.as_ref().map(|place| place.hash),
                Some(bad.reason.clone()),
            ),
        };
        let Crc::Fails {
            expected,
            found,
            body,
        } = stored.crc
        else {
            if let Some(why) = why {
                self.fault(Fault::BadHeader { why }, location);
            }
            return false;
        };
        let intact = hash.is_some_and(|hash| {
            stored
                .entry
                .as_ref()
                .is_some_and(|entry| entry.hash == hash)
                || ahead.names(hash)
        });
        if intact && body {
            // Header and body are proven intact, so the index is damaged.
            self.find(wrong_entry(stored));
            return false;
        }
        let header = match why {
            Some(_) => HeaderState::Unreadable,
            None if intact => HeaderState::Intact,
            None => HeaderState::Unproven,
        };
        self.fault(
            Fault::Crc {
                expected,
                found,
                header,
                why,
            },
            location,
        );
        !intact
    }

    /// Reports the fault of a body. Returns true if the body is the one that its header names; `None` if it
    /// was not checked, or if the header may be `altered`.
    pub(super) fn check_body(
        &mut self,
        body: Option<Result<(), Fault>>,
        altered: bool,
        at: &Location,
    ) -> Option<bool> {
        let body = body.filter(|_| !altered)?;
        let holds = body.is_ok();
        if let Err(fault) = body {
            self.fault(fault, at);
        }
        Some(holds)
    }

    /// Compares a block's slot with its chunk. Returns true if the slot belongs there, or the next block
    /// proves the header intact.
    pub(super) fn check_chunk(
        &mut self,
        place: &Place,
        altered: bool,
        at: &Location,
        ahead: &mut Ahead<'_>,
    ) -> bool {
        let first = self.network.chunk_start(at.chunk);
        let last = first.saturating_add(self.network.chunk_size() - 1);
        if (first..=last).contains(&place.slot) {
            return true;
        }
        let proven = !altered && ahead.names(place.hash);
        // A chunk of another size is reported once, an unproven slot each time. A block that
        // has a fault already gets no second one.
        let repeated = proven && self.chunk_reported == Some(at.chunk);
        if !altered && !repeated {
            self.chunk_reported = Some(at.chunk);
            let last_slot = last;
            self.fault(Fault::OutsideChunk { first, last_slot }, at);
        }
        proven
    }

    /// Compares a block's era with its epoch and with the last block's era. Returns false if it is wrong.
    /// Reports nothing if its header has a fault already.
    pub(super) fn check_era(&mut self, place: &Place, altered: bool, at: &Location) -> bool {
        let found = place.era;
        let epoch = self.network.epoch(place.slot);
        if let Some(last) = self.last.as_ref().filter(|_| !self.altered)
            && found < last.era
        {
            let before = Some(last.era);
            if !altered {
                self.fault(Fault::Era { found, before }, at);
            }
            return false;
        }
        if self.network.admits(found, epoch) {
            return true;
        }
        if !altered && self.era_reported != Some((found, epoch)) {
            self.era_reported = Some((found, epoch));
            let before = None;
            self.fault(Fault::Era { found, before }, at);
        }
        false
    }

    /// Compares a block with the last one. Reports nothing if its header has a fault already. Returns true if
    /// the block names the last one, or may be the first of the walk.
    pub(super) fn check_place(&mut self, place: &Place, altered: bool, at: &Location) -> bool {
        let lost = mem::take(&mut self.lost);
        let Some(last) = &self.last else {
            return place.number == 0 || self.any_first;
        };
        let linked = place.prev_hash == Some(last.hash);
        if !altered {
            for fault in misplacements(place, last, self.altered, lost) {
                self.fault(fault, at);
            }
        }
        linked
    }
}

/// The faults of a block that does not continue the last one, which may be `altered`. It is no fault that the
/// block does not name the last one if `blocks_may_be_lost` between the two.
fn misplacements(
    place: &Place,
    last: &LastBlock,
    altered: bool,
    blocks_may_be_lost: bool,
) -> impl Iterator<Item = Fault> + use<> {
    let LastBlock {
        slot: before,
        number,
        hash,
        boundary,
        ..
    } = *last;
    let found = place.slot;
    let linked = place.prev_hash == Some(hash);
    let in_order = found > before || (boundary && found == before);
    let expected = number.saturating_add(u64::from(!place.boundary));
    let wrong_number = (linked && place.number != expected).then_some(Fault::BlockNumber {
        expected,
        found: place.number,
    });
    let wrong_link = (!linked && !blocks_may_be_lost).then_some(Fault::HashLink {
        before: hash,
        names: place.prev_hash,
    });
    let wrong_order = (!in_order && !altered).then_some(Fault::SlotOrder { before });
    [wrong_number, wrong_link, wrong_order]
        .into_iter()
        .flatten()
}

/// The warning that the index is wrong about an intact block.
fn wrong_entry(stored: &Stored) -> Box<Finding> {
    let offset = stored.offset;
    let fault = Fault::Index {
        file: IndexFile::Secondary,
        what: Some(format!(
            "wrong hash and CRC-32 for the block at byte {offset}"
        )),
    };
    Finding::in_chunk(stored.chunk, fault)
}
