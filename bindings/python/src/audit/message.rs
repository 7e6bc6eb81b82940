//! What an audit on its own threads tells its reader.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use klero_audit::{Epoch, Progress, Report, Stop};
use klero_cardano::Finding;

/// What an audit tells.
pub enum Message {
    Started { bytes: u64 },
    Epoch(u64, Box<Epoch>),
    Findings(Vec<Finding>),
    Verified { bytes: u64 },
    Ended(Box<Result<Report, String>>),
}

/// Sends what an audit tells; whether it goes on.
pub fn tell(
    sender: &SyncSender<Message>,
    stop: &AtomicBool,
    progress: &Progress<'_>,
) -> ControlFlow<Stop> {
    let message = match *progress {
        Progress::Started(started) => Message::Started {
            // A directory has them.
            bytes: started.bytes.unwrap_or_default(),
        },
        Progress::Epoch { number, epoch } => Message::Epoch(number, Box::new(epoch.clone())),
        Progress::Findings(findings) => Message::Findings(findings.to_vec()),
        Progress::Verified { bytes, .. } => Message::Verified { bytes },
        _ => return go_on(stop),
    };
    match sender.send(message) {
        Ok(()) => go_on(stop),
        // The audit was dropped.
        Err(_) => ControlFlow::Break(Stop::Abort),
    }
}

fn go_on(stop: &AtomicBool) -> ControlFlow<Stop> {
    if stop.load(Ordering::Relaxed) {
        ControlFlow::Break(Stop::Interrupt)
    } else {
        ControlFlow::Continue(())
    }
}
