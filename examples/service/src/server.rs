//! Listening: connections, and limits on what they may send before anything is parsed.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use klero_token::{PublicKey, ThirdParty};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::nonces::Nonces;
use crate::refusal::Refusal;
use crate::revocations::Revocations;
use crate::router::router;
use crate::signer::Signer;
use crate::verifier::Verifier;

/// The largest body in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;
/// The largest head of a request, with all headers, in bytes. Above it the answer is 431.
const HEAD_LIMIT: usize = 16 * 1024;
/// The largest number of headers.
const HEADERS_LIMIT: usize = 64;
/// How many clients are served at a time. Further ones wait.
const CONNECTIONS: usize = 1024;
/// How long a client may take to send a head, or a body.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What a service is started with.
#[derive(Clone)]
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The name by which clients know the service, such as `jobs.example`.
    pub authority: String,
    /// The program that has the root key.
    pub signer: PathBuf,
    /// The file of the root key, which the signer makes if there is none.
    pub key_file: PathBuf,
    /// The database of revocations, which is made if there is none.
    pub revocations: PathBuf,
    /// Who vouches for operators.
    pub second_factor: PublicKey<ThirdParty>,
    /// For how many nonces there is room.
    pub nonces: usize,
}

/// What all requests share.
pub struct Service {
    /// What it was started with.
    pub settings: Settings,
    /// Drawn at the start: see [`Sealed::epoch`](crate::seal::Sealed::epoch).
    pub epoch: [u8; 16],
    /// Who has the root key.
    pub signer: Signer,
    /// Who verifies tokens.
    pub verifier: Verifier,
    /// What is revoked.
    pub revocations: Revocations,
    nonces: Mutex<Nonces>,
    jobs: Mutex<Jobs>,
}

/// The jobs of each user, by their number.
type Jobs = HashMap<(&'static str, u32), String>;

impl Service {
    /// The nonces of the last minutes.
    pub fn nonces(&self) -> MutexGuard<'_, Nonces> {
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The jobs.
    pub fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the operator what failed, and the client only that something did.
    pub fn unavailable(&self, error: &dyn Display) -> Refusal {
        eprintln!("{error}");
        Refusal::Unavailable
    }
}

/// A service that listens.
pub struct Running {
    /// Where.
    pub address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Running {
    /// Starts a service.
    ///
    /// # Errors
    /// Those of the signer, the database and the network.
    pub async fn start(settings: Settings) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut epoch = [0; 16];
        getrandom::fill(&mut epoch)?;
        let listener = TcpListener::bind(settings.listen).await?;
        let address = listener.local_addr()?;
        let signer = Signer::start(&settings.signer, &settings.key_file).await?;
        let root = *signer.public_key();
        let service = Service {
            epoch,
            signer,
            verifier: Verifier::start(root, settings.authority.clone(), CONNECTIONS),
            revocations: Revocations::open(&settings.revocations)?,
            nonces: Mutex::new(Nonces::new(settings.nonces)),
            jobs: Mutex::default(),
            settings,
        };
        let (stop, stopped) = oneshot::channel();
        let router = router(Arc::new(service));
        let task = tokio::spawn(accept(listener, router, stopped));
        Ok(Self {
            address,
            stop,
            task,
        })
    }

    /// Closes all connections, and then the database.
    pub async fn stop(self) {
        // Its task waits for this, or has ended.
        self.stop.send(()).ok();
        self.task.await.ok();
    }
}

async fn accept(listener: TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // The semaphore is never closed.
            let place = places.clone().acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let router = router.clone();
                connections.spawn(async move {
                    serve(stream, router).await;
                    drop(place);
                });
            }
            // Too many open files, for example: some may be closed soon.
            Err(error) => {
                eprintln!("{error}");
                sleep(Duration::from_millis(100)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, router: Router) {
    // An answer is one small packet: it need not wait for more.
    stream.set_nodelay(true).ok();
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_headers(HEADERS_LIMIT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // What fails here is the client's network.
    connection.await.ok();
}
