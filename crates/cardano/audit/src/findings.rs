//! Joins the findings of one kind in one chunk into one finding.
//!
//! One cause often has many effects. For example, a wrong nonce makes every proof of an epoch invalid. So
//! findings are collected until their chunk is complete. Then one finding is reported for each kind: the
//! first one, with the number of all and the place of the last one. Memory grows with the number of kinds,
//! not with the number of findings.

use std::mem;

use klero_cardano::Finding;

/// The findings in the current chunk so far, one for each kind.
#[derive(Default)]
pub(crate) struct Findings {
    chunk: u64,
    findings: Vec<Finding>,
}

impl Findings {
    /// Enters the chunk of the next event. If this is another chunk, returns the findings of the one before.
    pub(crate) fn enter(&mut self, chunk: u64) -> Vec<Finding> {
        if chunk == self.chunk {
            return Vec::new();
        }
        self.chunk = chunk;
        self.finish()
    }

    /// Adds the next finding of the chunk.
    pub(crate) fn add(&mut self, next: Finding) {
        let alike = |finding: &&mut Finding| finding.fault.is_like(&next.fault);
        match self.findings.iter_mut().find(alike) {
            Some(finding) => {
                finding.count += next.count;
                finding.last = Some(next.at);
            }
            None => self.findings.push(next),
        }
    }

    /// Removes and returns the findings of the chunk, one for each kind, in the order of first occurrence.
    pub(crate) fn finish(&mut self) -> Vec<Finding> {
        mem::take(&mut self.findings)
    }
}

#[cfg(test)]
mod tests {
    use klero_cardano::{Fault, HeaderState, IndexFile, Location};

    use super::*;

    fn finding(fault: Fault, slot: u64) -> Finding {
        let at = Location {
            slot: Some(slot),
            ..Location::default()
        };
        Finding::new(fault, at)
    }

    #[test]
    fn an_index_has_one_finding_for_all_its_places() {
        let mut findings = Findings::default();
        for (file, byte, count) in [
            (IndexFile::Secondary, 7, 1),
            (IndexFile::Primary, 9, 1),
            (IndexFile::Secondary, 90, 3),
        ] {
            let what = Some(format!("wrong hash for the block at byte {byte}"));
            let one = Finding::new(Fault::Index { file, what }, Location::default());
            findings.add(Finding { count, ..one });
        }
        let texts: Vec<String> = findings.findings.iter().map(Finding::to_string).collect();
        let damaged = "index is damaged: wrong hash for the block at byte";
        let expected = [
            format!(
                "warning: index: chunk 00000: the secondary {damaged} 7 (4 like this in the chunk)"
            ),
            format!("warning: index: chunk 00000: the primary {damaged} 9"),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn headers_in_different_states_are_different_kinds() {
        use HeaderState::{Intact, Unproven, Unreadable};
        let mut findings = Findings::default();
        let states = [Intact, Unproven, Intact, Unreadable, Unreadable];
        for (header, why) in states.into_iter().zip(["", "", "", "x", "y"]) {
            let crc = Fault::Crc {
                expected: 1,
                found: 2,
                header,
                why: Some(why.into()),
            };
            findings.add(finding(crc, 1));
        }
        let counts = findings.findings.iter().map(|finding| finding.count);
        assert_eq!(counts.collect::<Vec<_>>(), [2, 1, 2]);
    }

    #[test]
    fn one_finding_per_kind_and_chunk() {
        let mut findings = Findings::default();
        let number = |found| Fault::BlockNumber { expected: 0, found };
        let order = |before| Fault::SlotOrder { before };
        for slot in 10..20 {
            findings.add(finding(number(slot), slot));
            findings.add(finding(order(slot), slot));
        }
        assert!(findings.enter(0).is_empty());
        let summary = |findings: Vec<Finding>| {
            let one = |finding: &Finding| {
                let last = finding.last.as_ref().and_then(|last| last.slot);
                (finding.fault.name(), finding.at.slot, last, finding.count)
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

        findings.add(finding(number(30), 30));
        assert!(!findings.findings[0].to_string().contains("like this"));
        assert_eq!(
            summary(findings.finish()),
            [("block-number", Some(30), None, 1)]
        );
        assert!(findings.finish().is_empty());
    }
}
