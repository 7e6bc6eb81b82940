//! The service's side of the signer, which has the root key in another process.
//!
//! The library prepares a token and says what is to be signed; the signer signs; the library
//! makes the token and verifies the signature.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use klero_token::{Caveat, Error, Minting, PublicKey, Scheme, Token};
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::{error::Elapsed, timeout};

/// How long the signer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A signer.
pub struct Signer {
    program: PathBuf,
    key_file: PathBuf,
    public_key: PublicKey,
    /// `None` after a failure, when an answer may still be in the pipe. The next call starts
    /// the process again.
    process: Mutex<Option<Process>>,
}

struct Process {
    input: ChildStdin,
    output: ChildStdout,
    /// Killed when it is dropped.
    _child: Child,
}

/// Why there is no token.
#[derive(Debug, Error)]
pub enum SignerError {
    /// The process cannot be started, or has ended.
    #[error("signer: {0}")]
    Process(#[from] io::Error),
    /// The process does not answer.
    #[error("signer: no answer within {} seconds", PATIENCE.as_secs())]
    Timeout(#[from] Elapsed),
    /// Its key or its signature is not valid.
    #[error("signer: {0}")]
    Invalid(#[from] Error),
}

impl Signer {
    /// Starts the program with this file of the secret key.
    ///
    /// # Errors
    /// A [`SignerError`] if it does not start, or tells no public key.
    pub async fn start(program: &Path, key_file: &Path) -> Result<Self, SignerError> {
        let (process, key) = timeout(PATIENCE, spawn(program, key_file)).await??;
        Ok(Self {
            program: program.to_owned(),
            key_file: key_file.to_owned(),
            public_key: PublicKey::from_bytes(Scheme::Chain, &key)?,
            process: Mutex::new(Some(process)),
        })
    }

    /// The public half of the root key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public_key
    }

    /// A new token, whose root has this number.
    ///
    /// # Errors
    /// A [`SignerError`]. The next call starts the process again.
    pub async fn mint(
        &self,
        root_id: u32,
        rights: &[u8],
        caveats: &[Caveat],
    ) -> Result<Token, SignerError> {
        let minting = Minting::prepare(&self.public_key, root_id, rights, caveats)?;
        let signature = timeout(PATIENCE, self.sign(minting.to_sign())).await??;
        // Also verifies: a process with another key is an error.
        Ok(minting.assemble(&signature)?)
    }

    async fn sign(&self, message: &[u8]) -> io::Result<[u8; 64]> {
        let mut slot = self.process.lock().await;
        // Taken out, so that a call that fails or is given up leaves none behind.
        let mut process = match slot.take() {
            Some(process) => process,
            None => spawn(&self.program, &self.key_file).await?.0,
        };
        let length = u32::try_from(message.len()).map_err(io::Error::other)?;
        let mut request = length.to_le_bytes().to_vec();
        request.extend(message);
        process.input.write_all(&request).await?;
        let mut signature = [0; 64];
        process.output.read_exact(&mut signature).await?;
        *slot = Some(process);
        Ok(signature)
    }
}

/// The process, and its public key.
async fn spawn(program: &Path, key_file: &Path) -> io::Result<(Process, [u8; 32])> {
    let mut child = Command::new(program)
        .arg(key_file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let no_pipe = || io::Error::other("no pipe");
    let mut process = Process {
        input: child.stdin.take().ok_or_else(no_pipe)?,
        output: child.stdout.take().ok_or_else(no_pipe)?,
        _child: child,
    };
    let mut key = [0; 32];
    let told = process.output.read_exact(&mut key).await;
    told.map_err(|error| io::Error::other(format!("{}: {error}", key_file.display())))?;
    Ok((process, key))
}
