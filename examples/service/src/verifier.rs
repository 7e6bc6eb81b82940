//! Tokens of many requests, verified together.
//!
//! The library verifies signatures side by side, in the lanes of a vector register. One token fills
//! them half, two tokens fill them. So one thread verifies what waits: a token alone if the service
//! is idle, several at once if it is busy. Nobody waits for others to come.
//!
//! One thread verifies more than 25,000 tokens a second. A service that needs more starts one for
//! each core.

use std::thread;

use klero_token::{Challenge, Error, Unverified, Verified};
use klero_token_http::{Roots, Unavailable};
use tokio::sync::{mpsc, oneshot};

/// How many tokens are verified together. From 8 on, more gain nothing.
const TOGETHER: usize = 16;

/// A thread that verifies.
pub struct Verifier {
    queue: mpsc::Sender<(Unverified, Question)>,
}

/// What a token must answer, and who wants to know.
struct Question {
    nonce: Vec<u8>,
    time: u64,
    verdict: oneshot::Sender<Result<Verified, Error>>,
}

impl Verifier {
    /// Starts the thread, which ends with the verifier. At most `places` requests wait for it.
    pub fn start(roots: Roots, audience: String, places: usize) -> Self {
        let (queue, waiting) = mpsc::channel(places);
        thread::spawn(move || verify_all(waiting, &roots, &audience));
        Self { queue }
    }
}

impl klero_token_http::Verifier for Verifier {
    async fn verify(
        &self,
        token: Unverified,
        challenge: Challenge<'_>,
    ) -> Result<Result<Verified, Error>, Unavailable> {
        let (verdict, answer) = oneshot::channel();
        let question = Question {
            nonce: challenge.nonce.to_vec(),
            time: challenge.time,
            verdict,
        };
        let asked = self.queue.send((token, question)).await;
        asked.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())
    }
}

fn ended() -> Unavailable {
    eprintln!("the verifier has ended");
    Unavailable
}

fn verify_all(mut queue: mpsc::Receiver<(Unverified, Question)>, roots: &Roots, audience: &str) {
    let mut batch = Vec::with_capacity(TOGETHER);
    while queue.blocking_recv_many(&mut batch, TOGETHER) > 0 {
        let (tokens, questions): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        let challenges = questions.iter().map(|question| Challenge {
            nonce: &question.nonce,
            audience,
            time: question.time,
        });
        let claims = tokens.into_iter().zip(challenges.map(Some));
        let verdicts = Unverified::verify_many(claims, &roots.get());
        for (question, verdict) in questions.into_iter().zip(verdicts) {
            // A client that has gone does not hear it.
            question.verdict.send(verdict).ok();
        }
    }
}
