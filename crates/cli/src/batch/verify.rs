//! `klero batch verify`: a verdict for every row.

use std::borrow::Cow;

use klero::{Batch, Claim, Output, Suite};

use super::cells::{self, Cells, Encoding};
use super::row_suites::{self, RowSuites, by_suite};
use super::{Done, FORMATS, Files};
use crate::error::{Error, Status};
use crate::table::Group;

/// Verify every row of a table and write it with verdicts
///
/// Columns read:
///   key      the public key
///   alpha    the input of the VRF
///   proof    the proof
///   output   the output, if the row claims one; in CSV an empty one is no claim
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, in place of any that have these names:
///   output   what the row claims, or the computed one if it is valid and claims none
///   verdict  `valid` or `invalid: reason`
///
/// A row that cannot be read is invalid, and the others go on.
#[derive(clap::Args)]
#[command(after_help = FORMATS, verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    files: Files,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let suite = args.files.suite;
    args.files.process(
        |schema| {
            cells::check_columns(schema, &["key", "alpha", "proof"], &["output", "suite"])?;
            row_suites::check(schema, suite)?;
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
    suite: Suite,
    key: Cow<'a, [u8]>,
    alpha: Cow<'a, [u8]>,
    proof: Cow<'a, [u8]>,
    output: Option<Cow<'a, [u8]>>,
}

impl Row<'_> {
    fn claim(&self) -> Claim<'_> {
        Claim {
            key: &self.key,
            alpha: &self.alpha,
            proof: &self.proof,
            output: self.output.as_deref(),
        }
    }
}

fn verify(suite: Option<Suite>, group: &Group) -> Result<Done, String> {
    let batch = &group.batch;
    let suites = RowSuites::of(batch, suite);
    let [key, alpha, proof, output] =
        ["key", "alpha", "proof", "output"].map(|name| Cells::of(batch, name));
    let rows: Vec<Result<Row<'_>, String>> = (0..batch.num_rows())
        .map(|row| match group.faults.get(&row) {
            Some(fault) => Err(fault.clone()),
            None => Ok(Row {
                suite: suites.get(row)?,
                key: key.require(row)?,
                alpha: alpha.require(row)?,
                proof: proof.require(row)?,
                output: output.get(row)?,
            }),
        })
        .collect();

    let readable = rows.iter().enumerate();
    let readable = readable.filter_map(|(index, row)| Some((index, row.as_ref().ok()?.suite)));
    let mut computed: Vec<Option<Output>> = vec![None; rows.len()];
    let mut reasons: Vec<Option<String>> =
        rows.iter().map(|row| row.as_ref().err().cloned()).collect();
    for (suite, members) in by_suite(readable) {
        let mut claims = Batch::new(suite);
        claims.extend(
            members
                .iter()
                .flat_map(|&index| &rows[index])
                .map(Row::claim),
        );
        for (index, verdict) in members.into_iter().zip(claims.verify()) {
            let claimed = rows[index].as_ref().is_ok_and(|row| row.output.is_some());
            match verdict {
                Ok(output) => computed[index] = Some(output).filter(|_| !claimed),
                Err(reason) => reasons[index] = Some(reason.to_string()),
            }
        }
    }

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
    let reasons = reasons.iter().map(Option::as_ref);
    Done::new(group, vec![outputs], None, reasons)
}
