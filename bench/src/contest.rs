//! What is measured: the rows of a run, and those who take part in them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use klero::Backend;
use klero_measure::{Row, only};
use klero_peer::Peer;
use klero_peer::plugin::Plugin;

use crate::compile::{self, SharedObject};
use crate::headers::{self, Headers};
use crate::studies::{self, Sides};
use crate::suites::{Peers, Suites};
use crate::{crates, others, rows, tokens};

/// What is measured, and by whom.
pub struct Contest {
    /// The backends of Klero, the fastest first.
    pub backends: Vec<Backend>,
    /// The claims of each suite.
    pub suites: Suites,
    /// The headers that are checked.
    pub headers: Headers,
    /// The peers, and why others were left out.
    pub peers: Peers,
}

impl Contest {
    /// A contest of one backend or all, in the rows that `only` names. `find` says where the shared
    /// object of a peer is; it is called only if peers can join one of the rows.
    pub fn new(
        backend: Option<&str>,
        only_rows: Option<&str>,
        plugins: &[String],
        find: impl Fn(&SharedObject) -> Result<PathBuf>,
    ) -> Result<Self> {
        let mut contest = Self {
            backends: match backend {
                Some(name) => vec![name.parse()?],
                None => Backend::all(),
            },
            suites: Suites::new(),
            headers: Headers::new()?,
            peers: Peers::default(),
        };
        let sides = contest.sides();
        let with_peers =
            only_rows.is_none_or(|text| only(contest.rows_of_peers(&sides), text).is_ok());
        if with_peers {
            contest.peers = load_peers(plugins, find)?;
        }
        Ok(contest)
    }

    /// The sides of the studies.
    pub fn sides(&self) -> Sides<'_> {
        Sides::of(&self.backends, &self.peers)
    }

    /// All rows, or those that contain a text.
    pub fn rows<'c>(&'c self, sides: &Sides<'c>, only_rows: Option<&str>) -> Result<Vec<Row<'c>>> {
        let mut rows = self.rows_of_peers(sides);
        let claims = self.suites.of("rfc9381-ell2-bc");
        rows.extend(others::rows(claims, &self.backends));
        rows.extend(tokens::rows());
        match only_rows {
            Some(text) => only(rows, text).context("--only"),
            None => Ok(rows),
        }
    }

    /// All rows that peers can join.
    fn rows_of_peers<'c>(&'c self, sides: &Sides<'c>) -> Vec<Row<'c>> {
        let mut rows = rows::rows(&self.backends, &self.peers, &self.suites);
        rows.extend(studies::rows(sides, &self.suites));
        rows.extend(headers::rows(&self.headers, &self.backends, &self.peers));
        rows
    }
}

/// Loads the peers of this workspace and tries all peers.
fn load_peers(
    plugins: &[String],
    find: impl Fn(&SharedObject) -> Result<PathBuf>,
) -> Result<Peers> {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    let mut left_out = Vec::new();
    for object in compile::shared_objects() {
        match find(&object).and_then(|path| Plugin::load(&path, None)) {
            Ok(peer) => peers.push(Box::new(peer)),
            Err(fault) => {
                left_out.push(format!("{} ({}): {fault:#}", object.package, object.place))
            }
        }
    }
    peers.extend(crates::peers());
    for plugin in plugins {
        let Some((name, path)) = plugin.split_once('=') else {
            bail!("--plugin {plugin}: expected NAME=FILE");
        };
        peers.push(Box::new(Plugin::load(Path::new(path), Some(name))?));
    }
    Ok(Peers::try_all(peers, left_out))
}
