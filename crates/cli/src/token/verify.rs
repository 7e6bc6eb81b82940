//! `klero token verify`: a verdict for every token.

use serde_json::json;

use super::clock;
use super::print::{tree, with_content};
use super::text::Texts;
use super::verifier::VerifierArgs;
use crate::ui::error::{Error, Status};
use crate::ui::layout::wrap;
use crate::ui::terminal::print;

/// The largest number of tokens that are read and then verified together.
const GROUP: usize = 256;

/// Verify tokens, and show their content
///
/// Prints `valid` and the token's content, or `invalid` and the reason. Several tokens are given one per
/// line, and each verdict then begins with the number of the line. A line that is not a token is invalid, and
/// the next lines are still verified. With a challenge, only tokens sealed to it are valid; without one, only
/// tokens that are not sealed. Caveats are shown, with `(passed)` beside a `before` whose time has passed,
/// but do not change the verdict: use `klero token check` for that.
#[derive(clap::Args)]
#[command(
    after_help = EXIT,
    mut_arg("token", |arg| arg.help(
        "A token, a file of tokens, one per line, or - for standard input"
    )),
)]
pub struct Args {
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

/// Runs `klero token verify`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let verifier = args.verifier.read(&[])?;
    let given = &args.verifier.token;
    let mut texts = Texts::open(given, &args.verifier.limits.get())?;
    let mut status = None;
    loop {
        let (mut lines, mut tokens) = (Vec::new(), Vec::new());
        while lines.len() < GROUP
            && let Some((line, token)) = texts.next_token()?
        {
            lines.push(line);
            tokens.push(token);
        }
        if lines.is_empty() {
            return status.ok_or_else(|| given.unreadable(texts.nothing()));
        }
        // The only token: it is in the first group, which is also the last group, because it is not full.
        let is_only = status.is_none() && lines.len() == 1;
        let now = clock::now()?;
        let mut shown = String::new();
        for (line, verified) in lines.into_iter().zip(verifier.verify_many(tokens)) {
            let verdict = verified.and_then(|token| {
                verifier.check_revoked(&token)?;
                verifier.check_age(now)?;
                Ok(token)
            });
            let place = match is_only {
                true => String::new(),
                false => format!("line {line}: "),
            };
            shown += &match &verdict {
                Ok(token) if args.json => {
                    let object = json!({"line": line, "verdict": "valid"});
                    with_content(object, token, token.blocks(), now).to_string() + "\n"
                }
                Ok(token) => tree(&format!("{place}valid: "), token, token.blocks(), now),
                Err(reason) if args.json => {
                    let object = json!({"line": line, "verdict": format!("invalid: {reason}")});
                    object.to_string() + "\n"
                }
                Err(reason) => wrap(&format!("{place}invalid: {reason}"), "  ") + "\n",
            };
            status = match verdict {
                Ok(_) => status.or(Some(Status::AllValid)),
                Err(_) => Some(Status::SomeInvalid),
            };
        }
        print(shown)?;
    }
}
