//! The signer: a process that has the root key, and does nothing but sign with it.
//!
//! It knows nothing of tokens but the first bytes of what it may sign, so any device that makes
//! Ed25519 signatures can stand in its place. Run it as another user than the service, or on another
//! machine: an attacker who takes over the service can then ask for signatures as long as that lasts, but
//! not carry the key away.
//!
//! ```text
//! signer FILE      the secret key, PKCS#8 as PEM; it is made if there is none
//!
//! stdout           32 bytes: the public key
//! stdin            4 bytes: the length n of a message, little-endian; then its n bytes
//! stdout           64 bytes: its signature
//! ```
//! It answers any number of messages, and exits at one that is not the first block of a token.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey, spki::der::pem::LineEnding};
use ed25519_dalek::{Signer, SigningKey};
use klero_service::files;
use klero_token::Minting;
use zeroize::Zeroizing;

/// The longest message. A first block has a few hundred bytes.
const LIMIT: u32 = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("expected: signer FILE")?;
    // Wiped when it is dropped.
    let key = read_or_make(Path::new(&file))?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    output.write_all(key.verifying_key().as_bytes())?;
    output.flush()?;
    while let Some(message) = next_message(&mut input)? {
        // The key signs nothing else, so nobody can have it sign what counts elsewhere.
        if !message.starts_with(Minting::FIRST_BLOCK) {
            return Err("the message is not the first block of a token".into());
        }
        output.write_all(&key.sign(&message).to_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// The next message, or `None` at the end of the input.
fn next_message(input: &mut impl Read) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(end) if end.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    if length > LIMIT {
        return Err(format!("a message of {length} bytes, the limit is {LIMIT}").into());
    }
    let mut message = vec![0; length as usize];
    input.read_exact(&mut message)?;
    Ok(Some(message))
}

fn read_or_make(file: &Path) -> Result<SigningKey, Box<dyn Error>> {
    let key = match fs::exists(file) {
        Ok(false) => make(file).and_then(|()| read(file)),
        _ => read(file),
    };
    key.map_err(|error| format!("{}: {error}", file.display()).into())
}

fn read(file: &Path) -> Result<SigningKey, Box<dyn Error>> {
    let pem = Zeroizing::new(fs::read_to_string(file)?);
    Ok(SigningKey::from_pkcs8_pem(&pem)?)
}

fn make(file: &Path) -> Result<(), Box<dyn Error>> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed)?;
    let key = SigningKey::from_bytes(&seed);
    let pem = key.to_pkcs8_pem(LineEnding::LF)?;
    files::make(file, |beside| Ok(beside.write_all(pem.as_bytes())?))
}
