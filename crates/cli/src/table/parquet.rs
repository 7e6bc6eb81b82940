//! Parquet: typed and compressed columns, which are read and written in groups of rows.
//!
//! A small file can expand to a large table, for example through a dictionary with one long value. So texts
//! and bytes are read as views into their pages, whose memory is limited (see [`pages`](super::pages)). The
//! length of each row is known from its views, and only the rows that fit into a group are converted to the
//! columns' own types.
//!
//! The parquet crate panics on some corrupt files, so calls to it are guarded.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use klero_arrow::Rows;
use klero_support::Output;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ArrowWriter, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::{ColumnPath, SchemaDescPtr, SchemaDescriptor};

use super::budget::Budget;
use super::fixed::FixedColumns;
use super::interface::{self, Dialect, Numbering, check_names};
use super::limits::{GROUP_BYTES, MAX_ROW, rows_per_group};
use super::pages::Pages;
use super::types::{marked, readable, written};
use super::views::{check, row_bytes, with_views};
use crate::args::source::Source;
use crate::ui::error::Error;
use crate::ui::panics::guarded;

/// The largest number of rows in a row group. The writer keeps a row group in memory until it is complete.
const ROW_GROUP: usize = 1 << 16;
/// The largest number of bytes in a row group.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// The longest footer, in bytes.
const FOOTER: u64 = 256 << 20;

/// Reads Parquet.
pub struct Reader {
    batches: ParquetRecordBatchReader,
    budget: Arc<Budget>,
    source: Source,
    schema: SchemaRef,
    types: SchemaDescPtr,
    /// Rows that were read and are not in a group yet.
    rest: RecordBatch,
    /// The number of rows in the table, according to its footer.
    rows: u64,
    /// The size of the file, in bytes.
    size: u64,
    numbering: Numbering,
}

impl Reader {
    /// Opens the file and reads its footer.
    pub fn open(source: &Source) -> Result<Self, Error> {
        let Source::File(path) = source else {
            return Err(source.unreadable("Parquet is read from its end, expected a file"));
        };
        let (mut file, size) = klero_support::open(path)?;
        let open = || -> Result<_, ParquetError> {
            check_footer(&mut file, size)?;
            let metadata = Arc::new(ParquetMetaDataReader::new().parse_and_finish(&file)?);
            let described = metadata.file_metadata();
            let types = described.schema_descr_ptr();
            let readable = SchemaDescriptor::new(Arc::new(readable(types.root_schema())?));
            // Unlike the schema of the batches, this schema has the metadata of the file, in which pandas
            // keeps the index of a data frame.
            let schema = Arc::new(marked(&readable, described)?);
            let rows = count_rows(&metadata)?;
            let group = group_rows(&metadata)?;
            let levels = parquet_to_arrow_field_levels(
                &readable,
                ProjectionMask::all(),
                Some(&with_views(schema.fields())),
            )?;
            let pages = Pages::new(file, metadata)?;
            let batches =
                ParquetRecordBatchReader::try_new_with_row_groups(&levels, &pages, group, None)?;
            Ok((batches, pages.budget(), schema, types, rows))
        };
        let (batches, budget, schema, types, rows) = guarded(|| open().map_err(words))
            .map_err(|fault| source.unreadable(format_args!("expected a Parquet file: {fault}")))?;
        check_names(source, &schema)?;
        Ok(Self {
            batches,
            budget,
            source: source.clone(),
            rest: RecordBatch::new_empty(Arc::clone(&schema)),
            schema,
            types,
            rows,
            size,
            numbering: Numbering::default(),
        })
    }

