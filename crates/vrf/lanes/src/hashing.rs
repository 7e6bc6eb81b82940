//! Many messages hashed side by side, one in each lane, by a function that compresses blocks of
//! 128 bytes: SHA-512 or BLAKE2b.
//!
//! When the message of a lane ends, the lane begins the next message. So a long message occupies only its own
//! lane. When too few messages are left for lanes to save time, each of them is finished on its own from its
//! current state. On backends with one lane, all messages are hashed one after the other. A message is read
//! block by block from its parts, which are never joined.
//!
//! Messages may be secret, but their lengths are public. The time does not depend on a message's bytes, and
//! the blocks and states that hold parts of the message are wiped.

use zeroize::{Zeroize, Zeroizing};

use crate::field::{Field, bytes_of};

/// The unit of compression.
pub(crate) type Block = [u8; 128];

/// A hash function whose digest is the state after the last block.
pub(crate) trait HashFunction {
    /// The state of a message after some blocks.
    type State: Copy + Zeroize;

    /// The least number of messages that take less time in lanes than one after the other.
    const WORTH_LANES: usize;

    /// Completes the block that is compressed next. The block contains the `filled` bytes that were
    /// read last, followed by zeros. Returns true if it is the last block.
    fn complete(state: &mut Self::State, block: &mut Block, filled: usize, text: &Text<'_>)
    -> bool;

    /// Compresses a block into the state of each lane. A word of a block is eight bytes in native order.
    fn compress<F: Field>(states: &mut [Self::State; 8], blocks: &[[u64; 16]; 8]);

    /// Compresses the remaining blocks of one message. `next` writes a block. It returns true for the last.
    fn compress_alone(
        state: &mut Self::State,
        next: impl FnMut(&mut Self::State, &mut Block) -> bool,
    );

    /// Writes the digest. If the function's digest is shorter than 64 bytes, only the first bytes are used.
    fn digest(state: &Self::State, digest: &mut [u8; 64]);
}

/// The bytes of a message, in parts.
pub(crate) struct Text<'a> {
    /// The parts that are left. The first `taken` bytes of the first part have already been read.
    parts: &'a [&'a [u8]],
    taken: usize,
    /// The number of bytes not yet read.
    pub(crate) left: u128,
    /// The length of the whole message, including the bytes that were hashed before the parts.
    pub(crate) length: u128,
}

impl<'a> Text<'a> {
    fn new(parts: &'a [&'a [u8]], before: usize) -> Self {
        let left = parts.iter().map(|part| part.len() as u128).sum();
        Self {
            parts,
            taken: 0,
            left,
            length: before as u128 + left,
        }
    }

    /// Fills a block with the next bytes, and with zeros after the message. Returns the number of bytes read.
    #[inline(always)]
    fn read(&mut self, block: &mut Block) -> usize {
        let filled = self.read_parts(block);
        self.left -= filled as u128;
        filled
    }

    #[inline(always)]
    fn read_parts(&mut self, block: &mut Block) -> usize {
        // While the first part has a whole block left, blocks are copied with a constant length.
        if let [part, ..] = self.parts
            && let Some((whole, _)) = part[self.taken..].split_first_chunk()
        {
            *block = *whole;
            self.taken += block.len();
            return block.len();
        }
        let mut filled = 0;
        while let [part, rest @ ..] = self.parts {
            let (part, place) = (&part[self.taken..], &mut block[filled..]);
            let count = part.len().min(place.len());
            place[..count].copy_from_slice(&part[..count]);
            filled += count;
            if count < part.len() {
                self.taken += count;
                return filled;
            }
            (self.parts, self.taken) = (rest, 0);
        }
        block[filled..].fill(0);
        filled
    }
}

/// A message that is being hashed. Its state is kept elsewhere, beside the states of the other lanes.
struct Message<'a> {
    text: Text<'a>,
    digest: &'a mut [u8],
}

impl<'a> Message<'a> {
    fn new(parts: &'a [&'a [u8]], before: usize, digest: &'a mut [u8]) -> Self {
        let text = Text::new(parts, before);
        Self { text, digest }
    }

    /// Writes the next block. Returns true if it is the last.
    #[inline(always)]
    fn next<H: HashFunction>(&mut self, state: &mut H::State, block: &mut Block) -> bool {
        let filled = self.text.read(block);
        H::complete(state, block, filled, &self.text)
    }

    /// Hashes the rest of the message without lanes.
    fn finish<H: HashFunction>(&mut self, state: &mut H::State) {
        H::compress_alone(state, |state, block| self.next::<H>(state, block));
        self.store_digest::<H>(state);
        state.zeroize();
    }

    #[inline(always)]
    fn store_digest<H: HashFunction>(&mut self, state: &H::State) {
        if let Ok(digest) = self.digest.as_mut().try_into() {
            return H::digest(state, digest);
        }
        let mut digest = Zeroizing::new([0; 64]);
        H::digest(state, &mut digest);
        self.digest.copy_from_slice(&digest[..self.digest.len()]);
    }
}

/// A block for each lane. The alignment keeps each vector of a block within one line of the cache.
#[repr(align(64))]
struct Blocks([[u64; 16]; 8]);

impl Drop for Blocks {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Writes the digests of messages. Each digest fills its slice of up to 64 bytes. The hash of each message
/// starts from the state `start`, in which `before` bytes have already been hashed.
#[inline(always)]
pub(crate) fn hash_many<'a, F: Field, H: HashFunction>(
    (start, before): (H::State, usize),
    messages: &[&'a [&'a [u8]]],
    digests: impl Iterator<Item = &'a mut [u8]>,
) {
    let mut waiting = messages.iter().zip(digests);
    if messages.len() >= H::WORTH_LANES {
        hash_in_lanes::<F, H>((start, before), &mut waiting);
    }
    for (parts, digest) in waiting {
        let mut state = start;
        Message::new(parts, before, digest).finish::<H>(&mut state);
    }
}

