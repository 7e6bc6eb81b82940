//! The frame of a stored block: the tag of its era, and the two lists around its parts.
//!
//! A block is `[tag, [header, bodies, ...]]`, or `[tag, [header, body]]` in Dijkstra. Only the lists and the
//! tag are decoded here. The header and the bodies are skipped without recursion, so that hostile nesting
//! cannot exhaust the stack.

use core::fmt;
use core::ops::Range;

use pallas_codec::minicbor::Decoder;
use pallas_codec::minicbor::decode::Error;

use crate::chain::era::Era;
use crate::disk::skip::{Endless, item_end};
use crate::limits::BLOCK;

/// The frame of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The block's tag.
    pub tag: u8,
    /// The range of its header.
    pub header: Range<usize>,
    /// The number of lists of indefinite length in the frame (0 to 2). Each of them ends with a break.
    pub breaks: usize,
}

/// The reason why bytes are not a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotABlock {
    /// The bytes end before the block ends.
    Incomplete,
    /// The bytes are a block with this tag, of an era that this version does not know.
    UnknownEra(u8),
    /// Any other reason, as a text.
    Other(String),
}

impl fmt::Display for NotABlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotABlock::Incomplete => f.write_str("the block does not end"),
            NotABlock::UnknownEra(tag) => {
                write!(f, "block tag {tag} is not known (0 to 8 are)")
            }
            NotABlock::Other(reason) => f.write_str(reason),
        }
    }
}

impl From<Error> for NotABlock {
    fn from(error: Error) -> NotABlock {
        if error.is_end_of_input() {
            NotABlock::Incomplete
        } else {
            NotABlock::Other(error.to_string())
        }
    }
}

impl From<Endless> for NotABlock {
    fn from(endless: Endless) -> NotABlock {
        match endless {
            Endless::Incomplete => NotABlock::Incomplete,
            Endless::Malformed(at) => NotABlock::Other(format!("malformed CBOR before byte {at}")),
        }
    }
}

/// Decodes the frame of the block at the beginning of `bytes`.
pub(crate) fn frame(bytes: &[u8]) -> Result<Frame, NotABlock> {
    let mut decoder = Decoder::new(bytes);
    let (tag, breaks) = opening(&mut decoder)?;
    let start = decoder.position();
    Ok(Frame {
        tag,
        header: start..item_end(bytes, start)?,
        breaks,
    })
}

/// Decodes the bytes before a block's header. Returns the block's tag, and the number of lists of indefinite
/// length.
fn opening(decoder: &mut Decoder<'_>) -> Result<(u8, usize), NotABlock> {
    let other = |what: String| Err(NotABlock::Other(what));
    let outer = decoder.array();
    match &outer {
        Ok(Some(2) | None) => {}
        Ok(Some(n)) => return other(format!("a list of {n} is not a block")),
        Err(error) if error.is_end_of_input() => return Err(NotABlock::Incomplete),
        Err(_) => return other("no block begins here".into()),
    }
    let tag = decoder.u8()?;
    let found = decoder.array();
    let Some(era) = Era::from_tag(tag) else {
        return match found {
            Err(error) if !error.is_end_of_input() => Err(error.into()),
            // The tag is enough to show that the era is unknown, even if the bytes end after the tag.
            _ => Err(NotABlock::UnknownEra(tag)),
        };
    };
    let parts = era.block_parts();
    let is_open = |length: Option<u64>| usize::from(length.is_none());
    match found? {
        Some(n) if n != parts => other(format!("a block of {n} parts, {era} has {parts}")),
        inner => Ok((tag, is_open(inner) + outer.map_or(0, is_open))),
    }
}

/// The length of the block at the beginning of `bytes`.
pub(crate) fn length(bytes: &[u8]) -> Result<usize, NotABlock> {
    let longest = bytes.get(..BLOCK).unwrap_or(bytes);
    frame(longest)?;
    match item_end(longest, 0) {
        Err(Endless::Incomplete) if bytes.len() > BLOCK => Err(NotABlock::Other(format!(
            "no block ends within {BLOCK} bytes"
        ))),
        ended => Ok(ended?),
    }
}

