//! Tokens of many requests, verified together.
//!
//! The library verifies signatures side by side, in the lanes of a vector register. One token fills
//! them half, two tokens fill them. So one thread verifies what waits: a token alone if the service
//! is idle, several at once if it is busy. Nobody waits for others to come.
//!
//! One thread verifies more than 25,000 tokens a second. A service that needs more starts one for
//! each core.

use std::thread;

use klero_token::{Challenge, Error, PublicKey, RootKeys, Unverified, Verified};
use tokio::sync::{mpsc, oneshot};

/// How many tokens are verified together. From 8 on, more gain nothing.
const TOGETHER: usize = 16;

/// A thread that verifies.
pub struct Verifier {
    queue: mpsc::Sender<(Unverified, Question)>,
}

/// What a token must answer, and who wants to know.
struct Question {
    nonce: [u8; 32],
    time: u64,
    verdict: oneshot::Sender<Result<Verified, Error>>,
}

impl Verifier {
    /// Starts the thread, which ends with the verifier. At most `places` requests wait for it.
    pub fn start(root: PublicKey, audience: String, places: usize) -> Self {
        let (queue, waiting) = mpsc::channel(places);
        thread::spawn(move || verify_all(waiting, &root.into(), &audience));
        Self { queue }
    }

    /// The verdict on a sealed token: it must answer the challenge of this nonce and time. `None`
    /// if the thread has ended.
    pub async fn verify(
        &self,
        token: Unverified,
        nonce: [u8; 32],
        time: u64,
    ) -> Option<Result<Verified, Error>> {
        let (verdict, answer) = oneshot::channel();
        let question = Question {
            nonce,
            time,
            verdict,
        };
        self.queue.send((token, question)).await.ok()?;
        answer.await.ok()
    }
}

fn verify_all(mut queue: mpsc::Receiver<(Unverified, Question)>, roots: &RootKeys, audience: &str) {
    let mut batch = Vec::with_capacity(TOGETHER);
    while queue.blocking_recv_many(&mut batch, TOGETHER) > 0 {
        let (tokens, questions): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        let challenges = questions.iter().map(|question| Challenge {
            nonce: &question.nonce,
            audience,
            time: question.time,
        });
        let claims = tokens.into_iter().zip(challenges.map(Some));
        let verdicts = Unverified::verify_many(claims, roots);
        for (question, verdict) in questions.into_iter().zip(verdicts) {
            // A client that has gone does not hear it.
            question.verdict.send(verdict).ok();
        }
    }
}
