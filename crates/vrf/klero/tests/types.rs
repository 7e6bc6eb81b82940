//! Tests the types that are plain bytes (hex, conversions, order and serde), the names of suites, backends
//! and stages, and the compiler's warnings about unused results.

use std::collections::HashSet;
use std::num::NonZeroU64;

use klero::{
    Backend, Claim, Error, Invalid, Output, Proof, Prover, PublicKey, SecretKey, Stage, Suite,
    Verifier,
};
use num_bigint::BigUint;
use proptest::proptest;
use rand_core::{Infallible, TryCryptoRng, TryRng};

fn samples() -> (PublicKey, Vec<Proof>, Output) {
    let suites = [
        Suite::PRAOS,
        Suite::DRAFT13_BC,
        klero::experimental::PRAOS_144,
    ];
    let keys = suites.map(|suite| SecretKey::from_seed(suite, &[7; 32]));
    let (_, output) = keys[0].prove(b"alpha");
    let proofs = keys.iter().map(|key| key.prove(b"alpha").0).collect();
    (*keys[0].public_key(), proofs, output)
}

#[test]
fn hex_and_back() {
    let (key, proofs, output) = samples();
    assert_eq!(key.to_string().len(), 64);
    assert_eq!(key.to_string().parse(), Ok(key));
    assert_eq!(key.to_string().to_uppercase().parse(), Ok(key));
    assert_eq!(output.to_string().parse(), Ok(output));
    for (proof, length) in proofs.iter().zip([80, 128, 144]) {
        assert_eq!(proof.as_bytes().len(), length);
        assert_eq!(proof.to_string().parse(), Ok(*proof));
        assert_eq!(Proof::try_from(proof.as_bytes()), Ok(*proof));
        assert_eq!(format!("{proof:?}"), format!("Proof({proof})"));
    }
}

#[test]
fn bad_text_is_an_error() {
    let not_hex =
        Error::Unreadable("not hex: expected pairs of the digits 0 to 9 and a to f".into());
    let wrong_length = |bytes| {
        let expected = "expected 32 (key), 80, 128 or 144 (proof) or 64 (output)";
        Error::Unreadable(format!("{bytes} bytes: {expected}"))
    };
    assert_eq!("".parse::<Output>(), Err(wrong_length(0)));
    assert_eq!("0".parse::<Output>(), Err(not_hex.clone()));
    assert_eq!("zz".repeat(64).parse::<Output>(), Err(not_hex.clone()));
    let long = "00".repeat(1_000_000);
    assert_eq!(long.parse::<Output>(), Err(wrong_length(1_000_000)));
    assert_eq!("é".repeat(64).parse::<Output>(), Err(not_hex));
    assert_eq!("00".repeat(81).parse::<Proof>(), Err(wrong_length(81)));
    let short = "00".parse::<PublicKey>();
    assert_eq!(short, Err(Error::Key(Invalid::KeyLength(1))));
    let long = "00".repeat(33).parse::<PublicKey>();
    assert_eq!(long, Err(wrong_length(33)));
    let long = PublicKey::try_from(&[0; 33][..]);
    assert_eq!(long, Err(Error::Key(Invalid::KeyLength(33))));
    let order_4 = "00".repeat(32).parse::<PublicKey>();
    assert_eq!(order_4, Err(Error::Key(Invalid::KeySmallOrder)));
}

#[test]
fn the_order_is_that_of_the_bytes() {
    let (key, proofs, _) = samples();
    let other = *SecretKey::from_seed(Suite::PRAOS, &[8; 32]).public_key();
    assert_eq!(key < other, key.as_bytes() < other.as_bytes());
    assert_eq!(HashSet::from([key, other, key]).len(), 2);
    let mut sorted = proofs.clone();
    // A proof sorts before a longer proof that begins with it, even if the longer one adds only zeros.
    for proof in [proofs[0].as_bytes(), &[0; 80]] {
        for length in [144, 128, 80] {
            let mut longer = proof.to_vec();
            longer.resize(length, 0);
            sorted.push(Proof::try_from(&longer[..]).unwrap());
        }
    }
    sorted.sort();
    let bytes = sorted.iter().map(Proof::as_bytes);
    assert!(bytes.is_sorted());
}

#[test]
fn a_proof_from_bytes_is_checked() {
    let (_, proofs, _) = samples();
    let bytes = proofs[0].as_bytes();
    assert_eq!(Suite::PRAOS.proof_from_bytes(bytes), Ok(proofs[0]));
    let length = Suite::DRAFT13_BC.proof_from_bytes(bytes).unwrap_err();
    assert_eq!(
        length,
        Invalid::ProofLength {
            expected: 128,
            got: 80
        }
    );
    let mut large_s = bytes.to_vec();
    large_s[48..].fill(0xff);
    let refused = Suite::PRAOS.proof_from_bytes(&large_s);
    assert_eq!(refused, Err(Invalid::ScalarNotCanonical));
    assert!(Suite::PRAOS_ORIGINAL.proof_from_bytes(&large_s).is_ok());
}

