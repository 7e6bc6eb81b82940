//! The checks of a block against the block before it, its chunk and its epoch.

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

/// The state against which the next block of a walk is checked, and the events that are not returned yet.
pub(super) struct Checks {
    pub network: Network,
    /// The events that the walk returns before it reads the next item.
    pub events: VecDeque<Event>,
    pub last: Option<LastBlock>,
    /// True if the header of the last block may have been altered.
    altered: bool,
    /// True if blocks after the last block may have been lost.
    lost: bool,
    /// True if the walk may begin with any block.
    pub any_first: bool,
    /// The last era that was reported as wrong for its epoch, and that epoch. A pair is reported only once.
    era_reported: Option<(Era, u64)>,
    /// The last chunk for which a slot outside the chunk was reported.
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

    /// Queues a finding. The walk returns it before it reads the next item.
    pub(super) fn find(&mut self, finding: Box<Finding>) {
        self.events.push_back(Event::Finding(finding));
    }

    /// True if the block in `chunk` whose first part is `begun` can follow the last block. Fields that are
    /// missing in `begun` are not checked.
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
        // If blocks may have been lost before this block, its number and its predecessor are not known.
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

    /// The lowest slot that the next block can have.
    pub(super) fn least_slot(&self) -> u64 {
        self.last
            .as_ref()
            .map_or(0, |last| last.slot.saturating_add(1))
    }

    /// Records that blocks may have been lost. Then it is not a second fault if the next block is not linked
    /// to the last block.
    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    /// Makes `block` the last block. If its header may be `altered`, the next block need not be linked to it.
    pub(super) fn passed(&mut self, block: LastBlock, altered: bool) {
        self.lost = altered;
        self.altered = altered;
        self.last = Some(block);
    }

    /// Reports a header that cannot be used, or a CRC-32 that differs from the index. Returns true if the
    /// header may have been altered.
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

    /// Reports the body's fault, if it has one. Returns true if the body matches its header, false if it does
    /// not, and `None` if it was not checked or the header may be `altered`.
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

    /// Compares a block's slot with its chunk. Returns true if the slot belongs to the chunk, or if the next
    /// block proves that the header is intact.
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
        // If the next block proves the slot, the chunk has a wrong number of slots, which is reported once.
        // An unproven slot is always reported, except for a block that already has a fault.
        let repeated = proven && self.chunk_reported == Some(at.chunk);
        if !altered && !repeated {
            self.chunk_reported = Some(at.chunk);
            let last_slot = last;
            self.fault(Fault::OutsideChunk { first, last_slot }, at);
        }
        proven
    }

    /// Compares a block's era with its epoch and with the last block's era. Returns false if the era is
    /// wrong. Reports nothing if the block's header already has a fault.
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

    /// Compares a block with the last block. Reports nothing if the block's header already has a fault.
    /// Returns true if the block is linked to the last block, or may be the first block of the walk.
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

/// The faults of a block that does not continue the last block. `altered` is true if the last block may have
/// been altered. If blocks between the two may have been lost, a missing link is not a fault.
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

/// Returns the warning for a wrong index entry of an intact block.
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
