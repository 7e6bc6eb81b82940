//! Comparisons of bytes with p: whether an encoding is canonical.
//!
//! The source is generic over bytes. Here a byte is a *set* of values, at first of all 256. A
//! comparison splits the set of its byte in two, those for which it holds and the others, and goes on
//! with one of them; the whole runs again with the other one, until every way was gone. Of the sets in
//! the end, the least and the greatest integers say whether the answer is right for all integers in them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::BitAnd;

use klero_lanes::unstable::formulas::encoding::is_below_p;
use num_bigint::BigInt;

use crate::attempt::attempt;
use crate::integer::p;

/// The values that a byte can have.
type Set = [bool; 256];

/// The bytes of an integer, and the ways that comparisons go.
struct Run {
    bytes: [Set; 32],
    /// The answers of comparisons that can go both ways, and whether the other way is yet to go.
    ways: Vec<(bool, bool)>,
    asked: usize,
    /// The comparisons so far.
    compared: usize,
    /// A fault in the comparison with this number.
    fault: Option<(usize, Kind)>,
}

impl Run {
    const fn new(ways: Vec<(bool, bool)>, fault: Option<(usize, Kind)>) -> Self {
        Self {
            bytes: [[true; 256]; 32],
            ways,
            asked: 0,
            compared: 0,
            fault,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// With a number one larger, or smaller.
    Larger,
    Smaller,
    /// Of all bits, where some are left out.
    NoMask,
    /// The opposite answer, or always one.
    Opposite,
    Always(bool),
}

const KINDS: [Kind; 6] = [
    Kind::Larger,
    Kind::Smaller,
    Kind::NoMask,
    Kind::Opposite,
    Kind::Always(false),
    Kind::Always(true),
];

thread_local! {
    static RUN: RefCell<Run> = const { RefCell::new(Run::new(Vec::new(), None)) };
}

/// A byte, by its place, and the mask of its bits that count.
#[derive(Clone, Copy)]
struct Byte {
    place: usize,
    mask: u8,
}

impl BitAnd<u8> for Byte {
    type Output = Self;

    fn bitand(self, mask: u8) -> Self {
        let mask = self.mask & mask;
        Self { mask, ..self }
    }
}

impl Byte {
    /// Whether a relation to a number holds: one way of those that are possible.
    fn ask(self, number: u8, holds: impl Fn(u8, u8) -> bool) -> bool {
        RUN.with_borrow_mut(|run| {
            let fault = run.fault.filter(|(at, _)| *at == run.compared);
            run.compared += 1;
            let (mut mask, mut number, mut inverted) = (self.mask, number, false);
            match fault.map(|(_, kind)| kind) {
                Some(Kind::Larger) => number = number.wrapping_add(1),
                Some(Kind::Smaller) => number = number.wrapping_sub(1),
                Some(Kind::NoMask) => mask = 0xff,
                Some(Kind::Opposite) => inverted = true,
                Some(Kind::Always(answer)) => return answer,
                None => {}
            }
            let answer = |byte: usize| holds(byte as u8 & mask, number) != inverted;
            let set = run.bytes[self.place];
            let possible = |way| (0..256).any(|byte| set[byte] && answer(byte) == way);
            let way = match (possible(false), possible(true)) {
                (true, true) => {
                    if run.asked == run.ways.len() {
                        run.ways.push((false, true));
                    }
                    run.asked += 1;
                    run.ways[run.asked - 1].0
                }
                (_, way) => way,
            };
            run.bytes[self.place] = std::array::from_fn(|byte| set[byte] && answer(byte) == way);
            way
        })
    }
}

impl PartialEq<u8> for Byte {
    fn eq(&self, number: &u8) -> bool {
        self.ask(*number, |byte, number| byte == number)
    }
}

impl PartialOrd<u8> for Byte {
    fn partial_cmp(&self, number: &u8) -> Option<Ordering> {
        let less = self.ask(*number, |byte, number| byte < number);
        let equal = !less && self.ask(*number, |byte, number| byte == number);
        Some(match (less, equal) {
            (true, _) => Ordering::Less,
            (_, true) => Ordering::Equal,
            _ => Ordering::Greater,
        })
    }

    fn lt(&self, number: &u8) -> bool {
        self.ask(*number, |byte, number| byte < number)
    }
}

/// Checks that the comparison is right for all encodings. A fault in one comparison that is not
/// found must change nothing.
pub fn check() -> Result<String, String> {
    let (ways, comparisons) = all_ways(None)?;
    let (mut found, mut equivalent) = (0, 0);
    for at in 0..comparisons {
        for kind in KINDS {
            match attempt(|| all_ways(Some((at, kind)))).flatten() {
                Err(_) => found += 1,
                // Only the last byte has a mask.
                Ok(_) if matches!(kind, Kind::NoMask) && at + 1 < comparisons => equivalent += 1,
                Ok(_) => return Err(format!("{kind:?} in comparison {at} is not found")),
            }
        }
    }
    let planted = found + equivalent;
    Ok(format!(
        "  an encoding compared with p: right on each of {ways} ways; of {planted} faults \
         {found} found, {equivalent} equivalent"
    ))
}

/// Goes every way: how many there are, and the most comparisons on one.
fn all_ways(fault: Option<(usize, Kind)>) -> Result<(usize, usize), String> {
    let encoding: [Byte; 32] = std::array::from_fn(|place| Byte { place, mask: 0xff });
    let mut ways = Vec::new();
    let (mut count, mut most) = (0, 0);
    loop {
        RUN.set(Run::new(ways, fault));
        let below = is_below_p(&encoding);
        let run = RUN.replace(Run::new(Vec::new(), None));
        // The top bit does not count.
        let value = |byte: usize, place: usize| if place == 31 { byte & 0x7f } else { byte };
        let ends = |greatest: bool| -> BigInt {
            let digit = |place: usize| {
                let all = (0..256).filter(|&byte| run.bytes[place][byte]);
                let all = all.map(|byte| value(byte, place));
                if greatest { all.max() } else { all.min() }.expect("a way that can be gone")
            };
            (0..32)
                .map(|place| BigInt::from(digit(place)) << (8 * place))
                .sum()
        };
        if below != (ends(below) < p()) {
            return Err("an encoding is judged wrongly".to_owned());
        }
        count += 1;
        most = most.max(run.compared);
        // The last of the ways that has another one yet to go.
        ways = run.ways;
        while let Some((_, false)) = ways.last() {
            ways.pop();
        }
        match ways.last_mut() {
            Some(way) => *way = (!way.0, false),
            None => return Ok((count, most)),
        }
    }
}
