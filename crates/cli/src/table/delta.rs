//! The sum of lengths that are delta-encoded.
//!
//! A few bits can state a great length. So lengths are added up before memory for the values is allocated.

/// Returns the sum of the lengths, coded as DELTA_BINARY_PACKED, with which `data` begins, and the position
/// where they end. Returns `None` for over `most` lengths, a negative length, or a damaged coding.
pub fn lengths(data: &[u8], most: u64) -> Option<(u64, usize)> {
    let mut rest = data;
    let block = varint(&mut rest)?;
    let miniblocks = varint(&mut rest)?;
    let mut left = varint(&mut rest)?;
    let mut length = zigzag(varint(&mut rest)?) as i32;
    let values = block.checked_div(miniblocks)?;
    if left > most || values % 8 != 0 || block > 1 << 30 {
        return None;
    }
    let mut sum = 0;
    let mut add = |length: i32| {
        sum += u64::try_from(length).ok()?;
        Some(())
    };
    if left > 0 {
        add(length)?;
        left -= 1;
    }
    while left > 0 {
        let least = zigzag(varint(&mut rest)?);
        let widths = rest.split_off(..usize::try_from(miniblocks).ok()?)?;
        for &width in widths {
            if left == 0 {
                break;
            }
            let width = usize::from(width);
            let size = usize::try_from(values).ok()? / 8 * width;
            let packed = rest.split_off(..size.min(rest.len()))?;
            for index in 0..values.min(left) as usize {
                let delta = bits(packed, index * width, width);
                length = length.wrapping_add(least.wrapping_add(delta as i64) as i32);
                add(length)?;
            }
            left -= values.min(left);
        }
    }
    Some((sum, data.len() - rest.len()))
}

/// Returns `width` bits from bit `start` on, lowest bit first. Bits after the end of `data` are 0.
fn bits(data: &[u8], start: usize, width: usize) -> u64 {
    (0..width.min(64)).fold(0, |bits, index| {
        let at = start + index;
        let byte = data.get(at / 8).copied().unwrap_or(0);
        bits | u64::from(byte >> (at % 8) & 1) << index
    })
}

fn varint(data: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *data.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
