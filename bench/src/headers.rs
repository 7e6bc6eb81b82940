//! Headers of Cardano: together by Klero, and one at a time by published crates.
//!
//! All check the same headers from their bytes: VRF proof and output, leader value, KES signature,
//! operational certificate with its periods and its number. A peer verifies the proof, ed25519-dalek
//! and the crate blake2 what is signed; they keep nothing between headers. Decoding and counters
//! are those of klero-cardano for everyone.

use std::collections::BTreeMap;

use anyhow::Result;
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use ed25519_dalek::{Signature, VerifyingKey};
use klero::Backend;
use klero_audit::{HeaderCheck, RawHeader};
use klero_cardano::{
    Counters, Era, Event, Header, Immutable, KesClaim, KesPeriods, Leadership, Network, Nonce,
    Start, Walk,
};
use klero_forge::{Recipe, forge};
use klero_measure::ours::{self, ALONE};
use klero_measure::{Row, Run, Section};
use klero_peer::Peer;

use crate::suites::{Peers, name};

const EXPERIMENT: &str = "headers";

/// The number of headers that are checked together.
const TOGETHER: usize = 1000;

/// The tag of the blocks of Conway.
const CONWAY: u8 = 7;

/// The first headers of a forged chain, and what is known about it.
pub struct Headers {
    network: Network,
    periods: KesPeriods,
    nonces: BTreeMap<u64, Nonce>,
    /// Each with its tag.
    stored: Vec<(u8, Box<[u8]>)>,
}

impl Headers {
    /// Forges the chain.
    pub fn new() -> Result<Self> {
        let recipe = Recipe {
            eras: vec![(Era::Conway, 6)],
            stakes: vec![1; 10],
            overlay_percent: Vec::new(),
            extra_entropy: BTreeMap::new(),
            // About half of the headers have a certificate of their own, as in a chunk of mainnet.
            kes: KesPeriods {
                slots: 7,
                evolutions: 5,
            },
            ..Recipe::sample()
        };
        let directory = tempfile::tempdir()?;
        let forged = forge(&recipe, directory.path(), |_, _| {})?;
        let db = Immutable::open(directory.path())?;
        let walk = Walk::new(&db, forged.network.clone(), Start::Genesis)?;
        let headers = walk.filter_map(|event| match event {
            Event::Block(block) => Some((CONWAY, block.signed?.header)),
            _ => None,
        });
        let nonces = forged.epochs.iter();
        let nonces = nonces.filter_map(|epoch| Some((epoch.epoch, epoch.nonce?)));
        Ok(Self {
            periods: recipe.kes,
            nonces: nonces.collect(),
            stored: headers.take(TOGETHER).collect(),
            network: forged.network,
        })
    }

    fn raw(&self) -> Vec<RawHeader<'_>> {
        let stored = self.stored.iter();
        stored
            .map(|(tag, bytes)| RawHeader { tag: *tag, bytes })
            .collect()
    }

    fn checker(&self) -> HeaderCheck {
        HeaderCheck::new(self.network.clone()).expect("the network has KES periods")
    }

    /// Whether Klero finds all headers valid, in batches of this size.
    fn klero(&self, check: &HeaderCheck, headers: &[RawHeader<'_>], size: usize) -> bool {
        let mut counters = Counters::since_first_block();
        headers.chunks(size).all(|batch| {
            let verdicts = check.verify(batch, &self.nonces, &mut counters);
            verdicts.iter().all(|verdict| verdict.is_valid())
        })
    }

    /// The same by a peer, ed25519-dalek and blake2, one at a time.
    fn one_by_one(&self, peer: &dyn Peer, n: usize) -> bool {
        let mut counters = Counters::since_first_block();
        let mut headers = self.stored.iter().take(n);
        headers.all(|(tag, bytes)| self.one(peer, &mut counters, *tag, bytes).is_some())
    }

    fn one(&self, peer: &dyn Peer, counters: &mut Counters, tag: u8, bytes: &[u8]) -> Option<()> {
        let header = Header::decode(tag, bytes, self.network.byron_epoch_length()).ok()?;
        let (place, lottery) = (&header.place, header.lottery.as_ref()?);
        let nonce = *self.nonces.get(&self.network.epoch(place.slot))?;
        for claim in lottery.claims(place.slot, nonce) {
            let proven = peer.verify("praos", &claim.key, &claim.alpha, &claim.proof)??;
            (proven == claim.output).then_some(())?;
        }
        let leadership = Leadership::of(&self.network, place, Some(lottery));
        (leadership == Leadership::Below).then_some(())?;

        let signing = header.signing.as_ref()?;
        let certificate = &signing.certificate;
        let (message, signature) = (certificate.message(), certificate.signature);
        ed25519(&lottery.issuer_key, &message, &signature)?;
        let evolution = self.periods.evolution(place.slot, certificate.start)?;
        kes(&signing.claim(bytes, evolution)?)?;
        let (issuer, number) = (lottery.issuer(), certificate.number);
        counters.check(place.era.protocol(), issuer, number).ok()?;
        counters.set(issuer, number);
        Some(())
    }
}

