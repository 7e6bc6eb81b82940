//! Observers of audits of forged chains: the events that they get, and how they end audits.

use std::ops::ControlFlow;
use std::path::Path;

use klero_audit::{AuditError, Counts, Outcome, Progress, Report, Stop};
use klero_cardano::Era;
use klero_forge::Recipe;
use klero_leader::ActiveSlots;

use crate::db::Made;
use crate::run::run;

/// A chain of more than five segments, the parts in which an audit verifies a chain.
fn chain() -> Made {
    Made::of(&Recipe {
        k: 180,
        f: ActiveSlots::new(9, 10).unwrap(),
        eras: vec![(Era::Conway, 3)],
        stakes: vec![1],
        extra_entropy: Default::default(),
        ..Recipe::sample()
    })
}

/// Audits with a state file, and ends the audit by `stop` at the second [`Progress::Verified`]. Also returns
/// the number of later calls of the observer.
fn stopped(chain: &Made, state: &Path, stop: Stop) -> (Result<Report, AuditError>, u32) {
    let (mut verified, mut calls_after) = (0, 0);
    let ended = chain.audit().state(state).unwrap().run(|progress| {
        calls_after += u32::from(verified >= 2);
        verified += u32::from(matches!(progress, Progress::Verified { .. }));
        match verified {
            2.. => ControlFlow::Break(stop),
            _ => ControlFlow::Continue(()),
        }
    });
    (ended, calls_after)
}

#[test]
fn an_abort_is_the_last_call() {
    let chain = chain();
    let state = chain.dir.path().join("state");
    let (ended, calls_after) = stopped(&chain, &state, Stop::Abort);
    assert!(matches!(ended, Err(AuditError::Aborted)));
    assert_eq!(calls_after, 0);
}

#[test]
fn an_interrupt_before_anything_is_read() {
    let report = chain().audit().run(|progress| match progress {
        Progress::Started(started) => {
            assert!(started.bytes > Some(0));
            ControlFlow::Break(Stop::Interrupt)
        }
        _ => ControlFlow::Break(Stop::Interrupt),
    });
    let report = report.unwrap();
    assert_eq!(report.outcome(), Outcome::Interrupted);
    assert_eq!((report.totals.blocks, report.tip), (0, None));
    assert!(report.unread_bytes > 0);
}

#[test]
fn an_interrupted_audit_goes_on_with_its_state() {
    let chain = chain();
    let state = chain.dir.path().join("state");
    // One thread has two segments under way, so the interrupted audit does not read the whole chain.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let stopped = || stopped(&chain, &state, Stop::Interrupt);
    let (ended, _) = pool.unwrap().install(stopped);
    let first = ended.unwrap();
    assert_eq!(first.outcome(), Outcome::Interrupted);
    assert_eq!(first.totals.valid, first.totals.proofs);
    let saved = first.state.unwrap();
    let passed = saved.totals;
    assert!(0 < passed.blocks && passed.blocks < first.totals.blocks);

    let audit = chain.audit().state(&state).unwrap();
    let second = run(audit, Outcome::AllValid).report;
    let whole = run(chain.audit(), Outcome::AllValid).report;
    let last = whole.epochs.last_key_value().unwrap().1.counts;
    for of in [|of: &Counts| of.blocks, |of: &Counts| of.valid] {
        assert_eq!(of(&passed) + of(&second.totals), of(&whole.totals));
        let saved = second.state.as_ref().unwrap().totals;
        assert_eq!(of(&saved) + of(&last), of(&whole.totals));
    }
}

#[test]
fn each_epoch_comes_once_as_it_stands_in_the_report() {
    let chain = chain();
    let (mut epochs, mut bytes, mut before_end) = (Vec::new(), 0, 0);
    let report = chain.audit().run(|progress| {
        match progress {
            Progress::Started(started) => bytes = started.bytes.unwrap(),
            Progress::Epoch { number, epoch } => epochs.push((number, epoch.clone())),
            Progress::Verified { bytes: done, .. } if done < bytes => before_end = epochs.len(),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert_eq!(
        epochs,
        report.unwrap().epochs.into_iter().collect::<Vec<_>>()
    );
    assert_eq!((epochs.len(), before_end), (3, 2));
}
