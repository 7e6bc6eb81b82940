//! Writes the vectors and hostile claims of `vectors/*.json` as lines: for C, which reads no JSON. With
//! the word `tokens`, the vectors of tokens: see [`tokens`].
//!
//! `ecvrf.json`, `headers.json` and their schemas have other forms, and are left out.
//!
//! A line has nine fields between spaces; `-` stands for a field that the entry does not have,
//! and `.` for no bytes: suite, seed, public key, alpha, proof, output, whether it is valid (1 or
//! 0, from the JSON), the verdict of the crate `klero` (the name of its reason, or `Valid`), and
//! the file.

mod tokens;

use std::error::Error;
use std::fs;
use std::path::Path;

use klero::Suite;
use serde::Deserialize;

#[derive(Deserialize)]
struct Entry {
    suite: String,
    sk: Option<String>,
    pk: String,
    alpha: String,
    pi: String,
    beta: Option<String>,
    valid: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let directory = match &words[..] {
        [directory] => directory,
        [tokens, directory] if tokens == "tokens" => return tokens::write(Path::new(directory)),
        _ => return Err("usage: klero-c-vectors [tokens] DIRECTORY".into()),
    };
    let mut files: Vec<_> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && !name.starts_with("ecvrf") && !name.starts_with("headers")
    });
    files.sort();
    for file in files {
        let name = file.file_name().unwrap_or_default().display();
        for entry in entries(&file)? {
            let reason = reason(&entry)?;
            let Entry {
                suite,
                sk,
                pk,
                alpha,
                pi,
                beta,
                valid,
            } = entry;
            let [sk, pk, alpha, pi, beta] = [sk, Some(pk), Some(alpha), Some(pi), beta].map(field);
            let valid = u8::from(valid);
            println!("{suite} {sk} {pk} {alpha} {pi} {beta} {valid} {reason} {name}");
        }
    }
    Ok(())
}

fn entries(file: &Path) -> Result<Vec<Entry>, Box<dyn Error>> {
    Ok(serde_json::from_str(&fs::read_to_string(file)?)?)
}

/// The name of the verdict.
fn reason(entry: &Entry) -> Result<String, Box<dyn Error>> {
    let suite: Suite = entry
        .suite
        .parse()
        .map_err(|error: klero::Error| error.to_string())?;
    let [pk, alpha, pi] = [&entry.pk, &entry.alpha, &entry.pi].map(hex::decode);
    let verdict = suite.verify(&pk?, &alpha?, &pi?);
    Ok(match verdict {
        Ok(_) => "Valid".into(),
        Err(reason) => {
            let text = format!("{reason:?}");
            let end = text.find(|character: char| !character.is_alphanumeric());
            text[..end.unwrap_or(text.len())].into()
        }
    })
}

fn field(hex: Option<String>) -> String {
    match hex.as_deref() {
        None => "-".into(),
        Some("") => ".".into(),
        Some(hex) => hex.into(),
    }
}
