//! No seed, and no secret of a bearer, stays on the stack behind a call. (Builds without optimisation
//! copy more than is wiped.)
#![cfg(all(target_os = "linux", not(debug_assertions)))]

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{
    Challenge, Keys, Limits, Minting, PublicKey, RootKeys, Scheme, SecretKey, ThirdParty, Token,
};

const LENGTH: usize = 1 << 16;

/// Reads the stack below its own frame.
struct Stack {
    memory: File,
    bytes: Vec<u8>,
}

impl Stack {
    /// Calls a function, and keeps what it left where it had its frames.
    #[inline(never)]
    fn after<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let result = self.call(call);
        let here = 0u8;
        let end = black_box(&raw const here) as u64;
        let begin = end - LENGTH as u64;
        self.memory.read_exact_at(&mut self.bytes, begin).unwrap();
        result
    }

    #[inline(never)]
    fn call<T>(&self, call: impl FnOnce() -> T) -> T {
        call()
    }

    /// How often the last call left these bytes.
    fn count(&self, secret: &[u8]) -> usize {
        let windows = self.bytes.windows(secret.len());
        windows.filter(|bytes| *bytes == secret).count()
    }

    /// Asserts that a call leaves none of these secrets.
    #[track_caller]
    fn wiped<T>(&mut self, secrets: &[&[u8]], call: impl FnOnce() -> T) -> T {
        let result = self.after(call);
        for secret in secrets {
            assert_eq!(self.count(secret), 0, "{}", std::any::type_name::<T>());
        }
        result
    }

    /// Asserts that a call leaves none of these secrets, nor that of the token that it makes.
    #[track_caller]
    fn makes<T>(&mut self, secrets: &[&[u8]], call: impl FnOnce() -> Token<T>) -> Token<T> {
        let token = self.wiped(secrets, call);
        assert_eq!(self.count(&end(&token)), 0);
        token
    }
}

/// The secret of a bearer, at the end of the token.
fn end<T>(token: &Token<T>) -> Vec<u8> {
    let bytes = token.encode().unwrap();
    bytes[bytes.len() - 32..].to_vec()
}

fn stack() -> Stack {
    Stack {
        memory: File::open("/proc/self/mem").unwrap(),
        bytes: vec![0; LENGTH],
    }
}

fn seed() -> Vec<u8> {
    (0..32).map(|i| i ^ 0xa7).collect()
}

/// A call that wipes nothing.
#[test]
fn what_is_not_wiped_is_found() {
    let (mut stack, seed) = (stack(), seed());
    stack.after(|| {
        let copy: [u8; 32] = seed[..].try_into().unwrap();
        let mut frame = [[0; 32]; 100];
        frame[50] = copy;
        black_box(&frame);
    });
    assert_eq!(stack.count(&seed), 1);
}

#[test]
fn seeds_are_wiped() {
    fn check<K: Keys>(of: K, stack: &mut Stack) {
        let generated = stack.after(|| SecretKey::generate(of).unwrap());
        for part in generated.as_bytes().chunks(8) {
            assert_eq!(stack.count(part), 0);
        }
        let seed = seed();
        let key = stack.wiped(&[&seed], || SecretKey::from_bytes(of, &seed).unwrap());
        let _copy = stack.wiped(&[&seed], || key.clone());
        let text = stack.wiped(&[&seed], || key.to_text());
        let _read = stack.wiped(&[&seed], || text.parse::<SecretKey<K>>().unwrap());
    }
    let (mut stack, seed) = (stack(), seed());
    check(Scheme::Chain, &mut stack);
    check(Scheme::Aggregate, &mut stack);
    check(ThirdParty, &mut stack);

    let key = SecretKey::from_bytes(Scheme::Chain, &seed).unwrap();
    let pem = stack.wiped(&[&seed], || key.to_pem().unwrap());
    let _read = stack.wiped(&[&seed], || {
        SecretKey::from_pem(Scheme::Chain, &pem).unwrap()
    });
}

/// A device signs for an issuer, and for a holder.
#[test]
fn secrets_of_tokens_that_a_device_signs_are_wiped() {
    let mut stack = stack();
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::from_bytes(Scheme::Chain, device.verifying_key().as_bytes()).unwrap();
    let minting = stack.after(|| Minting::prepare(&key, 0, b"all", &[]).unwrap());
    let signature = device.sign(minting.to_sign()).to_bytes();
    let token = stack.makes(&[], || minting.assemble(&signature).unwrap());
    let secret = end(&token);
    let _held = stack.wiped(&[&secret], || token.entrust(&key, &[]).unwrap());
}

#[test]
fn secrets_of_bearers_are_wiped() {
    fn check(scheme: Scheme, stack: &mut Stack) {
        let (seed, limits) = (seed(), Limits::default());
        let root = SecretKey::from_bytes(scheme, &seed).unwrap();
        let party = SecretKey::from_bytes(ThirdParty, &seed).unwrap();
        let caveats = ["method GET".parse().unwrap()];
        let challenge = Challenge {
            nonce: &[9; 16],
            audience: "shop",
            time: 1_800_000_000,
        };

        let token = stack.makes(&[&seed], || {
            Token::mint(&root, 0, b"all", &caveats).unwrap()
        });
        let secret = end(&token);
        let narrow = stack.makes(&[&secret], || token.narrow(&caveats).unwrap());
        let _longer = stack.makes(&[&secret], || token.append(b"less").unwrap());
        let _copy = stack.wiped(&[&secret], || token.clone());
        let request = stack.wiped(&[&secret], || token.request().unwrap());
        let statement = stack.wiped(&[&seed], || {
            request.sign(&party, b"account 17 is of age").unwrap()
        });
        let _stated = stack.makes(&[&secret], || token.append_statement(&statement).unwrap());
        let _sealed = stack.wiped(&[&secret], || token.seal(&challenge).unwrap());

        let secret = end(&narrow);
        let bytes = stack.wiped(&[&secret], || narrow.encode().unwrap());
        let text = stack.wiped(&[&secret], || narrow.to_text().unwrap());
        let _decoded = stack.wiped(&[&secret], || Token::decode(&bytes, &limits).unwrap());
        let read = stack.wiped(&[&secret], || Token::from_text(&text, &limits).unwrap());
        let roots = RootKeys::from(*root.public_key());
        let many = [read.clone(), read.clone()].map(|token| (token, None));
        let _verified = stack.wiped(&[&secret], || read.verify(&roots, None).unwrap());
        let verdicts = stack.wiped(&[&secret], || Token::verify_many(many, &roots));
        assert!(verdicts.iter().all(Result::is_ok));
    }
    let mut stack = stack();
    check(Scheme::Chain, &mut stack);
    check(Scheme::Aggregate, &mut stack);
}
