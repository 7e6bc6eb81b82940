//! Forges the chain itself: epoch by epoch, slot by slot, block by block.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use klero_cardano::{Era, Hash, LastBlock, Network, Nonce, NonceState, Protocol};
use klero_leader::Distribution;
use rayon::prelude::*;

use crate::block::{self, Common, other_body};
use crate::error::ForgeError;
use crate::forged::{Forged, ForgedEpoch};
use crate::genesis;
use crate::hash::blake2b_224;
use crate::hot::HotKey;
use crate::ledger::{self, Snapshot};
use crate::lottery::{Makers, Win};
use crate::mutant::Mutant;
use crate::plan::{Epoch, plan};
use crate::recipe::{DijkstraHeaders, Recipe};
use crate::writer::ImmutableWriter;
use crate::wrong;

/// The number of slots in a batch. All cores play the lottery of a batch before its blocks are written.
const BATCH: u64 = 256;

/// Forges the chain of a recipe into `dir`, in the layout of a node's database. The chunk files are in
/// `immutable/`. Beside it are `protocolMagicId`, `shelley-genesis.json` and `klero-network.json`, from which
/// [`Network::detect`] recognizes the network. If the last block is of Babbage or a later era, `ledger/SLOT`
/// has the state of the ledger after that block. `progress` is called from time to time with the number of
/// slots that are done and the number of all slots.
///
/// The chain ends k slots before the end of its last epoch, so that the last chunk stays open (unfinished).
///
/// # Errors
/// [`ForgeError::Recipe`] or [`ForgeError::Network`] for a recipe that cannot be followed;
/// [`ForgeError::Io`] if `dir` already holds a database or a file cannot be written.
pub fn forge(
    recipe: &Recipe,
    dir: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Forged, ForgeError> {
    let makers = Makers::new(recipe)?;
    let file = genesis::file(recipe, &makers)?;
    let mut network = genesis::network(recipe, file.as_bytes())?;
    let plan = plan(recipe, &network)?;
    for epoch in plan
        .iter()
        .filter(|epoch| epoch.era.protocol() == Protocol::TPraos)
    {
        network.set_decentralization(epoch.number, epoch.decentralization());
    }
    let stake = makers.distribution();

    let immutable = dir.join("immutable");
    let writer = ImmutableWriter::create(&immutable, network.chunk_size())?;
    describe(recipe, &network, file, dir)?;

    let total = plan.last().map_or(0, |epoch| epoch.slots.end);
    let mut chain = Chain {
        nonces: NonceState::genesis(network.genesis_hash()),
        network,
        writer,
        recipe,
        makers: &makers,
        hot_keys: HashMap::new(),
        tip: None,
        counters: BTreeMap::new(),
        made: BTreeMap::new(),
        mutants: BTreeMap::new(),
    };
    let mut epochs = Vec::new();
    for epoch in plan {
        epochs.push(chain.forge_epoch(&epoch, |done| progress(done, total))?);
    }
    chain.finish(epochs, stake, dir)
}

/// Writes the files that describe the network.
fn describe(
    recipe: &Recipe,
    network: &Network,
    genesis: String,
    dir: &Path,
) -> Result<(), ForgeError> {
    for (name, text) in [
        ("shelley-genesis.json", genesis),
        ("protocolMagicId", recipe.magic.to_string()),
        network.describe(),
    ] {
        let path = dir.join(name);
        fs::write(&path, text).map_err(|error| ForgeError::io(&path, error))?;
    }
    Ok(())
}

/// A chain that is being forged.
struct Chain<'a> {
    network: Network,
    recipe: &'a Recipe,
    makers: &'a Makers,
    /// Maps the cold key of each maker who has made a block to the maker's hot key.
    hot_keys: HashMap<[u8; 32], HotKey>,
    writer: ImmutableWriter,
    nonces: NonceState,
    tip: Option<LastBlock>,
    /// The certificate number in each maker's last block.
    counters: BTreeMap<Hash<28>, u64>,
    /// The number of blocks that each pool has made in slots of the lottery, by epoch.
    made: BTreeMap<u64, BTreeMap<Hash<28>, u64>>,
    mutants: BTreeMap<u64, Mutant>,
}

