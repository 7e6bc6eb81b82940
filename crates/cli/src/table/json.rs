//! JSON lines: one object per line. Blank lines are skipped.
//!
//! The value of a field is kept as its JSON text, so that no number is rounded. The column of the field has
//! Arrow's canonical extension type for JSON. A null in the column means that the row lacks the field. A line
//! that is not an object is a row with a fault; the other rows are still read. In a field that the command
//! does not use, text may be in another encoding than UTF-8, and numbers may be NaN or infinite.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::mem;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use klero_arrow::{Fault, Rows, is_json, shortened};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::bytes::{Compression, Input, Meter};
use super::interface::{self, Dialect, Numbering};
use super::limits::{GROUP_BYTES, GROUP_CELLS, GROUP_ROWS, MAX_COLUMNS, MAX_NAME};
use super::mend::Mended;
use super::types::ORIGIN;
use crate::args::source::Source;
use crate::ui::error::Error;

/// The mark of a field from JSON lines, in its metadata at the key `ORIGIN`.
const JSON_LINES: &str = "json lines";

/// The field of a column with JSON texts from JSON lines.
fn json_field(name: &str) -> Field {
    let metadata = [
        (EXTENSION_TYPE_NAME_KEY, "arrow.json"),
        (ORIGIN, JSON_LINES),
    ];
    Field::new(name, DataType::Utf8, true).with_metadata(metadata)
}

/// True for a field of JSON lines, and false for JSON in a column of Parquet.
pub fn is_json_line(field: &Field) -> bool {
    is_json(field)
        && field
            .metadata()
            .get(ORIGIN)
            .is_some_and(|origin| origin == JSON_LINES)
}

/// The fields of an object in the order of its text, with their values as JSON texts.
struct Fields<'l>(Vec<(Name<'l>, &'l RawValue)>);

/// The name of a field.
#[derive(Deserialize)]
struct Name<'l>(#[serde(borrow)] Cow<'l, str>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<Name<'de>, _>()? {
                    let length = field.0.0.len();
                    if length > MAX_NAME {
                        return Err(A::Error::custom(format_args!(
                            "the name of a field has {length} bytes, expected at most {MAX_NAME}"
                        )));
                    }
                    if fields.len() == MAX_COLUMNS {
                        return Err(A::Error::custom(format_args!(
                            "more than {MAX_COLUMNS} fields"
                        )));
                    }
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// The rows of a group while they are read. Columns are in the order in which they first appear.
#[derive(Default)]
struct Columns {
    names: HashMap<String, usize>,
    columns: Vec<(String, StringBuilder)>,
    rows: usize,
    /// Bytes of the names, the values and the faults.
    bytes: usize,
}

impl Columns {
    /// True if this row would make the group too large. The first row always fits.
    fn is_full(&self, row: &Result<Fields<'_>, Fault>) -> bool {
        let (columns, bytes) = match row {
            Ok(Fields(fields)) => {
                let bytes = fields.iter().map(|(name, v)| name.0.len() + v.get().len());
                (fields.len(), bytes.sum())
            }
            Err(fault) => (0, bytes_of(fault)),
        };
        self.rows > 0
            && (self.rows >= GROUP_ROWS
                || self.bytes + bytes > GROUP_BYTES
                || (self.rows + 1) * (self.columns.len() + columns) > GROUP_CELLS)
    }

    /// Adds a row. It is an error if a field appears twice in the row.
    fn push(&mut self, row: Fields<'_>) -> Result<(), String> {
        let mut twice = Ok(());
        for (place, (Name(name), value)) in row.0.into_iter().enumerate() {
            let index = self.column(place, name);
            let (name, column) = &mut self.columns[index];
            if column.len() > self.rows {
                twice = Err(format!("field {:?} appears twice", shortened(name)));
                continue;
            }
            pad(column, self.rows);
            column.append_value(value.get());
            self.bytes += value.get().len();
        }
        self.rows += 1;
        twice
    }

