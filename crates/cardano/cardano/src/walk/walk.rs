//! The walk, which compares every block with the block before it (hash, number, slot, era), makes the block's
//! claims with the nonce of its epoch, and folds the block's outputs into the nonces.
//!
//! All of this happens before any proof is verified. A wrong output has an invalid proof, which the later
//! verification detects. A fault does not end the walk. The walk continues with the next block whose header
//! can be used, and tells whether this block is linked to the last block before the fault. Only blocks of
//! an unknown era or an error of an iterator end the walk early.

use crate::chain::header::Header;
use crate::chain::kes::Signed;
use crate::chain::leadership::Leadership;
use crate::chain::network::Network;
use crate::chain::nonce::NonceState;
use crate::disk::begun::Begun;
use crate::disk::immutable::Immutable;
use crate::disk::item::{Item, Stored};
use crate::disk::rules::Wanted;
use crate::disk::source::Source;
use crate::disk::unread::{Chunks, ReadChunk, UnreadChunk};
use crate::fault::Fault;
use crate::finding::{Finding, Location};
use crate::walk::ahead::Ahead;
use crate::walk::checks::Checks;
use crate::walk::event::{Block, Event};
use crate::walk::evidence;
use crate::walk::last::LastBlock;
use crate::walk::nonces;
use crate::walk::resume;
use crate::walk::start::{Resume, Start, WalkError};

/// A walk along a chain: an iterator that returns [`Event`]s. It reads each chunk when it needs the first
/// block of that chunk. A walk made by [`reading`](Self::reading) can read chunks earlier.
///
/// ```no_run
/// use klero_cardano::{Event, Immutable, Network, Start, Walk};
/// let db = Immutable::open("db".as_ref())?;
/// for event in Walk::new(&db, Network::preview(), Start::Genesis)? {
///     match event {
///         Event::Block(block) => println!("slot {}: {}", block.place.slot, block.claims.len()),
///         Event::Finding(finding) => eprintln!("{finding}"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Walk<'a> {
    ahead: Ahead<'a>,
    checks: Checks,
    /// The nonces after the last block that was returned; `None` if the walk does not compute nonces.
    nonces: Option<NonceState>,
    bytes: u64,
    /// The number of bytes in the first chunk before the point where the walk began, plus the bytes of all
    /// returned blocks.
    read: u64,
    /// True if the walk ended early, at blocks of an unknown era.
    ended: bool,
}

impl<'a> Walk<'a> {
    /// Begins a walk along the blocks of a database or an iterator, which must belong to `network`.
    ///
    /// # Errors
    /// [`WalkError`] if the chain belongs to another network, if it lacks the beginning that
    /// [`Start::Genesis`] needs, or if it lacks the last block before the point of [`Start::After`].
    pub fn new(
        source: impl Into<Source<'a>>,
        network: Network,
        start: Start,
    ) -> Result<Self, WalkError> {
        Walk::reading(source, network, start, Wanted::ALL, |chunks| {
            chunks.map(UnreadChunk::read)
        })
    }

