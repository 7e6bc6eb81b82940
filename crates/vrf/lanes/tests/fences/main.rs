//! Tests that no stage accesses memory beyond its slices, or beyond its own allocations. Each
//! allocation of this program ends at an inaccessible page, or begins right after one.
//!
//! The stack and static variables are not next to such pages. To make up for this, `field/tests/fences.rs`
//! tests the loads and stores of vectors, for rows of each length up to 24 words.

#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

mod fence;
#[path = "../hosts/host.rs"]
#[allow(dead_code)]
mod host;
#[path = "../fuzzed/stages.rs"]
#[allow(dead_code)]
mod stages;

use fence::{Fence, Side};
use klero_lanes::{Elligator2, Engine, Point, engines};
use sha2::{Digest, Sha512};

#[global_allocator]
static FENCE: Fence = Fence::new(Side::Behind);

#[test]
fn nothing_behind_an_allocation_is_touched() {
    without_backtraces();
    if host::in_a_child("nothing_behind_an_allocation_is_touched") {
        FENCE.set(Side::Behind);
        every_stage();
    }
}

#[test]
fn nothing_before_an_allocation_is_touched() {
    without_backtraces();
    if host::in_a_child("nothing_before_an_allocation_is_touched") {
        FENCE.set(Side::Before);
        every_stage();
    }
}

/// Tests the fences themselves.
#[test]
fn a_byte_beyond_an_allocation_ends_the_process() {
    without_backtraces();
    for (side, within, beyond) in [(Side::Behind, 4, 5), (Side::Before, 0, -1)] {
        FENCE.set(side);
        let mut bytes = vec![7u8; 5];
        let start = bytes.as_mut_ptr();
        // SAFETY: the accesses are done in a separate process, which ends at an access beyond the bytes.
        let read = |at: isize| unsafe { start.wrapping_offset(at).read_volatile() };
        let write = |at: isize| unsafe { start.wrapping_offset(at).write_volatile(1) };
        assert!(survives(|| _ = read(within)) && survives(|| write(within)));
        assert!(!survives(|| _ = read(beyond)) && !survives(|| write(beyond)));
    }
}

/// Turns off backtraces. Each allocation is a mapping of its own, and a backtrace would exceed the limit on
/// mappings. So the process would end before it reports the failure.
fn without_backtraces() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// True if a child process that does this work ends normally.
fn survives(work: impl FnOnce()) -> bool {
    let mut status = 0;
    // SAFETY: the child process has one thread. It accesses memory and ends.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            work();
            libc::_exit(0);
        }
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
    }
    status == 0
}

/// Runs all stages on all engines, with every number of items up to 17, which is one more than two vectors
/// of eight lanes can hold. Each slice is a whole allocation, so it begins or ends at an inaccessible page.
fn every_stage() {
    const MOST: usize = 17;
    let bytes: Vec<[u8; 32]> = (0..MOST as u64).map(random32).collect();
    for engine in engines() {
        for n in 0..=MOST {
            eprintln!("{engine:?}, {n} items");
            let own = bytes[..n].to_vec();
            stages::through(engine, &own);
            known_points(engine, n);
            hashes(engine, n);
            for decoded in 0..=n {
                decode_and_map(engine, &bytes[..n], decoded);
            }
        }
        // These numbers of terms need windows of several widths, and for subsets, of four and of eight bits.
        for n in [41, 100, 200, 640] {
            eprintln!("{engine:?}, {n} terms");
            sums(engine, n);
        }
    }
}

fn decode_and_map(engine: Engine, bytes: &[[u8; 32]], decoded: usize) {
    let (encodings, r) = (bytes[..decoded].to_vec(), bytes[decoded..].to_vec());
    let mut points = vec![Point::IDENTITY; encodings.len()];
    let mut on_curve = vec![false; encodings.len()];
    let mut mapped = vec![Point::IDENTITY; r.len()];
    let form = Elligator2::Rfc9380;
    engine.decode_and_map(
        &encodings,
        &mut points,
        &mut on_curve,
        &r,
        form,
        &mut mapped,
    );
}

fn known_points(engine: Engine, n: usize) {
    let known = engine.know(&vec![Point::BASE; n]);
    let known: Vec<_> = known.iter().collect();
    let s: Vec<[u8; 32]> = (0..n as u64).map(random32).collect();
    let c: Vec<[u8; 16]> = s.iter().map(first_half).collect();
    engine.mul_base_sub_known(&s, &c, &known, &mut vec![Point::IDENTITY; n]);
}

fn sums(engine: Engine, n: usize) {
    let points: Vec<Point> = (0..n)
        .map(|i| [Point::BASE, Point::IDENTITY][i % 2])
        .collect();
    let scalars: Vec<[u8; 32]> = (0..n as u64).map(random32).collect();
    let weights: Vec<[u8; 16]> = scalars.iter().map(first_half).collect();
    engine.multiscalar_mul(&scalars[0], &points, &scalars, 253);
    engine.multiscalar_mul(&scalars[0], &points, &weights, 128);
    engine.random_combination(&points, &weights);
}

/// Hashes n messages of different lengths in one call. Each message is given in two parts.
fn hashes(engine: Engine, n: usize) {
    const LENGTHS: [usize; 11] = [0, 1, 17, 111, 112, 127, 128, 129, 255, 256, 1000];
    let parts: Vec<[Vec<u8>; 2]> = (0..n)
        .map(|i| {
            let length = LENGTHS[(i + n) % LENGTHS.len()];
            [vec![1; length / 3], vec![2; length - length / 3]]
        })
        .collect();
    let parts: Vec<[&[u8]; 2]> = parts.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    let prefix = vec![[3; 128]; n % 3];
    engine.sha512(&prefix, &messages, &mut vec![[0; 64]; n]);
    engine.blake2b(&messages, &mut vec![[0; 64]; n]);
    engine.blake2b(&messages, &mut vec![[0; 28]; n]);
}

fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}

fn first_half(bytes: &[u8; 32]) -> [u8; 16] {
    bytes[..16].try_into().unwrap()
}