    /// Returns the index of the column `name`, and adds the column if it is new. `place` is tried first.
    fn column(&mut self, place: usize, name: Cow<'_, str>) -> usize {
        if self.columns.get(place).is_some_and(|(at, _)| *at == name) {
            return place;
        }
        if let Some(index) = self.names.get(&*name) {
            return *index;
        }
        let (index, name) = (self.columns.len(), name.into_owned());
        self.bytes += name.len();
        self.names.insert(name.clone(), index);
        self.columns
            .push((name, StringBuilder::with_capacity(0, 0)));
        index
    }

    fn finish(self) -> Result<RecordBatch, ArrowError> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (name, mut column) in self.columns {
            pad(&mut column, self.rows);
            fields.push(json_field(&name));
            arrays.push(Arc::new(column.finish()));
        }
        let schema = Arc::new(Schema::new(fields));
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(schema, arrays, &options)
    }
}

fn pad(column: &mut StringBuilder, rows: usize) {
    column.append_nulls(rows.saturating_sub(column.len()));
}

/// Reads JSON lines.
pub struct Reader {
    lines: BufReader<Input>,
    source: Source,
    meter: Meter,
    length: Option<u64>,
    /// The number of the current line, whose bytes are in `text`.
    line: u64,
    text: Vec<u8>,
    /// The current line after mending, if it was almost JSON.
    mended: Option<Mended>,
    read: Vec<String>,
    replaced: u64,
    /// True if the current line did not fit into the last group. Then it is the first row of the next group.
    held: bool,
    numbering: Numbering,
}

impl Reader {
    /// Opens the file.
    pub fn open(
        source: &Source,
        compression: Compression,
        dialect: &Dialect,
    ) -> Result<Self, Error> {
        let (file, meter, length) = Input::open(source, compression)?;
        Ok(Self {
            lines: BufReader::with_capacity(1 << 16, file),
            source: source.clone(),
            meter,
            length,
            line: 0,
            text: Vec::new(),
            mended: None,
            read: dialect.read.clone(),
            replaced: 0,
            held: false,
            numbering: Numbering::default(),
        })
    }

    /// Reads the next row. Returns its fields or the fault of its line, and `None` at the end of the file.
    fn next_row(&mut self) -> Result<Option<Result<Fields<'_>, Fault>>, Error> {
        if !mem::take(&mut self.held) && !self.next_line()? {
            return Ok(None);
        }
        let (line, text) = (self.line, self.text.as_slice());
        // If the whole line is known to be UTF-8, serde_json need not check this again in each value.
        let row = match str::from_utf8(text) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(text),
        };
        self.mended = None;
        let error = match row {
            Ok(fields) => return Ok(Some(Ok(fields))),
            Err(error) => fault(&error, line, text),
        };
        self.mended = Mended::of(text);
        let fields = self.mended.as_ref().and_then(|mended| {
            let fields: Fields<'_> = serde_json::from_str(&mended.text).ok()?;
            let is_bad = |(Name(name), value): &(Name<'_>, &RawValue)| {
                self.read.iter().any(|read| read == name) && mended.changes(value.get())
            };
            (!fields.0.iter().any(is_bad)).then_some(fields)
        });
        Ok(Some(fields.ok_or(error)))
    }

    /// Reads the next line that is not blank. Returns false at the end of the file.
    fn next_line(&mut self) -> Result<bool, Error> {
        loop {
            self.text.clear();
            let count = self
                .lines
                .read_until(b'\n', &mut self.text)
                .map_err(|error| self.source.unreadable(error))?;
            if count == 0 {
                return Ok(false);
            }
            self.meter.end_row();
            self.line += 1;
            if self.line == 1 && self.text.starts_with("\u{feff}".as_bytes()) {
                self.text.drain(.."\u{feff}".len());
            }
            self.text.truncate(self.text.trim_ascii_end().len());
            if !self.text.is_empty() {
                return Ok(true);
            }
        }
    }
}

