//! The claims of every measured suite, and the work that each peer supports in it.

use std::collections::{BTreeMap, BTreeSet};

use klero::Suite;
use klero_measure::Row;
use klero_measure::ours::{Claims, KEYS, SUMMED, TOGETHER};
use klero_peer::Peer;

use crate::contender::{Work, able, run};

/// The number of claims that peers are tried on.
const TRIED: usize = 8;

/// Every measured suite, and the number of its claims.
const SUITES: [(&str, usize); 11] = [
    ("praos", TOGETHER),
    ("praos-128", TOGETHER),
    ("praos-blake2b", 64),
    ("praos-tai", 64),
    ("draft10-tai", 64),
    ("draft10-tai-bc", TOGETHER),
    ("draft13", 856),
    ("draft13-bc", 856),
    ("rfc9381-tai", TOGETHER),
    ("rfc9381-ell2", TOGETHER),
    ("rfc9381-ell2-bc", TOGETHER),
];

/// Claims by suite, praos claims of few keys, and as many claims as one sum takes.
pub struct Suites {
    claims: BTreeMap<&'static str, Claims>,
    few_keys: Claims,
    summed: Claims,
}

impl Suites {
    /// Makes the claims of all suites.
    pub fn new() -> Self {
        let claims = |(name, n): (&'static str, usize)| {
            let suite: Suite = name.parse().expect("a suite of klero");
            (name, Claims::new(suite, n))
        };
        Self {
            claims: SUITES.into_iter().map(claims).collect(),
            few_keys: Claims::of_keys(Suite::PRAOS, TOGETHER, KEYS),
            summed: Claims::new(Suite::RFC9381_ELL2_BC, SUMMED),
        }
    }

    /// The claims of one of the suites above.
    pub fn of(&self, suite: &str) -> &Claims {
        &self.claims[suite]
    }

    /// Praos claims whose keys come back.
    pub fn few_keys(&self) -> &Claims {
        &self.few_keys
    }

    /// As many claims as one sum takes.
    pub fn summed(&self) -> &Claims {
        &self.summed
    }
}

/// Peers, and the work that they support. By default there are none.
#[derive(Default)]
pub struct Peers {
    peers: Vec<Box<dyn Peer>>,
    /// Peer, suite and kind of work.
    able: BTreeSet<(String, &'static str, &'static str)>,
    /// The peers that did not build or returned wrong results, each with the reason.
    pub left_out: Vec<String>,
}

fn kind(work: Work) -> &'static str {
    match work {
        Work::Verify(_) => "verify",
        Work::Batch(..) => "batch",
        Work::Prove(_) => "prove",
    }
}

impl Peers {
    /// Tries every peer at every suite and kind of work. A peer is left out of work in which it
    /// returns wrong results, and the reason is added to `left_out`.
    pub fn try_all(peers: Vec<Box<dyn Peer>>, mut left_out: Vec<String>) -> Self {
        let mut all = BTreeSet::new();
        for (suite, _) in SUITES {
            let known: Suite = suite.parse().expect("a suite of klero");
            let mut claims = Claims::new(known, TRIED);
            for peer in &peers {
                for work in [
                    Work::Verify(TRIED),
                    Work::Batch(TRIED, TRIED),
                    Work::Prove(TRIED),
                ] {
                    match able(peer.as_ref(), &mut claims, work) {
                        Ok(true) => drop(all.insert((name(peer.as_ref()), suite, kind(work)))),
                        Ok(false) => {}
                        Err(error) => left_out.push(error.to_string()),
                    }
                }
            }
        }
        Self {
            peers,
            able: all,
            left_out,
        }
    }

    fn all(&self) -> impl Iterator<Item = &dyn Peer> {
        self.peers.iter().map(Box::as_ref)
    }

    /// The names of all peers.
    pub fn names(&self) -> Vec<String> {
        self.all().map(name).collect()
    }

    /// The first peer whose name has this beginning.
    pub fn named(&self, beginning: &str) -> Option<&dyn Peer> {
        self.all().find(|peer| name(*peer).starts_with(beginning))
    }

    /// The peers that verify proofs of a suite.
    pub fn verifying(&self, suite: &'static str) -> impl Iterator<Item = &dyn Peer> {
        let able = move |peer: &&dyn Peer| self.able.contains(&(name(*peer), suite, "verify"));
        self.all().filter(able)
    }

    /// Adds all peers that support the work to a row.
    pub fn join<'p>(&'p self, row: &mut Row<'p>, claims: &'p Claims, work: Work) {
        for peer in self.all() {
            self.join_as(row, name(peer), peer, claims, work);
        }
    }

    /// Adds a peer to a row under another name, if it supports the work.
    pub fn join_as<'p>(
        &self,
        row: &mut Row<'p>,
        as_name: String,
        peer: &'p dyn Peer,
        claims: &'p Claims,
        work: Work,
    ) {
        let (Work::Verify(items) | Work::Batch(items, _) | Work::Prove(items)) = work;
        let what = (name(peer), claims.suite.name(), kind(work));
        if self.able.contains(&what) {
            row.add_of(as_name, items, move || {
                run(peer, claims, work) == Some(true)
            });
        }
    }
}

/// The name of a peer.
pub fn name(peer: &dyn Peer) -> String {
    peer.name().to_string_lossy().into_owned()
}
