//! `klero leads`: compares one output of a VRF with the threshold of a stake.

use klero_cardano::Network;
use klero_leader::{ActiveSlots, LeaderValue, Stake, Threshold};

use crate::args::choice;
use crate::args::source::decode_hex;
use crate::ui::error::{Error, Status};
use crate::ui::terminal::print;

/// Say whether a pool leads with one output of its VRF
///
/// Prints the leader value, the largest leader value that leads with this stake, and the margin: the first
/// divided by the second. All digits are the node's: like the node, this command compares whole numbers.
/// Exit status: 0 if the pool leads, 1 if it does not, 2 if the command line is wrong.
#[derive(clap::Args)]
pub struct Args {
    /// Output of the VRF, 64 bytes in hex. A block before Babbage has two proofs: give the output of its
    /// leader proof
    #[arg(long, value_name = "HEX", value_parser = output)]
    output: [u8; 64],
    /// Stake of the pool, in lovelace, from the snapshot that decides who leads in the epoch
    #[arg(long, value_name = "LOVELACE")]
    stake: u64,
    /// Stake of all pools, in lovelace
    #[arg(long, value_name = "LOVELACE")]
    total: u64,
    /// The network, which determines f, the active slots coefficient
    #[arg(
        long, value_name = "NAME", value_parser = choice::network(),
        required_unless_present = "f", conflicts_with = "f"
    )]
    network: Option<Network>,
    /// f, for any other network: the value of activeSlotsCoeff in its genesis file, such as 0.05
    #[arg(long = "f", value_name = "F", value_parser = Network::read_active_slots)]
    f: Option<ActiveSlots>,
    /// The block is of an era from Shelley to Alonzo, in which the output itself is the leader value
    #[arg(long)]
    tpraos: bool,
}

fn output(text: &str) -> Result<[u8; 64], String> {
    let bytes = decode_hex(text)?;
    let found = bytes.len();
    bytes
        .try_into()
        .map_err(|_| format!("{found} bytes, expected 64"))
}

/// Runs `klero leads`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let stake = Stake::new(args.stake, args.total).map_err(|error| Error::at("--stake", error))?;
    let slots = args.f.as_ref();
    let slots = slots.or(args.network.as_ref().map(Network::active_slots));
    let Some(slots) = slots else {
        return Err(Error::new("expected --network or --f"));
    };
    let value = match args.tpraos {
        true => LeaderValue::TPraos(args.output),
        false => LeaderValue::of_praos(&args.output),
    };
    let threshold = Threshold::new(stake, slots);
    let (leads, last) = (threshold.leads(&value), threshold.last_like(&value));
    print(format_args!(
        "{}\nleader value   {value}\nlargest leads  {}\nmargin         {}\nstake          {stake}\nf              {slots}\n",
        if leads { "leads" } else { "does not lead" },
        last.map_or_else(|| "none".to_owned(), |last| last.to_string()),
        threshold.margin(&value),
    ))?;
    Ok(match leads {
        true => Status::AllValid,
        false => Status::SomeInvalid,
    })
}
