//! Reads a table from arbitrary bytes, in a format that the first byte selects. Nothing may panic. An error
//! must contain the name of the file, and the fault of a row must contain the number of its line. Rows
//! without a fault must stay the same if they are written in that format and read again, with any
//! compression.
//!
//! The first bytes choose formats and options. The others are the file, or describe changes of a valid file.

#[path = "../../../../fuzz/changed.rs"]
mod changed;
#[path = "tables/honest.rs"]
mod honest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use arbitrary::{Result, Unstructured};
use arrow_array::RecordBatch;
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use klero::Suite;
use klero_arrow::{Rows, VerifyTable};

use changed::material;
use honest::HONEST;
use klero_command::{Compression, Dialect, Error, Format, Source};

/// Every format.
const FORMATS: [Format; 7] = [
    Format::Csv(Compression::None),
    Format::Jsonl(Compression::None),
    Format::Parquet,
    Format::Csv(Compression::Gzip),
    Format::Csv(Compression::Zstd),
    Format::Jsonl(Compression::Gzip),
    Format::Jsonl(Compression::Zstd),
];

/// The largest number of groups that are read. A file of a few bytes can have a billion equal rows.
const GROUPS: usize = 8;

/// The largest number of rows in a group that is also verified. Honest tables have fewer rows.
const FEW: usize = 16;

/// The largest number of bytes allocated for an input. A few bytes of Parquet can announce a row of 64 MiB.
pub const MOST_MEMORY: usize = 1 << 30;

/// Makes the honest tables.
pub fn prepare() {
    std::sync::LazyLock::force(&HONEST);
}

/// Reads a table, and writes its rows as another table.
pub fn tables(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    let number = usize::from(input.arbitrary::<u8>()?) % FORMATS.len();
    let (from, to) = (FORMATS[number], *input.choose(&FORMATS)?);
    let dialect = Dialect {
        delimiter: *input.choose(b",;\t|")?,
        ..Dialect::default()
    };
    let bytes = material(&mut input, &HONEST.files[number])?;
    let path = HONEST.path("given");
    std::fs::write(&path, bytes).unwrap();
    let Some(table) = Table::read(from, &path, &dialect) else {
        return Ok(());
    };
    let out = HONEST.path("written");
    let _ = std::fs::remove_file(&out);
    if let Err(error) = table.write(to, &out, &dialect) {
        checked::<()>(Err(error), &out);
        assert!(!out.exists());
    } else if out.exists() {
        let again = Table::read(to, &out, &dialect).expect("what was written is read");
        if from.uncompressed() == to.uncompressed() && !table.faults {
            assert_eq!(again.cells(), table.cells());
            assert!(!again.faults);
        }
    }
    Ok(())
}

/// A whole table.
struct Table {
    groups: Vec<RecordBatch>,
    /// True if some row could not be read.
    faults: bool,
}

impl Table {
    /// Reads a table. Returns `None` if the table has an error or too many groups.
    fn read(format: Format, path: &Path, dialect: &Dialect) -> Option<Self> {
        let source = Source::File(path.to_owned());
        let mut reader = checked(format.open(&source, dialect), path)?;
        let mut table = Self {
            groups: Vec::new(),
            faults: false,
        };
        let mut next = 1;
        while let Some(rows) = checked(reader.next_group(), path)? {
            let count = rows.batch.num_rows();
            assert_eq!(rows.first_row, next);
            next += count as u64;
            for (row, fault) in &rows.faults {
                assert!(*row < count && fault.place.starts_with("line "), "{fault}");
                assert!(fault.to_string().len() < 2000);
                table.faults = true;
            }
            let (done, of) = reader.progress();
            assert!(of.is_none_or(|of| done <= of));
            if count <= FEW {
                judge(&rows);
            }
            table.groups.push(rows.batch);
            if table.groups.len() > GROUPS {
                return None;
            }
        }
        assert!(!table.groups.is_empty());
        Some(table)
    }

    fn write(
        &self,
        format: Format,
        path: &Path,
        dialect: &Dialect,
    ) -> std::result::Result<(), Error> {
        let mut writer = format.create(Some(path), dialect)?;
        for group in &self.groups {
            writer.write(group)?;
        }
        writer.finish()
    }

    /// The cells of each row, by the names of their columns.
    fn cells(&self) -> Vec<BTreeMap<String, String>> {
        let mut rows = Vec::new();
        for group in &self.groups {
            let before = rows.len();
            rows.resize(before + group.num_rows(), BTreeMap::new());
            for (field, column) in group.schema().fields().iter().zip(group.columns()) {
                // A time in a named zone has no text here, so its number is compared.
                let options = FormatOptions::new();
                let column = match ArrayFormatter::try_new(column, &options) {
                    Ok(_) => column.clone(),
                    Err(_) => match cast(column, &DataType::Int64) {
                        Ok(numbers) => numbers,
                        Err(_) => continue,
                    },
                };
                let cells = ArrayFormatter::try_new(&column, &options).unwrap();
                for row in (0..group.num_rows()).filter(|row| column.is_valid(*row)) {
                    let text = cells.value(row).to_string();
                    rows[before + row].insert(field.name().clone(), text);
                }
            }
        }
        rows
    }
}

/// Verifies the rows as claims.
fn judge(rows: &Rows) {
    match VerifyTable::new(Suite::PRAOS).verify(rows.clone()) {
        Ok(outcome) => {
            let invalid = outcome.invalid.iter().map(|row| row.position);
            let invalid = Vec::from_iter(invalid);
            assert!(rows.faults.keys().all(|row| invalid.contains(row)));
            assert_eq!(outcome.batch.num_rows(), rows.batch.num_rows());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Returns the value, if there was no error. The message of an error must contain the name of the file.
fn checked<T>(result: std::result::Result<T, Error>, path: &Path) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Message(message)) => {
            assert!(message.contains(&path.display().to_string()), "{message}");
            assert!(message.len() < 8000, "{message}");
            None
        }
        Err(error) => panic!("{error:?}"),
    }
}

impl honest::Honest {
    /// The path of a file.
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}