/// The reason why `bytes` are not exactly one block, although they begin with a block's frame.
pub(crate) fn not_whole(bytes: &[u8]) -> NotABlock {
    match length(bytes) {
        Err(error) => error,
        Ok(end) if end < bytes.len() => NotABlock::Other(format!(
            "the block ends at byte {end}, and other bytes follow"
        )),
        Ok(_) => NotABlock::Other("the body does not have the parts of its era".into()),
    }
}

/// The tag of the block at the beginning of `bytes`, and the bytes from the block's header on.
pub(crate) fn header_on(bytes: &[u8]) -> Result<(u8, &[u8]), NotABlock> {
    let mut decoder = Decoder::new(bytes);
    let (tag, _) = opening(&mut decoder)?;
    Ok((tag, bytes.get(decoder.position()..).unwrap_or_default()))
}

/// The tag of the block at the beginning of `bytes`, if `bytes` contain the tag.
pub(crate) fn tag(bytes: &[u8]) -> Option<u8> {
    let mut decoder = Decoder::new(bytes);
    decoder.array().ok()?;
    decoder.u8().ok()
}

/// True if the parts after a block's header have the CBOR types required by its era, as far as `bytes` reach.
pub(crate) fn body_begins(bytes: &[u8], frame: &Frame) -> bool {
    /// The index of the auxiliary data, which is a map. All other parts are lists.
    const MAP: u64 = 3;
    let Some(era) = Era::from_tag(frame.tag) else {
        return false;
    };
    let mut at = frame.header.end;
    for part in 1..era.block_parts() {
        let Some(first) = bytes.get(at) else {
            return true;
        };
        let major = if part == MAP { 5 } else { 4 };
        if first >> 5 != major {
            return false;
        }
        at = match item_end(bytes, at) {
            Ok(end) => end,
            Err(endless) => return endless == Endless::Incomplete,
        };
    }
    // Only the breaks of the frame's lists may follow.
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().all(|byte| *byte == 0xff)
}

/// Finds the stored parts of a block's body. Returns `None` if the block does not have exactly as many parts
/// as its era requires. In Dijkstra the body is one part, which must be a list of four items.
pub(crate) fn body_parts(block: &[u8], frame: &Frame) -> Option<Vec<Range<usize>>> {
    let mut start = frame.header.end;
    let mut parts = Vec::with_capacity(4);
    for _ in 1..Era::from_tag(frame.tag)?.block_parts() {
        let end = item_end(block, start).ok()?;
        parts.push(start..end);
        start = end;
    }
    if let [whole] = &parts[..]
        && !is_list_of_four(block.get(whole.clone())?)
    {
        return None;
    }
    let rest = block.get(start..)?;
    let ends = rest.len() == frame.breaks && rest.iter().all(|byte| *byte == 0xff);
    ends.then_some(parts)
}

