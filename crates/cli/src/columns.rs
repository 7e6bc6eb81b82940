//! The option `--column`: other names for the columns of a table.

use crate::error::Error;

/// A column: the name that it has by default, and where its name is kept.
pub type Role<T> = (&'static str, fn(&mut T) -> &mut String);

/// Reads `COLUMN=NAME`: a column, as its index among these, and its name.
pub fn renamed<T>(roles: &[Role<T>], text: &str) -> Result<(usize, String), String> {
    let (column, name) = text
        .split_once('=')
        .ok_or("expected COLUMN=NAME, as in key=pk")?;
    if name.is_empty() {
        return Err("the name is empty".into());
    }
    match roles.iter().position(|(known, _)| *known == column) {
        Some(role) => Ok((role, name.to_owned())),
        None => {
            let known: Vec<_> = roles.iter().map(|(known, _)| *known).collect();
            Err(format!(
                "expected one of {} before =, and the name that the table has for it behind",
                known.join(", ")
            ))
        }
    }
}

/// The names of the columns, some of them renamed.
pub fn names<T: Default>(roles: &[Role<T>], renamed: &[(usize, String)]) -> Result<T, Error> {
    let mut names = T::default();
    for (index, (role, name)) in renamed.iter().enumerate() {
        let (column, place) = roles[*role];
        if renamed[..index].iter().any(|(other, _)| other == role) {
            let fault = "two names for one column: expected one";
            return Err(Error::at(format_args!("--column {column}=…"), fault));
        }
        place(&mut names).clone_from(name);
    }
    Ok(names)
}
