//! `klero token verify`: a verdict for every token.

use std::collections::BTreeMap;

use clap::ValueEnum;
use klero_token::Scheme;
use serde_json::{Map, json};

use super::given::Given;
use super::scheme::{SchemeName, with_scheme};
use super::text::{Text, Texts};
use super::verifier::{Verifier, VerifierArgs};
use super::view::View;
use crate::error::{Error, Status};
use crate::input;
use crate::stdout::print;

/// Tokens that are in memory and verified together.
const GROUP: usize = 256;

/// Verify tokens, and show their content
///
/// Prints for each line of the input `valid` and the token's content, or `invalid: reason`. A line
/// that is not a token is invalid; the other lines are verified. With a challenge only tokens
/// sealed to it are valid, without one only tokens that are not sealed. Caveats are shown and not
/// compared with anything: `klero token check` does that.
#[derive(clap::Args)]
#[command(after_help = EXIT)]
pub struct Args {
    /// A token, a file of tokens, one per line, or - for standard input
    #[arg(value_name = "TOKEN|FILE|-", default_value = "-")]
    tokens: String,
    #[command(flatten)]
    verifier: VerifierArgs,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

const EXIT: &str = "\
Exit status:
  0  every token is valid
  1  some token is invalid
  2  something could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM";

/// The content of a token, or why it is invalid.
type Verdict = Result<View, String>;

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let given = Given::encoded("token", &args.tokens);
    let mut stdin = vec![("the token", given.is_stdin())];
    stdin.extend(args.verifier.stdin());
    input::one_stdin(&stdin)?;
    let verifier = args.verifier.read()?;
    let mut tokens = Texts::open(&given, &verifier.limits)?;
    let mut status = None;
    loop {
        let mut group = BTreeMap::new();
        while group.len() < GROUP
            && let Some((line, text)) = tokens.next_token()?
        {
            group.insert(line, text);
        }
        if group.is_empty() {
            return status.ok_or_else(|| tokens.nothing());
        }
        let mut shown = String::new();
        for (line, verdict) in verdicts(&verifier, group)? {
            match verdict {
                Ok(_) => status = status.or(Some(Status::AllValid)),
                Err(_) => status = Some(Status::SomeInvalid),
            }
            shown += &show(line, &verdict, args.json);
        }
        print(shown)?;
    }
}

/// The verdicts on lines with tokens of any scheme.
fn verdicts(
    verifier: &Verifier,
    group: BTreeMap<usize, Result<Text, String>>,
) -> Result<BTreeMap<usize, Verdict>, Error> {
    let mut verdicts = BTreeMap::new();
    let mut of_scheme: BTreeMap<&str, Vec<(usize, Text)>> = BTreeMap::new();
    for (line, text) in group {
        match text {
            Ok(text) => of_scheme
                .entry(text.scheme.name())
                .or_default()
                .push((line, text)),
            Err(fault) => {
                verdicts.insert(line, Err(fault));
            }
        }
    }
    for scheme in SchemeName::value_variants() {
        if let Some(texts) = of_scheme.get(scheme.name()) {
            verdicts.extend(with_scheme!(scheme, verify_together(verifier, texts))?);
        }
    }
    Ok(verdicts)
}

/// The verdicts on tokens of one scheme, verified together.
fn verify_together<S: Scheme>(
    verifier: &Verifier,
    lines: &[(usize, Text)],
) -> Result<Vec<(usize, Verdict)>, Error> {
    let texts: Vec<_> = lines.iter().map(|(_, text)| text).collect();
    let verified = verifier.verify::<S>(&texts)?;
    let verdicts = lines.iter().zip(verified).map(|((line, text), verdict)| {
        let verdict = verdict.map(|token| View::verified(&token, text.encoded_length()));
        (*line, verdict)
    });
    Ok(verdicts.collect())
}

fn show(line: usize, verdict: &Verdict, as_json: bool) -> String {
    if !as_json {
        return match verdict {
            Ok(view) => format!("line {line}: valid\n{}", view.tree()),
            Err(reason) => format!("line {line}: invalid: {reason}\n"),
        };
    }
    let said = match verdict {
        Ok(_) => "valid".to_owned(),
        Err(reason) => format!("invalid: {reason}"),
    };
    let members = Map::from_iter([
        ("line".into(), json!(line)),
        ("verdict".into(), json!(said)),
    ]);
    let object = match verdict {
        Ok(view) => view.json(members),
        Err(_) => members.into(),
    };
    format!("{object}\n")
}
