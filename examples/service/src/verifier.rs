//! Tokens of many requests, verified together.
//!
//! The library verifies signatures side by side, in the lanes of a vector register. One token fills
//! them half, two tokens fill them. So one thread verifies what waits: a token alone if the service
//! is idle, several at once if it is busy. Nobody waits for others to come.
//!
//! One thread verifies more than 25,000 tokens a second. A service that needs more starts one for
//! each core.

use std::sync::Arc;
use std::thread;

use klero_token::{Challenge, Error, RootKeys, Token, Verified};
use klero_token_http::Refusal;
use tokio::sync::{mpsc, oneshot, watch};

/// How many tokens are verified together. From 8 on, more gain nothing.
const TOGETHER: usize = 16;

/// A thread that verifies.
pub struct Verifier {
    queue: mpsc::Sender<(Token, Question)>,
}

/// The challenge that a token must answer, and the way back to the request.
struct Question {
    nonce: Vec<u8>,
    time: u64,
    verdict: oneshot::Sender<Result<Verified, Error>>,
}

impl Verifier {
    /// Starts the thread, which ends with the verifier. At most `places` requests wait for it.
    pub fn start(roots: watch::Receiver<Arc<RootKeys>>, audience: String, places: usize) -> Self {
        let (queue, waiting) = mpsc::channel(places);
        thread::spawn(move || verify_all(waiting, &roots, &audience));
        Self { queue }
    }

    /// The verdict on a token, which must be sealed to this challenge.
    ///
    /// # Errors
    /// [`Refusal::Invalid`], and [`Refusal::Unavailable`] if the thread has ended.
    pub async fn verify(
        &self,
        token: Token,
        challenge: Challenge<'_>,
    ) -> Result<Verified, Refusal> {
        let (verdict, answer) = oneshot::channel();
        let question = Question {
            nonce: challenge.nonce.to_vec(),
            time: challenge.time,
            verdict,
        };
        let asked = self.queue.send((token, question)).await;
        asked.map_err(|_| ended())?;
        let verdict = answer.await.map_err(|_| ended())?;
        verdict.map_err(Refusal::Invalid)
    }
}

fn ended() -> Refusal {
    eprintln!("the verifier has ended");
    Refusal::Unavailable
}

fn verify_all(
    mut queue: mpsc::Receiver<(Token, Question)>,
    roots: &watch::Receiver<Arc<RootKeys>>,
    audience: &str,
) {
    let mut batch = Vec::with_capacity(TOGETHER);
    while queue.blocking_recv_many(&mut batch, TOGETHER) > 0 {
        let (tokens, questions): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        let challenges = questions.iter().map(|question| Challenge {
            nonce: &question.nonce,
            audience,
            time: question.time,
        });
        let roots = roots.borrow().clone();
        let claims = tokens.into_iter().zip(challenges.map(Some));
        let verdicts = Token::verify_many(claims, &roots);
        for (question, verdict) in questions.into_iter().zip(verdicts) {
            // A client that has gone does not hear it.
            question.verdict.send(verdict).ok();
        }
    }
}
