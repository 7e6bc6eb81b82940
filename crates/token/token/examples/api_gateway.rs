//! The path of a token through four programs: an issuer mints it, a client narrows it offline and passes it
//! to a batch job, the job seals it to a challenge, and a service verifies it.
//!
//! ```text
//! cargo run --release -p klero-token --example api_gateway
//! ```

use klero_token::{
    Access, Caveat, Challenge, Error, Limits, Revoked, RootKeys, Scheme, SecretKey, Token,
};

/// Mints a token for one account, with an expiry time.
fn issue(root: &SecretKey) -> Result<String, Error> {
    let token = Token::mint(root, 0, b"account 17", &[Caveat::Before(1_800_003_600)])?;
    Ok(token.to_text()?.to_string())
}

/// Narrows the token. The client needs neither the issuer nor a key for this.
fn narrow(token: &str) -> Result<String, Error> {
    let token = Token::from_text(token, &Limits::default())?;
    let token = token.narrow(&["method GET HEAD".parse()?])?;
    Ok(token.to_text()?.to_string())
}

/// Seals the job's token to the service's challenge, so that the token cannot be used for anything else.
fn seal(token: &str, challenge: &Challenge) -> Result<String, Error> {
    let token = Token::from_text(token, &Limits::default())?;
    Ok(token.seal(challenge)?.to_text()?.to_string())
}

/// Verifies the token. Returns its rights, if every caveat of every block holds.
fn serve(
    roots: &RootKeys,
    token: &str,
    challenge: &Challenge,
    method: &str,
) -> Result<String, Box<dyn std::error::Error>> {
    let limits = Limits {
        signatures: 8,
        bytes: 4096,
        ..Limits::default()
    };
    let token = Token::from_text(token, &limits)?.verify(roots, Some(challenge))?;
    let access = Access {
        audience: Some(challenge.audience),
        method: Some(method),
        path: Some("/files/17"),
        // A real service reads the time from its clock, and the revoked blocks from its records.
        ..Access::at(challenge.time, Revoked::none())
    };
    let rights = token.check(&access)?;
    Ok(String::from_utf8_lossy(&rights).into_owned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = SecretKey::generate(Scheme::Aggregate)?;
    let roots = RootKeys::from(*root.public_key());
    let challenge = Challenge {
        // A real service makes 16 fresh random bytes.
        nonce: &[7; 16],
        audience: "api.example.org",
        time: 1_800_000_000,
    };

    let issued = issue(&root)?;
    let narrowed = narrow(&issued)?;
    for (name, token) in [("issued", &issued), ("narrowed", &narrowed)] {
        let sealed = seal(token, &challenge)?;
        println!("{name}: {} characters", sealed.len());
        for method in ["GET", "PUT"] {
            let answer = serve(&roots, &sealed, &challenge, method);
            assert_eq!(answer.is_ok(), name == "issued" || method == "GET");
            match answer {
                Ok(rights) => println!("  {method}: {rights}"),
                Err(refused) => println!("  {method} is refused: {refused}"),
            }
        }
    }

    // The service refuses a token that is not sealed. It also refuses a token sealed to another challenge.
    let reason = serve(&roots, &narrowed, &challenge, "GET").unwrap_err();
    println!("not sealed: {reason}");
    Ok(())
}