/// Returns the fault of this line. The line may contain a secret, so the fault repeats nothing of it.
fn fault(error: &serde_json::Error, line: u64, text: &[u8]) -> Fault {
    let found = match text.trim_ascii_start() {
        _ if !error.is_data() => None,
        [b'"', ..] => Some("a string"),
        [b'[', ..] => Some("a list"),
        [b'-' | b'0'..=b'9', ..] => Some("a number"),
        [b't', ..] => Some("true"),
        [b'f', ..] => Some("false"),
        [b'n', ..] => Some("null"),
        _ => None,
    };
    // The message, from the visitor above or from serde_json, ends in " at line 1 column …". It says line 1
    // for every line, because each line is parsed by itself. So this end is cut off.
    let words = error.to_string();
    let words = words.split_once(" at line ").map_or(&*words, |(w, _)| w);
    match found {
        Some(found) => at(line, format!("expected a JSON object, found {found}")),
        None if error.is_data() => at(line, words.to_owned()),
        None => Fault {
            place: format!("line {line}, column {}", error.column()),
            what: format!("expected a JSON object, {words}"),
        },
    }
}

fn bytes_of(fault: &Fault) -> usize {
    fault.place.len() + fault.what.len()
}

fn at(line: u64, what: String) -> Fault {
    Fault {
        place: format!("line {line}"),
        what,
    }
}

impl interface::Reader for Reader {
    fn columns(&self) -> Option<&Schema> {
        None
    }

    fn next_group(&mut self) -> Result<Option<Rows>, Error> {
        let mut columns = Columns::default();
        let mut faults = BTreeMap::new();
        while let Some(row) = self.next_row()? {
            if columns.is_full(&row) {
                self.held = true;
                break;
            }
            let is_object = row.is_ok();
            let pushed = match row {
                Ok(row) => columns.push(row).map_err(|what| at(self.line, what)),
                Err(fault) => columns
                    .push(Fields(Vec::new()))
                    .map_or_else(|what| Err(at(self.line, what)), |()| Err(fault)),
            };
            self.replaced += u64::from(is_object && self.mended.is_some());
            if let Err(fault) = pushed {
                columns.bytes += bytes_of(&fault);
                faults.insert(columns.rows - 1, fault);
            }
        }
        let batch = columns
            .finish()
            .map_err(|error| self.source.unreadable(error))?;
        Ok(self.numbering.next(batch, faults))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.meter.total(), self.length)
    }

    fn replaced(&self) -> u64 {
        self.replaced
    }

    fn size(&self) -> u64 {
        self.length.unwrap_or(self.meter.total())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::table::Reader as _;

    /// Returns the number of rows in each group of a table with these lines.
    fn groups(lines: impl Iterator<Item = String>) -> Vec<usize> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        lines.for_each(|line| writeln!(file, "{line}").unwrap());
        let source = Source::File(file.path().to_owned());
        let mut reader = Reader::open(&source, Compression::None, &Dialect::default()).unwrap();
        let mut rows = Vec::new();
        while let Some(group) = reader.next_group().unwrap() {
            assert_eq!(group.first_row, rows.iter().sum::<usize>() as u64 + 1);
            rows.push(group.batch.num_rows());
        }
        rows
    }

    #[test]
    fn the_names_of_fields_count_as_bytes_of_a_group() {
        // Three million bytes of names in each row.
        let row = |row: usize| {
            let fields = (0..1000).map(|field| format!("\"{row}-{field}-{:3000}\":0", ""));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        };
        assert_eq!(groups((0..5).map(row)), [2, 2, 1]);
        // Names that rows share are counted once.
        let short = |_| "{\"key\":\"00\",\"alpha\":\"\"}".to_owned();
        assert_eq!(groups((0..5000).map(short)), [GROUP_ROWS, 904]);
    }

    #[test]
    fn a_row_that_fills_a_group_does_not_join_another() {
        let long = || format!("{{\"alpha\":\"{}\"}}", "0".repeat(GROUP_BYTES));
        let short = || "{\"alpha\":\"\"}".to_owned();
        let lines = [short(), long(), "1".into(), short(), long()];
        assert_eq!(groups(lines.into_iter()), [1, 1, 2, 1]);
    }
}