/// Hashes waiting messages in lanes, as long as there are enough of them.
#[inline(always)]
fn hash_in_lanes<'m, 'a: 'm, F: Field, H: HashFunction>(
    (start, before): (H::State, usize),
    waiting: &mut impl Iterator<Item = (&'m &'a [&'a [u8]], &'a mut [u8])>,
) {
    let mut lanes = [const { None }; 8];
    let mut states = Zeroizing::new([start; 8]);
    let mut blocks = Blocks([[0; 16]; 8]);
    loop {
        let mut busy = 0;
        for (lane, state) in lanes[..F::LANES].iter_mut().zip(states.iter_mut()) {
            if lane.is_none()
                && let Some((parts, digest)) = waiting.next()
            {
                *lane = Some(Message::new(parts, before, digest));
                *state = start;
            }
            busy += usize::from(lane.is_some());
        }
        if busy < H::WORTH_LANES {
            break;
        }
        let mut last = [false; 8];
        for i in 0..F::LANES {
            if let Some(message) = &mut lanes[i] {
                last[i] = message.next::<H>(&mut states[i], bytes_of(&mut blocks.0[i]));
            }
        }
        H::compress::<F>(&mut states, &blocks.0);
        for i in 0..F::LANES {
            if last[i]
                && let Some(mut message) = lanes[i].take()
            {
                message.store_digest::<H>(&states[i]);
            }
        }
    }
    for (lane, state) in lanes.iter_mut().zip(states.iter_mut()) {
        if let Some(message) = lane {
            message.finish::<H>(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Portable;

    /// The numbers that a hash function receives about a message.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Told {
        bytes: u64,
        blocks: u64,
        length: u128,
    }

    impl Zeroize for Told {
        fn zeroize(&mut self) {
            *self = Self::default();
        }
    }

    /// A function that compresses nothing, so that long messages take little time. Its digest is the numbers
    /// that it received.
    struct Ledger;

    impl HashFunction for Ledger {
        type State = Told;

        const WORTH_LANES: usize = 2;

        fn complete(told: &mut Told, _: &mut Block, filled: usize, text: &Text<'_>) -> bool {
            told.bytes += filled as u64;
            told.length = text.length;
            assert_eq!(
                text.left + u128::from(told.bytes) + BEFORE as u128,
                text.length
            );
            text.left == 0
        }

        fn compress<F: Field>(states: &mut [Told; 8], _: &[[u64; 16]; 8]) {
            for told in states {
                told.blocks += 1;
            }
        }

        fn compress_alone(told: &mut Told, mut next: impl FnMut(&mut Told, &mut Block) -> bool) {
            let mut last = false;
            while !last {
                last = next(told, &mut [0; 128]);
                told.blocks += 1;
            }
        }

        fn digest(told: &Told, digest: &mut [u8; 64]) {
            digest[..8].copy_from_slice(&told.bytes.to_le_bytes());
            digest[8..16].copy_from_slice(&told.blocks.to_le_bytes());
            digest[16..32].copy_from_slice(&told.length.to_le_bytes());
        }
    }

    const BEFORE: usize = 256;

    const MEBIBYTE: usize = 1 << 20;

    /// Hashes two messages of about 2^29 bytes (2^32 bits) in lanes beside short messages.
    fn long_messages_beside_short_ones<F: Field>() {
        let mebibyte = vec![0; MEBIBYTE];
        let lengths = [
            3,
            (1 << 29) + 77,
            0,
            128,
            (1 << 29) - 1,
            1000,
            127,
            5,
            129,
            64,
        ];
        let parts: Vec<Vec<&[u8]>> = lengths
            .iter()
            .map(|length| {
                let mut parts = vec![&mebibyte[..]; length / MEBIBYTE];
                parts.push(&mebibyte[..length % MEBIBYTE]);
                parts
            })
            .collect();
        let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
        let mut digests = vec![[0; 64]; lengths.len()];
        let places = digests.iter_mut().map(|digest| &mut digest[..]);
        hash_many::<F, Ledger>((Told::default(), BEFORE), &messages, places);
        for (length, digest) in lengths.into_iter().zip(digests) {
            let mut expected = [0; 64];
            let told = Told {
                bytes: length as u64,
                blocks: length.div_ceil(128).max(1) as u64,
                length: (length + BEFORE) as u128,
            };
            Ledger::digest(&told, &mut expected);
            assert_eq!(digest, expected, "{length} bytes in {} lanes", F::LANES);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "a long message takes hours")]
    fn every_message_has_its_own_length() {
        long_messages_beside_short_ones::<Portable>();
        // This runs on any processor, because only the number of lanes of these fields is used.
        #[cfg(target_arch = "x86_64")]
        {
            long_messages_beside_short_ones::<crate::field::Avx2>();
            long_messages_beside_short_ones::<crate::field::Avx512>();
        }
    }

    #[test]
    fn lengths_are_whole() {
        let mebibyte = vec![0; MEBIBYTE];
        for count in [0u128, 1, 511, 512, 4095, 4096, 1 << 13, 1 << 16] {
            let parts = vec![&mebibyte[..]; count as usize];
            let text = Text::new(&parts, BEFORE);
            assert_eq!(text.left, count << 20);
            assert_eq!(text.length, (count << 20) + BEFORE as u128);
        }
    }
}
