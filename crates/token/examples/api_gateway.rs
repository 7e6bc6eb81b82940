//! A token on its way through three programs: an issuer mints it, a client narrows it offline
//! before it passes it to a batch job, and a service verifies it.
//!
//! ```text
//! cargo run --release -p klero-token --example api_gateway
//! ```

use klero_token::{
    Aggregate, Challenge, Error, Limits, PublicKey, RootKeys, SecretKey, Unverified, Verified,
};

/// The issuer signs what the account may do.
fn issue(root: &SecretKey<Aggregate>) -> Result<String, Error> {
    let token = Verified::mint(root, 0, b"account 17: read, write")?;
    Ok(token.to_text()?.to_string())
}

/// The client narrows the token. It needs the root's public key, but not the issuer.
fn narrow(root: &PublicKey<Aggregate>, token: &str) -> Result<String, Error> {
    let token = Unverified::from_text(token, &Limits::default())?;
    let token = token.verify(&RootKeys::from(*root), None)?;
    Ok(token.append(b"read only")?.to_text()?.to_string())
}

/// The job seals the token to the challenge of the service, so that it is good for nothing else.
fn seal(root: &PublicKey<Aggregate>, token: &str, challenge: &Challenge) -> Result<String, Error> {
    let token = Unverified::from_text(token, &Limits::default())?;
    let token = token.verify(&RootKeys::from(*root), None)?;
    Ok(token.seal(challenge)?.to_text()?.to_string())
}

/// The service takes rights from the first block, and lets every other block take away.
fn may_write(
    root: &PublicKey<Aggregate>,
    token: &str,
    challenge: &Challenge,
) -> Result<bool, Error> {
    let limits = Limits {
        blocks: 8,
        bytes: 4096,
    };
    let token = Unverified::from_text(token, &limits)?;
    let token = token.verify(&RootKeys::from(*root), Some(challenge))?;
    let (first, others) = token.blocks().split_first().expect("a token has a block");
    let granted = first.payload() == b"account 17: read, write";
    // A block that the policy does not know refuses everything.
    let narrowed = others.iter().any(|block| !block.payload().is_empty());
    Ok(granted && !narrowed)
}

fn main() -> Result<(), Error> {
    let root = SecretKey::generate()?;
    let public = *root.public_key();
    let challenge = Challenge {
        // A real service makes 16 fresh random bytes.
        nonce: &[7; 16],
        audience: "api.example.org",
        time: 1_800_000_000,
    };

    let issued = issue(&root)?;
    let narrowed = narrow(&public, &issued)?;
    for (name, token) in [("issued", &issued), ("narrowed", &narrowed)] {
        let sealed = seal(&public, token, &challenge)?;
        let answer = may_write(&public, &sealed, &challenge)?;
        println!("{name}: {} characters, may write: {answer}", sealed.len());
        assert_eq!(answer, name == "issued");
    }

    // Without the seal, and for another challenge, the service refuses.
    let reason = may_write(&public, &narrowed, &challenge).unwrap_err();
    println!("not sealed: {reason}");
    Ok(())
}
