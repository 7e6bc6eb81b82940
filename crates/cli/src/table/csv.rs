//! CSV: a header line, commas or another delimiter, every column text.
//!
//! A row with more or fewer fields than the header, or with text that is not UTF-8, has a
//! fault; the other rows are read. An empty field is an empty text, except as an output, where
//! it is a null: CSV has no other way to claim no output. A blank line is not a row, except in
//! a file with one column, where it is an empty value.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatchOptions, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use csv::ByteRecord;
use klero_arrow::{Fault, Rows, shortened};

use super::blank::BlankLines;
use super::bytes::{Compression, Input, Meter, Sink};
use super::dialect::Dialect;
use super::fixed::FixedColumns;
use super::interface;
use super::limits::{GROUP_BYTES, MAX_COLUMNS, rows_per_group};
use super::numbering::Numbering;
use super::records::Records;
use super::schema::{check_names, check_zones};
use crate::error::Error;
use crate::input::Source;

/// Bytes of text that are written at a time.
const BUFFER: usize = 1 << 16;

/// Reads CSV.
pub struct Reader {
    records: Records<BlankLines<Input>>,
    source: Source,
    schema: SchemaRef,
    /// The column of outputs.
    output: String,
    meter: Meter,
    length: Option<u64>,
    numbering: Numbering,
    /// Bytes of text in each column of the last group.
    lengths: Vec<usize>,
}

impl Reader {
    /// Opens the file and reads its header.
    pub fn open(
        source: &Source,
        compression: Compression,
        dialect: &Dialect,
    ) -> Result<Self, Error> {
        let (file, meter, length) = Input::open(source, compression)?;
        let file = BlankLines::new(file, dialect.delimiter);
        let mut records = Records::new(file, dialect.delimiter);
        let mut header = ByteRecord::new();
        records
            .next(&mut header)
            .map_err(|error| source.unreadable(error))?;
        if header.is_empty() {
            return Err(source.unreadable("the file is empty, expected a header line"));
        }
        if header.len() > MAX_COLUMNS {
            return Err(source.unreadable(format_args!(
                "{} columns, expected at most {MAX_COLUMNS}",
                header.len()
            )));
        }
        let mut fields = Vec::with_capacity(header.len());
        for (index, name) in header.iter().enumerate() {
            let name = str::from_utf8(name).map_err(|error| {
                source.unreadable(format_args!(
                    "line 1, name of column {}: expected UTF-8, {error}",
                    index + 1
                ))
            })?;
            fields.push(Field::new(name, DataType::Utf8, true));
        }
        let schema = Arc::new(Schema::new(fields));
        check_names(source, &schema)?;
        meter.end_row();
        let lengths = vec![0; schema.fields().len()];
        Ok(Self {
            records,
            source: source.clone(),
            schema,
            output: dialect.output.clone(),
            meter,
            length,
            numbering: Numbering::default(),
            lengths,
        })
    }
}

impl interface::Reader for Reader {
    fn columns(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn next_group(&mut self) -> Result<Option<Rows>, Error> {
        let names = self.schema.fields();
        let limit = rows_per_group(names.len());
        // As long as those of the last group, so that they seldom grow.
        let lengths = self.lengths.iter();
        let mut columns: Vec<_> = lengths
            .map(|length| StringBuilder::with_capacity(limit, *length))
            .collect();
        let mut faults = BTreeMap::new();
        let mut record = ByteRecord::new();
        let (mut rows, mut bytes) = (0, 0);
        while rows < limit && bytes < GROUP_BYTES {
            let more = self
                .records
                .next(&mut record)
                .map_err(|error| self.source.unreadable(error))?;
            if !more {
                break;
            }
            self.meter.end_row();
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != names.len() {
                let (expected, found) = (names.len(), record.len());
                let fault = Fault {
                    place: format!("line {line}"),
                    what: format!("expected {expected} fields, found {found}"),
                };
                faults.insert(rows, fault);
            }
            for (index, column) in columns.iter_mut().enumerate() {
                let name = names[index].name();
                match record.get(index) {
                    None => column.append_null(),
                    Some(b"") if *name == self.output => column.append_null(),
                    Some(field) => match str::from_utf8(field) {
                        Ok(text) => column.append_value(text),
                        Err(error) => {
                            faults.entry(rows).or_insert_with(|| Fault {
                                place: format!("line {line}, column {:?}", shortened(name)),
                                what: format!("expected UTF-8, {error}"),
                            });
                            column.append_value(String::from_utf8_lossy(field));
                        }
                    },
                }
            }
            rows += 1;
            bytes += record.as_slice().len();
        }
        let lengths = columns.iter().map(|column| column.values_slice().len());
        self.lengths = lengths.collect();
        let columns = columns
            .iter_mut()
            .map(|column| Arc::new(column.finish()) as ArrayRef)
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|error| self.source.unreadable(error))?;
        Ok(self.numbering.next(batch, faults))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.meter.total(), self.length)
    }

    fn size(&self) -> u64 {
        self.length.unwrap_or(self.meter.total())
    }
}