impl<'a> Chain<'a> {
    fn forge_epoch(
        &mut self,
        epoch: &Epoch,
        mut progress: impl FnMut(u64),
    ) -> Result<ForgedEpoch, ForgeError> {
        let mut forged = ForgedEpoch {
            epoch: epoch.number,
            era: epoch.era,
            nonce: None,
            blocks: 0,
            boundary_blocks: 0,
            overlay_blocks: 0,
            proofs: 0,
        };
        if epoch.silent {
            // No block is made, so the nonce of the epoch is never used.
        } else if epoch.era == Era::Byron {
            self.byron_epoch(epoch, &mut forged)?;
        } else {
            // `self.nonces` moves to the new epoch at the first block of the epoch, but the lottery needs the
            // new nonce before that block.
            let mut ticked = self.nonces.clone();
            ticked.tick(epoch.number, epoch.extra_entropy);
            let eta0 = ticked.eta0;
            let mut slot = epoch.slots.start;
            while slot < epoch.slots.end {
                let next = epoch.slots.end.min(slot + BATCH);
                let makers = self.makers;
                let draws: Vec<Option<Win<'_>>> = (slot..next)
                    .into_par_iter()
                    .map(|s| makers.draw(epoch, eta0, s))
                    .collect();
                for win in draws.into_iter().flatten() {
                    self.nonces.tick(epoch.number, epoch.extra_entropy);
                    forged.nonce = Some(eta0);
                    // Mutants of `Mutant::OF_STAKE` may come before the block of `win`. A mutant in its slot
                    // replaces it.
                    loop {
                        let pretended = self.pretended(epoch, eta0, win.slot)?;
                        let made = pretended.as_ref().unwrap_or(&win);
                        self.append_win(epoch.era, made)?;
                        forged.count(made);
                        if made.slot == win.slot {
                            break;
                        }
                    }
                }
                slot = next;
                progress(slot);
            }
        }
        progress(epoch.slots.end);
        Ok(forged)
    }

