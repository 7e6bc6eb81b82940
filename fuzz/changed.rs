//! Honest bytes with a few changes, so that a small change of the input is a small change of them.

use arbitrary::{Result, Unstructured};

/// The rest of the input, or honest bytes that it changes.
#[allow(dead_code, reason = "tokens are never read as they are")]
pub fn material(input: &mut Unstructured, honest: &[Vec<u8>]) -> Result<Vec<u8>> {
    match input.arbitrary()? {
        true => Ok(input.bytes(input.len())?.to_vec()),
        false => changed(input, honest),
    }
}

/// One of the honest encodings with up to three changes.
pub fn changed(input: &mut Unstructured, honest: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut bytes = input.choose(honest)?.clone();
    for _ in 0..input.int_in_range(0..=3)? {
        let other = input.choose(honest)?;
        let at = input.int_in_range(0..=bytes.len())?;
        let end = bytes.len().min(at + 32);
        match input.int_in_range(0..=6)? {
            0 if at < end => bytes[at] ^= input.arbitrary::<u8>()?,
            1 => input.fill_buffer(&mut bytes[at..end])?,
            2 => {
                bytes.truncate(at);
                bytes.extend(input.bytes(input.len().min(40))?);
            }
            // The same field of another, or all behind it.
            3 if end <= other.len() => bytes[at..end].copy_from_slice(&other[at..end]),
            4 if at <= other.len() => {
                bytes.truncate(at);
                bytes.extend(&other[at..]);
            }
            5 => drop(bytes.drain(at..end)),
            6 => bytes[at..end].fill(input.arbitrary::<u8>()?),
            _ => {}
        }
    }
    Ok(bytes)
}
