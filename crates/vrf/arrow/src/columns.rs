//! The names of the columns, and the checks of a table's schema.

use arrow_schema::{Field, Schema};

use crate::encoding::{Encoding, Form, Holder, Text};
use crate::error::TableError;

/// The names of the columns that are read and written. By default, each name is the name of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The column of public keys.
    pub key: String,
    /// The column of VRF inputs.
    pub alpha: String,
    /// The column of proofs.
    pub proof: String,
    /// The column of claimed or computed outputs.
    pub output: String,
    /// The column with the name of each row's suite.
    pub suite: String,
    /// The column with the secret seed of each row's key.
    pub seed: String,
    /// The column of verdicts.
    pub verdict: String,
}

/// The names of the columns, and the forms of their values.
///
/// ```
/// use klero::Suite;
/// use klero_arrow::{Columns, Encoding, Options, VerifyTable};
/// let columns = Columns { key: "pool_vrf_key".into(), ..Columns::default() };
/// let options = Options { columns, encoding: Encoding::Base64, ..Options::default() };
/// let verify = VerifyTable::new(Suite::PRAOS).options(options);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of the columns.
    pub columns: Columns,
    /// The encoding of bytes in columns of text.
    pub encoding: Encoding,
    /// True if text in the column of alphas is the alpha itself in UTF-8, not encoded bytes.
    pub plain_alphas: bool,
    /// True if binary columns contain text, as in files by Impala, Hive and old versions of Spark. Any
    /// column that is added to the table then has a text type.
    pub binary_text: bool,
}

impl Options {
    /// The kind of text in a column of keys, proofs, outputs or seeds.
    pub(crate) fn encoded(&self) -> Text {
        Text::Encoded(self.encoding)
    }

    /// The kind of text in the column of alphas.
    pub(crate) fn alpha(&self) -> Text {
        match self.plain_alphas {
            true => Text::Plain,
            false => self.encoded(),
        }
    }

    /// Returns the way in which a column holds bytes, or `None` if the column's type holds no bytes.
    pub(crate) fn holder(&self, field: &Field) -> Option<Holder> {
        match Holder::of(field) {
            Some(Holder::Binary) if self.binary_text => Some(Holder::Text),
            holder => holder,
        }
    }

    /// The form of a new column: the form of the column `like`, or text if that column is missing.
    pub(crate) fn form_like(&self, like: Option<&Field>) -> Form {
        let holder = like.and_then(|field| self.holder(field));
        Form {
            holder: holder.unwrap_or(Holder::Text),
            encoding: self.encoding,
        }
    }
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
    /// Refuses a schema in which two roles have the same name, or two columns have the name of one role.
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

/// Refuses a schema that lacks one of the named columns.
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

/// Refuses a schema in which one of the named columns has a type that holds no bytes.
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
