//! Checks of a forged chain: `pallas` checks blocks and nonces, and `klero` checks proofs.

use std::collections::BTreeMap;
use std::fs;

use klero::{Suite, Verifier};
use klero_cardano::{ClaimKind, Era, Hash, Nonce, Protocol};
use klero_damage::{Database, Stored};
use klero_forge::{Forged, Recipe, forge};
use pallas_crypto::hash::Hasher;
use pallas_crypto::nonce::{generate_epoch_nonce, generate_rolling_nonce};
use pallas_traverse::{MultiEraBlock, MultiEraHeader};
use tempfile::TempDir;

/// A forged chain with its blocks.
pub struct Chain {
    pub dir: TempDir,
    pub recipe: Recipe,
    pub forged: Forged,
    pub database: Database,
    pub blocks: Vec<Stored>,
}

pub fn make(recipe: Recipe) -> Chain {
    let dir = tempfile::tempdir().unwrap();
    let mut steps = Vec::new();
    let forged = forge(&recipe, dir.path(), |done, total| steps.push((done, total))).unwrap();
    assert!(steps.is_sorted() && steps.iter().all(|(done, total)| done <= total));
    let (done, total) = *steps.last().unwrap();
    assert_eq!(done, total);
    let database = Database::at(dir.path().join("immutable"));
    let chunks = fs::read_dir(database.dir()).unwrap().count() as u64 / 3;
    let blocks = (0..chunks).flat_map(|chunk| database.blocks(chunk).unwrap());
    Chain {
        blocks: blocks.collect(),
        dir,
        recipe,
        forged,
        database,
    }
}

/// A recipe small enough for a debug build.
pub fn small(eras: &[(Era, u64)]) -> Recipe {
    Recipe {
        seed: [7; 32],
        k: 4,
        eras: eras.to_vec(),
        overlay_percent: vec![],
        extra_entropy: BTreeMap::new(),
        ..Recipe::sample()
    }
}

/// Checks the links, numbers, slots, eras and body hashes of a chain.
pub fn check_links(chain: &Chain) {
    let network = &chain.forged.network;
    let mut previous: Option<(Hash<32>, u64, u64)> = None; // hash, number, slot
    for stored in &chain.blocks {
        let block = MultiEraBlock::decode(&stored.bytes).unwrap();
        let header = block.header();
        let (slot, boundary) = check_place(chain, stored, &block);
        match previous {
            None if stored.bytes[1] < 2 => assert!(header.previous_hash().is_some()),
            None => assert_eq!(header.previous_hash(), None),
            Some((hash, number, before)) => {
                assert_eq!(header.previous_hash(), Some(hash));
                assert_eq!(header.number(), number + u64::from(!boundary));
                assert!(slot > before || boundary || stored.bytes[1] == 1);
            }
        }
        if previous.is_none() {
            assert_eq!(header.number(), 0);
        }
        previous = Some((header.hash(), header.number(), slot));

        let era = Era::from_tag(stored.bytes[1]).unwrap();
        let epoch = network.epoch(slot);
        assert!(network.admits(era, epoch));
        assert_eq!(chain.forged.epochs[epoch as usize].era, era);
        if era.protocol() != Protocol::Byron {
            check_body(era, &stored.bytes, &header);
        }
    }
}

/// Compares a block with its index entry. Returns the block's slot, and true for a boundary block.
fn check_place(chain: &Chain, stored: &Stored, block: &MultiEraBlock<'_>) -> (u64, bool) {
    let epoch_length = chain.forged.network.byron_epoch_length();
    let header = block.header();
    let (slot, boundary) = match &header {
        MultiEraHeader::EpochBoundary(x) => {
            assert_eq!(x.consensus_data.epoch_id, stored.listed);
            assert_eq!(x.protocol_magic, chain.recipe.magic);
            assert_eq!(block_as_boundary(block), epoch_length);
            (stored.chunk * epoch_length, true)
        }
        MultiEraHeader::Byron(x) => {
            let id = &x.consensus_data.0;
            assert_eq!(x.protocol_magic, chain.recipe.magic);
            (id.epoch * epoch_length + id.slot, false)
        }
        _ => (header.slot(), false),
    };
    assert_eq!(*stored.entry.hash, *header.hash());
    if !boundary {
        assert_eq!(slot, stored.listed);
    }
    (slot, boundary)
}

fn block_as_boundary(block: &MultiEraBlock<'_>) -> u64 {
    match block {
        MultiEraBlock::EpochBoundary(x) => x.body.len() as u64,
        _ => 0,
    }
}

/// Compares a body's hash and size with the header. The header's length must be usual for real headers.
fn check_body(era: Era, block: &[u8], header: &MultiEraHeader<'_>) {
    let body = &block[3 + header.cbor().len()..];
    let hashes: Vec<u8> = body
        .iter()
        .flat_map(|part| *Hasher::<256>::hash(&[*part]))
        .collect();
    // The first header of a chain is shorter, because it has no hash of a previous header.
    let length = header.cbor().len()
        + if header.previous_hash().is_none() {
            33
        } else {
            0
        };
    let (size, hash, usual) = match header {
        MultiEraHeader::ShelleyCompatible(x) => (
            x.header_body.block_body_size,
            x.header_body.block_body_hash,
            985..=1_002,
        ),
        MultiEraHeader::BabbageCompatible(x) => (
            x.header_body.block_body_size,
            x.header_body.block_body_hash,
            845..=861,
        ),
        _ => unreachable!("no other header since Shelley"),
    };
    assert!(usual.contains(&length), "{era} header of {length} bytes");
    assert_eq!(size, body.len() as u64);
    assert_eq!(hash, Hasher::<256>::hash(&hashes));
    if era >= Era::Alonzo {
        // This is the body hash of every empty block on the public networks.
        assert_eq!(
            hash.to_string(),
            "29571d16f081709b3c48651860077bebf9340abb3fc7133443c54f1f5a5edcf1"
        );
    }
}

