//! Prints or writes the slots as text, as JSON or as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use indicatif::HumanCount;
use klero_cardano::ClaimKind;
use klero_leader::TotalSource;
use serde_json::{Value, json};

use super::clock::time;
use super::draw::Lead;
use super::election::{Candidate, Election};
use crate::chain::json::total_source;
use crate::table::Writer;
use crate::ui::error::Error;
use crate::ui::layout::{Column, table, wrap};
use crate::ui::terminal::print;

/// The version of the JSON document's shape.
const FORMAT: u32 = 1;

/// The slots in which a pool leads.
pub struct Log<'a> {
    pub election: &'a Election,
    pub candidate: &'a Candidate,
    pub leads: &'a [Lead],
    /// The number of slots in the draw.
    pub drawn: u64,
}

impl Log<'_> {
    /// Prints a table for people, and the summary.
    pub fn text(&self) -> Result<(), Error> {
        if !self.leads.is_empty() {
            print(format_args!("{}\n\n", table([self.columns()])))?;
        }
        self.summary()
    }

    fn columns(&self) -> Vec<Column> {
        let numbers = |name, cell: &dyn Fn(&Lead) -> String| {
            Column::numbers(name, self.leads.iter().map(cell))
        };
        let mut columns = vec![numbers("slot", &|lead| lead.slot.to_string())];
        if self.election.start.is_ok() {
            let times = self.leads.iter().map(|lead| self.time(lead.slot));
            let times = times.map(Option::unwrap_or_default);
            columns.push(Column::words("time (UTC)", times));
        }
        columns.push(numbers("slot in epoch", &|lead| {
            self.in_epoch(lead).to_string()
        }));
        columns.push(numbers("margin", &|lead| format!("{:.6}", lead.margin)));
        columns
    }

    /// Prints sentences on the number of slots, the stake, the epoch and the sources.
    pub fn summary(&self) -> Result<(), Error> {
        let Self {
            election,
            candidate,
            ..
        } = self;
        let say = |line: String| print(format_args!("{}\n", wrap(&line, "  ")));
        say(format!(
            "{} leads in {} of {} slots of epoch {} of {}; about {:.1} are expected.",
            candidate.pool,
            HumanCount(self.leads.len() as u64),
            HumanCount(self.drawn),
            election.epoch,
            election.network.name(),
            self.expected(),
        ))?;
        say(format!(
            "Stake: {}{}.",
            candidate.stake,
            match candidate.total_source {
                TotalSource::Given => "",
                TotalSource::Sum => ", the sum over the pools",
            }
        ))?;
        let (first, last) = self.bounds();
        let times = match (self.time(first), self.time(last), election.start) {
            (Some(first), Some(last), _) => format!(", {first} to {last}"),
            (_, _, Err(why)) => format!("; times are not known: {why}"),
            _ => "; times are not known: they are beyond the year 9999".to_owned(),
        };
        say(format!("Epoch: slots {first} to {last}{times}."))?;
        let genesis = election.network.genesis_hash();
        say(format!("Genesis hash: {genesis}."))?;
        if let Some(checksum) = election.checksum {
            say(format!("Ledger state: checksum {checksum}."))?;
        }
        if let Some(slot) = election.last_slot {
            say(format!("Database: its last block is in slot {slot}."))?;
        }
        match candidate.is_registered {
            true => Ok(()),
            false => say(
                "The stake names no VRF key of this pool: that the key is the one that it \
                 registered was not checked."
                    .to_owned(),
            ),
        }
    }

    /// Prints one JSON document.
    pub fn json(&self) -> Result<(), Error> {
        let Self {
            election,
            candidate,
            ..
        } = self;
        let network = &election.network;
        let (first, last) = self.bounds();
        let slots = self.leads.iter().map(|lead| {
            json!({
                "slot": lead.slot,
                "time": self.time(lead.slot),
                "epoch_slot": self.in_epoch(lead),
                "margin": lead.margin,
            })
        });
        let document = json!({
            "format": FORMAT,
            "klero": env!("CARGO_PKG_VERSION"),
            "network": {
                "name": network.name(),
                "magic": network.magic(),
                "genesis_hash": network.genesis_hash().to_string(),
            },
            "epoch": {
                "number": election.epoch,
                "protocol": match election.kind {
                    ClaimKind::Praos => "praos",
                    ClaimKind::Leader | ClaimKind::Eta => "tpraos",
                },
                "nonce": election.nonce.to_string(),
                "first_slot": first,
                "last_slot": last,
                "first_time": self.time(first),
                "last_time": self.time(last),
            },
            "decentralization": election.d.to_string(),
            "pool": {
                "id": candidate.pool.to_string(),
                "hex": candidate.pool.to_hex(),
                "vrf": candidate.vrf.to_string(),
                "vrf_registered": candidate.is_registered,
            },
            "stake": {
                "pool": candidate.stake.pool(),
                "total": candidate.stake.total(),
                "source": total_source(candidate.total_source),
            },
            "checksum": election.checksum.map(|checksum| checksum.to_string()),
            "last_slot_read": election.last_slot,
            "drawn": self.drawn,
            "probability": candidate.probability,
            "expected": self.expected(),
            "no_times": election.start.err(),
            "slots": slots.collect::<Vec<Value>>(),
        });
        print(format_args!("{document:#}\n"))
    }

    /// Writes a row for each slot.
    pub fn write(&self, mut table: Box<dyn Writer>) -> Result<(), Error> {
        let numbers = |of: &dyn Fn(&Lead) -> u64| {
            Arc::new(UInt64Array::from_iter_values(self.leads.iter().map(of))) as ArrayRef
        };
        let times = self.leads.iter().map(|lead| self.time(lead.slot));
        let pool = self.candidate.pool.to_hex();
        let pools = self.leads.iter().map(|_| &pool);
        let margins = self.leads.iter().map(|lead| lead.margin);
        let stake = self.candidate.stake;
        let batch = RecordBatch::try_from_iter([
            ("epoch", numbers(&|_| self.election.epoch)),
            ("slot", numbers(&|lead| lead.slot)),
            ("time", Arc::new(times.collect::<StringArray>())),
            ("epoch_slot", numbers(&|lead| self.in_epoch(lead))),
            ("pool", Arc::new(StringArray::from_iter_values(pools))),
            ("stake", numbers(&|_| stake.pool())),
            ("total", numbers(&|_| stake.total())),
            ("margin", Arc::new(Float64Array::from_iter_values(margins))),
        ]);
        table.write(&batch.map_err(|error| Error::at("cannot write the slots", error))?)?;
        table.finish()
    }

    /// The first and the last slot of the epoch.
    fn bounds(&self) -> (u64, u64) {
        let slots = &self.election.slots;
        (slots.start, slots.end - 1)
    }

    fn in_epoch(&self, lead: &Lead) -> u64 {
        lead.slot - self.election.slots.start
    }

    fn time(&self, slot: u64) -> Option<String> {
        time(&self.election.network, self.election.start.ok()?, slot)
    }

    /// The number of slots in which the pool leads, on average.
    fn expected(&self) -> f64 {
        self.candidate.probability * self.drawn as f64
    }
}
