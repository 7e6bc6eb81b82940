//! What the formats must know about a table besides its file.

use parquet::schema::types::SchemaDescPtr;

/// The delimiter of CSV, and the columns that formats treat in their own way.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The character between two fields of CSV, one byte.
    pub delimiter: u8,
    /// The column of alphas, whose values are mostly different.
    pub alpha: String,
    /// The column of proofs, whose values are all different.
    pub proof: String,
    /// The column of outputs. Its values are all different, and one may be missing.
    pub output: String,
    /// The columns that are read: in another, a value that the format does not have is no fault.
    pub read: Vec<String>,
    /// The types of the columns of the table that is read, if it is Parquet.
    pub types: Option<SchemaDescPtr>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            alpha: "alpha".into(),
            proof: "proof".into(),
            output: "output".into(),
            read: Vec::new(),
            types: None,
        }
    }
}