/// True if a CBOR item is a list of four items.
fn is_list_of_four(item: &[u8]) -> bool {
    let mut decoder = Decoder::new(item);
    let Ok(length) = decoder.array() else {
        return false;
    };
    if length.is_some() {
        return length == Some(4);
    }
    let mut at = decoder.position();
    for _ in 0..4 {
        let Ok(end) = item_end(item, at) else {
            return false;
        };
        at = end;
    }
    // Only the break may follow.
    at + 1 == item.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        // `[6, [[1], 0, 0, 0, 0]]` in shortest form, with longer numbers, and with lists of indefinite
        // length.
        for (bytes, header, breaks) in [
            (&[0x82, 0x06, 0x85, 0x81, 0x01, 0, 0, 0, 0][..], 3..5, 0),
            (
                &[0x82, 0x18, 0x06, 0x98, 0x05, 0x81, 0x01, 0, 0, 0, 0],
                5..7,
                0,
            ),
            (&[0x82, 0x06, 0x9f, 0x81, 0x01, 0, 0, 0, 0, 0xff], 3..5, 1),
            (
                &[0x9f, 0x06, 0x9f, 0x81, 0x01, 0, 0, 0, 0, 0xff, 0xff],
                3..5,
                2,
            ),
        ] {
            let expected = Frame {
                tag: 6,
                header,
                breaks,
            };
            let first = expected.header.end;
            let parts: Vec<_> = (first..first + 4).map(|at| at..at + 1).collect();
            assert_eq!(body_parts(bytes, &expected), Some(parts));
            assert_eq!(body_parts(&bytes[..bytes.len() - 1], &expected), None);
            assert_eq!(body_parts(&[bytes, &[0xff]].concat(), &expected), None);
            assert_eq!(frame(bytes), Ok(expected));
            assert_eq!(length(bytes), Ok(bytes.len()));
            for cut in 0..bytes.len() {
                assert_eq!(length(&bytes[..cut]), Err(NotABlock::Incomplete));
            }
            let mut followed = bytes.to_vec();
            followed.extend([0x82, 0x06]);
            assert_eq!(length(&followed), Ok(bytes.len()));
        }
        for (bytes, says) in [
            (&[0x83, 0, 0, 0][..], "a list of 3"),
            (&[0x00], "no block begins"),
            (&[0xff], "no block begins"),
            (&[0x82, 0x04, 0x85, 0, 0, 0, 0, 0], "5 parts, Mary has 4"),
            (
                &[0x82, 0x08, 0x85, 0, 0, 0, 0, 0],
                "5 parts, Dijkstra has 2",
            ),
            (&[0x82, 0x40], "unexpected type"),
        ] {
            let Err(NotABlock::Other(error)) = length(bytes) else {
                panic!("{bytes:?}")
            };
            assert!(error.contains(says), "{error}");
        }
        for (bytes, tag) in [
            (&[0x82, 0x09, 0x80][..], 9),
            (&[0x82, 0x18, 40, 0x82], 40),
            (&[0x82, 0x09], 9),
            (&[0x82, 0x18, 40], 40),
        ] {
            assert_eq!(length(bytes), Err(NotABlock::UnknownEra(tag)));
        }
    }

    /// The body of a Dijkstra block is one part, which is a list of four items.
    #[test]
    fn bodies_of_one_part() {
        let parts = |body: &[u8]| {
            let bytes = [&[0x82, 0x08, 0x82, 0x81, 0x01][..], body].concat();
            let frame = frame(&bytes).unwrap();
            body_parts(&bytes, &frame).map(|parts| parts.len())
        };
        for body in [
            &[0x84, 0xf6, 0x80, 0xf6, 0xf6][..],
            &[0x98, 4, 0xf6, 0x80, 0xf6, 0xf6],
            &[0x9f, 0xf6, 0x80, 0xf6, 0xf6, 0xff],
        ] {
            assert_eq!(parts(body), Some(1), "{body:02x?}");
        }
        for body in [
            &[0x83, 0xf6, 0x80, 0xf6][..],
            &[0x85, 0xf6, 0x80, 0xf6, 0xf6, 0xf6],
            &[0x9f, 0xf6, 0x80, 0xf6, 0xff],
            &[0x9f, 0xf6, 0x80, 0xf6, 0xf6, 0xf6, 0xff],
            &[0xa1, 0xf6, 0x80],
            &[0x80, 0x80, 0xa0, 0x80],
            &[0xf6],
            &[],
        ] {
            assert_eq!(parts(body), None, "{body:02x?}");
        }
    }

    #[test]
    fn a_block_has_a_largest_length() {
        let bytes = [&[0x82, 0x06, 0x85, 0x80][..], &vec![0x9f; BLOCK]].concat();
        let why = format!("no block ends within {BLOCK} bytes");
        assert_eq!(length(&bytes), Err(NotABlock::Other(why)));
    }
}
