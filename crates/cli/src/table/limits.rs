//! How large groups, rows and tables may be. Together these bound the memory of a command.

/// Rows in a group, at most.
pub const GROUP_ROWS: usize = 4096;
/// A group ends with the row in which its text reaches this many bytes.
pub const GROUP_BYTES: usize = 8 << 20;
/// Rows times columns in a group, at most. Wide tables get shorter groups.
pub const GROUP_CELLS: usize = 1 << 20;
/// The longest row, in bytes of its cells or, in a text table, of its text.
pub const MAX_ROW: u64 = 64 << 20;
/// Columns of a text table, at most.
pub const MAX_COLUMNS: usize = 4096;
/// The longest name of a field in JSON lines, in bytes.
pub const MAX_NAME: usize = 4096;

/// The most rows of a group in a table of this many columns.
pub fn rows_per_group(columns: usize) -> usize {
    GROUP_ROWS.min(GROUP_CELLS / columns.max(1)).max(1)
}
