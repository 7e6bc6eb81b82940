//! Makes a group of claims from any bytes. All backends must agree on each claim alone and on the whole
//! group.
//!
//! Each claim is an honest claim with up to three changes. So after a small change of the bytes, the claims
//! are almost the same.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use klero::{Backend, Claim, Method, SecretKey, Suite, Verifier};
use klero_lanes::Point;

/// The greatest number of claims in a group. It is more than two vectors of eight lanes hold.
const MOST: usize = 20;

/// The number of honest claims for each suite.
const HONEST: u8 = 4;

/// A claim that owns its bytes: key, alpha, proof and output.
#[derive(Clone)]
struct Parts([Vec<u8>; 4]);

impl Parts {
    fn claim(&self) -> Claim<'_> {
        let Self([key, alpha, proof, output]) = self;
        Claim {
            key,
            alpha,
            proof,
            output: (!output.is_empty()).then_some(output),
        }
    }
}

/// Reads claims from the bytes, and compares their verdicts.
pub fn verdicts(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    let number = input.choose_index(Suite::ALL.len())?;
    let suite = Suite::ALL[number];
    let mut claims = Vec::new();
    while claims.len() < MOST && !input.is_empty() {
        claims.push(claim(&mut input, &honest()[number])?);
    }
    compare(suite, &claims);
    Ok(())
}

fn compare(suite: Suite, claims: &[Parts]) {
    let backends = Backend::all();
    let portable = backends[backends.len() - 1];
    let expected: Vec<_> = claims
        .iter()
        .map(|claim| {
            Verifier::new(suite)
                .backend(portable)
                .verify(&claim.claim())
        })
        .collect();
    for backend in backends {
        let verifier = Verifier::new(suite).backend(backend);
        let batch: Vec<_> = claims.iter().map(Parts::claim).collect();
        for method in [Method::Sum, Method::OneByOne] {
            let report = verifier.clone().method(method).verify_many(&batch);
            assert_eq!(report.verdicts, expected, "{suite} on {backend:?}");
        }
        for (claim, expected) in claims.iter().zip(&expected) {
            let verdict = verifier.verify(&claim.claim());
            assert_eq!(verdict, *expected, "{} alone on {backend:?}", suite.name());
        }
    }
    for (claim, expected) in claims.iter().zip(&expected) {
        let output = suite.proof_to_hash(claim.claim().proof);
        assert!(expected.is_err() || output == *expected, "{}", suite.name());
    }
}

fn honest() -> &'static [Vec<Parts>] {
    static HONEST_CLAIMS: LazyLock<Vec<Vec<Parts>>> = LazyLock::new(|| {
        let claims = |suite: &Suite| {
            let claim = |number: u8| {
                let key = SecretKey::from_seed(*suite, &[number / 2; 32]);
                let alpha = vec![number; usize::from(number)];
                let (proof, output) = key.prove(&alpha);
                Parts([
                    key.public_key().as_bytes().to_vec(),
                    alpha,
                    proof.as_bytes().to_vec(),
                    output.as_bytes().to_vec(),
                ])
            };
            (0..HONEST).map(claim).collect()
        };
        Suite::ALL.iter().map(claims).collect()
    });
    &HONEST_CLAIMS
}

fn claim(input: &mut Unstructured, honest: &[Parts]) -> Result<Parts> {
    let mut claim = input.choose(honest)?.clone();
    for _ in 0..input.int_in_range(0..=3)? {
        let part = input.choose_index(4)?;
        let other = input.choose(honest)?.0[part].clone();
        change(input, &mut claim.0[part], other)?;
    }
    Ok(claim)
}

/// Changes a part of a claim in one of seven ways.
fn change(input: &mut Unstructured, bytes: &mut Vec<u8>, other: Vec<u8>) -> Result<()> {
    // A range of 32 bytes (the length of a point or a scalar), or the whole part if it is shorter.
    let field = match bytes.len() / 16 {
        0 | 1 => 0..bytes.len(),
        count => {
            let at = 16 * input.choose_index(count - 1)?;
            at..at + 32
        }
    };
    match input.int_in_range(0..=6)? {
        0 if !bytes.is_empty() => {
            let at = input.choose_index(bytes.len())?;
            bytes[at] ^= input.arbitrary::<u8>()?;
        }
        1 => input.fill_buffer(&mut bytes[field])?,
        2 => {
            let at = input.int_in_range(0..=bytes.len())?;
            bytes.truncate(at);
            bytes.extend(input.bytes(input.len().min(40))?);
        }
        3 => *bytes = other,
        _ if field.len() < 32 => {}
        4 => bytes[field].copy_from_slice(&odd_encoding(input)?),
        5 => add_torsion(input, &mut bytes[field])?,
        _ => add_order(&mut bytes[field]),
    }
    Ok(())
}

/// Returns this multiple of the point T, which has order 8.
fn torsion(multiple: usize) -> Point {
    const T: [u8; 32] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ];
    (0..multiple).fold(Point::IDENTITY, |sum, _| sum.plus(&decode(&T)))
}

fn decode(encoding: &[u8; 32]) -> Point {
    let (mut points, mut on_curve) = ([Point::IDENTITY], [false]);
    klero_lanes::engine().decode(&[*encoding], &mut points, &mut on_curve);
    points[0]
}

fn encode(point: Point) -> [u8; 32] {
    let mut encodings = [[0; 32]];
    klero_lanes::engine().encode(&[point], &mut encodings);
    encodings[0]
}

/// Returns the encoding of a point of small order, or an encoding with y ≥ p. The sign bit is arbitrary.
fn odd_encoding(input: &mut Unstructured) -> Result<[u8; 32]> {
    let mut encoding = match input.int_in_range(0..=26)? {
        multiple @ 0..=7 => encode(torsion(multiple)),
        above => {
            // p is ed ff … ff 7f.
            let mut encoding = [0xff; 32];
            encoding[0] = 0xed + (above - 8) as u8;
            encoding[31] = 0x7f;
            encoding
        }
    };
    encoding[31] ^= u8::from(input.arbitrary::<bool>()?) << 7;
    Ok(encoding)
}

/// Adds one of the points T, 2T, … 7T to an encoded point.
fn add_torsion(input: &mut Unstructured, bytes: &mut [u8]) -> Result<()> {
    if let Ok(encoding) = <&[u8; 32]>::try_from(&*bytes) {
        let error = torsion(input.int_in_range(1..=7)?);
        bytes.copy_from_slice(&encode(decode(encoding).plus(&error)));
    }
    Ok(())
}

/// Adds L to an encoded scalar. Mod L, the scalar stays the same, but its encoding is no longer canonical.
fn add_order(bytes: &mut [u8]) {
    const L: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut carry = 0;
    for (byte, l) in bytes.iter_mut().zip(L) {
        carry += u16::from(*byte) + u16::from(l);
        *byte = carry as u8;
        carry >>= 8;
    }
}
