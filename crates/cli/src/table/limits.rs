//! The limits of groups, rows and tables. Together these bound the memory of a command, and the space that it
//! takes on a disk.

/// The most rows in a group.
pub const GROUP_ROWS: usize = 4096;
/// A group ends with the row in which its text reaches this many bytes, or before that row.
pub const GROUP_BYTES: usize = 8 << 20;
/// The most cells in a group, rows times columns. Wide tables get shorter groups.
pub const GROUP_CELLS: usize = 1 << 20;
/// The longest row, in bytes of its cells or, in a text table, of its text.
pub const MAX_ROW: u64 = 64 << 20;
/// The most columns of a text table.
pub const MAX_COLUMNS: usize = 4096;
/// The longest name of a field in JSON lines, in bytes.
pub const MAX_NAME: usize = 4096;
/// Bytes that may be written for any table, however small. A million equal rows take about 600 MB when they
/// are written as text, and next to nothing in a compressed table.
const OUTPUT_FLOOR: u64 = 1 << 30;
/// Bytes that may be written for each byte that is read. The answer to an alpha takes about 400 bytes as
/// text; an alpha that is a counter can take less than one in a compressed table.
const OUTPUT_RATIO: u64 = 1000;

/// The most bytes to write for a table of this many bytes.
pub fn most_output(size: u64) -> u64 {
    size.saturating_mul(OUTPUT_RATIO).max(OUTPUT_FLOOR)
}

/// The most rows of a group in a table of this many columns.
pub fn rows_per_group(columns: usize) -> usize {
    GROUP_ROWS.min(GROUP_CELLS / columns.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_tables_are_written_however_well_they_are_compressed() {
        // The same claim a million times: its size as CSV in Zstandard, and as JSON lines with verdicts.
        assert!(most_output(54_575) > 651_000_000);
        // A billion slots, one byte each, and the proofs for them.
        assert!(most_output(1 << 30) > 400 << 30);
        assert_eq!(most_output(u64::MAX), u64::MAX);
    }
}
