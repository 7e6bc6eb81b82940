//! Where a CBOR item ends.
//!
//! To check a body, every byte of a chain is looked at, so this is several times as fast as a
//! decoder that skips: it checks neither UTF-8 nor what a list of indefinite length consists of.
//! For the bytes of well-formed items it finds the same end.

/// The end of the item that begins at `at`; `None` if the bytes end before it does, or no item
/// begins there. Takes no more memory than four bytes for each byte of the item.
pub(crate) fn item_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    // Items to come in the innermost list of indefinite length, or outside of any. All lists of
    // definite length are counted together: their ends do not matter.
    let mut left = 1u64;
    // The same for the lists of indefinite length around it.
    let mut around: Vec<u32> = Vec::new();
    loop {
        if left == 0 {
            if around.is_empty() {
                return Some(at);
            }
            if *bytes.get(at)? == 0xff {
                at += 1;
                left = around.pop()?.into();
                continue;
            }
            left = 1;
        }
        left -= 1;
        let first = *bytes.get(at)?;
        at += 1;
        let (major, short) = (usize::from(first >> 5), first & 0x1f);
        let argument = match short {
            0..=23 => u64::from(short),
            24..=27 => {
                let width = 1 << (short - 24);
                let argument = wide(bytes.get(at..)?, width)?;
                at += width;
                argument
            }
            31 if (2..=5).contains(&major) => {
                around.push(u32::try_from(left).ok()?);
                left = 0;
                continue;
            }
            _ => return None,
        };
        // Nothing is as long as this many bytes, so that no sum overflows.
        if HAS_LENGTH[major] && argument > (bytes.len() - at) as u64 {
            return None;
        }
        at += argument.wrapping_mul(BYTES[major]) as usize;
        left += argument.wrapping_mul(ITEMS[major]) + TAGGED[major];
        // Each item takes a byte, and each list of indefinite length one more.
        let rest = bytes.len().checked_sub(at)?;
        if left > rest as u64 || around.len() > rest {
            return None;
        }
    }
}

/// What follows the head of an item with this argument, by its major type: so many bytes and
/// items for each unit of the argument, and the item under a tag. Tables, because the types of
/// items cannot be predicted.
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

    fn decoded(bytes: &[u8]) -> Option<usize> {
        let mut decoder = Decoder::new(bytes);
        decoder.skip().ok().map(|()| decoder.position())
    }

    /// A random item of at most this depth.
    fn item(random: &mut fastrand::Rng, depth: usize, out: &mut Vec<u8>) {
        let kind = random.u8(if depth == 0 { 0..4 } else { 0..9 });
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
            4 | 5 => {
                head(kind, count);
                for _ in 0..count * u64::from(kind - 3) {
                    item(random, depth - 1, out);
                }
            }
            6 => {
                head(6, count);
                item(random, depth - 1, out);
            }
            _ => {
                out.push(if kind == 7 { 0x9f } else { 0xbf });
                for _ in 0..2 * count {
                    item(random, depth - 1, out);
                }
                out.push(0xff);
            }
        }
    }

    #[test]
    fn well_formed_items_end_where_a_decoder_says() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..3_000 {
            let mut bytes = Vec::new();
            item(&mut random, 5, &mut bytes);
            assert_eq!(item_end(&bytes, 0), Some(bytes.len()));
            assert_eq!(decoded(&bytes), Some(bytes.len()));
            let cut = random.usize(..bytes.len());
            assert_eq!(item_end(&bytes[..cut], 0), None);
            // Altered in one byte. The decoder is no judge of that: it accepts a tag before a break.
            bytes[cut] ^= 1 << random.u8(..8);
            bytes.insert(0, 0);
            assert!(item_end(&bytes, 1).is_none_or(|end| end <= bytes.len()));
        }
    }

    #[test]
    fn real_blocks() {
        for line in include_str!("../../testdata/blocks.txt").lines() {
            if let Some((_, block)) = line.split_once(' ').filter(|_| !line.starts_with('#')) {
                let block = hex::decode(block).unwrap();
                assert_eq!(item_end(&block, 0), Some(block.len()));
                assert_eq!(decoded(&block), Some(block.len()));
            }
        }
    }

    #[test]
    fn hostile_nesting_and_length() {
        for opening in [&[0x9f][..], &[0x81], &[0xd8, 0x20], &[0x82, 0x9f], &[0x5f]] {
            assert_eq!(item_end(&opening.repeat(1 << 20), 0), None);
        }
        for bytes in [&[0x9b][..], &[0x5b], &[0xbb], &[0xdb]] {
            assert_eq!(item_end(&[bytes, &[0xff; 8]].concat(), 0), None);
        }
        for bytes in [&[][..], &[0xff], &[0x1c], &[0x1f], &[0xdf], &[0x61]] {
            assert_eq!(item_end(bytes, 0), None);
        }
        assert_eq!(item_end(&[0], 5), None);
        let nested = [vec![0x9f; 1000], vec![0xff; 1000]].concat();
        assert_eq!(item_end(&nested, 0), Some(2000));
    }
}
