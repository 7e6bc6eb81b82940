//! Parquet files written byte by byte, so that their headers and footers can be wrong.

use polars_parquet_format::thrift::protocol::{TCompactInputProtocol, TCompactOutputProtocol};
use polars_parquet_format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, DataPageHeader, DictionaryPageHeader, Encoding,
    FieldRepetitionType, FileMetaData, PageHeader, PageType, RowGroup, SchemaElement, Type,
};

use crate::common::Place;

/// A page and its header.
pub struct Page {
    pub kind: PageType,
    pub values: i32,
    pub encoding: Encoding,
    /// The decompressed size according to the header.
    pub size: i32,
    pub content: Vec<u8>,
}

/// Writes a file with one chunk of these pages. Every column (key, alpha, proof, perhaps list) refers to it.
pub fn by_hand(place: &Place, codec: CompressionCodec, list: bool, pages: &[Page]) {
    let mut file = b"PAR1".to_vec();
    for page in pages {
        let mut protocol = TCompactOutputProtocol::new(&mut file);
        header_of(page)
            .write_to_out_protocol(&mut protocol)
            .unwrap();
        file.extend(&page.content);
    }
    let size = file.len() as i64 - 4;
    let element = |name: &str, repetition, type_, children| SchemaElement {
        type_,
        type_length: None,
        repetition_type: repetition,
        name: name.into(),
        num_children: children,
        converted_type: None,
        scale: None,
        precision: None,
        field_id: None,
        logical_type: None,
    };
    let mut names = vec!["key", "alpha", "proof"];
    if list {
        names.insert(0, "list");
    }
    let mut schema = vec![element("root", None, None, Some(names.len() as i32))];
    for name in &names {
        let repetition = match *name {
            "list" => FieldRepetitionType::REPEATED,
            _ => FieldRepetitionType::REQUIRED,
        };
        schema.push(element(
            name,
            Some(repetition),
            Some(Type::BYTE_ARRAY),
            None,
        ));
    }
    let metadata = FileMetaData {
        version: 1,
        schema,
        num_rows: 1,
        row_groups: vec![RowGroup {
            columns: names.iter().map(|name| column(name, codec, size)).collect(),
            total_byte_size: 100,
            num_rows: 1,
            sorting_columns: None,
            file_offset: None,
            total_compressed_size: None,
            ordinal: None,
        }],
        key_value_metadata: None,
        created_by: None,
        column_orders: None,
        encryption_algorithm: None,
        footer_signing_key_metadata: None,
    };
    end_with_footer(place, file, &metadata);
}

fn header_of(page: &Page) -> PageHeader {
    PageHeader {
        type_: page.kind,
        uncompressed_page_size: page.size,
        compressed_page_size: page.content.len() as i32,
        crc: None,
        data_page_header: (page.kind == PageType::DATA_PAGE).then_some(DataPageHeader {
            num_values: page.values,
            encoding: page.encoding,
            definition_level_encoding: Encoding::RLE,
            repetition_level_encoding: Encoding::RLE,
            statistics: None,
        }),
        index_page_header: None,
        dictionary_page_header: (page.kind == PageType::DICTIONARY_PAGE).then_some(
            DictionaryPageHeader {
                num_values: page.values,
                encoding: page.encoding,
                is_sorted: None,
            },
        ),
        data_page_header_v2: None,
    }
}

/// A column of one value. Its pages begin at byte 4 of the file, and have `size` bytes together.
fn column(name: &str, codec: CompressionCodec, size: i64) -> ColumnChunk {
    ColumnChunk {
        file_path: None,
        file_offset: 4,
        meta_data: Some(ColumnMetaData {
            type_: Type::BYTE_ARRAY,
            encodings: vec![Encoding::PLAIN],
            path_in_schema: vec![name.into()],
            codec,
            num_values: 1,
            total_uncompressed_size: 100,
            total_compressed_size: size,
            key_value_metadata: None,
            data_page_offset: 4,
            index_page_offset: None,
            dictionary_page_offset: None,
            statistics: None,
            encoding_stats: None,
            bloom_filter_offset: None,
            bloom_filter_length: None,
            size_statistics: None,
        }),
        offset_index_offset: None,
        offset_index_length: None,
        column_index_offset: None,
        column_index_length: None,
        crypto_metadata: None,
        encrypted_column_metadata: None,
    }
}

pub fn data(values: i32, encoding: Encoding, content: &[u8]) -> Page {
    Page {
        kind: PageType::DATA_PAGE,
        values,
        encoding,
        size: content.len() as i32,
        content: content.to_vec(),
    }
}

/// Writes `t.parquet` with these bytes and then this footer.
fn end_with_footer(place: &Place, mut file: Vec<u8>, footer: &FileMetaData) {
    let start = file.len();
    let mut protocol = TCompactOutputProtocol::new(&mut file);
    footer.write_to_out_protocol(&mut protocol).unwrap();
    let length = (file.len() - start) as u32;
    file.extend(length.to_le_bytes());
    file.extend(b"PAR1");
    place.write("t.parquet", file);
}

/// A change of a footer.
pub type Change = fn(&mut FileMetaData);

/// Changes the footer of `t.parquet`.
pub fn change_footer(place: &Place, change: Change) {
    let mut file = std::fs::read(place.path("t.parquet")).unwrap();
    let end = file.len() - 8;
    let length = u32::from_le_bytes(file[end..end + 4].try_into().unwrap());
    let start = end - length as usize;
    let mut protocol = TCompactInputProtocol::new(&file[start..end], 1 << 20);
    let mut metadata = FileMetaData::read_from_in_protocol(&mut protocol).unwrap();
    change(&mut metadata);
    file.truncate(start);
    end_with_footer(place, file, &metadata);
}
