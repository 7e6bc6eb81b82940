//! Writes `vectors/headers.json`; with `--check`, says where the file differs from what is made.

use std::process::ExitCode;
use std::{env, fs, io, iter};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../headers.json");

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let made = klero_vectors::headers();
    match &arguments[..] {
        [] => fs::write(FILE, made)?,
        [check] if check == "--check" => {
            if let Some(difference) = difference(&fs::read_to_string(FILE)?, &made) {
                eprintln!("klero-vectors: headers.json is not what is made: {difference}");
                return Ok(ExitCode::FAILURE);
            }
        }
        _ => {
            eprintln!("usage: klero-vectors [--check]");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The first line in which the file differs from the text that was made.
fn difference(file: &str, made: &str) -> Option<String> {
    // Lines with their ends. One that is missing has none.
    let [found, expected] =
        [file, made].map(|text| text.split_inclusive('\n').chain(iter::repeat("")));
    let mut lines = (1..).zip(found.zip(expected));
    let (number, (found, expected)) =
        lines.find(|(_, (found, expected))| found != expected || found.is_empty())?;
    (found != expected).then(|| format!("line {number} is {found:?}, expected {expected:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        for (file, found) in [
            ("a\nc\n", r#"line 2 is "c\n", expected "b\n""#),
            ("a\nb", r#"line 2 is "b", expected "b\n""#),
            ("a\n", r#"line 2 is "", expected "b\n""#),
            ("a\nb\nc\n", r#"line 3 is "c\n", expected """#),
        ] {
            assert_eq!(difference(file, "a\nb\n").as_deref(), Some(found));
        }
    }
}
