//! Tests on every backend that no call leaves a key's secret on the stack that the call used or in memory
//! that it freed. (The tests need an optimised build: other builds make copies that nothing wipes.)
//!
//! The tests do not see registers, or secrets in forms that [`secrets`] does not know.
#![cfg(all(
    target_os = "linux",
    target_pointer_width = "64", // only then do curve25519-dalek's limbs have 52 bits
    not(debug_assertions),
    not(miri)
))]
// The test's allocator, which keeps freed memory, needs unsafe code.
#![allow(unsafe_code)]

#[path = "../../../../token/token/tests/stack/remains.rs"]
mod remains;
mod secrets;

use std::array;
use std::hint::black_box;

#[cfg(feature = "envelope")]
use base64ct::Encoding;
use curve25519_dalek::scalar::Scalar;
use klero::{Backend, Error, SecretKey};
use klero_reference::Suite;
use remains::Remains;
use secrets::Secrets;
use sha2::{Digest, Sha512};

const SEED: [u8; 32] = {
    let mut seed = [0xa7; 32];
    let mut i = 0;
    while i < 32 {
        seed[i] ^= 53u8.wrapping_mul(i as u8);
        i += 1;
    }
    seed
};

/// Suites that cover each way of hashing and each form of proofs.
const SUITES: [&str; 5] = [
    "praos",
    "rfc9381-tai",
    "rfc9381-ell2-bc",
    "praos-144",
    "praos-blake2b",
];

/// Runs calls, and asserts that they leave no secret.
struct Watch {
    remains: Remains,
    secrets: Secrets,
    /// The suite and the backend, for messages.
    on: String,
}

impl Watch {
    #[track_caller]
    fn wiped<T>(&mut self, what: &str, call: impl FnOnce() -> T) -> T {
        let result = self.remains.after(call);
        let Self { remains, on, .. } = self;
        for (place, memory) in [("the stack", &remains.stack), ("the heap", &remains.freed)] {
            let found = self.secrets.found(memory);
            assert!(found.is_empty(), "{what}, {on}, on {place}: {found:?}");
        }
        result
    }
}

/// Runs `check` on every backend with each of the [`SUITES`]. Its [`Watch`] looks for the secrets of the key
/// and of its proofs of these alphas.
fn everywhere(alphas: &[[u8; 1]], check: impl Fn(&mut Watch, klero::Suite)) {
    let mut remains = Remains::new();
    for name in SUITES {
        let model = Suite::named(name).unwrap();
        let mut secrets = Secrets::of_key(&SEED);
        for alpha in alphas {
            secrets.add_proof(model, &SEED, alpha);
        }
        for backend in Backend::all() {
            backend.make_default();
            let on = format!("{name} on {}", backend.name());
            let mut watch = Watch {
                remains,
                secrets,
                on,
            };
            check(&mut watch, name.parse().unwrap());
            Watch {
                remains,
                secrets,
                ..
            } = watch;
        }
    }
}

/// Returns enough alphas to fill two vectors of eight lanes, and one more.
fn alphas() -> [[u8; 1]; 17] {
    array::from_fn(|i| [i as u8])
}

