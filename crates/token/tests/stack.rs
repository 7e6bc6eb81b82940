//! No seed, and no sum of a token, stays on the stack behind a call. (Builds without optimisation
//! copy more than is wiped.)
#![cfg(all(target_os = "linux", not(debug_assertions)))]

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

use blst::blst_p2_affine;
use blst::min_pk::Signature;
use klero_token::{Aggregate, Bls, Chain, Keys, Limits, SecretKey, Unverified, Verified};

const LENGTH: usize = 1 << 16;

/// Reads the stack below its own frame.
struct Stack {
    memory: File,
    bytes: Vec<u8>,
}

impl Stack {
    /// How often the bytes stand where the call had its frames.
    #[inline(never)]
    fn count<T>(&mut self, secret: &[u8], call: impl FnOnce() -> T) -> usize {
        let result = self.call(call);
        let here = 0u8;
        let end = black_box(&raw const here) as u64;
        let begin = end - LENGTH as u64;
        self.memory.read_exact_at(&mut self.bytes, begin).unwrap();
        drop(result);
        let windows = self.bytes.windows(secret.len());
        windows.filter(|bytes| *bytes == secret).count()
    }

    #[inline(never)]
    fn call<T>(&self, call: impl FnOnce() -> T) -> T {
        call()
    }
}

#[test]
fn secrets_are_wiped() {
    let mut stack = Stack {
        memory: File::open("/proc/self/mem").unwrap(),
        bytes: vec![0; LENGTH],
    };
    // That they would be found: a call that wipes nothing.
    let seed: Vec<u8> = (0..32).map(|i| i ^ 0xa7).collect();
    let left = stack.count(&seed, || {
        let copy: [u8; 32] = seed[..].try_into().unwrap();
        let mut frame = [[0; 32]; 100];
        frame[50] = copy;
        black_box(&frame);
    });
    assert_eq!(left, 1);

    fn of_key<S: Keys>(stack: &mut Stack, seed: &[u8]) -> usize {
        stack.count(seed, || SecretKey::<S>::from_bytes(seed).unwrap())
    }
    assert_eq!(of_key::<Chain>(&mut stack, &seed), 0);
    assert_eq!(of_key::<Aggregate>(&mut stack, &seed), 0);
    assert_eq!(of_key::<Bls>(&mut stack, &seed), 0);

    // The sum of signatures, as the coordinates of a point.
    let root = SecretKey::<Bls>::from_seed(&[1; 32]);
    let bytes = Verified::mint(&root, 0, b"all", &[])
        .unwrap()
        .encode()
        .unwrap();
    let token = Unverified::<Bls>::decode(&bytes, &Limits::default()).unwrap();
    let sum = Signature::from_bytes(&bytes[bytes.len() - 96..]).unwrap();
    let sum: &blst_p2_affine = (&sum).into();
    let limbs = sum.x.fp[0].l.map(u64::to_le_bytes).concat();
    assert_eq!(stack.count(&limbs, || token.append(b"less").unwrap()), 0);
}
