//! Verifies the claims in a Parquet file, and prints the invalid rows.
//!
//! ```text
//! klero sample --suite praos --count 10000 --invalid 0.001 --out claims.parquet
//! cargo run --release --example verify_parquet -- claims.parquet praos
//! ```

use std::error::Error;
use std::fs::File;

use klero::Suite;
use klero_arrow::{Rows, VerifyTable};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("expected a Parquet file")?;
    // If no suite is given, the column `suite` gives the suite of each row.
    let suite = args.next().map(|name| name.parse::<Suite>()).transpose()?;

    let table = VerifyTable::new(suite);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?;
    table.check(reader.schema())?;

    let (mut first_row, mut invalid) = (1, 0);
    for batch in reader.with_batch_size(4096).build()? {
        let rows = Rows {
            first_row,
            ..Rows::from(batch?)
        };
        let outcome = table.verify(rows)?;
        for row in &outcome.invalid {
            println!("row {}: {}", row.number, row.reason);
        }
        first_row += outcome.batch.num_rows() as u64;
        invalid += outcome.invalid.len();
    }
    println!("{} rows, {invalid} invalid", first_row - 1);
    Ok(())
}
