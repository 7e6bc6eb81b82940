//! Tables that are refused for their columns.

use std::collections::HashSet;

use arrow_array::timezone::Tz;
use arrow_schema::{DataType, Schema};
use klero_arrow::shortened;

use crate::args::source::Source;
use crate::ui::error::Error;

/// Refuses a table in which two columns share a name.
pub fn check_names(source: &Source, schema: &Schema) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match schema
        .fields()
        .iter()
        .find(|field| !seen.insert(field.name()))
    {
        Some(field) => Err(source.unreadable(format_args!(
            "column {:?} appears twice, expected different names",
            shortened(field.name())
        ))),
        None => Ok(()),
    }
}

/// Refuses to write times of an unknown time zone as text. `file` is the file's name.
pub fn check_zones(file: &str, schema: &Schema) -> Result<(), Error> {
    for field in schema.fields() {
        if let DataType::Timestamp(_, Some(zone)) = field.data_type()
            && zone.parse::<Tz>().is_err()
        {
            return Err(Error::at(
                format_args!("cannot write {file}"),
                format_args!(
                    "column {:?}: unknown time zone {:?}",
                    shortened(field.name()),
                    shortened(zone)
                ),
            ));
        }
    }
    Ok(())
}
