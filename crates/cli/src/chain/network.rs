//! The choice of the network by its name, by its genesis file, or by the files beside a database.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use klero_cardano::{Era, EraStarts, Network, NetworkError, Nonce, Protocol};

use crate::args::choice;
use crate::ui::error::Error;

/// The options for the network, and for facts that its genesis file does not state.
#[derive(clap::Args)]
pub struct NetworkArgs {
    /// The network. Without this option, the node's file protocolMagicId or a file shelley-genesis.json, in
    /// or beside DIR, identifies the network. For a network without a name here, give its genesis file
    #[arg(
        long, value_name = "NAME", value_parser = choice::network(),
        conflicts_with = "shelley_genesis"
    )]
    network: Option<Network>,
    /// Shelley genesis file of any other network: the exact file that the nodes use
    #[arg(long, value_name = "FILE")]
    shelley_genesis: Option<PathBuf>,
    /// First epochs of eras, for the network of --shelley-genesis, as in shelley=4,babbage=12. By default,
    /// Shelley begins in epoch 0. Any other era that is not listed begins with its first block
    #[arg(
        long, value_name = "ERA=EPOCH", value_delimiter = ',', value_parser = era_start,
        requires = "shelley_genesis"
    )]
    era_start: Vec<(Era, u64)>,
    /// k in the Byron genesis of the network of --shelley-genesis, if it differs from k in that file. The
    /// number of slots in a chunk file is ten times Byron's k
    #[arg(long, value_name = "K", requires = "shelley_genesis")]
    byron_k: Option<u64>,
}

/// Extra entropy that was added to nonces by votes on the chain.
#[derive(clap::Args)]
pub struct ExtraEntropyArgs {
    /// Extra entropy that votes on the chain added to an epoch's nonce (for mainnet it is known)
    #[arg(long, value_name = "EPOCH=HEX", value_delimiter = ',', value_parser = epoch_nonce)]
    extra_entropy: Vec<(u64, Nonce)>,
}

impl ExtraEntropyArgs {
    /// Adds the extra entropy to the network.
    pub fn tell(&self, network: &mut Network) -> Result<(), Error> {
        let given = &self.extra_entropy;
        once_each_before_babbage("--extra-entropy", "there was extra entropy", given, network)?;
        for &(epoch, extra) in given {
            network.set_extra_entropy(epoch, extra);
        }
        Ok(())
    }
}

impl NetworkArgs {
    /// Returns the network that the arguments name. If they name none, detects the network from the files
    /// of the database in `dir`.
    pub fn network(&self, dir: &Path) -> Result<Network, Error> {
        match self.named()? {
            Some(network) => Ok(network),
            None => Network::detect(dir).map_err(not_detected),
        }
    }

    /// Returns the network that the arguments name, if any.
    pub fn named(&self) -> Result<Option<Network>, Error> {
        match (&self.network, &self.shelley_genesis) {
            (Some(network), _) => Ok(Some(network.clone())),
            (None, Some(file)) => self.custom(file).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn custom(&self, file: &Path) -> Result<Network, Error> {
        let mut starts = EraStarts {
            byron_k: self.byron_k,
            ..EraStarts::default()
        };
        let mut named = BTreeSet::new();
        for &(era, epoch) in &self.era_start {
            if !named.insert(era) {
                return Err(Error::new(format!("--era-start names {era} twice")));
            }
            starts.set(era, epoch);
        }
        Network::read_shelley_genesis("custom", file, starts)
            .map_err(|error| Error::new(error.to_string()))
    }
}

/// The error for a network that could not be detected. It mentions the options that set the network.
fn not_detected(error: NetworkError) -> Error {
    let hint = match &error {
        // No network that --network can name has this magic.
        NetworkError::UnknownMagic { .. } => " with --shelley-genesis FILE",
        _ => "; say --network mainnet, preprod or preview, or --shelley-genesis FILE",
    };
    Error::new(format!("{error}{hint}"))
}

fn era_start(text: &str) -> Result<(Era, u64), String> {
    let (name, epoch) = pair(text)?;
    let era = Era::ALL
        .into_iter()
        .find(|era| *era != Era::Byron && era.name().eq_ignore_ascii_case(name))
        .ok_or(
            "expected one of shelley, allegra, mary, alonzo, babbage, conway, dijkstra, before the =",
        )?;
    Ok((era, number(epoch)?))
}

/// Reads `EPOCH=HEX`.
fn epoch_nonce(text: &str) -> Result<(u64, Nonce), String> {
    let (epoch, nonce) = pair(text)?;
    // The text may be a secret, so neither of the two errors below repeats it.
    let nonce = nonce
        .parse()
        .map_err(|_| "expected 64 hexadecimal digits or neutral, after the =")?;
    Ok((number(epoch)?, nonce))
}

/// Refuses an epoch that `option` names twice. Also refuses an epoch that cannot use TPraos, because only
/// TPraos has the value that `option` sets. `had` describes this value in the error.
pub fn once_each_before_babbage<T>(
    option: &str,
    had: &str,
    given: &[(u64, T)],
    network: &Network,
) -> Result<(), Error> {
    let mut named = BTreeSet::new();
    for (epoch, _) in given {
        let mut eras = Era::ALL.into_iter();
        if !eras.any(|era| era.protocol() == Protocol::TPraos && network.admits(era, *epoch)) {
            return Err(Error::new(format!(
                "{option} {epoch}: {had} from Shelley to Alonzo, and epoch {epoch} of {} is in none \
                 of these",
                network.name()
            )));
        }
        if !named.insert(*epoch) {
            return Err(Error::new(format!("{option} names epoch {epoch} twice")));
        }
    }
    Ok(())
}

/// Splits a text at its first `=`.
pub fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once('=')
        .ok_or_else(|| "expected a name, = and a value".into())
}

/// Reads the number of an epoch.
pub fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "expected the number of an epoch".into())
}
