//! Computes a verdict for every row.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema};
use klero::{Claim, Output, Suite, Verdict, Verifier};

use crate::cells::{Bytes, Cells};
use crate::columns::{Columns, Options, check_present, check_types};
use crate::error::TableError;
use crate::new_columns;
use crate::rows::{Outcome, Rows};
use crate::suites::{self, RowSuites, by_suite};

/// The maximum number of public keys of each suite that are kept between batches. A key takes 4.3 KB.
const KEPT_KEYS: usize = 3000;

/// Verifies the rows of a table, one batch per call.
///
/// Reads the columns `key`, `alpha` and `proof`, and the columns `output` and `suite` if they exist. Writes
/// `verdict` and `output`. Claimed outputs stay. A valid row that claims no output gets the computed output.
///
/// Batches may come in any order and from any thread, because no verdict depends on another row. Keys that
/// appear again are kept between batches, up to 3,000 for each suite.
///
/// ```
/// use arrow_array::{cast::AsArray, record_batch};
/// use klero::Suite;
/// use klero_arrow::VerifyTable;
/// let table = record_batch!(
///     ("key", Utf8, [Some("00"), None]),
///     ("alpha", Utf8, ["", ""]),
///     ("proof", Utf8, ["", ""])
/// )?;
/// let verify = VerifyTable::new(Suite::PRAOS);
/// verify.check(&table.schema())?;
/// let outcome = verify.verify(table)?;
/// let verdicts = outcome.batch["verdict"].as_string::<i32>();
/// assert_eq!(verdicts.value(0), "invalid: public key has 1 bytes, expected 32");
/// assert_eq!(verdicts.value(1), "invalid: key is missing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VerifyTable {
    suite: Option<Suite>,
    options: Options,
    /// One verifier for each suite, in the order of [`Suite::ALL`].
    verifiers: Arc<[Verifier]>,
}

impl VerifyTable {
    /// Verifies claims of this suite. If no suite is given, the column `suite` gives the suite of each row.
    #[must_use]
    pub fn new(suite: impl Into<Option<Suite>>) -> Self {
        Self {
            suite: suite.into(),
            options: Options::default(),
            verifiers: Suite::ALL
                .iter()
                .map(|suite| Verifier::new(*suite).keep_keys(KEPT_KEYS))
                .collect(),
        }
    }

    /// Sets the names of columns and the forms of values.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Refuses a schema that lacks a required column, or has a column that [`verify`](Self::verify) refuses.
    /// Call this function once if all batches have the same schema.
    ///
    /// # Errors
    /// A [`TableError`] that mentions the column and what was expected.
    pub fn check(&self, schema: &Schema) -> Result<(), TableError> {
        let Columns {
            key, alpha, proof, ..
        } = &self.options.columns;
        self.options.columns.check_names(schema)?;
        check_present(schema, &[key, alpha, proof])?;
        self.check_readable(schema)?;
        suites::check(schema, self.suite, &self.options.columns.suite)
    }

    fn check_readable(&self, schema: &Schema) -> Result<(), TableError> {
        let Columns {
            key,
            alpha,
            proof,
            output,
            suite,
            ..
        } = &self.options.columns;
        self.options.columns.check_names(schema)?;
        check_types(schema, &[key, alpha, proof, output, suite])?;
        // Computed outputs are written into the column of claimed outputs, so they must fit there.
        let claimed = schema.field_with_name(output).map(Field::data_type);
        match claimed {
            Ok(DataType::FixedSizeBinary(size)) if *size != 64 && !self.options.binary_text => {
                Err(TableError::OutputSize {
                    name: output.clone(),
                    size: *size,
                })
            }
            _ => Ok(()),
        }
    }