/// The nonces that functions of `pallas` compute, with stability windows that the caller chooses.
pub struct Replay {
    pub nonces: BTreeMap<u64, Hash<32>>,
    pub last: (Hash<32>, Hash<32>), // evolving, candidate
}

/// Computes the nonces. Calls `visit` with era, slot, epoch nonce and header of every block since Shelley.
pub fn replay(
    chain: &Chain,
    window: impl Fn(Era) -> u64,
    mut visit: impl FnMut(Era, u64, Hash<32>, &MultiEraHeader<'_>),
) -> Replay {
    let network = &chain.forged.network;
    let genesis = fs::read(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let mut evolving = Hasher::<256>::hash(&genesis);
    let (mut candidate, mut nonce) = (evolving, evolving);
    let (mut under_last, mut under_last_of_previous): (Option<Hash<32>>, Option<Hash<32>>) =
        (None, None);
    let mut nonces = BTreeMap::new();
    let mut current = 0;
    for stored in chain.blocks.iter().filter(|stored| stored.bytes[1] >= 2) {
        let block = MultiEraBlock::decode(&stored.bytes).unwrap();
        let header = block.header();
        let era = Era::from_tag(stored.bytes[1]).unwrap();
        let epoch = network.epoch(header.slot());
        if epoch > current {
            let extra = chain
                .recipe
                .extra_entropy
                .get(&epoch)
                .map(|extra| &extra[..]);
            nonce = match under_last_of_previous {
                Some(hash) => generate_epoch_nonce(candidate, hash, extra),
                None => match extra {
                    Some(extra) => generate_epoch_nonce(candidate, Hash::from(extra), None),
                    None => candidate,
                },
            };
            under_last_of_previous = under_last;
            current = epoch;
        }
        nonces.insert(epoch, nonce);
        visit(era, header.slot(), nonce, &header);
        evolving = generate_rolling_nonce(evolving, &header.nonce_vrf_output().unwrap());
        if header.slot() + window(era) < network.first_slot(epoch + 1) {
            candidate = evolving;
        }
        under_last = header.previous_hash();
    }
    Replay {
        nonces,
        last: (evolving, candidate),
    }
}

/// The stability windows for f = 1/2: 3k/f before Conway, 4k/f from Conway on.
pub fn right_window(k: u64) -> impl Fn(Era) -> u64 {
    move |era| if era < Era::Conway { 6 * k } else { 8 * k }
}

/// Checks nonces with pallas and proofs with klero. In blocks of pools, leader values must be below f.
pub fn check_proofs(chain: &Chain) {
    let network = &chain.forged.network;
    let delegates = network.delegates().unwrap();
    let (mut overlay, mut overlay_above_f) = (0, 0);
    let outcome = replay(
        chain,
        right_window(chain.recipe.k),
        |era, slot, nonce, header| {
            let key = header.vrf_vkey().unwrap();
            let certificates = match header {
                MultiEraHeader::ShelleyCompatible(x) => vec![
                    (ClaimKind::Eta, &x.header_body.nonce_vrf),
                    (ClaimKind::Leader, &x.header_body.leader_vrf),
                ],
                MultiEraHeader::BabbageCompatible(x) => {
                    vec![(ClaimKind::Praos, &x.header_body.vrf_result)]
                }
                _ => unreachable!("Byron has no proofs"),
            };
            for (kind, certificate) in certificates {
                let alpha = kind.alpha(slot, Nonce::Value(nonce));
                let (output, proof) = (&certificate.0, &certificate.1);
                let claim = klero::Claim {
                    key,
                    alpha: &alpha,
                    proof,
                    output: Some(output),
                };
                Verifier::new(Suite::PRAOS)
                    .verify(&claim)
                    .unwrap_or_else(|error| panic!("{era}, slot {slot}: {error}"));
            }
            let value = header.leader_vrf_output().unwrap();
            let issuer = Hasher::<224>::hash(header.issuer_vkey().unwrap());
            if delegates.contains(&issuer) {
                assert!(era < Era::Babbage);
                overlay += 1;
                overlay_above_f += u64::from(value[0] >= 0x80);
            } else {
                assert!(value[0] < 0x80, "slot {slot}: f is 1/2");
            }
        },
    );
    for epoch in &chain.forged.epochs {
        let nonce = outcome.nonces.get(&epoch.epoch).copied().map(Nonce::Value);
        assert_eq!(epoch.nonce, nonce, "epoch {}", epoch.epoch);
    }
    assert_eq!(Nonce::Value(outcome.last.0), chain.forged.nonces.eta_v);
    assert_eq!(Nonce::Value(outcome.last.1), chain.forged.nonces.eta_c);
    let made: u64 = chain
        .forged
        .epochs
        .iter()
        .map(|epoch| epoch.overlay_blocks)
        .sum();
    assert_eq!(overlay, made);
    if made > 50 {
        assert!(overlay_above_f > 10, "delegates need not win");
    }
}