#[test]
fn calls_leave_no_secrets() {
    everywhere(&alphas(), |watch, suite| {
        let (alphas, alpha) = (alphas(), alphas()[0]);
        let generated = watch.remains.after(|| SecretKey::generate(suite).unwrap());
        let own = Secrets::of_key(generated.seed());
        assert_eq!(
            own.found(&watch.remains.stack),
            [],
            "generate, {}",
            watch.on
        );
        assert_eq!(
            own.found(&watch.remains.freed),
            [],
            "generate, {}",
            watch.on
        );
        let key = watch.wiped("from_seed", || SecretKey::from_seed(suite, &SEED));
        watch.wiped("prove", || key.prove(&alpha));
        watch.wiped("prove_checked", || key.prove_checked(&alpha).unwrap());
        watch.wiped("prove_many", || key.prove_many(&alphas));
        watch.wiped("evaluate", || key.evaluate(&alpha));
        watch.wiped("evaluate_many", || key.evaluate_many(&alphas));

        // The result is borrowed, because a move by the caller would leave a copy.
        watch.wiped("to_libsodium", || {
            black_box(&key.to_libsodium());
        });
        let bytes = key.to_libsodium();
        let read = watch.wiped("from_libsodium", || {
            SecretKey::from_libsodium(suite, &bytes)
        });
        let copy = watch.wiped("clone", || read.unwrap().clone());
        watch.wiped("drop", || drop(copy));
        let mut wrong = bytes.clone();
        wrong[32] ^= 1;
        let read = watch.wiped("from_libsodium", || {
            SecretKey::from_libsodium(suite, &wrong)
        });
        assert_eq!(read.err(), Some(Error::Halves));

        #[cfg(feature = "envelope")]
        {
            let envelope = watch.wiped("to_envelope", || key.to_envelope());
            let digits = hex::encode(&bytes[..]);
            let base64 = base64ct::Base64UrlUnpadded::encode_string(&SEED);
            let prefix = bech32::Hrp::parse("vrf_sk").unwrap();
            let wide = envelope.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for content in [
                wide,
                SEED.to_vec(),
                [&[0x58, 64][..], &*bytes].concat(),
                envelope.as_bytes().to_vec(),
                hex::encode_upper(SEED).into(),
                format!("\"0x5840{digits}\"\n").into(),
                format!("{}\n{}", &base64[..20], &base64[20..]).into(),
                bech32::encode::<bech32::Bech32>(prefix, &SEED)
                    .unwrap()
                    .into(),
            ] {
                let read = watch.wiped("from_encoded", || {
                    SecretKey::from_encoded(&content, Some(suite))
                });
                assert_eq!(read.unwrap().seed(), &SEED);
            }
            for content in [envelope.replace(&digits, &digits[..96]), digits[1..].into()] {
                let read = watch.wiped("from_encoded", || {
                    SecretKey::from_encoded(content.as_bytes(), Some(suite))
                });
                assert!(matches!(read, Err(Error::Unreadable(_))));
            }
        }
    });
}

/// Tests that secrets are found if a function does not wipe them.
#[test]
fn what_is_not_wiped_is_found() {
    let mut remains = Remains::new();
    let secrets = Secrets::of_key(&SEED);
    let is_found = |name: &str, memory: &[u8]| {
        let found = secrets.found(memory);
        assert!(
            found.iter().any(|(_, found)| *found == name),
            "{name}: {found:?}"
        );
    };

    remains.after(|| {
        let mut frame = [0; 1000];
        frame[500..532].copy_from_slice(&SEED);
        black_box(&frame);
    });
    is_found("seed", &remains.stack);
    assert_eq!(secrets.found(&remains.freed), []);

    remains.after(|| drop(black_box(SEED.to_vec())));
    is_found("seed", &remains.freed);
    remains.after(|| {
        // A vector that grows leaves its old bytes in memory.
        let mut grown = black_box(SEED.to_vec());
        grown.extend([0; 1000]);
        grown.fill(0);
        black_box(&grown);
    });
    is_found("seed", &remains.freed);
    remains.after(|| drop(black_box(hex::encode(SEED))));
    is_found("hex of the seed", &remains.freed);

    remains.after(|| {
        black_box(Sha512::digest(SEED));
    });
    is_found("expanded seed", &remains.stack);
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(&klero_reference::expand(&SEED).x.to_bytes_le());
    remains.after(|| {
        black_box(Scalar::from_bytes_mod_order_wide(&wide));
    });
    is_found("limb of reduced x", &remains.stack);
}

/// Tests that each form of each secret is found among other bytes.
#[test]
fn every_form_is_found() {
    let mut secrets = Secrets::of_key(&SEED);
    secrets.add_proof(Suite::named("praos").unwrap(), &SEED, b"alpha");
    for (name, form) in secrets.forms() {
        let mut memory = [0x5a; 300];
        memory[101..][..form.len()].copy_from_slice(&form);
        let found = secrets.found(&memory);
        assert!(found.iter().any(|(_, found)| *found == name), "{name}");
    }
    assert_eq!(secrets.found(&[0x5a; 300]), []);
}
