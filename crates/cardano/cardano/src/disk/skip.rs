//! The end of a CBOR item.
//!
//! A check of bodies reads every byte of a chain, so speed matters. This code is several times as fast as
//! skipping with a decoder, and hostile nesting costs little memory. It finds the end of every item that is
//! well-formed by RFC 8949, appendix C, and of no other item, with one exception: a simple value below 32 may
//! have two bytes. A text that is not UTF-8 is also well-formed.

/// The reason why no end was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endless {
    /// The bytes end before the item does.
    Incomplete,
    /// The item is not well-formed. The error is before this byte.
    Malformed(usize),
}

/// Finds the end of the item that begins at `at` in `bytes`, which must have at most 1 GiB. Needs at most two
/// bytes of memory for each byte of the item.
pub(crate) fn item_end(bytes: &[u8], mut at: usize) -> Result<usize, Endless> {
    // A level is an open list or map of indefinite length, or the outside of all. `left` counts the items
    // still to come in the innermost level. Lists and maps of definite length only add their items to it.
    let mut left = 1u64;
    // The number of items in each entry of the innermost level: 1 in a list, 2 in a map, and 0 outside.
    let mut step = 0u64;
    // The value `4 * left + step` of each outer level.
    let mut around: Vec<u32> = Vec::new();
    loop {
        if left == 0 {
            if step == 0 {
                return Ok(at);
            }
            if bytes.get(at) == Some(&0xff) {
                at += 1;
                let outer = u64::from(around.pop().unwrap_or_default());
                (left, step) = (outer / 4, outer % 4);
                continue;
            }
            left = step;
        }
        left -= 1;
        let Some(first) = bytes.get(at) else {
            return Err(Endless::Incomplete);
        };
        at += 1;
        let (major, short) = (usize::from(first >> 5), first & 0x1f);
        let argument = match short {
            0..=23 => u64::from(short),
            24..=27 => {
                let width = 1 << (short - 24);
                let argument = wide(&bytes[at..], width).ok_or(Endless::Incomplete)?;
                at += width;
                argument
            }
            31 if major == 2 || major == 3 => {
                at = chunks_end(bytes, at, first >> 5)?;
                continue;
            }
            31 if major == 4 || major == 5 => {
                let outer = u32::try_from(4 * left + step);
                around.push(outer.map_err(|_| Endless::Malformed(at))?);
                (left, step) = (0, if major == 4 { 1 } else { 2 });
                continue;
            }
            _ => return Err(Endless::Malformed(at)),
        };
        // After this check, a length or count is at most the number of bytes to come, so no sum overflows.
        if HAS_LENGTH[major] && argument > (bytes.len() - at) as u64 {
            return Err(Endless::Incomplete);
        }
        at += argument.wrapping_mul(BYTES[major]) as usize;
        left += argument.wrapping_mul(ITEMS[major]) + TAGGED[major];
        // Each item needs at least one byte, and each list of indefinite length needs one more byte for its
        // break.
        let rest = bytes.len() - at;
        if left > rest as u64 || around.len() > rest {
            return Err(Endless::Incomplete);
        }
    }
}

/// Finds the end of a string of indefinite length. Such a string consists of chunks, which are strings of the
/// same type with definite lengths, and a break. The first chunk is at `at`.
fn chunks_end(bytes: &[u8], mut at: usize, major: u8) -> Result<usize, Endless> {
    loop {
        match bytes.get(at) {
            None => return Err(Endless::Incomplete),
            Some(0xff) => return Ok(at + 1),
            Some(first) if first >> 5 == major && first & 0x1f != 31 => at = item_end(bytes, at)?,
            Some(_) => return Err(Endless::Malformed(at)),
        }
    }
}

/// Tables of what follows an item's head, by major type. `HAS_LENGTH` is true if the argument is a length or
/// a count. `BYTES` and `ITEMS` are the numbers of bytes and items that follow per unit of the argument.
/// `TAGGED` is 1 for a tag, because one item follows a tag. Tables are faster than unpredictable branches.
const HAS_LENGTH: [bool; 8] = [false, false, true, true, true, true, false, false];
const BYTES: [u64; 8] = [0, 0, 1, 1, 0, 0, 0, 0];
const ITEMS: [u64; 8] = [0, 0, 0, 0, 1, 2, 0, 0];
const TAGGED: [u64; 8] = [0, 0, 0, 0, 0, 0, 1, 0];

