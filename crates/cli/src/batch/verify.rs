//! `klero batch verify`: a verdict for every row.

use std::borrow::Cow;

use klero::{Batch, Claim, Output, Suite};

use super::cells::{self, Cells, Encoding};
use super::{Done, FORMATS, Files};
use crate::error::{Error, Status};
use crate::table::Group;

/// Verify every row of a table and write it with verdicts
///
/// Columns: key, alpha, proof and, if outputs are claimed, output (in CSV an
/// empty output is none). Written beside them: output, computed where the row
/// is valid and claims none (an invalid row keeps what it claims), and verdict,
/// `valid` or `invalid: reason`, instead of one that was there. A row that cannot
/// be read is invalid, and the others go on.
#[derive(clap::Args)]
#[command(after_help = FORMATS)]
pub struct Args {
    #[command(flatten)]
    files: Files,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let suite = args.files.suite;
    args.files.process(
        |schema| {
            cells::check_columns(schema, &["key", "alpha", "proof"], &["output"])?;
            // Computed outputs must fit beside the claimed ones.
            match schema
                .field_with_name("output")
                .map(|field| field.data_type())
            {
                Ok(arrow_schema::DataType::FixedSizeBinary(size)) if *size != 64 => Err(format!(
                    "column \"output\" has values of {size} bytes, expected 64"
                )),
                _ => Ok(()),
            }
        },
        |group| verify(suite, &group),
    )
}

/// A row's claim, decoded.
struct Row<'a> {
    key: Cow<'a, [u8]>,
    alpha: Cow<'a, [u8]>,
    proof: Cow<'a, [u8]>,
    output: Option<Cow<'a, [u8]>>,
}

fn verify(suite: Suite, group: &Group) -> Result<Done, String> {
    let batch = &group.batch;
    let [key, alpha, proof, output] =
        ["key", "alpha", "proof", "output"].map(|name| Cells::of(batch, name));
    let (key, alpha, proof, output) = (key?, alpha?, proof?, output?);
    let rows: Vec<Result<Row<'_>, String>> = (0..batch.num_rows())
        .map(|row| match group.faults.get(&row) {
            Some(fault) => Err(fault.clone()),
            None => Ok(Row {
                key: key.require(row)?,
                alpha: alpha.require(row)?,
                proof: proof.require(row)?,
                output: output.get(row)?,
            }),
        })
        .collect();

    let mut claims = Batch::new(suite);
    for row in rows.iter().flatten() {
        claims.push(Claim {
            key: &row.key,
            alpha: &row.alpha,
            proof: &row.proof,
            output: row.output.as_deref(),
        });
    }
    let mut verdicts = claims.verify().into_iter();
    let verdicts: Vec<Result<Output, String>> = rows
        .iter()
        .map(|row| match row {
            Err(fault) => Err(fault.clone()),
            Ok(_) => verdicts
                .next()
                .expect("a batch gives one verdict per claim")
                .map_err(|reason| reason.to_string()),
        })
        .collect();

    let computed: Vec<Option<Output>> = rows
        .iter()
        .zip(&verdicts)
        .map(|(row, verdict)| match (row, verdict) {
            (Ok(Row { output: None, .. }), Ok(output)) => Some(*output),
            _ => None,
        })
        .collect();
    let schema = batch.schema();
    let outputs = match schema.column_with_name("output") {
        Some((index, field)) => cells::fill(field, batch.column(index), &computed)
            .map_err(|error| format!("column \"output\": {error}"))?,
        None => {
            let like = schema.field_with_name("proof").ok().and_then(Encoding::of);
            cells::column(
                "output",
                like.unwrap_or(Encoding::Hex),
                computed.iter().copied(),
            )
        }
    };
    let reasons = verdicts.iter().map(|verdict| verdict.as_ref().err());
    Done::new(group, vec![outputs], None, reasons)
}
