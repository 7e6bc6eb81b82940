//! CSV tables: a header line, commas or another delimiter, and text in every column.
//!
//! A row has a fault if it has more or fewer fields than the header, or if it has text that is not UTF-8 in a
//! column that the command reads. All other rows are read. An empty field is an empty text, except in the
//! column of outputs: there it is a null, because CSV has no other form for a claim without an output. A
//! blank line is not a row, except in a file with one column: there it is a row with an empty value.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatchOptions};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use csv::ByteRecord;
use klero_arrow::{Fault, Rows, shortened};

use super::blank::BlankLines;
use super::bytes::{Compression, Input, Meter, Sink};
use super::fixed::FixedColumns;
use super::interface::{self, Dialect, Numbering, check_names};
use super::limits::{GROUP_BYTES, MAX_COLUMNS, rows_per_group};
use super::zones::in_utc;
use crate::args::source::Source;
use crate::ui::error::Error;

/// Reads CSV.
pub struct Reader {
    records: csv::Reader<BlankLines<Input>>,
    source: Source,
    schema: SchemaRef,
    dialect: Dialect,
    replaced: u64,
    meter: Meter,
    length: Option<u64>,
    numbering: Numbering,
}

impl Reader {
    /// Opens the file and reads its header.
    pub fn open(
        source: &Source,
        compression: Compression,
        dialect: &Dialect,
    ) -> Result<Self, Error> {
        let (file, meter, length) = Input::open(source, compression)?;
        let mut records = csv::ReaderBuilder::new()
            .flexible(true)
            .delimiter(dialect.delimiter)
            .buffer_capacity(1 << 16)
            .from_reader(BlankLines::new(file, dialect.delimiter));
        let header = records
            .byte_headers()
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
        let names = header.iter().map(String::from_utf8_lossy);
        let fields = names.map(|name| Field::new(name, DataType::Utf8, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let is_replaced = header.iter().any(|name| str::from_utf8(name).is_err());
        check_names(source, &schema)?;
        meter.end_row();
        Ok(Self {
            records,
            source: source.clone(),
            schema,
            dialect: dialect.clone(),
            replaced: u64::from(is_replaced),
            meter,
            length,
            numbering: Numbering::default(),
        })
    }
}

impl interface::Reader for Reader {
    fn columns(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn next_group(&mut self) -> Result<Option<Rows>, Error> {
        let names = self.schema.fields();
        let mut columns: Vec<_> = names.iter().map(|_| StringBuilder::new()).collect();
        let mut faults = BTreeMap::new();
        let mut record = ByteRecord::new();
        let (mut rows, mut bytes) = (0, 0);
        while rows < rows_per_group(names.len()) && bytes < GROUP_BYTES {
            let more = self
                .records
                .read_byte_record(&mut record)
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
            let mut is_replaced = false;
            for (index, column) in columns.iter_mut().enumerate() {
                let name = names[index].name();
                match record.get(index) {
                    None => column.append_null(),
                    Some(b"") if *name == self.dialect.output => column.append_null(),
                    Some(field) => match str::from_utf8(field) {
                        Ok(text) => column.append_value(text),
                        Err(_) if !self.dialect.read.contains(name) => {
                            is_replaced = true;
                            column.append_value(String::from_utf8_lossy(field));
                        }
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
            self.replaced += u64::from(is_replaced);
            rows += 1;
            bytes += record.as_slice().len();
        }
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

    fn replaced(&self) -> u64 {
        self.replaced
    }

    fn size(&self) -> u64 {
        self.length.unwrap_or(self.meter.total())
    }
}

/// Writes CSV.
pub struct Writer {
    records: csv::Writer<Sink>,
    columns: FixedColumns,
    name: String,
    started: bool,
}

impl Writer {
    /// Makes a writer to this file, with this delimiter.
    pub fn new(file: Sink, delimiter: u8) -> Self {
        Self {
            name: file.name().to_owned(),
            columns: FixedColumns::new(file.name()),
            records: csv::WriterBuilder::new()
                .delimiter(delimiter)
                .from_writer(file),
            started: false,
        }
    }

    fn failed(&self, error: csv::Error) -> Error {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::write(&self.name, &error),
            kind => Error::at(
                format_args!("cannot write {}", self.name),
                format_args!("{kind:?}"),
            ),
        }
    }

    fn unprintable(&self, error: &ArrowError) -> Error {
        Error::at(format_args!("cannot write {}", self.name), error)
    }
}

impl interface::Writer for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let batch = self.columns.fit(batch)?;
        let batch = in_utc(&batch).map_err(|error| self.unprintable(&error))?;
        if !self.started {
            let schema = batch.schema();
            let names = schema.fields().iter().map(|field| field.name());
            let written = self.records.write_record(names);
            written.map_err(|error| self.failed(error))?;
            self.started = true;
        }
        // Bytes are printed as hex. A null is printed as an empty field.
        let options = FormatOptions::new();
        let cells = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| self.unprintable(&error))?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            for cell in &cells {
                text.clear();
                let printed = cell.value(row).write(&mut text);
                printed.map_err(|error| self.unprintable(&error))?;
                let written = self.records.write_field(&text);
                written.map_err(|error| self.failed(error))?;
            }
            let written = self.records.write_record(None::<&[u8]>);
            written.map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    fn written(&self) -> u64 {
        self.records.get_ref().written()
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let name = self.name;
        self.records
            .into_inner()
            .map_err(|error| Error::write(name, error.error()))?
            .commit()
    }
}
