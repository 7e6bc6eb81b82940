//! The walk along the chain: blocks in order, each with its claims, and what is wrong between
//! them.
//!
//! Every block is held against the one before it (hash, number, slot, era), its claims are made
//! with the nonce of its epoch, and its outputs are folded into the nonces, before anything is
//! verified: a wrong output means an invalid proof, and whoever verifies finds that. A fault
//! does not end the walk. What depends on the blocks that it damaged or lost is
//! [`Claims::Unverifiable`] from there on, by the rules of [`Doubt`](crate::Doubt). Only blocks
//! of an unknown era end it.

use std::collections::VecDeque;

use pallas_crypto::hash::Hash;

use crate::begun::Begun;
use crate::block::{Block, Claims, Event, Leadership};
use crate::chunk::{Crc, Item, Stored};
use crate::era::Era;
use crate::evolve::{Gap, Nonces, Trust};
use crate::fault::{Fault, FaultKind, HeaderState, IndexFile, Location, Warning, WarningKind};
use crate::header::{Header, Place};
use crate::immutable::{Immutable, Items};
use crate::network::{Network, built_ins};
use crate::note::{Note, NoteKind};
use crate::start::{Start, WalkError};
use crate::state::{LastBlock, SavedState, StateError};

/// The walk; an iterator of [`Event`]s. What was made of one chunk is in memory at a time.
///
/// ```no_run
/// use klero_cardano::{Claims, Event, Immutable, Network, Start, Walk};
/// let db = Immutable::open("db".as_ref())?;
/// for event in Walk::new(&db, Network::preview(), Start::Genesis)? {
///     match event {
///         Event::Block(block) => match block.claims {
///             Claims::Made(claims) => println!("slot {}: {}", block.place.slot, claims.len()),
///             _ => println!("slot {}: nothing to verify", block.place.slot),
///         },
///         Event::Fault(fault) => eprintln!("{fault}"),
///         Event::Warning(warning) => eprintln!("{warning}"),
///         Event::Note(note) => eprintln!("{note}"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Walk {
    network: Network,
    items: Items,
    /// Items read ahead.
    ahead: VecDeque<Item>,
    /// Events to be handed out before anything else.
    events: VecDeque<Event>,
    nonces: Nonces,
    last: Option<Last>,
    /// Blocks may have been lost since the last one.
    gap: Option<Gap>,
    /// The last disagreement of era and epoch that was reported, and the last chunk of another
    /// size: one report stands for all of its kind.
    era_reported: Option<(Era, u64)>,
    chunk_reported: Option<u64>,
    bytes: u64,
    /// Bytes before the point where the walk began, and of the blocks handed out.
    read: u64,
    /// A block of a known era is among the items read ahead.
    known_era_follows: bool,
    /// Blocks of an unknown era were met.
    ended: bool,
}

/// How many chunks on a block of a known era is looked for, where one of an unknown era was
/// met.
const LOOK: u64 = 8;

/// The block before, as far as the next must agree with it.
struct Last {
    block: LastBlock,
    /// The least slot it can have, should its slot be altered.
    least: u64,
    /// Its header has a fault.
    altered: bool,
    /// The index vouches for it.
    vouched: bool,
}

impl Walk {
    /// Begins a walk along `db`, which must be of `network`.
    pub fn new(db: &Immutable, network: Network, start: Start) -> Result<Walk, WalkError> {
        if let (Some(found), Some(expected)) = (db.magic(), network.magic())
            && found != expected
        {
            let network = network.name().to_owned();
            return Err(WalkError::Network {
                network,
                expected,
                found,
            });
        }
        let first = match &start {
            Start::Genesis => 0,
            Start::State(state) => {
                state.check(&network)?;
                state.last.slot / network.chunk_size()
            }
            Start::EpochNonces(_) => db.chunks().first().copied().unwrap_or(0),
        };
        let mut walk = Walk {
            items: db.items(&network, first),
            ahead: VecDeque::new(),
            events: VecDeque::new(),
            nonces: Nonces::genesis(network.genesis_hash()),
            last: None,
            gap: None,
            era_reported: None,
            chunk_reported: None,
            bytes: db.bytes_from(first),
            read: 0,
            known_era_follows: false,
            ended: false,
            network,
        };
        match start {
            Start::Genesis => {
                walk.check_network(db.magic())?;
                walk.begin_at_genesis(db)?;
            }
            Start::State(state) => walk.resume(*state, first)?,
            Start::EpochNonces(nonces) => {
                walk.check_network(db.magic())?;
                walk.nonces = Nonces::Given(nonces);
            }
        }
        Ok(walk)
    }

