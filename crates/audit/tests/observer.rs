//! Audits of forged chains, observed: what is reported, and how an observer ends them.

use std::ops::ControlFlow;
use std::path::Path;

use klero_audit::{Audit, AuditError, Counts, Outcome, Progress, Report, Stop};
use klero_cardano::Era;
use klero_forge::{Recipe, forge};
use klero_leader::ActiveSlots;
use tempfile::TempDir;

/// A chain of five segments.
fn chain() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        k: 180,
        f: ActiveSlots::new(9, 10).unwrap(),
        eras: vec![(Era::Conway, 3)],
        stakes: vec![1],
        extra_entropy: Default::default(),
        ..Recipe::sample()
    };
    forge(&recipe, dir.path(), |_, _| {}).unwrap();
    dir
}

/// Audits with a state file, and ends by `stop` at the second report of verified blocks.
fn stopped(dir: &Path, stop: Stop) -> (Result<Report, AuditError>, u32) {
    let (mut verified, mut calls_after) = (0, 0);
    let audit = Audit::new(dir).unwrap().state(&dir.join("state")).unwrap();
    let ended = audit.run(|progress| {
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
    let dir = chain();
    let (ended, calls_after) = stopped(dir.path(), Stop::Abort);
    assert!(matches!(ended, Err(AuditError::Aborted)));
    assert_eq!(calls_after, 0);
}

#[test]
fn an_interrupt_before_anything_is_read() {
    let dir = chain();
    let report = Audit::new(dir.path()).unwrap();
    let report = report.run(|progress| match progress {
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
    let dir = chain();
    // One thread has two segments under way, and the chain has more than that.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let (ended, _) = pool
        .unwrap()
        .install(|| stopped(dir.path(), Stop::Interrupt));
    let first = ended.unwrap();
    assert_eq!(first.outcome(), Outcome::Interrupted);
    assert_eq!(first.totals.valid, first.totals.proofs);
    let saved = first.state.unwrap();
    let passed = saved.totals;
    assert!(0 < passed.blocks && passed.blocks < first.totals.blocks);

    let audit = Audit::new(dir.path()).unwrap();
    let audit = audit.state(&dir.path().join("state")).unwrap();
    let second = audit.run(|_| ControlFlow::Continue(())).unwrap();
    assert_eq!(second.outcome(), Outcome::AllValid);
    let whole = Audit::new(dir.path()).unwrap();
    let whole = whole.run(|_| ControlFlow::Continue(())).unwrap();
    let last = whole.epochs.last_key_value().unwrap().1.counts;
    for of in [|of: &Counts| of.blocks, |of: &Counts| of.valid] {
        assert_eq!(of(&passed) + of(&second.totals), of(&whole.totals));
        let saved = second.state.as_ref().unwrap().totals;
        assert_eq!(of(&saved) + of(&last), of(&whole.totals));
    }
}

#[test]
fn each_epoch_comes_once_as_it_stands_in_the_report() {
    let dir = chain();
    let (mut epochs, mut bytes, mut before_end) = (Vec::new(), 0, 0);
    let report = Audit::new(dir.path()).unwrap().run(|progress| {
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