/// Writes CSV.
pub struct Writer {
    file: Sink,
    delimiter: u8,
    columns: FixedColumns,
    started: bool,
}

impl Writer {
    /// Writes to this file, with this delimiter.
    pub fn new(file: Sink, delimiter: u8) -> Self {
        Self {
            columns: FixedColumns::new(file.name()),
            file,
            delimiter,
            started: false,
        }
    }

    fn unprintable(&self, error: &ArrowError) -> Error {
        Error::at(format_args!("cannot write {}", self.file.name()), error)
    }

    fn write_all(&mut self, lines: &mut Vec<u8>) -> Result<(), Error> {
        let written = self.file.write_all(lines);
        lines.clear();
        written.map_err(|error| Error::write(self.file.name(), &error))
    }
}

impl interface::Writer for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let batch = self.columns.fit(batch)?;
        let schema = batch.schema();
        check_zones(self.file.name(), &schema)?;
        let mut lines = Vec::with_capacity(2 * BUFFER);
        if !self.started {
            let names = schema.fields().iter().map(|field| &**field.name());
            for (index, name) in names.enumerate() {
                if index > 0 {
                    lines.push(self.delimiter);
                }
                push_field(&mut lines, self.delimiter, name);
            }
            end_record(&mut lines, 0);
            self.started = true;
        }
        // Bytes are printed as hex, a null as nothing.
        let options = FormatOptions::new();
        let cells = batch
            .columns()
            .iter()
            .map(|column| Cells::of(column, &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| self.unprintable(&error))?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            let start = lines.len();
            for (index, cell) in cells.iter().enumerate() {
                if index > 0 {
                    lines.push(self.delimiter);
                }
                let cell = cell.text(row, &mut text);
                let cell = cell.map_err(|error| self.unprintable(&error))?;
                push_field(&mut lines, self.delimiter, cell);
            }
            end_record(&mut lines, start);
            if lines.len() >= BUFFER {
                self.write_all(&mut lines)?;
            }
        }
        self.write_all(&mut lines)
    }

    fn written(&self) -> u64 {
        self.file.written()
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.file.commit()
    }
}

/// Adds a field, in quotes if it needs them.
fn push_field(lines: &mut Vec<u8>, delimiter: u8, text: &str) {
    // Without an early end, so that many bytes are compared at once.
    let is_plain = |byte: u8| !matches!(byte, b'"' | b'\r' | b'\n') && byte != delimiter;
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return lines.extend_from_slice(text.as_bytes());
    }
    lines.push(b'"');
    for part in text.split_inclusive('"') {
        lines.extend_from_slice(part.as_bytes());
        if part.ends_with('"') {
            lines.push(b'"');
        }
    }
    lines.push(b'"');
}

/// Ends the record that begins at `start`. A blank line would be no record.
fn end_record(lines: &mut Vec<u8>, start: usize) {
    if lines.len() == start {
        lines.extend_from_slice(b"\"\"");
    }
    lines.push(b'\n');
}

/// The texts of a column.
enum Cells<'a> {
    Text(&'a StringArray),
    Other(ArrayFormatter<'a>),
}

impl<'a> Cells<'a> {
    fn of(column: &'a ArrayRef, options: &FormatOptions<'a>) -> Result<Self, ArrowError> {
        Ok(match column.as_string_opt() {
            Some(texts) => Self::Text(texts),
            None => Self::Other(ArrayFormatter::try_new(column, options)?),
        })
    }

    /// The text in a row; one that must be made is made in `buffer`.
    fn text<'t>(&'t self, row: usize, buffer: &'t mut String) -> Result<&'t str, ArrowError> {
        match self {
            Self::Text(texts) if texts.is_null(row) => Ok(""),
            Self::Text(texts) => Ok(texts.value(row)),
            Self::Other(cells) => {
                buffer.clear();
                cells.value(row).write(buffer)?;
                Ok(buffer)
            }
        }
    }
}
