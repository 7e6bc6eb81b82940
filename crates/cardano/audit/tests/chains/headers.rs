//! Checks of headers without a database: of real headers, changed headers, and headers of forged chains.

use std::collections::BTreeMap;
use std::fs;

use klero_audit::{HeaderCheck, HeaderVerdict, RawHeader};
use klero_cardano::{
    Block, Bounds, Counters, Era, Event, Fault, Header, Immutable, Network, Nonce, Start, Vrf, Walk,
};
use klero_forge::{DijkstraHeaders, Forged, Mutant, Recipe};
use klero_leader::LeaderValue;
use serde_json::{Value, json};

use crate::db::{Chain, Made};

/// A header with its tag.
type Stored = (u8, Vec<u8>);

fn raw(headers: &[Stored]) -> Vec<RawHeader<'_>> {
    headers
        .iter()
        .map(|(tag, bytes)| RawHeader { tag: *tag, bytes })
        .collect()
}

/// The headers of a forged chain, and the nonces of its epochs.
fn forged(recipe: &Recipe) -> (Forged, Vec<Stored>, BTreeMap<u64, Nonce>) {
    let Made { dir, forged, .. } = Made::of(recipe);
    let db = Immutable::open(dir.path()).unwrap();
    let walk = Walk::new(&db, forged.network.clone(), Start::Genesis).unwrap();
    let blocks = walk.filter_map(|event| match event {
        Event::Block(block) => Some(*block),
        Event::Finding(_) => None,
    });
    let (headers, nonces) = headers_of(blocks);
    (forged, headers, nonces)
}

/// The headers of a chain and the nonces of its epochs.
fn headers_of(blocks: impl IntoIterator<Item = Block>) -> (Vec<Stored>, BTreeMap<u64, Nonce>) {
    let (mut headers, mut nonces) = (Vec::new(), BTreeMap::new());
    for block in blocks {
        if let (Some(signed), Some(state)) = (block.signed, block.nonces) {
            let is_of_era = |tag: &u8| Era::from_tag(*tag) == Some(block.place.era);
            let tag = (0..=8).find(is_of_era).unwrap();
            headers.push((tag, signed.header.into_vec()));
            nonces.insert(block.epoch, state.eta0);
        }
    }
    (headers, nonces)
}