/// An Ed25519 signature, by the strict rules.
fn ed25519(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> Option<()> {
    let key = VerifyingKey::from_bytes(key).ok()?;
    let signature = Signature::from_bytes(signature);
    key.verify_strict(message, &signature).ok()
}

/// A signature of Sum6: from the root down, the hash of each pair is the key above it.
fn kes(claim: &KesClaim<'_>) -> Option<()> {
    let (leaf, pairs) = claim.signature.split_first_chunk::<64>()?;
    let (pairs, _) = pairs.as_chunks::<64>();
    let mut key = *claim.key;
    for (level, pair) in pairs.iter().enumerate().rev() {
        let hash: [u8; 32] = Blake2b::<U32>::digest(pair).into();
        (hash == key).then_some(())?;
        let (halves, _) = pair.as_chunks();
        key = halves[((claim.evolution >> level) & 1) as usize];
    }
    (claim.evolution >> pairs.len() == 0).then_some(())?;
    ed25519(&key, claim.message, leaf)
}

/// The rows: headers that come alone, and many that come together.
pub fn rows<'h>(headers: &'h Headers, backends: &[Backend], peers: &'h Peers) -> Vec<Row<'h>> {
    let sizes = [(ALONE, 1), (TOGETHER, TOGETHER)];
    let names = [
        "check one header alone".to_owned(),
        format!("check {TOGETHER} headers"),
    ];
    let rows = sizes.into_iter().zip(names).map(|((n, size), row)| {
        let mut row = Row::new(EXPERIMENT, row, n);
        let raw = headers.raw();
        // The check of headers runs on the default backend.
        if let Some(backend) = backends.iter().find(|known| **known == Backend::default()) {
            let ours = ours::name_of(*backend);
            let (first, kept) = (raw[..n].to_vec(), headers.checker());
            row.add(&ours, move || headers.klero(&kept, &first, size));
            let first = raw[..n].to_vec();
            row.add(format!("{ours}, nothing kept"), move || {
                headers.klero(&headers.checker(), &first, size)
            });
        }
        for peer in peers.verifying("praos") {
            let name = format!("{}, ed25519-dalek", name(peer));
            row.add(name, move || headers.one_by_one(peer, n));
        }
        row
    });
    rows.collect()
}

/// The bars and tables of these rows.
pub fn section(run: &Run) -> Section {
    let baselines = [
        "dalek5-avx2, ed25519-dalek",
        "vrf_dalek-random, ed25519-dalek",
    ];
    Section::of_rows(
        "Headers of Cardano",
        "From bytes to a verdict: VRF proof, leader value, KES signature, operational certificate, \
         period and number. The headers come from a forged chain of 10 pools, in which about half \
         of 1,000 headers have a certificate of their own, as in a chunk of mainnet. Klero keeps \
         keys and certificates that it has seen, or nothing from before the call. The peers check \
         one header at a time: each verifies the proof, ed25519-dalek (strict) and blake2 what is \
         signed.",
        run.of(EXPERIMENT),
        &baselines,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crates;

    #[test]
    fn all_accept_the_headers_and_reject_altered_ones() {
        let mut headers = Headers::new().unwrap();
        assert_eq!(headers.stored.len(), TOGETHER);
        let peer = crates::peers()
            .find(|peer| peer.name() == c"cardano-crypto")
            .unwrap();
        assert!(headers.klero(&headers.checker(), &headers.raw(), 100));
        assert!(headers.one_by_one(peer.as_ref(), 100));
        let length = headers.stored[20].1.len();
        for place in [50, 100, 200, 300, 400, length - 448, length - 1] {
            headers.stored[20].1[place] ^= 1;
            assert!(
                !headers.klero(&headers.checker(), &headers.raw(), 100),
                "{place}"
            );
            assert!(!headers.one_by_one(peer.as_ref(), 100), "{place}");
            headers.stored[20].1[place] ^= 1;
        }
        // As in a chunk of mainnet, in which 478 of 1,054 have one.
        let certificate = |(tag, bytes): &(u8, Box<[u8]>)| {
            let header = Header::decode(*tag, bytes, 1).unwrap();
            header.signing.unwrap().certificate.signature
        };
        let certificates = headers.stored.iter().map(certificate);
        let distinct: std::collections::BTreeSet<_> = certificates.collect();
        assert!((400..650).contains(&distinct.len()), "{}", distinct.len());
    }
}
