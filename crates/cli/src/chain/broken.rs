//! The faults that `klero chain demo --broken` plants, and their description.

use std::collections::BTreeMap;

use klero_forge::{Forged, Mutant};

use crate::ui::error::Error;
use crate::ui::layout::wrap;
use crate::ui::terminal::print;

/// Returns one fault of each kind, by the number of the block that gets it. All these blocks come after
/// certificates were renewed, and a fault that needs Praos is in an era of Praos. Faults that are reported as
/// the same finding are in different chunks, because equal findings in one chunk are merged.
pub fn mutants() -> BTreeMap<u64, Mutant> {
    let [no_leader, other_key, unknown, delegate, reserved] = Mutant::OF_STAKE;
    let of_stake = [
        (450, delegate),
        (560, reserved),
        (851, no_leader),
        (1000, other_key),
        (1150, unknown),
    ];
    let others = (1500..).step_by(120).zip(Mutant::ALL);
    of_stake.into_iter().chain(others).collect()
}

/// Prints the planted faults in the order of slots, each with the name of the finding that must report it.
pub fn tell(forged: &Forged) -> Result<(), Error> {
    let count = forged.mutants.len();
    say(
        &format!("{count} blocks were made wrong, each in one way:"),
        "",
    )?;
    for (slot, mutant) in &forged.mutants {
        let line = format!("  slot {slot}: {} ({})", words(*mutant), mutant.finding());
        say(&line, "    ")?;
    }
    let rest =
        "Nothing else is wrong. The check that follows must find each of them, and no other:";
    say(&format!("{rest}\n"), "")
}

fn say(text: &str, indent: &str) -> Result<(), Error> {
    print(format_args!("{}\n", wrap(text, indent)))
}

/// Describes the fault of a mutant's block.
fn words(mutant: Mutant) -> &'static str {
    match mutant {
        Mutant::WrongPeriod => "signed with the key of a later time",
        Mutant::BeforeStart => "made before its key's certificate begins",
        Mutant::Expired => "made after its key's certificate ended",
        Mutant::NumberTooLarge => "its key's certificate skips a number",
        Mutant::NumberTooSmall => "its key's certificate is older than the last one",
        Mutant::WrongColdKey => "another pool's key signed the certificate",
        Mutant::WrongLeaf => "another key signed the header",
        Mutant::AlteredSibling => "a bit of the signature is changed",
        Mutant::AlteredBody => "the body is not the one that was signed",
        Mutant::AlteredBodyAndHash => "the body was exchanged, and the header made to fit",
        Mutant::NoLeader => "by a pool that did not win the slot",
        Mutant::OtherVrfKey => "by a pool that drew with a key it never registered",
        Mutant::UnknownPool => "by a pool without stake",
        Mutant::WrongDelegate => "by a genesis delegate out of turn",
        Mutant::ReservedSlot => "in a slot in which nobody may make a block",
    }
}
