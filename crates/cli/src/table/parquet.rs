//! Parquet: typed columns, compressed, read and written in groups of rows.
//!
//! The parquet crate panics on some corrupt files, so that reading is guarded.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use klero_files::Output;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;

use super::fixed::FixedColumns;
use super::{GROUP_BYTES, Group, check_names, rows_per_group};
use crate::error::Error;
use crate::input::Source;
use crate::panics::guarded;

/// Rows of a row group: what the writer keeps in memory until it is complete.
const ROW_GROUP: usize = 1 << 16;
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Reads Parquet.
pub struct Reader {
    batches: ParquetRecordBatchReader,
    source: Source,
    schema: SchemaRef,
    rows: Option<u64>,
    rows_read: u64,
    started: bool,
}

impl Reader {
    /// Opens the file and reads its footer.
    pub fn open(source: &Source) -> Result<Self, Error> {
        let Source::File(path) = source else {
            return Err(source.unreadable("Parquet is read from its end, expected a file"));
        };
        let (file, _) = klero_files::open(path)?;
        let open = || -> Result<_, ParquetError> {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
            // The batches' own schema lacks the file's metadata, in which pandas keeps
            // the index of a data frame.
            let schema = builder.schema().clone();
            let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
            let group = group_rows(builder.metadata(), schema.fields().len());
            Ok((builder.with_batch_size(group).build()?, schema, rows))
        };
        let (batches, schema, rows) = guarded(|| open().map_err(|error| error.to_string()))
            .map_err(|fault| source.unreadable(format_args!("expected a Parquet file: {fault}")))?;
        check_names(source, &schema)?;
        Ok(Self {
            batches,
            source: source.clone(),
            schema,
            rows,
            rows_read: 0,
            started: false,
        })
    }
}

/// Rows of a group, fewer where the file says that they are large.
fn group_rows(metadata: &ParquetMetaData, columns: usize) -> usize {
    let row_bytes = metadata
        .row_groups()
        .iter()
        .map(|group| group.total_byte_size() / group.num_rows().max(1))
        .max()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(0);
    rows_per_group(columns)
        .min(GROUP_BYTES / row_bytes.max(1))
        .max(1)
}

impl super::Reader for Reader {
    fn columns(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn next_group(&mut self) -> Result<Option<Group>, Error> {
        let first_row = self.rows_read + 1;
        let next = guarded(|| {
            let batch = self.batches.next().transpose();
            batch.map_err(|error| error.to_string())
        });
        let batch = next.and_then(|batch| match batch {
            Some(batch) => {
                let batch = batch.with_schema(self.schema.clone());
                batch.map(Some).map_err(|error| error.to_string())
            }
            None if self.started => Ok(None),
            None => Ok(Some(RecordBatch::new_empty(self.schema.clone()))),
        });
        let place = format_args!("after row {}", self.rows_read);
        let batch =
            batch.map_err(|fault| self.source.unreadable(format_args!("{place}: {fault}")))?;
        let Some(batch) = batch else { return Ok(None) };
        self.started = true;
        self.rows_read += batch.num_rows() as u64;
        Ok(Some(Group {
            first_row,
            batch,
            faults: BTreeMap::new(),
        }))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.rows_read, self.rows)
    }
}

/// Writes Parquet.
pub struct Writer {
    /// The file, until the first rows say which columns it has.
    file: Option<Output>,
    rows: Option<ArrowWriter<Output>>,
    columns: FixedColumns,
    name: String,
}

impl Writer {
    /// Writes to this file.
    pub fn new(file: Output) -> Self {
        Self {
            name: file.name().to_owned(),
            columns: FixedColumns::new(file.name()),
            file: Some(file),
            rows: None,
        }
    }

    fn failed(&self, error: &ParquetError) -> Error {
        Error::at(format_args!("cannot write {}", self.name), error)
    }
}

impl super::Writer for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let batch = self.columns.fit(batch)?;
        if let Some(file) = self.file.take() {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_max_row_group_row_count(Some(ROW_GROUP))
                .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
                .build();
            let rows = ArrowWriter::try_new(file, batch.schema(), Some(properties));
            self.rows = Some(rows.map_err(|error| self.failed(&error))?);
        }
        match &mut self.rows {
            Some(rows) => rows.write(&batch).map_err(|error| self.failed(&error)),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        match self.rows.take().map(ArrowWriter::into_inner) {
            Some(file) => Ok(file.map_err(|error| self.failed(&error))?.commit()?),
            None => Ok(()),
        }
    }
}