    /// If the next block is to be one whose maker may not lead ([`Mutant::OF_STAKE`]), returns the win that
    /// this maker pretends to have. The slot of the win is at most `last`, the slot of the next honest block.
    fn pretended(
        &self,
        epoch: &Epoch,
        eta0: Nonce,
        last: u64,
    ) -> Result<Option<Win<'a>>, ForgeError> {
        let (number, first) = self
            .tip
            .as_ref()
            .map_or((0, 0), |tip| (tip.number + 1, tip.slot + 1));
        let mutant = self.recipe.mutants.get(&number);
        let Some(mutant) = mutant.filter(|mutant| Mutant::OF_STAKE.contains(mutant)) else {
            return Ok(None);
        };
        let slots = first.max(epoch.slots.start)..=last;
        let win = self.makers.pretend(*mutant, epoch, eta0, slots);
        win.map(Some)
            .ok_or_else(|| wrong::impossible(*mutant, last))
    }

    fn byron_epoch(&mut self, epoch: &Epoch, forged: &mut ForgedEpoch) -> Result<(), ForgeError> {
        let first = epoch.slots.start;
        // A boundary block repeats the number of the block before it.
        let number = self.tip.as_ref().map_or(0, |tip| tip.number);
        let block = block::boundary(
            &self.common(number, first),
            epoch.number,
            self.network.byron_epoch_length(),
        )?;
        let entry = self.writer.append_boundary(epoch.number, &block)?;
        self.tip = Some(LastBlock {
            era: Era::Byron,
            boundary: true,
            slot: first,
            number,
            hash: entry.hash,
        });
        forged.boundary_blocks = 1;
        forged.blocks = 1;
        for slot in epoch
            .slots
            .clone()
            .filter(|slot| self.makers.byron_is_there(*slot))
        {
            let common = self.common(self.next_number(), slot);
            let block = block::byron(&common, epoch.number, slot - first)?;
            self.append(Era::Byron, &common, &block)?;
            forged.blocks += 1;
        }
        Ok(())
    }

    /// Makes the block of a slot that was won, appends it, and updates the nonces with it.
    fn append_win(&mut self, era: Era, win: &Win<'_>) -> Result<(), ForgeError> {
        let kes = self.recipe.kes;
        let period = win.slot / kes.slots;
        let common = self.common(self.next_number(), win.slot);
        let mutant = self.recipe.mutants.get(&common.number).copied();
        let mutated;
        let hot = self.hot_keys.entry(win.maker.cold_key);
        let hot = hot.or_insert_with(|| HotKey::of(win.maker, 0, period, period));
        hot.go_to(win.maker, era, period, kes.evolutions);
        let mut hot = &*hot;
        if let Some(mutant) = mutant {
            mutated = wrong::hot_key(mutant, win.maker, hot, (era, win.slot), kes)?;
            hot = &mutated;
            self.mutants.insert(win.slot, mutant);
        }
        let is_leios = era == Era::Dijkstra && self.recipe.dijkstra == DijkstraHeaders::Leios;
        let header_body = |parts: &[&[u8]]| {
            let certificate = &hot.certificate;
            block::header_body(&common, win, certificate, parts, is_leios)
        };
        let body = block::body(&common, era, self.recipe.body_bytes)?;
        let body: Vec<&[u8]> = body.iter().map(Vec::as_slice).collect();
        let signed = header_body(&body)?;
        let mut signature = hot.key.sign(&signed);
        if let Some(mutant) = mutant {
            wrong::change(mutant, win.maker, hot, &signed, &mut signature);
        }
        let (header_body, parts) = match mutant {
            Some(Mutant::AlteredBody) => (signed, other_body(era)),
            Some(Mutant::AlteredBodyAndHash) => (header_body(&other_body(era))?, other_body(era)),
            _ => (signed, body),
        };
        let block = block::shelley(era, &header_body, &signature, &parts)?;
        let maker = blake2b_224(&win.maker.cold_key);
        self.counters.insert(maker, hot.certificate.number);
        if !win.overlay {
            let of_epoch = self.made.entry(self.nonces.epoch).or_default();
            *of_epoch.entry(maker).or_default() += 1;
        }
        let contribution = win.vrf.contribution();
        let in_window = self.network.feeds_candidate(era, win.slot);
        self.nonces.update(contribution, in_window, common.previous);
        self.append(era, &common, &block)
    }

    fn next_number(&self) -> u64 {
        self.tip.as_ref().map_or(0, |tip| tip.number + 1)
    }

    fn common(&self, number: u64, slot: u64) -> Common<'a> {
        Common {
            seed: &self.makers.seed,
            magic: self.network.magic().unwrap_or_default(),
            number,
            slot,
            previous: self.tip.as_ref().map(|tip| tip.hash),
        }
    }

    fn append(&mut self, era: Era, common: &Common<'_>, block: &[u8]) -> Result<(), ForgeError> {
        let entry = self.writer.append(common.slot, block)?;
        self.tip = Some(LastBlock {
            era,
            boundary: false,
            slot: common.slot,
            number: common.number,
            hash: entry.hash,
        });
        Ok(())
    }

    /// Closes the last chunk. If the last block is of Babbage or a later era, writes the state of the ledger.
    fn finish(
        self,
        epochs: Vec<ForgedEpoch>,
        stake: Distribution,
        dir: &Path,
    ) -> Result<Forged, ForgeError> {
        let Self {
            network,
            makers,
            writer,
            nonces,
            tip,
            counters,
            mut made,
            mutants,
            ..
        } = self;
        writer.finish()?;
        let last = tip.clone();
        let last = last.filter(|last| last.era.protocol() == Protocol::Praos);
        let ledger = last.map(|last| {
            let mut newest = epochs.iter().rev().filter_map(|epoch| epoch.nonce);
            let mut made_in = |epoch: u64| made.remove(&epoch).unwrap_or_default();
            // The stake is the same in all epochs.
            let snapshot = Snapshot::of_pools(&stake);
            ledger::State {
                eras: ledger::eras(&network, last.era),
                last,
                nonces: nonces.clone(),
                previous: newest.nth(1).unwrap_or(Nonce::Neutral),
                counters,
                blocks: made_in(nonces.epoch),
                blocks_before: nonces
                    .epoch
                    .checked_sub(1)
                    .map(&mut made_in)
                    .unwrap_or_default(),
                stake: snapshot.distribution(),
                snapshots: [snapshot.clone(), snapshot.clone(), snapshot],
            }
        });
        if let Some(state) = &ledger {
            let slot = state.last.slot.to_string();
            state.save(&dir.join("ledger").join(slot))?;
        }
        Ok(Forged {
            network,
            epochs,
            stake,
            vrf_keys: makers.vrf_keys(),
            nonces,
            tip,
            ledger,
            mutants,
        })
    }
}
