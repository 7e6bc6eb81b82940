//! The names of the columns, and the checks of a table's schema.

use arrow_schema::Schema;

use crate::encoding::{Holder, Texts};
use crate::error::TableError;

/// The names of the columns that are read and written. Each has the name of its role unless
/// it is given another.
///
/// ```
/// use klero_arrow::Columns;
/// let columns = Columns { key: "pool_vrf_key".into(), ..Columns::default() };
/// assert_eq!(columns.alpha, "alpha");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The public key.
    pub key: String,
    /// The input of the VRF.
    pub alpha: String,
    /// The proof.
    pub proof: String,
    /// The output.
    pub output: String,
    /// The name of the row's suite.
    pub suite: String,
    /// The secret seed of the row's key.
    pub seed: String,
    /// The verdict.
    pub verdict: String,
}

/// The names of the columns, and what their text is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) names: Columns,
    pub(crate) texts: Texts,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            key: "key".into(),
            alpha: "alpha".into(),
            proof: "proof".into(),
            output: "output".into(),
            suite: "suite".into(),
            seed: "seed".into(),
            verdict: "verdict".into(),
        }
    }
}

impl Columns {
    /// Refuses a schema in which a column cannot be told from another: two roles or two
    /// columns of one name.
    pub(crate) fn check_names(&self, schema: &Schema) -> Result<(), TableError> {
        let roles = [
            &self.key,
            &self.alpha,
            &self.proof,
            &self.output,
            &self.suite,
            &self.seed,
            &self.verdict,
        ];
        for (index, name) in roles.into_iter().enumerate() {
            if roles[..index].contains(&name) {
                return Err(TableError::SharedName { name: name.clone() });
            }
            let same = schema.fields().iter().filter(|f| f.name() == name);
            if same.count() > 1 {
                return Err(TableError::ColumnTwice { name: name.clone() });
            }
        }
        Ok(())
    }
}

/// Refuses a schema that lacks one of these columns.
pub(crate) fn check_present(schema: &Schema, names: &[&str]) -> Result<(), TableError> {
    for name in names {
        if schema.field_with_name(name).is_err() {
            return Err(TableError::MissingColumn {
                name: (*name).into(),
                expected: names.iter().map(|name| (*name).into()).collect(),
                found: schema.fields().iter().map(|f| f.name().clone()).collect(),
            });
        }
    }
    Ok(())
}

/// Refuses a schema in which one of these columns has a type that holds no bytes.
pub(crate) fn check_types(schema: &Schema, names: &[&str]) -> Result<(), TableError> {
    for name in names {
        if let Ok(field) = schema.field_with_name(name)
            && Holder::of(field).is_none()
        {
            return Err(TableError::ColumnType {
                name: (*name).into(),
                data_type: field.data_type().clone(),
            });
        }
    }
    Ok(())
}
