//! Limits of groups, rows and tables. They bound the memory and the disk space that a command uses.

/// The largest number of rows in a group.
pub const GROUP_ROWS: usize = 4096;
/// The number of bytes of text at which a group ends. The row that reaches this number is the last row of its
/// group or the first row of the next group, depending on the format.
pub const GROUP_BYTES: usize = 8 << 20;
/// The largest number of cells (rows times columns) in a group. Wide tables get shorter groups.
pub const GROUP_CELLS: usize = 1 << 20;
/// The largest number of bytes in a row: in its text for a text table, or in all its cells for Parquet.
pub const MAX_ROW: u64 = 64 << 20;
/// The largest number of columns in a text table.
pub const MAX_COLUMNS: usize = 4096;
/// The longest name of a field in JSON lines, in bytes.
pub const MAX_NAME: usize = 4096;
/// The number of bytes that may be written for any input table, however small it is. A million equal rows
/// take next to nothing in a compressed table, and about 600 MB when they are written as text.
const OUTPUT_FLOOR: u64 = 1 << 30;
/// The number of bytes that may be written for each byte of the input table. If alphas are counters, a row of
/// a compressed table can take less than one byte, and its output row takes about 400 bytes as text.
const OUTPUT_RATIO: u64 = 1000;

/// Returns the largest number of bytes that may be written for a table of `size` bytes.
pub fn most_output(size: u64) -> u64 {
    size.saturating_mul(OUTPUT_RATIO).max(OUTPUT_FLOOR)
}

/// Returns the largest number of rows in a group of a table with this many columns.
pub fn rows_per_group(columns: usize) -> usize {
    GROUP_ROWS.min(GROUP_CELLS / columns.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_tables_are_written_however_well_they_are_compressed() {
        // One claim, repeated a million times, has 54,575 bytes as CSV in Zstandard. As JSON lines with
        // verdicts it has 651 MB.
        assert!(most_output(54_575) > 651_000_000);
        // A table of a billion slots has one byte per slot, and its output has 400 bytes per proof.
        assert!(most_output(1 << 30) > 400 << 30);
        assert_eq!(most_output(u64::MAX), u64::MAX);
    }
}
