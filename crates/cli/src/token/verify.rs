//! `klero token verify`: a verdict for every token.

use serde_json::{Map, json};

use super::clock;
use super::given::Given;
use super::text::{Arrived, Texts};
use super::verifier::{Verifier, VerifierArgs};
use super::view::View;
use crate::error::{Error, Status};
use crate::input;
use crate::layout::wrap;
use crate::stdout::print;

/// Tokens that are in memory and verified together.
const GROUP: usize = 256;

/// Verify tokens, and show their content
///
/// Prints `valid` and the token's content, or `invalid` and the reason. Of several tokens each has a line
/// of the input, whose number comes first. A line that is not a token is invalid; the other lines are
/// verified. With a challenge only tokens
/// sealed to it are valid, without one only tokens that are not sealed. Caveats are shown, with
/// `(passed)` beside a `before` whose time has passed, and decide nothing: in `klero token check` they do.
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
        let mut group = Vec::new();
        while group.len() < GROUP
            && let Some(token) = tokens.next_token()?
        {
            group.push(token);
        }
        if group.is_empty() {
            return status.ok_or_else(|| given.unreadable(tokens.nothing()));
        }
        // A shorter group is the last one.
        let is_only = status.is_none() && group.len() == 1;
        let mut shown = String::new();
        let now = clock::now()?;
        let age = verifier.check_age(now);
        for (line, verdict) in verdicts(&verifier, group, now) {
            let verdict = verdict.and_then(|view| age.clone().map(|()| view));
            match verdict {
                Ok(_) => status = status.or(Some(Status::AllValid)),
                Err(_) => status = Some(Status::SomeInvalid),
            }
            shown += &match (args.json, is_only) {
                (true, _) => json_line(line, &verdict),
                (false, true) => text("", &verdict),
                (false, false) => text(&format!("line {line}: "), &verdict),
            };
        }
        print(shown)?;
    }
}

/// The verdicts on lines with tokens.
fn verdicts(
    verifier: &Verifier,
    group: Vec<(usize, Result<Arrived, String>)>,
    now: u64,
) -> impl Iterator<Item = (usize, Verdict)> {
    let mut arrived = Vec::with_capacity(group.len());
    let lines: Vec<_> = group
        .into_iter()
        .map(|(line, token)| {
            let length = token.map(|token| {
                let length = token.length;
                arrived.push(token);
                length
            });
            (line, length)
        })
        .collect();
    let mut verified = verifier.verify_many(arrived).into_iter();
    lines.into_iter().map(move |(line, length)| {
        let verdict = length.and_then(|length| {
            let token = verified.next().expect("there is one verdict per token")?;
            verifier.check_revoked(&token)?;
            Ok(View::verified(&token, length, now))
        });
        (line, verdict)
    })
}

fn text(place: &str, verdict: &Verdict) -> String {
    match verdict {
        Ok(view) => view.tree(&format!("{place}valid: ")),
        Err(reason) => wrap(&format!("{place}invalid: {reason}"), "  ") + "\n",
    }
}

fn json_line(line: usize, verdict: &Verdict) -> String {
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