/// Checks headers in batches of one size. Returns the verdicts, and the counters after all headers.
fn in_batches(
    network: &Network,
    headers: &[RawHeader<'_>],
    nonces: &BTreeMap<u64, Nonce>,
    mut counters: Counters,
    size: usize,
) -> (Vec<HeaderVerdict>, Counters) {
    let check = HeaderCheck::new(network.clone()).unwrap();
    let batches = headers.chunks(size);
    let verdicts = batches.flat_map(|batch| check.verify(batch, nonces, &mut counters));
    (verdicts.collect(), counters)
}

/// Cuts a header off at each byte, and alters each byte. Each result must have a fault and cause no panic.
fn every_byte_counts(header: &[u8], faults: impl Fn(&[u8]) -> Vec<Fault>) {
    for cut in 0..header.len() {
        let faults = faults(&header[..cut]);
        assert!(
            matches!(faults[..], [Fault::BadHeader { .. }]),
            "{faults:?}"
        );
    }
    for place in 0..header.len() {
        let mut altered = header.to_vec();
        altered[place] ^= 1 << (place % 8);
        assert!(!faults(&altered).is_empty(), "byte {place}");
    }
}

#[test]
fn a_forged_chain_is_valid_in_batches_of_every_size() {
    let (forged, headers, nonces) = forged(&Recipe::of_renewals());
    assert!(headers.len() > 1_000);
    let headers = raw(&headers);
    let verify =
        |headers, counters, size| in_batches(&forged.network, headers, &nonces, counters, size);
    let (all, counters) = verify(&headers, Counters::since_first_block(), headers.len());
    for verdict in &all {
        assert!(verdict.is_valid(), "{verdict:?}");
        assert_eq!(verdict.bounds, Bounds::All);
    }
    // Certificates were renewed. Some numbers were skipped, which is allowed before Babbage.
    let numbers: Vec<u64> = counters.iter().map(|(_, number)| number).collect();
    assert!(numbers.iter().any(|number| *number >= 10), "{numbers:?}");
    for size in [1, 7, 100] {
        let some = &headers[..headers.len().min(300 * size)];
        let (verdicts, _) = verify(some, Counters::since_first_block(), size);
        assert_eq!(verdicts, all[..some.len()]);
    }
    // If the headers begin later, the first number of each issuer is only recorded.
    let (late, counters) = verify(&headers[900..], Counters::since_any_block(), headers.len());
    assert!(late.iter().all(HeaderVerdict::is_valid));
    let recorded = late.iter().filter(|verdict| verdict.bounds == Bounds::None);
    assert_eq!(recorded.count(), counters.iter().count());
}

#[test]
fn mutants_are_found_by_name_at_their_slots_and_nowhere_else() {
    // There are mutants in TPraos and in Praos, in both cases after certificates were renewed.
    let tpraos = Mutant::ALL
        .into_iter()
        .filter(|mutant| *mutant != Mutant::NumberTooLarge);
    let mutants = (250..).step_by(11).zip(tpraos);
    let mutants: BTreeMap<u64, Mutant> = mutants
        .chain((800..).step_by(11).zip(Mutant::ALL))
        .collect();
    let (forged, headers, nonces) = forged(&Recipe {
        mutants,
        ..Recipe::of_renewals()
    });
    assert_eq!(forged.mutants.len(), 2 * Mutant::ALL.len() - 1);
    let headers = raw(&headers);
    let verify = |size| {
        let counters = Counters::since_first_block();
        in_batches(&forged.network, &headers, &nonces, counters, size)
    };
    let (verdicts, counters) = verify(headers.len());
    for verdict in &verdicts {
        let slot = verdict.header.as_ref().unwrap().place.slot;
        let mutant = forged.mutants.get(&slot);
        // The header does not show a wrong body.
        let shown = mutant.filter(|of| **of != Mutant::AlteredBody);
        let expected: Vec<&str> = shown.map(|of| of.finding()).into_iter().collect();
        let found: Vec<&str> = verdict.faults.iter().map(Fault::name).collect();
        assert_eq!(found, expected, "slot {slot}, {mutant:?}");
        let side = match &verdict.faults[..] {
            [Fault::KesPeriod { period, first, .. }] if period < first => {
                Some(&Mutant::BeforeStart)
            }
            [Fault::KesPeriod { .. }] => Some(&Mutant::Expired),
            [Fault::CertificateNumber { last_number, found }] if found < last_number => {
                Some(&Mutant::NumberTooSmall)
            }
            [Fault::CertificateNumber { .. }] => Some(&Mutant::NumberTooLarge),
            _ => mutant,
        };
        assert_eq!(side, mutant, "slot {slot}: {:?}", verdict.faults);
    }
    // After a mutant, each maker's next certificate number in Praos is checked against the lower bound only.
    let doubtful = verdicts
        .iter()
        .filter(|verdict| verdict.bounds == Bounds::Lower);
    assert!((9..60).contains(&doubtful.count()));

    // The verdicts do not depend on the size of the batches, on where a batch begins, or on whether an
    // earlier batch had the same certificates.
    for size in [1, 7, 100] {
        assert_eq!(verify(size), (verdicts.clone(), counters.clone()));
    }
}

/// Each header gets the same verdict in batches of any size, even if other headers are damaged.
#[test]
fn hostile_batches_have_the_verdicts_of_each_header_alone() {
    let (forged, honest, nonces) = forged(&Recipe::of_renewals());
    let mut headers = Vec::new();
    for (i, stored) in honest.iter().enumerate().take(900).skip(300) {
        let (tag, bytes) = stored;
        let mut altered = bytes.clone();
        let place = (i * 7919) % bytes.len();
        match i % 5 {
            0 => altered[place] ^= 1 << (i % 8),
            1 => altered.truncate(place),
            // The end of the header is replaced by the end of another header.
            2 => {
                let other = &honest[i - 1].1;
                let end = other.len().min(bytes.len());
                let tail = end.saturating_sub(place);
                let (to, from) = (bytes.len() - tail, other.len() - tail);
                altered[to..].copy_from_slice(&other[from..]);
            }
            _ => {}
        }
        let tag = if i % 50 == 49 { (i % 256) as u8 } else { *tag };
        headers.push((tag, altered));
        if i % 3 == 0 {
            // The new header is repeated, and followed by the undamaged original.
            headers.extend([headers[headers.len() - 1].clone(), stored.clone()]);
        }
    }
    let headers = raw(&headers);
    let verify = |size| {
        let counters = Counters::since_any_block();
        in_batches(&forged.network, &headers, &nonces, counters, size)
    };
    let (together, counters) = verify(headers.len());
    let valid = together.iter().filter(|verdict| verdict.is_valid()).count();
    assert!((500..700).contains(&valid), "{valid}");
    for size in [1, 5, 64] {
        assert_eq!(verify(size), (together.clone(), counters.clone()));
    }
}

#[test]
fn other_faults() {
    let (forged, headers, nonces) = forged(&Recipe::of_renewals());
    let check = HeaderCheck::new(forged.network.clone()).unwrap();
    let (tag, last) = headers.last().unwrap();
    let faults = |tag: u8, bytes: &[u8], nonces: &BTreeMap<u64, Nonce>| {
        let mut counters = Counters::since_any_block();
        let verdicts = check.verify(&[RawHeader { tag, bytes }], nonces, &mut counters);
        let verdict = &verdicts[0];
        // An invalid header changes no counter.
        assert_eq!(counters.iter().count(), usize::from(verdict.is_valid()));
        verdict.faults.clone()
    };
    assert_eq!(faults(*tag, last, &nonces), []);
    let unknown = [Fault::NonceUnknown {}];
    assert_eq!(faults(*tag, last, &BTreeMap::new()), unknown);
    let wrong = faults(*tag, last, &BTreeMap::from([(5, Nonce::Neutral)]));
    assert!(matches!(wrong[..], [Fault::InvalidProof { .. }]));
    // The tag of another era would bring other rules, so it is a fault.
    let era = Fault::Era {
        found: Era::Babbage,
        before: None,
    };
    assert_eq!(faults(6, last, &nonces), [era]);
    for tag in [0, 1, 2, 5, 9, 255] {
        let faults = faults(tag, last, &nonces);
        assert!(
            matches!(faults[..], [Fault::BadHeader { .. }]),
            "{faults:?}"
        );
    }
    every_byte_counts(last, |bytes| faults(*tag, bytes, &nonces));
}

/// Headers of Dijkstra have one of two forms, and are marked as experimental.
#[test]
fn dijkstra_is_experimental() {
    for dijkstra in [DijkstraHeaders::Praos, DijkstraHeaders::Leios] {
        let (forged, headers, nonces) = forged(&Recipe {
            dijkstra,
            ..Recipe::of_eras(&[(Era::Conway, 1), (Era::Dijkstra, 1)])
        });
        let check = HeaderCheck::new(forged.network.clone()).unwrap();
        let mut counters = Counters::since_first_block();
        let verdicts = check.verify(&raw(&headers), &nonces, &mut counters);
        for (verdict, (tag, _)) in verdicts.iter().zip(&headers) {
            assert!(verdict.is_valid(), "{verdict:?}");
            assert_eq!(verdict.is_experimental(), *tag == 8);
        }
        let (tag, last) = headers.last().unwrap();
        assert_eq!(*tag, 8);
        let one = |tag: u8, bytes: &[u8]| {
            let mut counters = Counters::since_any_block();
            let header = [RawHeader { tag, bytes }];
            check.verify(&header, &nonces, &mut counters).swap_remove(0)
        };
        every_byte_counts(last, |bytes| {
            let verdict = one(8, bytes);
            // A header that cannot be read is not marked as experimental.
            assert!(bytes.len() == last.len() || !verdict.is_experimental());
            verdict.faults
        });
        // With the tag of Conway, the Praos form has a wrong era, the Leios form has fields Conway lacks.
        let conway = one(7, last).faults;
        match dijkstra {
            DijkstraHeaders::Praos => assert!(matches!(conway[..], [Fault::Era { .. }])),
            DijkstraHeaders::Leios => assert!(matches!(conway[..], [Fault::BadHeader { .. }])),
        }
    }
}

/// Without stake, leader values are compared with f, except those of genesis delegates before Praos.
#[test]
fn leader_values_are_below_f() {
    let chain = Made::of(&Recipe::of_eras(&[(Era::Mary, 2), (Era::Conway, 2)]));
    let (headers, nonces) = headers_of(chain.honest().blocks);
    // The network has a smaller f, and one of the pools is a delegate in it.
    let text = fs::read_to_string(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let mut genesis: Value = serde_json::from_str(&text).unwrap();
    let forged = chain.forged;
    let pool = *forged.vrf_keys.keys().next().unwrap();
    let (key, vrf) = ("07".repeat(28), "07".repeat(32));
    genesis["activeSlotsCoeff"] = json!(0.05);
    genesis["genDelegs"] = json!({key: {"delegate": pool.to_hex(), "vrf": vrf}});
    let (genesis, starts) = (genesis.to_string(), forged.network.era_starts().clone());
    let network = Network::from_shelley_genesis("custom", genesis.as_bytes(), starts).unwrap();
    let check = HeaderCheck::new(network).unwrap();
    let mut counters = Counters::since_first_block();
    let mut seen = BTreeMap::<_, u64>::new();
    for verdict in check.verify(&raw(&headers), &nonces, &mut counters) {
        let lottery = verdict.header.unwrap().lottery.unwrap();
        let (value, is_praos) = match &lottery.vrf {
            Vrf::TPraos { leader, .. } => (LeaderValue::TPraos(leader.output), false),
            Vrf::Praos(cert) => (LeaderValue::of_praos(&cert.output), true),
        };
        let is_delegate = lottery.pool() == pool;
        let is_above = value.fraction() >= 0.05;
        let expected: &[Fault] = match is_above && (is_praos || !is_delegate) {
            true => &[Fault::LeaderValue {}],
            false => &[],
        };
        assert_eq!(verdict.faults, expected);
        *seen.entry((is_praos, is_delegate, is_above)).or_default() += 1;
    }
    assert_eq!(seen.len(), 8, "{seen:?}");
}

/// The preview network from its first block on.
#[test]
fn a_real_chain() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    // The nonces are built in.
    let (headers, _) = headers_of(chain.blocks.clone());
    assert_eq!(headers.len(), 25_932);
    let check = HeaderCheck::new(Network::preview()).unwrap();
    let mut counters = Counters::since_first_block();
    for batch in raw(&headers).chunks(1000) {
        for verdict in check.verify(batch, &BTreeMap::new(), &mut counters) {
            assert_eq!(verdict.faults, []);
            assert_eq!(verdict.bounds, Bounds::All);
        }
    }
    // Besides the 7 genesis delegates, the first pools have made blocks.
    assert!(counters.iter().count() > 7);
}

#[test]
fn real_headers_and_changed_ones() {
    let file = include_str!("../../../../../vectors/header/kes.json");
    let file: Value = serde_json::from_str(file).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let headers: Vec<Stored> = vectors
        .iter()
        .map(|vector| {
            let bytes = hex::decode(vector["header"].as_str().unwrap()).unwrap();
            (vector["tag"].as_u64().unwrap() as u8, bytes)
        })
        .collect();
    let check = HeaderCheck::new(Network::preview()).unwrap();
    let mut counters = Counters::since_any_block();
    let verdicts = check.verify(&raw(&headers), &BTreeMap::new(), &mut counters);
    let mut names = Vec::new();
    for (verdict, vector) in verdicts.iter().zip(vectors) {
        let header: &Header = verdict.header.as_ref().unwrap();
        assert_eq!(Some(header.place.slot), vector["slot"].as_u64());
        // The vectors have no verdicts on proofs, and no nonces either, because the nonces are built in. A
        // proof fails if the slot of its header was changed.
        let is_proof = |fault: &&Fault| matches!(fault, Fault::InvalidProof { .. });
        let is_moved = vector["note"].as_str().unwrap().contains("later slot");
        let faults = verdict.faults.iter();
        assert_eq!(faults.clone().any(|fault| is_proof(&fault)), is_moved);
        let others = faults.filter(|fault| !is_proof(fault));
        let found: Vec<&str> = others
            .map(|fault| match fault {
                Fault::KesPeriod { period, first, .. } if period < first => "kes-before-start",
                Fault::InvalidCertificate { .. } => "opcert-signature",
                Fault::InvalidKes { .. } => "kes-signature",
                other => panic!("{other}"),
            })
            .collect();
        assert_eq!(vector["all_failures"], json!(found), "{}", vector["note"]);
        names.push(found.first().copied().unwrap_or("valid"));
        assert_eq!(vector["verdict"], names[names.len() - 1]);
    }
    assert_eq!(names.iter().filter(|name| **name == "valid").count(), 8);
}
