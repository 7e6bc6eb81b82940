//! The options of a batch command.

use std::path::PathBuf;

use klero::Suite;

use super::columns::Shape;
use crate::args::choice;
use crate::table::{Destination, Format};

/// The last part of the help for each batch command.
pub const FORMATS: &str = "\
Formats:
  csv        a header line, values in hex; blank lines are skipped, except in a table
             of one column, where a blank line is an empty value
  jsonl      one object per line (also .ndjson), values are strings of hex; blank lines
             are skipped
  parquet    text columns hold hex, binary columns the bytes themselves or, with
             --binary-text, hex
  .gz, .zst  after csv or jsonl: compressed
  The end of a file's name says its format. Standard output gets the format of FILE,
  uncompressed; Parquet needs --out. FILE may be a named pipe, unless it is Parquet. A
  row may have up to 64 MiB. Columns that are not listed here pass through unchanged,
  from Parquet to Parquet with their types. Values in them that are not UTF-8 are written
  with U+FFFD, and in JSON lines NaN and Infinity as null; the summary counts such rows.
  No two columns may have the same name. Hex may stand behind 0x or \\x. --encoding base64
  reads and writes base64 instead of hex.

Several tables:
  With --out-dir there may be several FILEs. One that is a directory stands for the tables
  in it, without those whose names begin with _ or a dot. A table that is complete stays if
  a later one cannot be read.

Suites:
  --suite is the suite of every row; a row whose column suite names another is invalid.
  Without --suite the column suite names the suite of each row.

Exit status:
  0  every row is valid
  1  some row is invalid
  2  the table could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM; the table in progress was not written";

/// The tables to read and to write.
#[derive(clap::Args)]
pub struct Files {
    /// Table to read, or - for standard input. With --out-dir, several tables or directories with tables
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Suite of every row (`klero suites` lists all suites). Without it, a column suite names the suites
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    pub suite: Option<Suite>,
    /// Format of FILE (default: as the end of the file's name says)
    #[arg(long, value_name = "FORMAT", value_parser = Format::choice())]
    pub format: Option<Format>,
    #[command(flatten)]
    pub shape: Shape,
    #[command(flatten)]
    pub destination: Destination,
    /// Directory to write each table to, under the table's own name. A missing directory is created
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub out_dir: Option<PathBuf>,
    /// Allow the output to replace FILE itself
    #[arg(long)]
    pub force: bool,
    /// Write only the rows that are invalid
    #[arg(long)]
    pub only_invalid: bool,
    /// Print the summary on standard error as one JSON object: rows, valid, invalid, and the
    /// reasons with their counts and first rows. With --out-dir, one object for each table and one for all
    #[arg(long)]
    pub json: bool,
    /// Largest number of bytes to write in all. The limit exists because a small table can expand to a large
    /// one (default: 1 GiB or 1000 bytes for each byte that is read, whichever is more)
    #[arg(long, value_name = "BYTES")]
    pub max_output: Option<u64>,
}
