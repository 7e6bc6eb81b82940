//! The pages of a Parquet file, read within a budget of memory.
//!
//! A few bytes of a file can expand to gigabytes: by compression, by a dictionary with one long value, by
//! prefixes that values share, or by a run of the same level. So the header of every page, which states the
//! page's length after decompression, is read here before the parquet crate reads the page. A page that needs
//! too much memory is refused. Texts and bytes stay in their pages: [`parquet`](super::parquet) reads
//! them as views.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use polars_parquet_format::{PageHeader, PageType};

use super::budget::Budget;
use super::delta::lengths;

/// The longest page, in bytes, both before and after decompression.
const PAGE: u64 = 256 << 20;
/// The longest header of a page, in bytes. A header may contain the least and the greatest value of its page.
const HEADER: usize = 16 << 20;
/// The largest number of bytes that deflate can make from one compressed byte.
const DEFLATE_RATIO: u64 = 1032;
/// The number of bytes that each value takes for its view, offset and levels, besides its own bytes.
const VALUE: u64 = 24;

/// The row groups of a file.
pub struct Pages {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    budget: Arc<Budget>,
}

impl Pages {
    /// All row groups of a file with this footer. Refuses a codec that is not supported.
    pub fn new(file: File, metadata: Arc<ParquetMetaData>) -> Result<Self> {
        for chunk in metadata.row_groups().iter().flat_map(|g| g.columns()) {
            match chunk.compression() {
                Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::LZ4
                | Compression::LZ4_RAW
                | Compression::ZSTD(_) => {}
                other => {
                    return Err(ParquetError::General(format!(
                        "column {:?} is compressed with {other}: expected none, snappy, gzip, \
                         lz4 or zstd",
                        chunk.column_path().string()
                    )));
                }
            }
        }
        let columns = metadata.file_metadata().schema_descr().num_columns();
        Ok(Self {
            file: Arc::new(file),
            metadata,
            budget: Arc::new(Budget::new(columns)),
        })
    }

    /// The budget that all pages share.
    pub fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
}

