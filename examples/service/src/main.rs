//! The service of jobs as a command: `serve` and `load`.

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use klero_service::second_factor::SecondFactor;
use klero_service::server::{Running, Settings};
use klero_token::PublicKey;

/// A service whose requests carry attenuable tokens.
#[derive(Parser)]
enum Command {
    /// Listens until it is killed.
    Serve {
        /// The address and port.
        #[arg(long, default_value = "127.0.0.1:8080")]
        listen: SocketAddr,
        /// The name by which clients know the service.
        #[arg(long, default_value = "jobs.example")]
        authority: String,
        /// The directory of the root keys, and of the database of revocations.
        #[arg(long)]
        data: PathBuf,
        /// The public key of the third party that vouches for operators.
        #[arg(long, value_name = "ed25519:KEY")]
        second_factor: PublicKey,
        /// For how many nonces there is room.
        #[arg(long, default_value_t = 1_000_000)]
        nonces: usize,
    },
    /// Starts a service on the loopback address, and sends it requests as fast as it answers.
    Load {
        /// For how long.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// How many clients send at a time.
        #[arg(long, default_value_t = 32)]
        connections: usize,
    },
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    match Command::parse() {
        Command::Serve {
            listen,
            authority,
            data,
            second_factor,
            nonces,
        } => {
            if let Some(scheme) = second_factor.kind().scheme() {
                return Err(format!(
                    "--second-factor: an issuer's key ({scheme}), expected a third party's"
                )
                .into());
            }
            let running = Running::start(Settings {
                listen,
                authority,
                nonces,
                ..settings(&data, second_factor)?
            });
            let running = running.await?;
            println!("listening on {}", running.address);
            std::future::pending().await
        }
        Command::Load {
            seconds,
            connections,
        } => {
            let data = tempfile::tempdir()?;
            let second_factor = *SecondFactor::new("")?.public_key();
            let settings = settings(data.path(), second_factor)?;
            let authority = settings.authority.clone();
            let running = Running::start(settings).await?;
            let time = Duration::from_secs(seconds);
            let report = klero_service::load::run(running.address, &authority, connections, time);
            println!("{}", report.await?);
            running.stop().await;
            Ok(())
        }
    }
}

/// A service whose files are in this directory. The signer is installed beside this program.
fn settings(
    data: &Path,
    second_factor: PublicKey,
) -> Result<Settings, Box<dyn Error + Send + Sync>> {
    Ok(Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        authority: "jobs.example".into(),
        signer: env::current_exe()?.with_file_name("signer"),
        keys: data.to_owned(),
        store: data.join("service.redb"),
        second_factor,
        nonces: 1_000_000,
        connections_of_each: 128,
    })
}
