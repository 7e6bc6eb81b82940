//! Listening: connections, and limits on what they may send before anything is parsed.

use std::collections::HashMap;
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use klero_token::PublicKey;
use klero_token_http::Guard;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::places::Places;
use crate::roots::Keyring;
use crate::router::{fields, router};
use crate::store::Store;

/// The largest body in bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// The largest head of a request, with all headers, in bytes. Above it the answer is 431.
const HEAD_LIMIT: usize = 16 * 1024;
/// The largest number of headers.
const HEADERS_LIMIT: usize = 64;
/// How many clients are served at a time. Further ones wait.
const CONNECTIONS: usize = 1024;
/// How long a client may take to send a head, or a body.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a service is started with.
#[derive(Clone)]
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The name by which clients know the service, such as `jobs.example`.
    pub authority: String,
    /// The program that has the root key.
    pub signer: PathBuf,
    /// The directory of the root keys, which the signer makes: `root-0.pem` and so on.
    pub keys: PathBuf,
    /// The database, which is made if there is none.
    pub store: PathBuf,
    /// Who vouches for operators.
    pub second_factor: PublicKey,
    /// For how many nonces there is room.
    pub nonces: usize,
    /// How many connections a client may have open at a time. Behind a proxy all have its address,
    /// and the proxy must count them.
    pub connections_of_each: usize,
}

/// What all requests share.
pub struct Service {
    /// What it was started with.
    pub settings: Settings,
    /// What checks the token of each request.
    pub guard: Arc<Guard<Store>>,
    /// The layer asks it.
    pub store: Arc<Store>,
    /// The root keys.
    pub keyring: Keyring,
    jobs: Mutex<Jobs>,
}

/// The jobs of each user, by their number.
type Jobs = HashMap<(&'static str, u32), String>;

impl Service {
    /// The jobs.
    pub fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
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
        let listener = TcpListener::bind(settings.listen).await?;
        let address = listener.local_addr()?;
        let authority = settings.authority.as_str();
        let store = Store::open(&settings.store, settings.nonces, authority, CONNECTIONS)?;
        let store = Arc::new(store);
        let keyring = Keyring::open(&settings.signer, &settings.keys, store.clone()).await?;
        let guard = Guard::new(authority, store.clone())?
            .body_limit(BODY_LIMIT)
            .patience(|| sleep(PATIENCE))
            .fields(fields);
        let places = Places::new(settings.connections_of_each);
        let service = Service {
            settings,
            guard: Arc::new(guard),
            store,
            keyring,
            jobs: Mutex::default(),
        };
        let (stop, stopped) = oneshot::channel();
        let router = router(Arc::new(service));
        let task = tokio::spawn(accept(listener, router, places, stopped));
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

async fn accept(
    listener: TcpListener,
    router: Router,
    of_each: Arc<Places>,
    mut stopped: oneshot::Receiver<()>,
) {
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
            Ok((stream, client)) => {
                // Otherwise it is closed at once.
                if let Some(of_client) = of_each.take(client.ip()) {
                    let router = router.clone();
                    connections.spawn(async move {
                        serve(stream, router).await;
                        drop((place, of_client));
                    });
                }
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
