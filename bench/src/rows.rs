//! The rows in suites of Klero: at every size, alone, together, with kept keys, with wrong claims, and stage
//! by stage.

use klero::Backend;
use klero_measure::Row;
use klero_measure::ours::{self, ALONE, Claims, SIZES, TOGETHER};

use crate::contender::{self, Work};
use crate::suites::{Peers, Suites};

/// Rows in suites of Klero, for all peers that implement them.
pub fn rows<'p>(backends: &[Backend], peers: &'p Peers, suites: &'p Suites) -> Vec<Row<'p>> {
    let mut rows = Vec::new();
    for suite in ["rfc9381-ell2-bc", "draft10-tai-bc", "praos"] {
        let claims = suites.of(suite);
        for (mut row, size) in ours::size_rows(claims, backends).into_iter().zip(SIZES) {
            let total = row.items;
            let work = if claims.suite.proof_len() == 128 {
                Work::Batch(total, size)
            } else {
                // These proofs have no batches: the same work at every size, for the chart.
                Work::Verify(total.min(2 * ALONE))
            };
            peers.join(&mut row, claims, work);
            rows.push(row);
        }
    }
    for suite in ["praos", "rfc9381-ell2", "rfc9381-tai"] {
        let claims = suites.of(suite);
        let mut alone = ours::alone_rows(claims, backends);
        // No peer evaluates without proving.
        let works = [
            Work::Verify(ALONE),
            Work::Prove(ALONE),
            Work::Prove(TOGETHER),
        ];
        for (row, work) in alone.iter_mut().zip(works) {
            peers.join(row, claims, work);
        }
        rows.extend(alone);
        rows.push(together(claims, backends, peers));
    }
    let mut kept = ours::kept_keys_row(suites.few_keys(), backends);
    let verified = Work::Verify(suites.few_keys().len());
    peers.join(&mut kept, suites.few_keys(), verified);
    rows.push(kept);
    rows.extend([ours::ed25519_row(backends), ours::blake2b_row(backends)]);
    for suite in ["rfc9381-ell2-bc", "draft10-tai-bc"] {
        rows.push(together(suites.of(suite), backends, peers));
    }
    rows.extend(ours::wrong_rows(suites.summed(), backends));
    for &backend in backends {
        let (short, long) = (suites.of("praos"), suites.of("rfc9381-ell2-bc"));
        rows.extend(ours::stage_rows(short, long, backend));
    }
    rows.extend(hash_to_curve_rows(backends, peers, suites));
    rows
}

/// Hashing to the curve, for the peers that offer it alone.
fn hash_to_curve_rows<'p>(
    backends: &[Backend],
    peers: &'p Peers,
    suites: &'p Suites,
) -> Vec<Row<'p>> {
    let mut rows = ours::hash_to_curve_rows(suites.of("praos").len(), backends);
    let theirs = ["praos", "praos-blake2b", "rfc9381-ell2", "rfc9381-tai"];
    for (row, suite) in rows.iter_mut().zip(theirs) {
        let claims = suites.of(suite);
        for backend in ["dalek5-ifma", "dalek5-avx2", "dalek5-serial"] {
            let peer = peers.named(backend);
            let work = peer.and_then(|peer| {
                peer.experiment("hash_to_curve", suite, &contender::as_bytes(claims))
            });
            if let Some(work) = work {
                row.add_of(backend, claims.len(), work);
            }
        }
    }
    rows
}

/// A row of many claims verified together, in the way that is fastest for each contender.
fn together<'p>(claims: &'p Claims, backends: &[Backend], peers: &'p Peers) -> Row<'p> {
    let (n, suite, len) = (TOGETHER, claims.suite.name(), claims.suite.proof_len());
    let (what, work) = match len {
        80 => ("verify", Work::Verify(n)),
        _ => ("batch of", Work::Batch(n, n)),
    };
    let name = format!("{what} {n}, {len} bytes, {suite}");
    let mut row = Row::new("together", name, n).with_backends(backends, |backend| {
        ours::verify(claims, ours::verifier(claims, backend), n, n)
    });
    peers.join(&mut row, claims, work);
    row
}