    /// Begins a walk like [`new`](Self::new), but reads only the `wanted` parts of blocks. `read` decides
    /// when and on which threads the chunks are read. It must return every chunk once, in the original order.
    ///
    /// # Errors
    /// The same errors as [`new`](Self::new).
    ///
    /// ```no_run
    /// use klero_cardano::{Immutable, Network, Start, UnreadChunk, Walk, Wanted};
    /// use klero_support::{Queue, ordered};
    /// let db = Immutable::open("db".as_ref())?;
    /// let walk = Walk::reading(&db, Network::preview(), Start::Genesis, Wanted::ALL, |chunks| {
    ///     let queue = Queue::new(UnreadChunk::read).within(256 << 20, UnreadChunk::memory);
    ///     ordered(chunks, queue)
    /// })?;
    /// println!("{} events", walk.count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reading<R>(
        source: impl Into<Source<'a>>,
        network: Network,
        start: Start,
        wanted: Wanted,
        read: impl FnOnce(Chunks<'a>) -> R,
    ) -> Result<Self, WalkError>
    where
        R: Iterator<Item = ReadChunk> + Send + 'a,
    {
        let source = source.into();
        let magic = source.files().and_then(Immutable::magic);
        evidence::check_magic(&network, magic)?;
        let first = match &start {
            Start::Genesis => Some(0),
            Start::After(point) => Some(network.chunk(point.last.slot)),
            Start::Anywhere => None,
        };
        let bytes = source
            .files()
            .map_or(0, |db| db.bytes_from(first.unwrap_or(0)));
        // This is `Some` for a database, which always has a chunk, and `None` for an iterator.
        let first_file = source.files().and_then(|db| db.chunks().first().copied());
        let chunks = source.unread(&network, wanted, first);
        let mut walk = Walk {
            ahead: Ahead::new(read(chunks), bytes),
            nonces: Some(NonceState::genesis(network.genesis_hash())),
            checks: Checks::new(network),
            bytes,
            read: 0,
            ended: false,
        };
        match start {
            Start::Genesis => {
                walk.check_network(magic)?;
                walk.begin_at_genesis(first_file)?;
            }
            Start::After(point) => walk.go_on_from(*point, first_file.is_some())?,
            Start::Anywhere => {
                walk.check_network(magic)?;
                if walk.begin_at_genesis(first_file).is_err() {
                    walk.nonces = None;
                    walk.checks.any_first = true;
                }
            }
        }
        Ok(walk)
    }

    /// The number of bytes in the chunk files after the place where the walk began. Without faults, this is
    /// the total size of the blocks that the walk returns. It is 0 if the blocks come from an iterator.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of bytes of the chunk files or the iterator that are in no block returned so far. At the
    /// end of the walk, it is 0 unless some blocks were damaged, incomplete, of an unknown era or not
    /// readable.
    pub fn unread(&self) -> u64 {
        self.ahead.bytes.saturating_sub(self.read)
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.checks.network
    }

    /// True if the walk computes nonces. It does, unless it began [anywhere](Start::Anywhere) with a block
    /// that is not the first block of the chain.
    pub fn has_nonces(&self) -> bool {
        self.nonces.is_some()
    }

    /// Checks that the chain begins at genesis. `first` is the number of the first chunk file, if any.
    fn begin_at_genesis(&mut self, first: Option<u64>) -> Result<(), WalkError> {
        let first = match first.filter(|chunk| *chunk > 0) {
            Some(chunk) => format!("chunk {chunk:05}"),
            None => match self.ahead.next_header() {
                Some((Header { place, .. }, _)) if place.number != 0 => {
                    format!("block {} at slot {}", place.number, place.slot)
                }
                _ => return Ok(()),
            },
        };
        let doubt = self.checks.network.genesis_doubt();
        Err(WalkError::NotGenesis { first, doubt })
    }

    fn check_network(&mut self, magic: Option<u32>) -> Result<(), WalkError> {
        match self.ahead.next_header() {
            Some((header, chunk)) => {
                evidence::check_first_block(&self.checks.network, magic, header, chunk)
            }
            None => Ok(()),
        }
    }

    /// Skips the blocks up to and including `point.last`. This block must be present, unless the blocks come
    /// from an iterator that begins after it.
    fn go_on_from(&mut self, point: Resume, in_files: bool) -> Result<(), WalkError> {
        if in_files || !self.ahead.begins_after(point.last.hash) {
            let end = resume::skip_to(&point.last, &mut self.ahead, &mut self.checks)?;
            self.bytes = self.bytes.saturating_sub(end);
            self.read = end;
        }
        self.nonces = Some(point.nonces);
        self.checks.last = Some(point.last);
        Ok(())
    }