    /// Reads the next rows, with texts and bytes as views.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, String> {
        guarded(|| {
            let batch = self.batches.next().transpose();
            batch.map_err(|error| error.to_string())
        })
    }

    /// The number of remaining rows that fit into a group.
    fn fitting(&self) -> Result<usize, String> {
        let columns: Vec<_> = self.rest.columns().iter().map(|c| row_bytes(c)).collect();
        let mut bytes = 0;
        for row in 0..self.rest.num_rows() {
            let cells = || columns.iter().map(|column| column[row]);
            let length = cells().fold(0, u64::saturating_add);
            if length > MAX_ROW {
                let largest = cells()
                    .zip(self.schema.fields())
                    .max_by_key(|(cell, _)| *cell);
                let (cell, name) = largest.map_or((0, ""), |(cell, field)| (cell, field.name()));
                return Err(format!(
                    "row {} has {length} bytes, {cell} of them in column {name:?}: expected at \
                     most {MAX_ROW}",
                    self.numbering.rows() + row as u64 + 1
                ));
            }
            bytes += length;
            if bytes > GROUP_BYTES as u64 && row > 0 {
                return Ok(row);
            }
        }
        Ok(self.rest.num_rows())
    }

    /// Converts the rows to the columns' own types.
    fn unfold(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let options = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| {
            check(column)
                .and_then(|()| cast_with_options(column, field.data_type(), &options))
                .map_err(|error| {
                    let name = field.name();
                    ArrowError::CastError(format!("column {name:?}: {error}"))
                })
        });
        let columns = columns.collect::<Result<_, _>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &rows)
    }

    /// Reads the rows of the next group. Returns an empty batch at the end.
    fn next_rows(&mut self) -> Result<RecordBatch, String> {
        while self.rest.num_rows() == 0 {
            self.budget.next_group();
            match self.next_batch()? {
                Some(batch) => self.rest = batch,
                None if self.numbering.rows() != self.rows => {
                    return Err(format!(
                        "the footer has {} rows, the pages have {}",
                        self.rows,
                        self.numbering.rows()
                    ));
                }
                None => return Ok(RecordBatch::new_empty(Arc::clone(&self.schema))),
            }
        }
        let rows = self.fitting()?;
        let batch = guarded(|| {
            self.unfold(&self.rest.slice(0, rows))
                .map_err(|error| error.to_string())
        })?;
        self.rest = self.rest.slice(rows, self.rest.num_rows() - rows);
        Ok(batch)
    }
}

/// The message of an error, without the crate's name before it.
fn words(error: ParquetError) -> String {
    match error {
        ParquetError::General(words) => words,
        other => other.to_string(),
    }
}

/// Refuses a footer that would take too much memory.
fn check_footer(file: &mut File, size: u64) -> Result<(), ParquetError> {
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(size.saturating_sub(8)))?;
    match file.read_exact(&mut tail) {
        // The file is too short to be Parquet. The parquet crate reports that later.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
        read => read?,
    }
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if tail[4..] == *b"PAR1" && length > FOOTER {
        return Err(ParquetError::General(format!(
            "its footer has {length} bytes, expected at most {FOOTER}"
        )));
    }
    Ok(())
}

/// The number of rows in the table. Refuses a footer that contradicts itself.
fn count_rows(metadata: &ParquetMetaData) -> Result<u64, ParquetError> {
    let count = |rows| {
        u64::try_from(rows)
            .map_err(|_| ParquetError::General(format!("its footer has a count of {rows} rows")))
    };
    let rows = count(metadata.file_metadata().num_rows())?;
    let mut sum = 0u64;
    for group in metadata.row_groups() {
        sum = sum.saturating_add(count(group.num_rows())?);
    }
    if sum != rows {
        return Err(ParquetError::General(format!(
            "its footer has {rows} rows, its row groups have {sum}"
        )));
    }
    Ok(rows)
}

