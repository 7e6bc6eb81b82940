//! Findings of one kind in one chunk, told once.
//!
//! What is wrong is seldom wrong once: a nonce that is not the chain's makes every proof of an
//! epoch invalid. So findings are held until their chunk is complete, and those of one kind
//! become one, with the first, the last and their number. What is held is as much as there are
//! kinds.

use std::fmt;

use serde_json::{Value, json};

use super::finding::Finding;

/// Findings of one kind in one chunk.
pub struct Folded {
    /// The first.
    first: Finding,
    /// The last, if there is more than one.
    last: Option<Finding>,
    /// How many there are.
    count: u64,
}

/// What was found so far in a chunk.
#[derive(Default)]
pub struct Folds {
    chunk: u64,
    folded: Vec<Folded>,
}

impl Folds {
    /// Goes on to a chunk. Returns what was found in the one before, if that is another.
    pub fn enter(&mut self, chunk: u64) -> Vec<Folded> {
        if chunk == self.chunk {
            return Vec::new();
        }
        self.chunk = chunk;
        self.finish()
    }

    /// Takes what was found next in the chunk.
    pub fn add(&mut self, finding: Finding) {
        let like = |folded: &&mut Folded| folded.first.is_like(&finding);
        match self.folded.iter_mut().find(like) {
            Some(folded) => {
                folded.first.merge(&finding);
                folded.last = Some(finding);
                folded.count += 1;
            }
            None => self.folded.push(Folded {
                first: finding,
                last: None,
                count: 1,
            }),
        }
    }

    /// What was found in the chunk, in the order of the first of each kind.
    pub fn finish(&mut self) -> Vec<Folded> {
        std::mem::take(&mut self.folded)
    }
}

impl fmt::Display for Folded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        let Some(last) = &self.last else {
            return Ok(());
        };
        if let Finding::Warning(_) = self.first {
            // It says how many places it stands for.
            return Ok(());
        }
        write!(f, " ({} like this in the chunk", self.count)?;
        if let (Some(slot), _) = last.block() {
            write!(f, ", the last at slot {slot}")?;
        }
        f.write_str(")")
    }
}

impl Folded {
    /// The first for machines, with `count` and the place of the last.
    pub fn to_json(&self) -> Value {
        let mut value = self.first.to_json();
        value["count"] = self.count.into();
        value["last"] = match &self.last {
            Some(last) => {
                let (slot, hash) = last.block();
                json!({"slot": slot, "block": hash.map(|hash| hash.to_string())})
            }
            None => Value::Null,
        };
        value
    }
}

#[cfg(test)]
mod tests {
    use klero_cardano::{Fault, FaultKind, HeaderState, IndexFile, Location, Warning, WarningKind};

    use super::*;

    fn fault(kind: FaultKind, slot: u64) -> Finding {
        let location = Location {
            slot: Some(slot),
            ..Location::default()
        };
        Finding::Fault(Fault { kind, location })
    }

    #[test]
    fn warnings_with_all_their_places() {
        let mut folds = Folds::default();
        for (what, byte, places) in [("hash", 7, 1), ("slot", 9, 1), ("hash", 90, 3)] {
            let kind = WarningKind::IndexDamaged {
                file: IndexFile::Secondary,
                reason: format!("wrong {what} for the block at byte {byte}"),
                places,
            };
            folds.add(Finding::Warning(Warning { chunk: 0, kind }));
        }
        let told: Vec<String> = folds.folded.iter().map(Folded::to_string).collect();
        let damaged = "warning: 00000.secondary is damaged: wrong";
        let expected = [
            format!("{damaged} hash for the block at byte 7 (and 3 more places)"),
            format!("{damaged} slot for the block at byte 9"),
        ];
        assert_eq!(told, expected);
        assert_eq!(folds.folded[0].to_json()["count"], 2);
    }

    #[test]
    fn headers_in_another_state() {
        let mut folds = Folds::default();
        let crc = |header| FaultKind::Crc {
            expected: 1,
            found: 2,
            header,
        };
        let unreadable = |why: &str| HeaderState::Unreadable(why.into());
        for header in [
            HeaderState::Intact,
            HeaderState::Unproven,
            HeaderState::Intact,
            unreadable("x"),
            unreadable("y"),
        ] {
            folds.add(fault(crc(header), 1));
        }
        let counts: Vec<u64> = folds.folded.iter().map(|folded| folded.count).collect();
        assert_eq!(counts, [2, 1, 2]);
    }

    #[test]
    fn one_for_each_kind_and_chunk() {
        let mut folds = Folds::default();
        let number = |found| FaultKind::BlockNumber { expected: 0, found };
        let order = |found| FaultKind::SlotOrder { before: 9, found };
        for slot in 10..20 {
            folds.add(fault(number(slot), slot));
            folds.add(fault(order(slot), slot));
        }
        assert!(folds.enter(0).is_empty());
        let told = |folded: Vec<Folded>| {
            let value = |folded: &Folded| {
                let value = folded.to_json();
                [
                    &value["kind"],
                    &value["slot"],
                    &value["last"]["slot"],
                    &value["count"],
                ]
                .map(Value::to_string)
                .join(" ")
            };
            folded.iter().map(value).collect::<Vec<_>>()
        };
        let text = folds.folded[1].to_string();
        assert!(
            text.ends_with(" (10 like this in the chunk, the last at slot 19)"),
            "{text}"
        );
        let expected = [r#""block-number" 10 19 10"#, r#""slot-order" 10 19 10"#];
        assert_eq!(told(folds.enter(1)), expected);

        folds.add(fault(number(30), 30));
        assert!(!folds.folded[0].to_string().contains("like this"));
        assert_eq!(told(folds.finish()), [r#""block-number" 30 null 1"#]);
        assert!(folds.finish().is_empty());
    }
}