    /// Returns the finding about blocks of an unknown era: `fault` if blocks of a known era follow, and
    /// otherwise a note. If it is the note, the walk ends.
    fn unknown_era(&mut self, tag: u8, fault: Box<Finding>) -> Box<Finding> {
        if self.ahead.has_known_era(fault.at.chunk) {
            self.checks.lose();
            return fault;
        }
        self.ended = true;
        let first = self.network().chunk_start(fault.at.chunk);
        let from = fault.at.slot.unwrap_or(first).max(self.checks.least_slot());
        instead(fault, Fault::UnknownEra { tag, from })
    }

    /// Returns the finding about a block whose end is missing: `fault` if that block cannot follow the last
    /// whole block, and otherwise a note.
    fn half_written(&mut self, fault: Box<Finding>, bytes: u64, begun: &Begun) -> Box<Finding> {
        if !self.checks.follows(begun, fault.at.chunk) {
            self.checks.lose();
            return fault;
        }
        instead(fault, Fault::HalfWritten { bytes })
    }

    /// Checks a block and queues it as an event. If its header cannot be used or does not belong to the
    /// chunk, the block is lost: it is not returned, no block is linked to it, and the nonces do not change.
    fn block(&mut self, stored: Stored) {
        let location = stored.location();
        let altered = self.checks.check_crc(&stored, &location, &mut self.ahead);
        let Ok(header) = stored.header else {
            return self.checks.lose();
        };
        let (place, lottery) = (header.place, header.lottery);
        let in_chunk = self
            .checks
            .check_chunk(&place, altered, &location, &mut self.ahead);
        if !in_chunk {
            return self.checks.lose();
        }
        let right_era = self.checks.check_era(&place, altered, &location);
        let linked = self.checks.check_place(&place, altered, &location);
        let body = self.checks.check_body(stored.body, altered, &location);

        let mut block = LastBlock::from(&place);
        // Keeps the earlier era, so that one wrong era does not make the eras of all later blocks wrong.
        if let (false, Some(before)) = (right_era, &self.checks.last) {
            block.era = block.era.min(before.era);
        }
        self.checks.passed(block, altered);

        let network = &self.checks.network;
        let nonce = nonces::pass(self.nonces.as_mut(), network, &place, stored.contribution);
        let claims = lottery.as_ref().zip(nonce);
        let claims = claims.map(|(lottery, nonce)| lottery.claims(place.slot, nonce));
        let event = Event::Block(Box::new(Block {
            chunk: stored.chunk,
            offset: stored.offset,
            item: stored.item,
            size: stored.size,
            epoch: network.epoch(place.slot),
            leadership: Leadership::of(network, &place, lottery.as_ref()),
            in_window: network.feeds_candidate(place.era, place.slot),
            signed: (stored.header_bytes.zip(header.signing))
                .map(|(header, signing)| Signed { signing, header }),
            place,
            body,
            lottery,
            linked,
            nonce,
            claims: claims.unwrap_or_default(),
            nonces: self.nonces.clone(),
        }));
        self.checks.events.push_back(event);
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.checks.events.pop_front() {
                if let Event::Block(block) = &event {
                    self.read = self.read.saturating_add(block.size);
                }
                return Some(event);
            }
            if self.ended {
                return None;
            }
            match self.ahead.next()? {
                Item::OfIndex(finding) => return Some(Event::Finding(finding)),
                Item::Lost(finding) => {
                    self.checks.lose();
                    return Some(Event::Finding(finding));
                }
                Item::UnknownEra { tag, fault } => {
                    return Some(Event::Finding(self.unknown_era(tag, fault)));
                }
                Item::HalfWritten {
                    fault,
                    bytes,
                    begun,
                } => {
                    let finding = self.half_written(fault, bytes, &begun);
                    return Some(Event::Finding(finding));
                }
                Item::Block(stored) => self.block(*stored),
            }
        }
    }
}

/// Makes a note to report in place of a fault. The note omits the slot and the hash of the fault's block.
fn instead(fault: Box<Finding>, note: Fault) -> Box<Finding> {
    let at = Location {
        slot: None,
        hash: None,
        ..fault.at
    };
    Box::new(Finding::new(note, at))
}
