//! What a finding says, as a sentence: for people, in one place, so that all read alike.

use core::fmt;

use crate::disk::finding::{Finding, FindingKind, HeaderState, Location};

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            Some(item) => write!(f, "item {item}")?,
            None => write!(f, "chunk {:05}", self.chunk)?,
        }
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset}")?;
        }
        if let Some(slot) = self.slot {
            write!(f, ", slot {slot}")?;
        }
        if let Some(hash) = self.hash {
            write!(f, ", block {hash}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, location } = self;
        // Kinds that name their place themselves say it better than the general form.
        match kind {
            FindingKind::Unreadable { reason, .. } if location.item.is_some() => {
                write!(f, "{location}: no block: {reason}")
            }
            FindingKind::Truncated { .. } | FindingKind::MissingChunks { .. } => {
                write!(f, "chunk {:05}{kind}", location.chunk)
            }
            FindingKind::IndexMissing(_) | FindingKind::IndexDamaged { .. } => {
                write!(f, "{:05}{kind}", location.chunk)
            }
            _ => write!(f, "{location}: {kind}"),
        }
    }
}

impl std::error::Error for Finding {}

impl fmt::Display for HeaderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Intact => f.write_str("the header is intact"),
            Self::Unproven => f.write_str("the header may be altered"),
            Self::Unreadable(reason) => write!(f, "the header is unreadable: {reason}"),
        }
    }
}

/// A sentence for each kind. The function is as long as there are kinds: in one place, they read
/// alike, and the compiler sees that none is forgotten.
impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FindingKind::*;
        match self {
            Crc {
                expected,
                found,
                header,
            } => {
                write!(
                    f,
                    "CRC-32 is {found:08x}, the index says {expected:08x}; {header}"
                )
            }
            Truncated {
                length,
                incomplete,
                missing,
            } => {
                write!(f, " truncated at byte {length}")?;
                if let Some(start) = incomplete {
                    write!(f, ": block starting at byte {start} incomplete")?;
                }
                match missing {
                    0 => Ok(()),
                    _ => write!(f, ", {missing} more in the index"),
                }
            }
            Unreadable { until, reason } => {
                write!(f, "no readable block up to byte {until}: {reason}")
            }
            MissingChunks { first, last } if first == last => f.write_str(" is missing"),
            MissingChunks { last, .. } => write!(f, " to {last:05} are missing"),
            BadHeader { reason } => write!(f, "unusable header: {reason}"),
            BodyHash { expected, found } => {
                match found {
                    Some(hash) => write!(f, "body hash is {hash}")?,
                    None => f.write_str("the body does not have the parts of its era")?,
                }
                write!(f, ", the header says {expected}")
            }
            BodySize { expected, found } => {
                let found = counted(*found, "byte");
                write!(f, "the body has {found}, the header says {expected}")
            }
            HashLink { before, names } => {
                let names = names.map_or("none".into(), |hash| hash.to_string());
                write!(
                    f,
                    "broken link: the block before is {before}, this one names {names}"
                )
            }
            BlockNumber { expected, found } => {
                write!(f, "block number is {found}, expected {expected}")
            }
            SlotOrder { before, found } => {
                write!(
                    f,
                    "slot {found} is not after slot {before} of the block before"
                )
            }
            OutsideChunk { first, last, found } => {
                write!(
                    f,
                    "slot {found} is not among the chunk's slots {first} to {last}"
                )
            }
            EraBackwards { before, found } => {
                write!(f, "{} {found} block after one of {before}", found.article())
            }
            EraOfEpoch { epoch, found } => {
                let article = found.article();
                write!(
                    f,
                    "{article} {found} block in epoch {epoch}, which is not of that era"
                )
            }
            IndexMissing(file) => write!(f, ".{} is missing", file.extension()),
            IndexDamaged {
                file,
                reason,
                places,
            } => {
                write!(f, ".{} is damaged: {reason}", file.extension())?;
                match places {
                    0 | 1 => Ok(()),
                    _ => write!(f, " (and {})", counted(places - 1, "more place")),
                }
            }
            CrcUnchecked { blocks } => {
                write!(f, "CRC-32 of {} not checked", counted(*blocks, "block"))
            }
            HalfWritten { bytes } => {
                let (count, were) = (
                    counted(*bytes, "byte"),
                    if *bytes == 1 { "was" } else { "were" },
                );
                write!(
                    f,
                    "the last block is not complete; its {count} {were} not read"
                )
            }
            UnknownEra { tag, slot } => write!(
                f,
                "blocks of an era this version does not know (tag {tag}) from slot {slot} on; \
                 update klero"
            ),
            UnreadIndex { file, reason } => {
                write!(f, "its {} index cannot be read: {reason}", file.extension())
            }
            Io { reason } => write!(f, "cannot be read: {reason}"),
        }
    }
}

/// `1 byte`, `5 bytes`.
pub(super) fn counted(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::era::Era;
    use crate::disk::finding::IndexFile;

    #[test]
    fn one_and_many() {
        let warning = |kind| Finding::in_chunk(7, kind).to_string();
        for (blocks, words) in [(1, "1 block not"), (2, "2 blocks not")] {
            let text = warning(FindingKind::CrcUnchecked { blocks });
            assert_eq!(text, format!("chunk 00007: CRC-32 of {words} checked"));
        }
        for (places, words) in [
            (1, ""),
            (2, " (and 1 more place)"),
            (3, " (and 2 more places)"),
        ] {
            let text = warning(FindingKind::IndexDamaged {
                file: IndexFile::Primary,
                reason: "x".into(),
                places,
            });
            assert_eq!(text, format!("00007.primary is damaged: x{words}"));
        }
    }

    #[test]
    fn articles() {
        let epoch = |found| FindingKind::EraOfEpoch { epoch: 3, found }.to_string();
        assert!(epoch(Era::Alonzo).starts_with("an Alonzo block in epoch 3"));
        assert!(epoch(Era::Mary).starts_with("a Mary block"));
        let (before, found) = (Era::Conway, Era::Allegra);
        let backwards = FindingKind::EraBackwards { before, found }.to_string();
        assert_eq!(backwards, "an Allegra block after one of Conway");
    }
}