#[cfg(feature = "serde")]
#[test]
fn serde_uses_hex_or_bytes() {
    let (key, proofs, output) = samples();
    fn both_ways<T>(value: T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Display,
        T: std::fmt::Debug + AsRef<[u8]>,
    {
        let text = serde_json::to_string(&value).unwrap();
        assert_eq!(text, format!("\"{value}\""));
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), value);
        let bytes = postcard::to_allocvec(&value).unwrap();
        assert!(bytes.ends_with(value.as_ref()));
        assert!(bytes.len() <= value.as_ref().len() + 2);
        assert_eq!(postcard::from_bytes::<T>(&bytes).unwrap(), value);
    }
    both_ways(key);
    both_ways(output);
    proofs.into_iter().for_each(both_ways);
    let error = serde_json::from_str::<Output>("\"00\"").unwrap_err();
    assert!(
        error.to_string().starts_with("1 bytes: expected"),
        "{error}"
    );
}

/// `floor(output * n / 2^512)` on big integers.
fn below_by_division(output: &Output, n: u64) -> u64 {
    let product = BigUint::from_bytes_be(&output.0) * n;
    u64::try_from(product >> 512).unwrap()
}

#[test]
fn integers_below_are_those_of_the_vectors() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../vectors/outputs/below.json"
    );
    let vectors: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(vectors.len(), 140);
    for vector in vectors {
        let field = |name: &str| vector[name].as_str().unwrap();
        let output: Output = field("output").parse().unwrap();
        let n: NonZeroU64 = field("n").parse().unwrap();
        let below = output.below(n);
        assert_eq!(below.to_string(), field("below"), "{vector}");
        assert_eq!(below, below_by_division(&output, n.get()), "{vector}");
    }
}

proptest! {
    #[test]
    fn integers_below_are_those_of_a_division(output: [[u8; 32]; 2], n: NonZeroU64, shift in 0..64) {
        let output = Output(output.as_flattened().try_into().unwrap());
        let n = NonZeroU64::new(n.get() >> shift).unwrap_or(NonZeroU64::MIN);
        assert_eq!(output.below(n), below_by_division(&output, n.get()));
    }
}

#[test]
fn names_are_those_of_suites_and_backends() {
    assert_eq!("praos-draft03".parse(), Ok(Suite::PRAOS));
    assert_eq!("RFC9381_ELL2".parse(), Ok(Suite::RFC9381_ELL2));
    let message = |error: Error| match error {
        Error::UnknownName(message) => message,
        error => panic!("{error}"),
    };
    let suites = message("nonsense".parse::<Suite>().unwrap_err());
    assert!(suites.starts_with("no such suite: expected one of praos, praos-original, "));
    assert!(suites.ends_with(", praos-tai"));
    let backends = message("avx1024".parse::<Backend>().unwrap_err());
    assert!(backends.starts_with("\"avx1024\" is no backend of this processor: expected "));
    assert!(backends.ends_with("portable"));
    assert_eq!(Stage::HashAlpha.to_string(), "hash alpha");
}

/// A random source whose bytes are all 7.
struct Sevens;

impl TryRng for Sevens {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(7);
        Ok(())
    }
}

impl TryCryptoRng for Sevens {}

#[test]
fn a_seed_is_what_the_random_source_gives() {
    let key = SecretKey::generate_from(Suite::PRAOS, &mut Sevens);
    assert_eq!(key.seed(), &[7; 32]);
}

/// Compiles only if the compiler warns, for each call below, that the result is not used.
#[test]
#[deny(unfulfilled_lint_expectations)]
fn what_is_verified_or_made_in_vain_is_a_warning() {
    let suite = Suite::PRAOS;
    #[expect(unused_must_use)]
    suite.verify(&[2; 32], b"", &[0; 80]);
    #[expect(unused_must_use)]
    suite.verify_many(&[]);
    #[expect(unused_must_use)]
    Verifier::new(suite).verify_many(&[]);
    #[expect(unused_must_use)]
    Verifier::new(suite).keep_keys(1);
    #[expect(unused_must_use)]
    Prover::new().backend(Backend::default());
    #[expect(unused_must_use)]
    Claim::new(&[2; 32], b"", &[0; 80]).with_output(&[0; 64]);
}