/// The big-endian number in the first `width` bytes. The width is 1, 2, 4 or 8.
fn wide(bytes: &[u8], width: usize) -> Option<u64> {
    if let Some(eight) = bytes.first_chunk() {
        return Some(u64::from_be_bytes(*eight) >> (64 - 8 * width));
    }
    let number = bytes.get(..width)?.iter();
    Some(number.fold(0, |n, byte| n << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use pallas_codec::minicbor::Decoder;

    use super::*;

    /// Finds the end by the algorithm in RFC 8949, appendix C, but also accepts simple values below 32 in two
    /// bytes. Returns `None` if the item is not well-formed or not complete.
    fn well_formed(bytes: &[u8], at: usize) -> Option<usize> {
        let argument = |width: usize| {
            let argument = bytes.get(at + 1..at + 1 + width)?.iter();
            Some(argument.fold(0, |n, byte| n << 8 | u64::from(*byte)))
        };
        let first = *bytes.get(at)?;
        let (major, short) = (first >> 5, first & 0x1f);
        let (argument, mut end) = match short {
            0..=23 => (short.into(), at + 1),
            24..=27 => (argument(1 << (short - 24))?, at + 1 + (1 << (short - 24))),
            31 => return indefinite(bytes, at + 1, major),
            _ => return None,
        };
        let items = match major {
            2 | 3 => {
                end = end.checked_add(usize::try_from(argument).ok()?)?;
                return (end <= bytes.len()).then_some(end);
            }
            4 => argument,
            5 => argument.checked_mul(2)?,
            6 => 1,
            _ => 0,
        };
        for _ in 0..items {
            end = well_formed(bytes, end)?;
        }
        Some(end)
    }

    fn indefinite(bytes: &[u8], mut at: usize, major: u8) -> Option<usize> {
        while *bytes.get(at)? != 0xff {
            let first = bytes[at];
            match major {
                2 | 3 if first >> 5 != major || first & 0x1f == 31 => return None,
                2..=4 => at = well_formed(bytes, at)?,
                5 => at = well_formed(bytes, well_formed(bytes, at)?)?,
                _ => return None,
            }
        }
        (2..=5).contains(&major).then_some(at + 1)
    }

    /// Finds the end with the decoder that decodes the fields of headers. It accepts misplaced breaks, and
    /// rejects texts that are not UTF-8.
    fn decoded(bytes: &[u8]) -> Option<usize> {
        let mut decoder = Decoder::new(bytes);
        decoder.skip().ok().map(|()| decoder.position())
    }

    #[track_caller]
    fn compare(bytes: &[u8]) {
        let end = item_end(bytes, 0);
        assert_eq!(end.ok(), well_formed(bytes, 0), "{bytes:02x?}");
        if let (Ok(end), Some(decoded)) = (end, decoded(bytes)) {
            assert_eq!(end, decoded, "{bytes:02x?}");
        }
        match end {
            Ok(end) => assert!(end <= bytes.len()),
            Err(Endless::Malformed(at)) => assert!(at <= bytes.len()),
            Err(Endless::Incomplete) => {}
        }
    }

    /// Appends a random item of at most this depth.
    fn item(random: &mut fastrand::Rng, depth: usize, out: &mut Vec<u8>) {
        let kind = random.u8(if depth == 0 { 0..5 } else { 0..11 });
        let count = random.u64(0..5);
        let mut head = |major: u8, n: u64| {
            let width = random.usize(if n < 24 { 0..5 } else { 1..5 });
            let bytes = n.to_be_bytes();
            match width {
                0 => out.push(major << 5 | n as u8),
                _ => {
                    out.push(major << 5 | (23 + width as u8));
                    out.extend(&bytes[8 - (1 << (width - 1))..]);
                }
            }
        };
        match kind {
            0 | 1 => head(kind, 17 + count * 11),
            2 | 3 => {
                head(kind, count * 9);
                out.extend(vec![b'x'; count as usize * 9]);
            }
            4 => head(7, 17 + count * 30),
            5 | 6 => {
                head(kind - 1, count);
                for _ in 0..count * u64::from(kind - 4) {
                    item(random, depth - 1, out);
                }
            }
            7 => {
                head(6, count);
                item(random, depth - 1, out);
            }
            8 => {
                let major = random.u8(2..4);
                out.push(major << 5 | 31);
                for n in 0..count as u8 {
                    out.push(major << 5 | n);
                    out.extend(vec![b'x'; n.into()]);
                }
                out.push(0xff);
            }
            _ => {
                out.push(if kind == 9 { 0x9f } else { 0xbf });
                for _ in 0..2 * count {
                    item(random, depth - 1, out);
                }
                out.push(0xff);
            }
        }
    }

    #[test]
    fn random_items_whole_cut_and_altered() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..10_000 {
            let mut bytes = Vec::new();
            item(&mut random, 5, &mut bytes);
            assert_eq!(item_end(&bytes, 0), Ok(bytes.len()));
            assert_eq!(decoded(&bytes), Some(bytes.len()));
            let cut = random.usize(..bytes.len());
            assert_eq!(item_end(&bytes[..cut], 0), Err(Endless::Incomplete));
            compare(&[&bytes[..], &[random.u8(..)]].concat());
            for _ in 0..random.u8(1..4) {
                let at = random.usize(..bytes.len());
                match random.u8(..4) {
                    0 => bytes[at] = [0x9f, 0xbf, 0x5f, 0xff][random.usize(..4)],
                    1 => bytes[at] = random.u8(..),
                    2 => bytes.insert(at, random.u8(..)),
                    _ => bytes[at] ^= 1 << random.u8(..8),
                }
            }
            compare(&bytes);
        }
    }

    /// Tests all sequences of six bytes (four with debug assertions) from a list that covers all cases.
    #[test]
    fn every_short_sequence() {
        const BYTES: [u8; 14] = [
            0x00, 0x18, 0x40, 0x41, 0x5f, 0x61, 0x7f, 0x81, 0x82, 0x9f, 0xa1, 0xbf, 0xc1, 0xff,
        ];
        const LENGTH: u32 = if cfg!(debug_assertions) { 4 } else { 6 };
        let mut bytes = Vec::new();
        for mut n in 0..BYTES.len().pow(LENGTH) {
            bytes.clear();
            for _ in 0..LENGTH {
                bytes.push(BYTES[n % BYTES.len()]);
                n /= BYTES.len();
            }
            compare(&bytes);
        }
    }

    #[test]
    fn real_blocks() {
        let mut random = fastrand::Rng::with_seed(6);
        for line in include_str!("../../testdata/blocks.txt").lines() {
            let Some((_, block)) = line.split_once(' ').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let mut block = hex::decode(block).unwrap();
            assert_eq!(item_end(&block, 0), Ok(block.len()));
            compare(&block);
            for _ in 0..300 {
                let cut = random.usize(..block.len());
                assert_eq!(item_end(&block[..cut], 0), Err(Endless::Incomplete));
                let (at, bit) = (random.usize(..block.len()), 1 << random.u8(..8));
                block[at] ^= bit;
                compare(&block);
                block[at] ^= bit;
            }
        }
    }

    #[test]
    fn hostile_nesting_and_length() {
        for opening in [
            &[0x9f][..],
            &[0xbf],
            &[0x81],
            &[0xd8, 0x20],
            &[0x82, 0x9f],
            &[0xa1, 0xbf],
        ] {
            let end = item_end(&opening.repeat(1 << 20), 0);
            assert_eq!(end, Err(Endless::Incomplete));
        }
        for head in [0x9b, 0x5b, 0x7b, 0xbb, 0xdb] {
            for last in [0, 1, 0xfe, 0xff] {
                let mut bytes = vec![0xff; 9];
                (bytes[0], bytes[8]) = (head, last);
                assert_eq!(item_end(&bytes, 0), Err(Endless::Incomplete));
                // A map of 2^63 entries has 2^64 items, and this number is 0 in 64 bits.
                bytes[1..].copy_from_slice(&(1u64 << 63).to_be_bytes());
                assert_eq!(item_end(&bytes, 0), Err(Endless::Incomplete));
            }
        }
        for bytes in [&[][..], &[0x61], &[0x5f, 0x41], &[0x19, 0], &[0x9f, 0]] {
            assert_eq!(item_end(bytes, 0), Err(Endless::Incomplete), "{bytes:02x?}");
        }
        for bytes in [
            &[0xff][..],
            &[0x1c],
            &[0x1f],
            &[0xdf],
            &[0x5f, 0x5f, 0xff, 0xff],
            &[0x5f, 0x61, 0x61, 0xff],
            &[0x81, 0xff],
            &[0xbf, 0, 0xff],
            &[0x9f, 0xc1, 0xff, 0xff],
        ] {
            let mut followed = bytes.to_vec();
            followed.extend([0; 9]);
            let end = item_end(&followed, 0);
            assert!(matches!(end, Err(Endless::Malformed(_))), "{bytes:02x?}");
        }
        assert_eq!(item_end(&[0], 5), Err(Endless::Incomplete));
        // Indefinite lists and maps, nested 2^20 deep. In the second case, an item follows each list.
        let depth = 1 << 20;
        for (begin, end) in [
            (&[0x9f][..], &[0xff][..]),
            (&[0x83, 0, 0x9f], &[0xff, 0x01]),
            (&[0xbf, 0], &[0xff]),
        ] {
            let nested = [begin.repeat(depth), end.repeat(depth)].concat();
            let expected = match begin[0] {
                // The innermost map has a key without a value.
                0xbf => None,
                _ => Some(nested.len()),
            };
            assert_eq!(item_end(&nested, 0).ok(), expected);
        }
    }
}