impl RowGroups for Pages {
    fn num_rows(&self) -> usize {
        let rows = self.row_groups().map(RowGroupMetaData::num_rows);
        rows.map(|rows| usize::try_from(rows).unwrap_or(0)).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        Ok(Box::new(Chunks {
            file: Arc::clone(&self.file),
            metadata: Arc::clone(&self.metadata),
            budget: Arc::clone(&self.budget),
            column,
            row_group: 0,
        }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The chunks of a column, one in each row group.
struct Chunks {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    budget: Arc<Budget>,
    column: usize,
    row_group: usize,
}

impl PageIterator for Chunks {}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let row_group = self.metadata.row_groups().get(self.row_group)?;
        self.row_group += 1;
        Some(self.chunk(row_group).map(|chunk| Box::new(chunk) as _))
    }
}

impl Chunks {
    fn chunk(&self, row_group: &RowGroupMetaData) -> Result<Chunk> {
        let metadata = row_group.columns().get(self.column).ok_or_else(|| {
            ParquetError::General(format!("row group {} lacks a column", self.row_group))
        })?;
        // The older form of LZ4 is not read, because its frames do not state their length.
        let properties = ReaderProperties::builder()
            .set_backward_compatible_lz4(false)
            .build();
        let rows = usize::try_from(row_group.num_rows())?;
        let file = Arc::clone(&self.file);
        let pages = SerializedPageReader::new_with_properties(
            file,
            metadata,
            rows,
            None,
            Arc::new(properties),
        )?;
        let (offset, remaining) = metadata.byte_range();
        self.budget.begin_chunk(self.column);
        Ok(Chunk {
            pages,
            file: Arc::clone(&self.file),
            budget: Arc::clone(&self.budget),
            column: self.column,
            row_group: self.row_group,
            offset,
            remaining,
            metadata: metadata.clone(),
        })
    }
}

/// The pages of a column in a row group.
struct Chunk {
    pages: SerializedPageReader<File>,
    file: Arc<File>,
    budget: Arc<Budget>,
    column: usize,
    row_group: usize,
    /// The offset of the next header.
    offset: u64,
    /// The number of bytes from `offset` to the end of the chunk.
    remaining: u64,
    metadata: ColumnChunkMetaData,
}

impl Chunk {
    /// Reads the header of the next page that holds values. Also returns the offset of the page's content.
    fn next_header(&mut self) -> Result<Option<(PageHeader, u64)>> {
        while self.remaining > 0 {
            let mut stream = Counting {
                inner: self.file.get_read(self.offset)?.take(HEADER as u64),
                count: 0,
            };
            let mut protocol = TCompactInputProtocol::new(&mut stream, HEADER);
            let header = PageHeader::read_from_in_protocol(&mut protocol)
                .map_err(|error| ParquetError::General(format!("header of a page: {error}")))?;
            let content = self.offset + stream.count;
            let length = stream.count + u64::try_from(header.compressed_page_size)?;
            if length > self.remaining {
                return Err(ParquetError::EOF("a page ends after its column".into()));
            }
            self.offset += length;
            self.remaining -= length;
            if matches!(
                header.type_,
                PageType::DATA_PAGE | PageType::DATA_PAGE_V2 | PageType::DICTIONARY_PAGE
            ) {
                return Ok(Some((header, content)));
            }
        }
        Ok(None)
    }

    /// Refuses the next page if it needs too much memory.
    fn check(&self, header: &PageHeader, content: u64) -> Result<()> {
        let size = u64::try_from(header.uncompressed_page_size)?;
        let largest = size.max(u64::try_from(header.compressed_page_size)?);
        if largest > PAGE {
            return Err(ParquetError::General(format!(
                "a page has {largest} bytes, expected at most {PAGE}"
            )));
        }
        self.check_gzip(header, content, size)?;
        let descriptor = self.metadata.column_descr();
        let is_dictionary = header.type_ == PageType::DICTIONARY_PAGE;
        let values = header
            .dictionary_page_header
            .as_ref()
            .filter(|_| is_dictionary)
            .map(|header| header.num_values)
            .or(header.data_page_header.as_ref().map(|h| h.num_values))
            .or(header.data_page_header_v2.as_ref().map(|h| h.num_values))
            .unwrap_or(0);
        // All values of the page may be decoded at once if it is a dictionary, or if one row has a long list.
        // Other values are decoded only a group of rows at a time.
        let at_once = is_dictionary || descriptor.max_rep_level() > 0;
        let width = VALUE + u64::try_from(descriptor.type_length()).unwrap_or(0);
        let values = if at_once { u64::try_from(values)? } else { 0 };
        let cost = size.saturating_add(values.saturating_mul(width));
        self.budget.charge(self.column, is_dictionary, cost)
    }

    /// Refuses a gzip stream that expands to more bytes than the page's header announces. The parquet crate
    /// checks this only after expanding it. A stream too short to expand beyond [`PAGE`] needs no check.
    fn check_gzip(&self, header: &PageHeader, content: u64, size: u64) -> Result<()> {
        let compressed = u64::try_from(header.compressed_page_size)?;
        if !matches!(self.metadata.compression(), Compression::GZIP(_))
            || compressed.saturating_mul(DEFLATE_RATIO) <= PAGE
        {
            return Ok(());
        }
        let levels = match &header.data_page_header_v2 {
            Some(header) if header.is_compressed == Some(false) => return Ok(()),
            Some(header) => u64::try_from(header.definition_levels_byte_length)?
                .saturating_add(u64::try_from(header.repetition_levels_byte_length)?),
            None => 0,
        };
        let stream = self.file.get_read(content.saturating_add(levels))?;
        let stream = MultiGzDecoder::new(stream.take(compressed.saturating_sub(levels)));
        let expanded = io::copy(&mut stream.take(size + 1), &mut io::sink())?;
        if expanded > size {
            return Err(ParquetError::General(format!(
                "a page has more bytes than the {size} that it announces"
            )));
        }
        Ok(())
    }

    /// Refuses a page of delta-encoded values that need too much memory.
    fn check_delta(&self, page: &Page) -> Result<()> {
        let prefixes = match page.encoding() {
            Encoding::DELTA_BYTE_ARRAY => true,
            Encoding::DELTA_LENGTH_BYTE_ARRAY => false,
            _ => return Ok(()),
        };
        let damaged = || ParquetError::General("a page of coded lengths is damaged".into());
        let values = self.values_of(page).ok_or_else(damaged)?;
        let most = u64::from(page.num_values());
        let (mut bytes, end) = lengths(values, most).ok_or_else(damaged)?;
        if prefixes {
            let suffixes = values.get(end..).ok_or_else(damaged)?;
            bytes += lengths(suffixes, most).ok_or_else(damaged)?.0;
        }
        self.budget
            .charge(self.column, false, bytes.saturating_add(VALUE * most))
    }

    /// The values in a data page, without the levels before them.
    fn values_of<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        let buffer: &[u8] = page.buffer();
        if let Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } = page
        {
            return buffer.get((def_levels_byte_len + rep_levels_byte_len) as usize..);
        }
        let descriptor = self.metadata.column_descr();
        let levels = [descriptor.max_rep_level(), descriptor.max_def_level()];
        levels
            .iter()
            .filter(|level| **level > 0)
            .try_fold(buffer, |buffer, _| {
                let (length, rest) = buffer.split_first_chunk()?;
                rest.get(u32::from_le_bytes(*length) as usize..)
            })
    }

    fn read(&mut self) -> Result<Option<Page>> {
        if let Some((header, content)) = self.next_header()? {
            self.check(&header, content)?;
        }
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check_delta(page)?;
        }
        Ok(page)
    }
}

impl PageReader for Chunk {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.read().map_err(|error| {
            let words = match error {
                ParquetError::General(words) | ParquetError::EOF(words) => words,
                other => other.to_string(),
            };
            ParquetError::General(format!(
                "row group {}, column {:?}: {words}",
                self.row_group,
                self.metadata.column_path().string()
            ))
        })
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.next_header()?;
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for Chunk {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Counts the bytes that are read.
struct Counting<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}
