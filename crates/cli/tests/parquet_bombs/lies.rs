//! Files made by hand. The headers or footers of most of them make false statements.

use std::fs::File;
use std::io::{Read, Write};

use polars_parquet_format::{CompressionCodec, Encoding, PageType};

use crate::by_hand::{Change, Page, by_hand, change_footer, data};
use crate::common::Place;
use crate::{refused, run};

/// The encoding of a value that consists of `bytes` zero bytes: its length, then the zeros.
fn long_value(bytes: u32) -> impl Read {
    let length = std::io::Cursor::new(bytes.to_le_bytes());
    length.chain(std::io::repeat(0).take(bytes.into()))
}

#[test]
fn a_page_made_by_hand_is_read() {
    let place = Place::new();
    let value = data(1, Encoding::PLAIN, b"\x03\0\0\0abc");
    by_hand(&place, CompressionCodec::UNCOMPRESSED, false, &[value]);
    let (status, stderr) = run(&place, "batch verify t.parquet --suite praos --out v.csv");
    assert_eq!(status, 1);
    assert!(stderr.contains("public key has 3 bytes"), "{stderr}");
}

#[test]
fn a_page_of_600_megabytes_is_refused() {
    let place = Place::new();
    let content = zstd::encode_all(long_value(600 << 20), 3).unwrap();
    let page = |size| Page {
        kind: PageType::DATA_PAGE,
        values: 1,
        encoding: Encoding::PLAIN,
        size,
        content: content.clone(),
    };
    by_hand(
        &place,
        CompressionCodec::ZSTD,
        false,
        &[page((600 << 20) + 4)],
    );
    refused(
        &place,
        &[
            "cannot read t.parquet: ",
            "row group 1, column \"key\": a page has 629145604 bytes, expected at most 268435456",
        ],
    );
    // The same page, with a header that announces fewer bytes.
    by_hand(&place, CompressionCodec::ZSTD, false, &[page(1000)]);
    refused(&place, &["cannot read t.parquet: "]);

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut long_value(600 << 20), &mut gzip).unwrap();
    gzip.flush().unwrap();
    let page = Page {
        content: gzip.finish().unwrap(),
        ..page(1000)
    };
    by_hand(&place, CompressionCodec::GZIP, false, &[page]);
    refused(
        &place,
        &["column \"key\": a page has more bytes than the 1000 that it announces"],
    );
}

#[test]
fn counts_are_not_believed() {
    let place = Place::new();
    let plain = CompressionCodec::UNCOMPRESSED;
    let dictionary = Page {
        kind: PageType::DICTIONARY_PAGE,
        ..data(i32::MAX, Encoding::PLAIN, b"\x03\0\0\0abc")
    };
    by_hand(&place, plain, false, &[dictionary]);
    refused(
        &place,
        &["column \"key\": the pages of some rows take 51539607535 bytes"],
    );

    // This content announces blocks of 128 values in 4 miniblocks, and 2^40 values in all.
    let header = b"\x80\x01\x04\x80\x80\x80\x80\x80\x20\x02";
    for encoding in [
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ] {
        by_hand(&place, plain, false, &[data(1, encoding, header)]);
        refused(
            &place,
            &["column \"key\": a page of coded lengths is damaged"],
        );
    }
    by_hand(
        &place,
        plain,
        true,
        &[data(i32::MAX, Encoding::PLAIN, b"\x03\0\0\0abc")],
    );
    refused(&place, &["column \"list\": the pages of some rows take"]);
}

#[test]
fn a_footer_and_its_pages_have_the_same_number_of_rows() {
    let changed = |change: Change| {
        let place = Place::new();
        place
            .run("sample --suite praos --count 2000 --out t.parquet")
            .ends(0);
        change_footer(&place, change);
        place
    };
    let (status, stderr) = run(
        &changed(|_| ()),
        "batch verify t.parquet --suite praos --out v.csv",
    );
    assert_eq!(status, 0, "{stderr}");
    let cases: [(Change, &str); 6] = [
        (
            |footer| {
                footer.num_rows = 3000;
                footer.row_groups[0].num_rows = 3000;
            },
            "the footer has 3000 rows, the pages have 2000",
        ),
        (
            |footer| {
                footer.num_rows = 1000;
                footer.row_groups[0].num_rows = 1000;
            },
            "the footer has 1000 rows, the pages have 2000",
        ),
        (
            |footer| footer.num_rows = 3000,
            "its footer has 3000 rows, its row groups have 2000",
        ),
        (
            |footer| footer.num_rows = -1,
            "its footer has a count of -1 rows",
        ),
        (
            |footer| {
                footer.num_rows = 1999;
                let mut group = footer.row_groups[0].clone();
                group.num_rows = -1;
                footer.row_groups.push(group);
            },
            "its footer has a count of -1 rows",
        ),
        (
            |footer| {
                footer.num_rows = 5;
                footer.row_groups.clear();
            },
            "its footer has 5 rows, its row groups have 0",
        ),
    ];
    for (change, words) in cases {
        refused(&changed(change), &["cannot read t.parquet: ", words]);
    }
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    let place = Place::new();
    let page = data(1, Encoding::PLAIN, b"\x03\0\0\0abc");
    by_hand(&place, CompressionCodec::BROTLI, false, &[page]);
    refused(
        &place,
        &[
            "column \"key\" is compressed with BROTLI",
            "expected none, snappy, gzip",
        ],
    );
}

#[test]
fn a_footer_of_gigabytes_is_refused() {
    let place = Place::new();
    let file = File::create(place.path("t.parquet")).unwrap();
    file.set_len(4 << 30).unwrap();
    let mut file = File::options()
        .append(true)
        .open(place.path("t.parquet"))
        .unwrap();
    file.write_all(&0xf000_0000u32.to_le_bytes()).unwrap();
    file.write_all(b"PAR1").unwrap();
    refused(
        &place,
        &["its footer has 4026531840 bytes, expected at most"],
    );
}
