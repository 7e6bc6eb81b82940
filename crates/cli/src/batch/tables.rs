//! The tables that a batch command reads, and the target of each.
//!
//! Without `--out-dir` there is only one table, which is written to the target of `--out`. With `--out-dir`,
//! tables are written to that directory under their own names. All names are checked before any table is
//! read, so that no table overwrites another.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::Files;
use crate::args::source::Source;
use crate::table::{Format, Target};
use crate::ui::error::Error;

/// A table to read and to write.
pub struct Table {
    pub source: Source,
    pub format: Format,
    pub target: Target,
}

/// All tables of a command line.
pub fn tables(files: &Files) -> Result<Vec<Table>, Error> {
    let tables = match (&files.out_dir, &files.files[..]) {
        (Some(directory), names) => into_directory(files, directory, names)?,
        (None, [name]) if !Path::new(name).is_dir() => vec![alone(files, name)?],
        (None, [name]) => {
            let fault = "is a directory: expected --out-dir for the tables in it";
            return Err(Source::from(name.as_str()).unreadable(fault));
        }
        (None, _) => return Err(Error::new("several tables: expected --out-dir")),
    };
    refuse_to_replace(&tables, files.force)?;
    Ok(tables)
}

fn alone(files: &Files, name: &str) -> Result<Table, Error> {
    let source = Source::from(name);
    source.refuse_secret("FILE")?;
    let format = format(files, &source)?;
    let target = files.destination.target(format.uncompressed())?;
    Ok(Table {
        source,
        format,
        target,
    })
}

fn format(files: &Files, source: &Source) -> Result<Format, Error> {
    let named = match source {
        Source::Stdin => None,
        Source::File(path) => Format::of(path),
    };
    files.format.or(named).ok_or_else(|| {
        source.unreadable(format_args!(
            "unknown format: expected a name that ends in {}, or --format",
            Format::expected()
        ))
    })
}

/// Creates `directory`, and returns the tables that `names` lists. The target of each table is a file in
/// `directory` with the table's own name (see [`file_name`]).
fn into_directory(files: &Files, directory: &Path, names: &[String]) -> Result<Vec<Table>, Error> {
    let mut tables = Vec::new();
    let mut taken: HashMap<PathBuf, PathBuf> = HashMap::new();
    for path in all_paths(names)? {
        let source = Source::File(path.clone());
        let format = format(files, &source)?;
        let target = directory.join(file_name(&path, files.destination.out_format)?);
        if let Some(other) = taken.insert(target.clone(), path) {
            return Err(Error::at(
                "--out-dir",
                format_args!(
                    "{} and {source} would both become {}: expected different names",
                    other.display(),
                    target.display()
                ),
            ));
        }
        let out_format = files.destination.out_format.unwrap_or(format);
        tables.push(Table {
            source,
            format,
            target: Target::File(target, out_format),
        });
    }
    fs::create_dir_all(directory)
        .map_err(|error| Error::at(format_args!("cannot create {}", directory.display()), error))?;
    Ok(tables)
}

/// Returns the file name of a table's target. It is the table's own name. If `format` is given, the extension
/// of this format replaces the table's extension.
fn file_name(path: &Path, format: Option<Format>) -> Result<String, Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| {
        Error::at(
            "--out-dir",
            format_args!("{}: expected a file name in UTF-8", path.display()),
        )
    })?;
    Ok(match format {
        None => name.to_owned(),
        Some(format) => format!("{}.{format}", Format::stem(name)),
    })
}

/// Returns the files that `names` lists. A directory in `names` is replaced with its tables, sorted by name.
fn all_paths(names: &[String]) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for name in names {
        let source = Source::from(name.as_str());
        source.refuse_secret("FILE")?;
        match source {
            Source::Stdin => {
                let fault = "standard input has no name for its table: expected --out";
                return Err(Error::at("--out-dir", fault));
            }
            Source::File(path) if path.is_dir() => all.extend(parts(&path)?),
            Source::File(path) => all.push(path),
        }
    }
    Ok(all)
}

/// Returns the tables in a directory. A file whose name begins with `_` or `.` is not a table: programs
/// that write data in parts use such names for their own markers, such as `_SUCCESS`.
fn parts(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |fault: &dyn std::fmt::Display| {
        Error::at(format_args!("cannot read {}", directory.display()), fault)
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unreadable(&error))? {
        let path = entry.map_err(|error| unreadable(&error))?.path();
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        match name.first() {
            Some(b'_' | b'.') => {}
            _ if path.is_dir() => {
                let inner = path.display();
                return Err(unreadable(&format_args!(
                    "{inner} is a directory: expected tables, and directories of tables one by one"
                )));
            }
            _ => paths.push(path),
        }
    }
    paths.sort();
    match paths.is_empty() {
        true => Err(unreadable(&"there is no table in it")),
        false => Ok(paths),
    }
}

/// Refuses to overwrite a table that is also read. If `force` is set, a table may overwrite its own source,
/// but never the source of another table.
fn refuse_to_replace(tables: &[Table], force: bool) -> Result<(), Error> {
    let sources = tables.iter().enumerate().filter_map(|(index, table)| {
        let Source::File(path) = &table.source else {
            return None;
        };
        Some((fs::canonicalize(path).ok()?, index))
    });
    let sources: HashMap<PathBuf, usize> = sources.collect();
    for (index, table) in tables.iter().enumerate() {
        let Target::File(path, _) = &table.target else {
            continue;
        };
        let replaced = fs::canonicalize(path)
            .ok()
            .and_then(|path| sources.get(&path));
        let what = match replaced {
            Some(source) if *source != index => "a table that is read, too",
            Some(_) if !force => "the table that is read (--force replaces it)",
            _ => continue,
        };
        return Err(Error::new(format!(
            "cannot write {}: it is {what}",
            path.display()
        )));
    }
    Ok(())
}