    /// Returns the batch with a verdict for each row.
    ///
    /// A column that is missing in this batch counts as null in every row. In JSON lines, for example,
    /// batches of one table may have different columns.
    ///
    /// # Errors
    /// [`TableError::TooManyRows`] if the batch has too many rows; [`TableError::SharedName`] if [`Columns`]
    /// contains a name twice; [`TableError::ColumnTwice`] if the batch contains one of these names twice;
    /// [`TableError::ColumnType`] if a column that is read has a type that holds no bytes;
    /// [`TableError::OutputSize`] if the claimed outputs are bytes (not text) of a fixed size other than 64;
    /// [`TableError::Arrow`] if a new column cannot be made, for example if it is too large. A fault of a
    /// single row is no such error, but is in the row's verdict.
    pub fn verify(&self, rows: impl Into<Rows>) -> Result<Outcome, TableError> {
        let rows = &rows.into();
        rows.check_count()?;
        self.check_readable(&rows.batch.schema())?;
        let claims = self.claims(rows);
        let mut decoded = Vec::new();
        let claims = claims.read(rows, &mut decoded);

        let mut computed: Vec<Option<Output>> = vec![None; claims.len()];
        let mut reasons: Vec<Option<Cow<'_, str>>> = claims
            .iter()
            .map(|claim| claim.as_ref().err().map(|fault| fault.as_str().into()))
            .collect();
        let readable = claims.iter().enumerate();
        let readable = readable.filter_map(|(row, claim)| Some((row, claim.as_ref().ok()?.suite)));
        for (suite, members) in by_suite(readable) {
            let of_suite = members.iter().flat_map(|&row| &claims[row]);
            let of_suite: Vec<_> = of_suite.map(|row| row.claim(&decoded)).collect();
            for (row, verdict) in members
                .into_iter()
                .zip(self.verify_claims(suite, &of_suite))
            {
                let claimed = claims[row].as_ref().is_ok_and(|row| row.output.is_some());
                match verdict {
                    Ok(output) => computed[row] = Some(output).filter(|_| !claimed),
                    Err(reason) => reasons[row] = Some(reason.to_string().into()),
                }
            }
        }

        let output = self.output_column(rows, &computed)?;
        let reasons: Vec<_> = reasons.iter().map(Option::as_deref).collect();
        Outcome::new(
            rows,
            vec![output],
            &self.options.columns.verdict,
            None,
            &reasons,
        )
    }

    fn verify_claims(&self, suite: Suite, claims: &[Claim<'_>]) -> Vec<Verdict> {
        let verifiers = Suite::ALL.iter().zip(self.verifiers.iter());
        match verifiers.into_iter().find(|(known, _)| **known == suite) {
            Some((_, verifier)) => verifier.verify_many(claims).verdicts,
            None => suite.verify_many(claims),
        }
    }

    fn claims<'a>(&'a self, rows: &Rows) -> ClaimColumns<'a> {
        let (batch, options) = (&rows.batch, &self.options);
        let names = &options.columns;
        ClaimColumns {
            suites: RowSuites::of(batch, self.suite, options),
            key: Cells::of(batch, &names.key, options.encoded(), options),
            alpha: Cells::of(batch, &names.alpha, options.alpha(), options),
            proof: Cells::of(batch, &names.proof, options.encoded(), options),
            output: Cells::of(batch, &names.output, options.encoded(), options),
        }
    }

    /// Returns the column of outputs with the computed outputs. A new column has the form of the proofs.
    fn output_column(
        &self,
        rows: &Rows,
        computed: &[Option<Output>],
    ) -> Result<(Field, ArrayRef), TableError> {
        let (schema, options) = (rows.batch.schema(), &self.options);
        let names = &options.columns;
        match schema.column_with_name(&names.output) {
            Some((index, field)) => {
                let claimed = rows.batch.column(index);
                new_columns::fill(field, claimed, computed, options)
                    .map_err(|error| rows.failed(error))
            }
            None => {
                let proof = schema.field_with_name(&names.proof).ok();
                let form = options.form_like(proof);
                let values = computed.iter().copied();
                Ok(new_columns::column(&names.output, form, values))
            }
        }
    }
}

/// The columns from which claims are read.
struct ClaimColumns<'a> {
    suites: RowSuites<'a>,
    key: Cells<'a>,
    alpha: Cells<'a>,
    proof: Cells<'a>,
    output: Cells<'a>,
}

impl ClaimColumns<'_> {
    /// Returns the claim of each row, or the reason why the row cannot be read. Encoded text is decoded and
    /// appended to `decoded`.
    fn read(&self, rows: &Rows, decoded: &mut Vec<u8>) -> Vec<Result<RowClaim<'_>, String>> {
        rows.read(|row| {
            Ok(RowClaim {
                suite: self.suites.get(row)?,
                key: self.key.require(row, decoded)?,
                alpha: self.alpha.require_alpha(row, decoded)?,
                proof: self.proof.require(row, decoded)?,
                output: self.output.get(row, decoded)?,
            })
        })
    }
}

/// The claim of a row.
struct RowClaim<'a> {
    suite: Suite,
    key: Bytes<'a>,
    alpha: Bytes<'a>,
    proof: Bytes<'a>,
    output: Option<Bytes<'a>>,
}

impl<'a> RowClaim<'a> {
    /// Returns the claim. `decoded` is the buffer that its cells were decoded into.
    fn claim(&self, decoded: &'a [u8]) -> Claim<'a> {
        Claim {
            key: self.key.of(decoded),
            alpha: self.alpha.of(decoded),
            proof: self.proof.of(decoded),
            output: self.output.as_ref().map(|output| output.of(decoded)),
        }
    }
}