/// Returns the largest number of rows in a group: fewer if the rows are long according to the footer.
/// Refuses rows whose values of fixed length are too long.
fn group_rows(metadata: &ParquetMetaData) -> Result<usize, ParquetError> {
    let row_bytes = metadata
        .row_groups()
        .iter()
        .map(|group| group.total_byte_size() / group.num_rows().max(1))
        .max()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(0);
    // Values of fixed length are not read as views, so their size must be limited here.
    let leaves = metadata.file_metadata().schema_descr().columns();
    let lengths = leaves.iter().map(|leaf| leaf.type_length().max(0) as u64);
    let fixed = lengths.sum::<u64>();
    if fixed > MAX_ROW {
        return Err(ParquetError::General(format!(
            "a row has {fixed} bytes in columns of fixed length: expected at most {MAX_ROW}"
        )));
    }
    Ok(rows_per_group(leaves.len())
        .min(GROUP_BYTES / row_bytes.max(fixed as usize).max(1))
        .max(1))
}

impl interface::Reader for Reader {
    fn columns(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn next_group(&mut self) -> Result<Option<Rows>, Error> {
        let batch = self.next_rows().map_err(|fault| {
            let place = format_args!("after row {}", self.numbering.rows());
            self.source.unreadable(format_args!("{place}: {fault}"))
        })?;
        Ok(self.numbering.next(batch, BTreeMap::new()))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.numbering.rows(), Some(self.rows))
    }

    fn types(&self) -> Option<SchemaDescPtr> {
        Some(Arc::clone(&self.types))
    }

    fn size(&self) -> u64 {
        self.size
    }
}

/// Writes Parquet.
pub struct Writer {
    /// The file, until the first rows determine its columns. Then `rows` has it.
    file: Option<Output>,
    rows: Option<ArrowWriter<Output>>,
    columns: FixedColumns,
    dialect: Dialect,
    name: String,
}

impl Writer {
    /// A writer of Parquet to this file.
    pub fn new(file: Output, dialect: &Dialect) -> Self {
        Self {
            name: file.name().to_owned(),
            columns: FixedColumns::new(file.name()),
            dialect: dialect.clone(),
            file: Some(file),
            rows: None,
        }
    }

    fn failed(&self, error: &ParquetError) -> Error {
        Error::at(format_args!("cannot write {}", self.name), error)
    }
}

/// The properties of the columns in the file. A dictionary saves nothing if all values are different, and
/// compression saves nothing if values are random bytes. Nobody searches for a proof or an output, so their
/// columns need no statistics.
fn properties(schema: &Schema, dialect: &Dialect) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES));
    let path = |column: &String| ColumnPath::new(vec![column.clone()]);
    for column in [&dialect.alpha, &dialect.proof, &dialect.output] {
        properties = properties.set_column_dictionary_enabled(path(column), false);
    }
    for column in [&dialect.proof, &dialect.output] {
        properties =
            properties.set_column_statistics_enabled(path(column), EnabledStatistics::None);
        let field = schema.field_with_name(column);
        if field.is_ok_and(|field| field.data_type().is_binary()) {
            properties = properties.set_column_compression(path(column), Compression::UNCOMPRESSED);
        }
    }
    properties.build()
}

impl interface::Writer for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let batch = self.columns.fit(batch)?;
        if let Some(file) = self.file.take() {
            let properties = properties(&batch.schema(), &self.dialect);
            let Dialect { types, output, .. } = &self.dialect;
            let (schema, types) = written(&batch.schema(), types.as_deref(), output)
                .map_err(|error| self.failed(&error))?;
            let options = ArrowWriterOptions::new().with_properties(properties);
            let options = options.with_parquet_schema(types);
            let rows = ArrowWriter::try_new_with_options(file, Arc::new(schema), options);
            self.rows = Some(rows.map_err(|error| self.failed(&error))?);
        }
        match &mut self.rows {
            Some(rows) => rows.write(&batch).map_err(|error| self.failed(&error)),
            None => Ok(()),
        }
    }

    fn written(&self) -> u64 {
        // The row group in progress is not in the file yet, so its size is added.
        self.rows.as_ref().map_or(0, |rows| {
            rows.inner().written() + rows.in_progress_size() as u64
        })
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        match self.rows.take().map(ArrowWriter::into_inner) {
            Some(file) => Ok(file.map_err(|error| self.failed(&error))?.commit()?),
            None => Ok(()),
        }
    }
}
