//! The end of a CBOR item.
//!
//! To check bodies, every byte of a chain is looked at, so this code is several times as fast as skipping
//! with a decoder, and hostile nesting costs little memory. It finds an end for exactly the items that are
//! well-formed by RFC 8949, appendix C, with one exception: simple values below 32 may have two bytes. Texts
//! need not be UTF-8: that is not a question of form.

/// The reason why no end was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endless {
    /// The bytes end before the item does.
    Incomplete,
    /// The item is not well-formed, which shows before this byte.
    Malformed(usize),
}

/// The end of the item that begins at `at` in `bytes`, which are at most 1 GiB. Takes no more memory than two
/// bytes for each byte of the item.
pub(crate) fn item_end(bytes: &[u8], mut at: usize) -> Result<usize, Endless> {
    // Items to come in the innermost list of indefinite length, or outside of any. All lists of
    // definite length are counted together: their ends do not matter.
    let mut left = 1u64;
    // The number of items in each entry of that list: 2 in a map, 1 in a list, and 0 outside of any.
    let mut step = 0u64;
    // `4 * left + step` for each list of indefinite length around it.
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
        // No more bytes or items than are left can follow, so no sum below overflows.
        if HAS_LENGTH[major] && argument > (bytes.len() - at) as u64 {
            return Err(Endless::Incomplete);
        }
        at += argument.wrapping_mul(BYTES[major]) as usize;
        left += argument.wrapping_mul(ITEMS[major]) + TAGGED[major];
        // Each item takes a byte, and each list of indefinite length one more.
        let rest = bytes.len() - at;
        if left > rest as u64 || around.len() > rest {
            return Err(Endless::Incomplete);
        }
    }
}

/// The end of a string of indefinite length, whose first chunk is at `at`: chunks of its own type and of
/// definite length, then a break.
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

/// The rest of an item after its head, by its major type. `HAS_LENGTH`: true where the argument is a length
/// or a count. `BYTES` and `ITEMS`: the number of these for each unit of the argument. `TAGGED`: the item
/// under a tag. Tables, because the processor cannot predict the types of items.
const HAS_LENGTH: [bool; 8] = [false, false, true, true, true, true, false, false];
const BYTES: [u64; 8] = [0, 0, 1, 1, 0, 0, 0, 0];
const ITEMS: [u64; 8] = [0, 0, 0, 0, 1, 2, 0, 0];
const TAGGED: [u64; 8] = [0, 0, 0, 0, 0, 0, 1, 0];

/// The number in the first `width` bytes: 1, 2, 4 or 8.
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

    /// The end by RFC 8949, appendix C, except that all simple values are accepted; `None` if the item is not
    /// well-formed or not complete.
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

    /// The end by the decoder that the fields of headers are decoded with. It accepts breaks where
    /// none belongs, and refuses texts that are not UTF-8.
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

    /// All sequences of six (with debug assertions, four) of the bytes that make a difference.
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
                // 2^63, whose double is 0 in 64 bits.
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
        // Lists as deep as the bytes allow, with something after each list.
        let depth = 1 << 20;
        for (begin, end) in [
            (&[0x9f][..], &[0xff][..]),
            (&[0x83, 0, 0x9f], &[0xff, 0x01]),
            (&[0xbf, 0], &[0xff]),
        ] {
            let nested = [begin.repeat(depth), end.repeat(depth)].concat();
            let expected = match begin[0] {
                // The innermost map has an odd number of items.
                0xbf => None,
                _ => Some(nested.len()),
            };
            assert_eq!(item_end(&nested, 0).ok(), expected);
        }
    }
}
