//! What is measured: the rows of the table, and the inputs that all share.

use klero::{SecretKey, Suite};

/// The length of every alpha in bytes, as in a Cardano header.
pub const ALPHA_LEN: usize = 32;

/// What a row does with its claims.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Verify all in whatever way is fastest for many.
    Verify,
    /// Verify each by a call of its own.
    VerifyAlone,
    /// Prove all in whatever way is fastest for many.
    Prove,
    /// Prove each by a call of its own.
    ProveAlone,
}

/// A row of the table: so many claims of one suite, every one under another key.
pub struct Row {
    /// What is done.
    pub work: Work,
    /// In which suite.
    pub suite: &'static Suite,
    /// How many claims a sample covers.
    pub claims: usize,
}

/// So many calls make a sample of the rows that measure single calls: a clock is read
/// before and after, and they are to be long against that.
const CALLS: usize = 32;

/// Every row.
pub fn rows() -> Vec<Row> {
    use Work::{Prove, ProveAlone, Verify, VerifyAlone};
    [
        (Verify, "praos", 1024),
        (Verify, "rfc9381-ell2", 1024),
        (Verify, "rfc9381-ell2-bc", 1024),
        (Verify, "draft10-tai-bc", 1024),
        (Verify, "rfc9381-ell2-bc", 64),
        (Verify, "draft10-tai-bc", 64),
        (Prove, "praos", 1024),
        (Prove, "rfc9381-ell2", 1024),
        (VerifyAlone, "praos", CALLS),
        (VerifyAlone, "rfc9381-ell2", CALLS),
        (ProveAlone, "praos", CALLS),
        (ProveAlone, "rfc9381-ell2", CALLS),
    ]
    .into_iter()
    .map(|(work, suite, claims)| Row {
        work,
        suite: Suite::by_name(suite).expect("a suite of klero"),
        claims,
    })
    .collect()
}

impl Row {
    /// How it is called in tables and files.
    pub fn name(&self) -> String {
        let Self { suite, claims, .. } = self;
        let (name, len) = (suite.name, suite.proof_len());
        match self.work {
            Work::Verify if len == 80 => format!("verify {claims}, {len} bytes, {name}"),
            Work::Verify => format!("batch of {claims}, {len} bytes, {name}"),
            Work::VerifyAlone => format!("verify one alone, {len} bytes, {name}"),
            Work::Prove => format!("prove {claims}, {len} bytes, {name}"),
            Work::ProveAlone => format!("prove one alone, {len} bytes, {name}"),
        }
    }
}

/// The claims of a row, in the shapes that the contenders take: bytes for all, and
/// klero's expanded secret keys.
pub struct Inputs {
    /// Public keys.
    pub keys: Vec<[u8; 32]>,
    /// `seed ‖ public key`.
    pub secret_bytes: Vec<[u8; 64]>,
    /// The same, expanded.
    pub secrets: Vec<SecretKey>,
    /// The inputs that are proven for.
    pub alphas: Vec<[u8; ALPHA_LEN]>,
    /// Proofs, one after the other.
    pub proofs: Vec<u8>,
    /// The outputs that they prove.
    pub outputs: Vec<[u8; 64]>,
}

impl Inputs {
    /// The claims of a row: valid, and the same in every run.
    pub fn of(row: &Row) -> Self {
        let secrets: Vec<_> = (0..row.claims as u64)
            .map(|i| {
                let mut seed = *b"klero bench, secret key no. ....";
                seed[24..].copy_from_slice(&i.to_le_bytes());
                SecretKey::from_seed(&seed)
            })
            .collect();
        let alphas: Vec<_> = (0..row.claims as u64)
            .map(|i| {
                let mut alpha = [0x5a; ALPHA_LEN];
                alpha[..8].copy_from_slice(&i.to_be_bytes());
                alpha
            })
            .collect();
        let (proofs, outputs): (Vec<_>, Vec<_>) = secrets
            .iter()
            .zip(&alphas)
            .map(|(key, alpha)| row.suite.prove(key, alpha))
            .unzip();
        Self {
            keys: secrets.iter().map(|k| *k.public_key().as_bytes()).collect(),
            secret_bytes: secrets.iter().map(|key| *key.to_bytes()).collect(),
            secrets,
            alphas,
            proofs: proofs.iter().flat_map(|p| p.as_bytes().to_vec()).collect(),
            outputs: outputs.iter().map(|output| output.0).collect(),
        }
    }

    /// The proof at that place.
    pub fn proof(&self, suite: &Suite, i: usize) -> &[u8] {
        &self.proofs[i * suite.proof_len()..][..suite.proof_len()]
    }

    /// Makes the last proof invalid, or valid again: a bit of its s.
    pub fn flip_a_bit(&mut self) {
        if let Some(byte) = self.proofs.iter_mut().nth_back(20) {
            *byte ^= 1;
        }
    }
}

/// What a contender writes.
pub struct Answers {
    /// Proofs, one after the other; only proving writes them.
    pub proofs: Vec<u8>,
    /// Outputs.
    pub outputs: Vec<[u8; 64]>,
}

impl Answers {
    /// Zeros, as many as the row has answers.
    pub fn blank(row: &Row) -> Self {
        Self {
            proofs: vec![0; row.claims * row.suite.proof_len()],
            outputs: vec![[0; 64]; row.claims],
        }
    }
}
