//! Findings: occurrences of one kind in one chunk, reported as one.
//!
//! One cause often has many effects: a wrong nonce makes every proof of an epoch invalid. So
//! occurrences are collected until their chunk is complete, and those of one kind become one
//! finding, with the first, the last and their number. Memory grows with the number of kinds,
//! not with the number of occurrences.

use std::fmt;

use klero_cardano::Severity;

use crate::occurrence::Occurrence;

/// Occurrences of one kind in one chunk.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The first.
    pub first: Occurrence,
    /// The last, if there is more than one.
    pub last: Option<Occurrence>,
    /// Their number.
    pub count: u64,
}

/// The findings of the current chunk, as far as it was read.
#[derive(Default)]
pub(crate) struct Findings {
    chunk: u64,
    findings: Vec<Finding>,
}

impl Findings {
    /// Enters a chunk. Returns the findings of the one before, if it is another.
    pub(crate) fn enter(&mut self, chunk: u64) -> Vec<Finding> {
        if chunk == self.chunk {
            return Vec::new();
        }
        self.chunk = chunk;
        self.finish()
    }

    /// Adds the next occurrence in the chunk.
    pub(crate) fn add(&mut self, occurrence: Occurrence) {
        let alike = |finding: &&mut Finding| finding.first.is_like(&occurrence);
        match self.findings.iter_mut().find(alike) {
            Some(finding) => {
                finding.first.merge(&occurrence);
                finding.last = Some(occurrence);
                finding.count += 1;
            }
            None => self.findings.push(Finding {
                first: occurrence,
                last: None,
                count: 1,
            }),
        }
    }

    /// The findings of the chunk, in the order of their first occurrences.
    pub(crate) fn finish(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        let Some(last) = &self.last else {
            return Ok(());
        };
        if let Occurrence::Read(finding) = &self.first
            && finding.severity() == Severity::Warning
        {
            // Its text has the number of places.
            return Ok(());
        }
        write!(f, " ({} like this in the chunk", self.count)?;
        if let (Some(slot), _) = last.block() {
            write!(f, ", the last at slot {slot}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use klero_cardano::{FindingKind, HeaderState, IndexFile, Location};

    use super::*;

    fn fault(kind: FindingKind, slot: u64) -> Occurrence {
        let location = Location {
            slot: Some(slot),
            ..Location::default()
        };
        Occurrence::Read(klero_cardano::Finding { kind, location })
    }

    #[test]
    fn a_warning_counts_all_its_places() {
        let mut findings = Findings::default();
        for (what, byte, places) in [("hash", 7, 1), ("slot", 9, 1), ("hash", 90, 3)] {
            let kind = FindingKind::IndexDamaged {
                file: IndexFile::Secondary,
                reason: format!("wrong {what} for the block at byte {byte}"),
                places,
            };
            let location = Location::default();
            findings.add(Occurrence::Read(klero_cardano::Finding { kind, location }));
        }
        let texts: Vec<String> = findings.findings.iter().map(Finding::to_string).collect();
        let damaged = "warning: 00000.secondary is damaged: wrong";
        let expected = [
            format!("{damaged} hash for the block at byte 7 (and 3 more places)"),
            format!("{damaged} slot for the block at byte 9"),
        ];
        assert_eq!(texts, expected);
        assert_eq!(findings.findings[0].count, 2);
    }

    #[test]
    fn headers_in_different_states_are_different_kinds() {
        let mut findings = Findings::default();
        let crc = |header| FindingKind::Crc {
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
            findings.add(fault(crc(header), 1));
        }
        let counts: Vec<u64> = findings
            .findings
            .iter()
            .map(|finding| finding.count)
            .collect();
        assert_eq!(counts, [2, 1, 2]);
    }

    #[test]
    fn one_finding_per_kind_and_chunk() {
        let mut findings = Findings::default();
        let number = |found| FindingKind::BlockNumber { expected: 0, found };
        let order = |found| FindingKind::SlotOrder { before: 9, found };
        for slot in 10..20 {
            findings.add(fault(number(slot), slot));
            findings.add(fault(order(slot), slot));
        }
        assert!(findings.enter(0).is_empty());
        let summary = |findings: Vec<Finding>| {
            let slot = |occurrence: &Occurrence| occurrence.block().0;
            let one = |finding: &Finding| {
                let Occurrence::Read(fault) = &finding.first else {
                    panic!("{finding}")
                };
                let last = finding.last.as_ref().and_then(slot);
                (fault.kind.name(), slot(&finding.first), last, finding.count)
            };
            findings.iter().map(one).collect::<Vec<_>>()
        };
        let text = findings.findings[1].to_string();
        assert!(
            text.ends_with(" (10 like this in the chunk, the last at slot 19)"),
            "{text}"
        );
        let expected = ["block-number", "slot-order"].map(|kind| (kind, Some(10), Some(19), 10));
        assert_eq!(summary(findings.enter(1)), expected);

        findings.add(fault(number(30), 30));
        assert!(!findings.findings[0].to_string().contains("like this"));
        assert_eq!(
            summary(findings.finish()),
            [("block-number", Some(30), None, 1)]
        );
        assert!(findings.finish().is_empty());
    }
}
