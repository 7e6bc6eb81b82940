//! Honest tables, in every format.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray, UInt64Array,
};
use klero::{SecretKey, Suite};
use tempfile::TempDir;

use super::FORMATS;
use klero_command::{Dialect, Format};

/// The files of some tables.
pub struct Honest {
    /// For each format, in the order of [`FORMATS`]: a file for each table.
    pub files: Vec<Vec<Vec<u8>>>,
    /// The directory that tables are written to.
    pub dir: TempDir,
}

pub static HONEST: LazyLock<Honest> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("honest");
    let file = |format: Format, table: &RecordBatch| {
        let mut writer = format.create(Some(&path), &Dialect::default()).unwrap();
        writer.write(table).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        bytes
    };
    let tables = [claims(), bytes(), stake()];
    let files = |format| tables.iter().map(|table| file(format, table)).collect();
    Honest {
        files: FORMATS.into_iter().map(files).collect(),
        dir,
    }
});

/// The key of all rows; and for each row, an alpha, a proof and an output.
type Claims = ([u8; 32], Vec<(Vec<u8>, [u8; 80], [u8; 64])>);

fn proofs() -> Claims {
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let claim = |row: u8| {
        let alpha = vec![row; row.into()];
        let (proof, output) = key.prove(&alpha);
        let proof = proof.as_bytes().try_into().unwrap();
        (alpha, proof, output.0)
    };
    (*key.public_key().as_bytes(), (0..3).map(claim).collect())
}

fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn text<T: AsRef<[u8]>>(cells: impl Iterator<Item = T>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(cells.map(hex::encode)))
}

/// A table of text. One output is missing, and the column `note` does not belong to the claims.
fn claims() -> RecordBatch {
    let (key, claims) = proofs();
    let outputs = claims.iter().enumerate();
    let outputs = outputs.map(|(row, (.., output))| (row > 0).then(|| hex::encode(output)));
    let notes = ["with \"quotes\", and\nlines", " ", "é\t|;"];
    table([
        ("key", text(claims.iter().map(|_| key))),
        ("alpha", text(claims.iter().map(|claim| &claim.0))),
        ("proof", text(claims.iter().map(|claim| claim.1))),
        ("output", Arc::new(outputs.collect::<StringArray>())),
        ("note", Arc::new(StringArray::from_iter_values(notes))),
    ])
}

/// The same claims in binary columns, without a missing output, and further columns of other types.
fn bytes() -> RecordBatch {
    let (key, claims) = proofs();
    let mut proofs = FixedSizeBinaryBuilder::new(80);
    let mut tags = ListBuilder::new(StringBuilder::new());
    for claim in &claims {
        proofs.append_value(claim.1).unwrap();
        tags.append_value(claim.0.iter().map(|byte| Some(byte.to_string())));
    }
    let of = |cells: Vec<&[u8]>| Arc::new(BinaryArray::from_vec(cells)) as ArrayRef;
    let times = TimestampMillisecondArray::from(vec![0, -1, 1 << 40]).with_timezone("UTC");
    table([
        ("key", of(claims.iter().map(|_| &key[..]).collect())),
        (
            "alpha",
            of(claims.iter().map(|claim| &claim.0[..]).collect()),
        ),
        ("proof", Arc::new(proofs.finish())),
        (
            "output",
            of(claims.iter().map(|claim| &claim.2[..]).collect()),
        ),
        ("number", Arc::new(Int64Array::from(vec![1, i64::MIN, 3]))),
        (
            "share",
            Arc::new(Float64Array::from(vec![0.1, -0.0, 1e300])),
        ),
        ("time", Arc::new(times)),
        ("tags", Arc::new(tags.finish())),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        ),
    ])
}

/// Stake of two epochs.
fn stake() -> RecordBatch {
    let pools = ["07".repeat(28), "07".repeat(28), "08".repeat(28)];
    table([
        ("epoch", Arc::new(UInt64Array::from(vec![222, 223, 223]))),
        ("pool", Arc::new(StringArray::from_iter_values(pools))),
        (
            "stake",
            Arc::new(UInt64Array::from(vec![1000, 2000, u64::MAX >> 1])),
        ),
    ])
}
