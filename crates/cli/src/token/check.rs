//! `klero token check`: whether a token allows a request.

use klero_token::{Access, Reason, Refused, Revoked};
use serde_json::{Map, Value, json};

use super::access::{SHAPE, Told};
use super::args::CAVEATS;
use super::document;
use super::given::Given;
use super::text::{self, Arrived};
use super::verifier::{Verifier, VerifierArgs};
use super::view;
use crate::error::{Error, Status};
use crate::input;
use crate::stdout::print;

/// Verify a token, and say whether its caveats allow a request
///
/// Prints `allowed` and the payload of the first block, which says what the token allows; or `refused`
/// with the caveat that does not hold, its block, and what the request states instead; or `invalid`
/// and why. A later block of bytes (--payload) refuses, because only an application can know what
/// they mean.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP.as_str())]
pub struct Args {
    /// Token: its text, a file with it, or - for standard input
    #[arg(value_name = "TOKEN|FILE|-", default_value = "-")]
    token: String,
    /// What the request is about: a JSON object, a file with it, or - for standard input
    #[arg(long, value_name = "JSON|FILE|-")]
    access: String,
    #[command(flatten)]
    verifier: VerifierArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The end of the help text.
static AFTER_HELP: std::sync::LazyLock<String> =
    std::sync::LazyLock::new(|| format!("{SHAPE}\n\n{CAVEATS}\n\n{EXIT}"));

const EXIT: &str = "\
Exit status:
  0  the request is allowed
  1  the token is invalid, or refuses the request
  2  something could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM";

/// What is said of a token and a request.
enum Verdict {
    Allowed(Vec<u8>),
    /// The refusal, and why in words.
    Refused(Refused, String),
    Invalid(String),
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let token = Given::encoded("token", &args.token);
    let access = Given::json("request of --access", &args.access);
    let mut stdin = vec![
        ("the token", token.is_stdin()),
        ("--access", access.is_stdin()),
    ];
    stdin.extend(args.verifier.stdin());
    input::one_stdin(&stdin)?;
    let verifier = args.verifier.read()?;
    let told: Told = document::read(&access)?;
    let verdict = match text::read_presented(&token, &verifier.limits)? {
        Ok(arrived) => check(arrived, &verifier, &told)?,
        Err(reason) => Verdict::Invalid(reason),
    };
    print(if args.json {
        verdict.json().to_string() + "\n"
    } else {
        verdict.text()
    })?;
    Ok(match verdict {
        Verdict::Allowed(_) => Status::AllValid,
        Verdict::Refused(..) | Verdict::Invalid(_) => Status::SomeInvalid,
    })
}

fn check(arrived: Arrived, verifier: &Verifier, told: &Told) -> Result<Verdict, Error> {
    let is_revoked = |id: &_| verifier.revoked.contains(id);
    told.with(Revoked::by(&is_revoked), |access| {
        verdict(arrived, verifier, access).unwrap_or_else(Verdict::Invalid)
    })
}

fn verdict(arrived: Arrived, verifier: &Verifier, access: &Access<'_>) -> Result<Verdict, String> {
    let token = verifier.verify(arrived)?;
    verifier.check_age(access.now)?;
    match token.check(access) {
        Ok(rights) => Ok(Verdict::Allowed(rights.to_vec())),
        Err(refused) if refused.reason == Reason::Revoked => {
            Err(format!("{} is revoked", refused.place()))
        }
        Err(refused) => {
            let why = match &refused.stated {
                Some(stated) => {
                    let (place, caveat) = (refused.place(), &refused.caveat);
                    format!("{place}: `{caveat}` does not hold: {stated}")
                }
                None => refused.to_string(),
            };
            Ok(Verdict::Refused(refused, why))
        }
    }
}

impl Verdict {
    fn text(&self) -> String {
        match self {
            Self::Allowed(rights) => format!("allowed\n{}\n", view::shown_payload(rights)),
            Self::Refused(_, why) => format!("refused: {why}\n"),
            Self::Invalid(reason) => format!("invalid: {reason}\n"),
        }
    }

    fn json(&self) -> Value {
        let object = |verdict: String, members: &[(&str, Value)]| {
            let mut object = Map::from_iter([("verdict".to_owned(), json!(verdict))]);
            let members = members
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()));
            object.extend(members);
            Value::Object(object)
        };
        match self {
            Self::Allowed(rights) => object(
                "allowed".into(),
                &[
                    ("rights", json!(hex::encode(rights))),
                    ("text", json!(view::text(rights))),
                ],
            ),
            Self::Refused(refused, why) => object(
                format!("refused: {why}"),
                &[
                    ("block", json!(refused.block)),
                    ("caveat", json!(refused.caveat)),
                ],
            ),
            Self::Invalid(reason) => object(format!("invalid: {reason}"), &[]),
        }
    }
}