    /// Bytes of chunk files that lay ahead when the walk began: the sum of the blocks' sizes,
    /// if all is well.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of the chunk files that are in no block handed out so far. Nonzero at the end of
    /// the walk if blocks are damaged, incomplete, of an unknown era or not readable.
    pub fn unread(&self) -> u64 {
        self.items.bytes().saturating_sub(self.read)
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn begin_at_genesis(&mut self, db: &Immutable) -> Result<(), WalkError> {
        if let Some(chunk) = db.chunks().first().filter(|chunk| **chunk > 0) {
            return Err(WalkError::NotGenesis {
                first: format!("chunk {chunk:05}"),
            });
        }
        if let Some((Header { place, .. }, _)) = self.first_header()
            && place.number != 0
        {
            let first = format!("block {} at slot {}", place.number, place.slot);
            return Err(WalkError::NotGenesis { first });
        }
        Ok(())
    }

    /// The header of the first block and the number of its chunk. A damaged block says nothing
    /// of where it stands.
    fn first_header(&mut self) -> Option<(&Header, u64)> {
        match self.look_ahead()? {
            Item::Block(block) if matches!(block.crc, Crc::Holds | Crc::Unknown) => {
                Some((block.header.as_ref().ok()?, block.chunk))
            }
            _ => None,
        }
    }

    /// Refuses a network that the first block cannot be of. The database says that it is of the
    /// network with this `magic`, if it says so.
    fn check_network(&mut self, magic: Option<u32>) -> Result<(), WalkError> {
        let network = self.network.clone();
        let Some((header, chunk)) = self.first_header() else {
            return Ok(());
        };
        let Some(evidence) = evidence_against(&network, header, chunk) else {
            return Ok(());
        };
        let mut others = built_ins().filter(|other| {
            magic.is_none_or(|magic| other.magic() == Some(magic))
                && evidence_against(other, header, chunk).is_none()
        });
        let looks_like = others.next().map(|other| other.name().to_owned());
        Err(WalkError::OtherNetwork {
            network: network.name().to_owned(),
            evidence,
            looks_like: looks_like.filter(|_| others.next().is_none()),
        })
    }

    /// Goes to the block after the state's. What is wrong before it was reported when it was
    /// saved.
    fn resume(&mut self, state: SavedState, chunk: u64) -> Result<(), WalkError> {
        let LastBlock {
            slot,
            hash,
            boundary,
            ..
        } = state.last;
        let mut last = None;
        loop {
            let block = match self.items.next() {
                Some(Item::Block(block)) => block,
                Some(Item::Warning(warning)) => {
                    // The index is of the blocks to come, too.
                    self.events.push_back(Event::Warning(warning));
                    continue;
                }
                Some(Item::NotRead { note, .. }) if note.chunk == chunk => {
                    let reason = note.to_string();
                    return Err(StateError::NotRead { slot, reason }.into());
                }
                Some(
                    Item::Lost { .. }
                    | Item::NotRead { .. }
                    | Item::UnknownEra { .. }
                    | Item::HalfWritten { .. },
                ) => continue,
                None if last < Some(slot) => return Err(StateError::Short { slot, last }.into()),
                None => return Err(StateError::NoBlock { slot, chunk }.into()),
            };
            if block.chunk != chunk {
                return Err(StateError::NoBlock { slot, chunk }.into());
            }
            let Ok(Header { place, .. }) = block.header else {
                continue;
            };
            if place.slot == slot && place.boundary == boundary {
                if place.hash != hash {
                    let found = place.hash;
                    return Err(StateError::OtherBlock {
                        slot,
                        expected: hash,
                        found,
                    }
                    .into());
                }
                let end = block.offset.saturating_add(block.size);
                self.bytes = self.bytes.saturating_sub(end);
                self.read = end;
                break;
            }
            last = Some(place.slot);
        }
        self.nonces = Nonces::Evolved {
            state: Box::new(state.nonces),
            doubt: state.doubt,
        };
        self.last = Some(Last {
            block: state.last,
            least: slot,
            altered: false,
            vouched: true,
        });
        Ok(())
    }

    fn take(&mut self) -> Option<Item> {
        self.ahead.pop_front().or_else(|| self.items.next())
    }

    /// The next item that is not a warning, which stays where it is.
    fn look_ahead(&mut self) -> Option<&Item> {
        let is_news = |item: &Item| !matches!(item, Item::Warning(_));
        if !self.ahead.iter().any(is_news) {
            loop {
                let item = self.items.next()?;
                let found = is_news(&item);
                self.ahead.push_back(item);
                if found {
                    break;
                }
            }
        }
        self.ahead.iter().find(|item| is_news(item))
    }

    /// Whether a block of a known era comes in `chunk` or soon after, whatever stands before
    /// it.
    fn known_era_follows(&mut self, chunk: u64) -> bool {
        let is_block = |item: &Item| matches!(item, Item::Block(_));
        if !self.known_era_follows {
            self.known_era_follows = self.ahead.iter().any(is_block);
        }
        while !self.known_era_follows {
            let Some(item) = self.items.next() else { break };
            self.known_era_follows = is_block(&item);
            let is_far = item.chunk() > chunk.saturating_add(LOOK);
            self.ahead.push_back(item);
            if is_far {
                break;
            }
        }
        self.known_era_follows
    }

    /// Whether the next block names `hash` as its predecessor's.
    fn is_named_next(&mut self, hash: Hash<32>) -> bool {
        match self.look_ahead() {
            Some(Item::Block(block)) => block.prev_hash() == Some(hash),
            _ => false,
        }
    }

    fn fault(&mut self, kind: FaultKind, location: &Location) {
        self.events.push_back(Event::Fault(Fault {
            kind,
            location: location.clone(),
        }));
    }

    /// What is said of blocks of an unknown era: that they are, and the walk ends; or the
    /// fault, if blocks of a known one follow.
    fn unknown_era(&mut self, tag: u8, fault: Fault, since: u64) -> Event {
        if self.known_era_follows(fault.location.chunk) {
            self.lose(since);
            return Event::Fault(fault);
        }
        self.ended = true;
        let slot = since.max(self.least_slot());
        Event::Note(Note {
            chunk: fault.location.chunk,
            offset: fault.location.offset,
            kind: NoteKind::UnknownEra { tag, slot },
        })
    }

    /// What is said of the first part of a block: that it is there, or the fault, if it does
    /// not follow on the block before.
    fn half_written(&mut self, fault: Fault, since: u64, bytes: u64, begun: &Begun) -> Event {
        if !self.follows(begun, fault.location.chunk) {
            self.lose(since);
            return Event::Fault(fault);
        }
        Event::Note(Note {
            chunk: fault.location.chunk,
            offset: fault.location.offset,
            kind: NoteKind::HalfWritten { bytes },
        })
    }

    /// Whether a block that has begun in `chunk` is where it should be, and the next after the
    /// last one, as far as it tells.
    fn follows(&self, begun: &Begun, chunk: u64) -> bool {
        let Begun {
            era,
            boundary,
            number,
            slot,
            prev_hash,
        } = *begun;
        let first = chunk.saturating_mul(self.network.chunk_size());
        let right = slot.is_none_or(|slot| {
            let in_chunk = slot.checked_sub(first);
            let epoch = self.network.epoch(slot);
            in_chunk.is_some_and(|n| n < self.network.chunk_size())
                && era.is_none_or(|era| self.network.admits(era, epoch))
        });
        // After blocks that may be lost nobody knows what should come.
        let (Some(last), None) = (&self.last, &self.gap) else {
            return right;
        };
        let last = &last.block;
        let expected = last.number.saturating_add(u64::from(!boundary));
        let in_order = |slot| slot > last.slot || (last.boundary && slot == last.slot);
        right
            && slot.is_none_or(in_order)
            && era.is_none_or(|era| era >= last.era)
            && number.is_none_or(|number| number == expected)
            && prev_hash.is_none_or(|hash| hash == Some(last.hash))
    }

    /// The least slot that a block after the last one can have.
    fn least_slot(&self) -> u64 {
        self.last
            .as_ref()
            .map_or(0, |last| last.block.slot.saturating_add(1))
    }

    /// Blocks may be lost, none before slot `since`.
    fn lose(&mut self, since: u64) {
        let since = since.max(self.least_slot());
        self.gap = Some(
            Gap {
                since,
                least: since,
            }
            .and(self.gap),
        );
    }

    fn block(&mut self, stored: Stored) {
        let location = stored.location();
        let altered = self.check_crc(&stored, &location);
        let chunk_slot = stored.chunk.saturating_mul(self.network.chunk_size());
        let vouched = stored.crc == Crc::Holds;
        let listed_slot = stored.listed_slot(self.network.chunk_size());
        let (place, lottery, usable) = match stored.header {
            Ok(header) => (header.place, header.lottery, true),
            Err(bad) => match bad.place {
                Some(place) => (place, None, false),
                None => return self.lose(listed_slot),
            },
        };
        let lottery = lottery.as_ref();
        if !self.check_chunk(&place, chunk_slot, altered, &location) {
            return self.lose(chunk_slot);
        }
        let epoch = self.network.epoch(place.slot);
        let right_era = self.check_era(&place, altered, &location);
        let lost = self.check_place(&place, altered, &location);
        let before = self.last.as_ref().map(|last| last.block.era);
        self.nonces.enter(&self.network, &place, before, lost);
        let claims = Claims::of(&place, lottery, self.nonces.of(epoch));
        self.nonces
            .fold(&self.network, &place, lottery, Trust { altered, right_era });

        let least = self.least_slot().max(chunk_slot).min(place.slot);
        if altered {
            self.gap = Some(
                Gap {
                    since: place.slot,
                    least,
                }
                .and(self.gap),
            );
        }
        let mut block = LastBlock::from(&place);
        // One wrong era must not make all that follow wrong.
        if let (false, Some(before)) = (right_era, before) {
            block.era = block.era.min(before);
        }
        self.last = Some(Last {
            block,
            least,
            altered,
            vouched,
        });
        if !usable {
            return;
        }
        let (nonces, doubt) = self.nonces.snapshot();
        self.events.push_back(Event::Block(Box::new(Block {
            chunk: stored.chunk,
            offset: stored.offset,
            size: stored.size,
            leadership: Leadership::of(&self.network, &place, lottery),
            in_window: self.network.feeds_candidate(place.era, place.slot),
            place,
            epoch,
            claims,
            nonces,
            doubt,
        })));
    }

    /// Reports a header that cannot be used and a CRC-32 that does not hold. Whether the header
    /// may be altered.
    fn check_crc(&mut self, stored: &Stored, location: &Location) -> bool {
        let (hash, reason) = match &stored.header {
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
            if let Some(reason) = reason {
                self.fault(FaultKind::BadHeader { reason }, location);
            }
            return false;
        };
        let intact = hash.is_some_and(|hash| {
            stored
                .entry
                .as_ref()
                .is_some_and(|entry| entry.hash == hash)
                || self.is_named_next(hash)
        });
        if intact && body {
            // Header and body are as the chain has them: it is the index that is damaged.
            let reason = format!(
                "wrong hash and CRC-32 for the block at byte {}",
                stored.offset
            );
            let file = IndexFile::Secondary;
            let kind = WarningKind::IndexDamaged {
                file,
                reason,
                places: 1,
            };
            self.events.push_back(Event::Warning(Warning {
                chunk: stored.chunk,
                kind,
            }));
            return false;
        }
        let header = match reason {
            Some(reason) => HeaderState::Unreadable(reason),
            None if intact => HeaderState::Intact,
            None => HeaderState::Unproven,
        };
        self.fault(
            FaultKind::Crc {
                expected,
                found,
                header,
            },
            location,
        );
        !intact
    }

    /// Whether a block's slot is of its chunk, or the next block proves that it is as it is.
    fn check_chunk(&mut self, place: &Place, first: u64, altered: bool, at: &Location) -> bool {
        let last = first.saturating_add(self.network.chunk_size() - 1);
        if (first..=last).contains(&place.slot) {
            return true;
        }
        let proven = !altered && self.is_named_next(place.hash);
        // A chunk of another size is reported once, a slot that is wrong for itself always;
        // one in a block with a fault already, not again.
        let repeated = proven && self.chunk_reported == Some(at.chunk);
        if !altered && !repeated {
            self.chunk_reported = Some(at.chunk);
            self.fault(
                FaultKind::OutsideChunk {
                    first,
                    last,
                    found: place.slot,
                },
                at,
            );
        }
        proven
    }

    /// Whether a block's era is right; silent where its header has a fault already.
    fn check_era(&mut self, place: &Place, altered: bool, at: &Location) -> bool {
        let found = place.era;
        let epoch = self.network.epoch(place.slot);
        if let Some(last) = self.last.as_ref().filter(|last| !last.altered)
            && found < last.block.era
        {
            let before = last.block.era;
            if !altered {
                self.fault(FaultKind::EraBackwards { before, found }, at);
            }
            return false;
        }
        if self.network.admits(found, epoch) {
            return true;
        }
        if !altered && self.era_reported != Some((found, epoch)) {
            self.era_reported = Some((found, epoch));
            self.fault(FaultKind::EraOfEpoch { epoch, found }, at);
        }
        false
    }

    /// Holds a block against the one before it; silent where its header has a fault already.
    /// Returns where blocks may have been lost or altered, if they may.
    fn check_place(&mut self, place: &Place, altered: bool, at: &Location) -> Option<Gap> {
        let gap = self.gap.take();
        let Some(last) = &self.last else {
            // The first block. Only with given nonces it may be any.
            let begins = place.number == 0 || matches!(self.nonces, Nonces::Given(_));
            return gap.filter(|_| !begins);
        };
        if altered {
            // Its own links prove nothing.
            return gap;
        }
        let LastBlock {
            slot: before,
            number,
            hash,
            boundary,
            ..
        } = last.block;
        let suspect = Gap {
            since: before,
            least: last.least,
        };
        let in_order = place.slot > before || (boundary && place.slot == before);
        let misplaced = !in_order && !last.altered;
        let last_vouched = last.vouched;
        let linked = place.prev_hash == Some(hash);
        let expected = number.saturating_add(u64::from(!place.boundary));
        if linked && place.number != expected {
            self.fault(
                FaultKind::BlockNumber {
                    expected,
                    found: place.number,
                },
                at,
            );
        }
        if !linked && gap.is_none() {
            self.fault(
                FaultKind::HashLink {
                    before: hash,
                    names: place.prev_hash,
                },
                at,
            );
        }
        if misplaced {
            self.fault(
                FaultKind::SlotOrder {
                    before,
                    found: place.slot,
                },
                at,
            );
        }
        match gap {
            // A block that follows on the last one proves that none was lost.
            _ if linked => None,
            Some(gap) if last_vouched => Some(gap),
            gap => Some(suspect.and(gap)),
        }
    }
}

/// Why the first block of a database, which is in `chunk`, cannot be of a network.
fn evidence_against(network: &Network, header: &Header, chunk: u64) -> Option<String> {
    let Place { era, slot, .. } = header.place;
    let epoch = network.epoch(slot);
    let first = chunk.saturating_mul(network.chunk_size());
    let in_chunk = slot.checked_sub(first);
    match (header.magic, network.magic()) {
        (Some(found), Some(expected)) if found != expected => Some(format!(
            "its first block is of network magic {found}, expected {expected}"
        )),
        _ if !network.admits(era, epoch) => {
            let admitted = Era::ALL.iter().filter(|era| network.admits(**era, epoch));
            let of_epoch = match admitted.collect::<Vec<_>>()[..] {
                [only] => format!("of {only}"),
                _ => format!("not of {era}"),
            };
            Some(format!(
                "its first block is of {era} at slot {slot}, but epoch {epoch} of {} is {of_epoch}",
                network.name()
            ))
        }
        _ if in_chunk.is_none_or(|n| n >= network.chunk_size()) => Some(format!(
            "its first block is of slot {slot}, but chunk {chunk:05} has {} slots from {first} on",
            network.chunk_size()
        )),
        _ => None,
    }
}

impl Iterator for Walk {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                if let Event::Block(block) = &event {
                    self.read = self.read.saturating_add(block.size);
                }
                return Some(event);
            }
            if self.ended {
                return None;
            }
            match self.take()? {
                Item::Warning(warning) => return Some(Event::Warning(warning)),
                Item::Lost { fault, since } => {
                    self.lose(since);
                    return Some(Event::Fault(fault));
                }
                Item::NotRead { note, since } => {
                    self.lose(since);
                    return Some(Event::Note(note));
                }
                Item::UnknownEra { tag, fault, since } => {
                    return Some(self.unknown_era(tag, fault, since));
                }
                Item::HalfWritten {
                    fault,
                    since,
                    bytes,
                    begun,
                } => return Some(self.half_written(fault, since, bytes, &begun)),
                Item::Block(stored) => {
                    self.known_era_follows = false;
                    self.block(*stored);
                }
            }
        }
    }
}
