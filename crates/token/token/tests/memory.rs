//! The memory for decoding grows with the bytes that arrive, not with the lengths that the bytes announce.

use std::alloc::System;

use cap::Cap;
use klero_token::{Error, Limits, Request, Scheme, Statement, Token};

mod support;

use support::NO_LIMITS;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Calls a function. Returns the size of everything that it allocated, freed or not, and its result.
fn taken<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = MEMORY.total_allocated();
    let result = work();
    (MEMORY.total_allocated() - before, result)
}

/// Decodes the token with wrong numbers of blocks or wrong lengths, which must take little memory.
fn announced(honest: &[u8]) {
    let find = |length: u32| {
        let mut places = honest.windows(4);
        places.position(|bytes| bytes == length.to_le_bytes())
    };
    let blocks = [1_000_000, u32::MAX].map(|count| {
        let mut bytes = honest.to_vec();
        bytes[9..13].copy_from_slice(&count.to_le_bytes());
        bytes
    });
    // 1020 is the length of the payload, and 1000 is the length of the rights in the payload.
    let long = [1020, 1000].map(|length| {
        let mut long = honest.to_vec();
        long[find(length).unwrap()..][..4].fill(0xff);
        long
    });
    for limits in [Limits::default(), NO_LIMITS] {
        for bytes in [&blocks, &long].into_iter().flatten() {
            let (taken, token) = taken(|| Token::decode(bytes, &limits));
            assert!(token.is_err());
            // 4096 bytes are enough for one block, or for a vector with room for a few blocks.
            assert!(taken < 4096, "{taken} bytes for {}", bytes.len());
        }
    }
}

/// Too many bytes are refused before they are read. A text that is too long is refused before it is decoded.
fn too_long() {
    let large = vec![b'A'; 1 << 24];
    let (bytes, refusal) = taken(|| Token::decode(&large, &Limits::default()));
    assert!(matches!(refusal, Err(Error::TooLarge { .. })) && bytes == 0);
    let text = String::from_utf8(large).unwrap();
    let (bytes, refusal) = taken(|| Token::from_text(&text, &Limits::default()));
    assert!(matches!(refusal, Err(Error::TooLarge { .. })) && bytes == 0);
}

/// Decoding 64 blocks allocates less than ten times the length of the encoding.
fn many_blocks(token: &Token) {
    let bytes = token.encode().unwrap();
    let (taken_by, token) = taken(|| Token::decode(&bytes, &NO_LIMITS));
    assert!(token.is_ok() && taken_by < 10 * bytes.len(), "{taken_by}");
}

/// Decodes a statement that announces a payload of 4 GiB.
fn announced_in_a_statement(token: &Token) {
    let statement = support::statement(token, &[2; 32], b"");
    let mut statement = statement.encode().unwrap();
    statement[5..9].fill(0xff);
    let (bytes, refusal) = taken(|| Statement::decode(&statement, &NO_LIMITS));
    // Only the text of the error takes memory.
    let truncated = refusal.is_err_and(|error| support::errors::of_truncated(&error).is_some());
    assert!(truncated && bytes < 512, "{bytes}");
    let (bytes, refusal) = taken(|| Request::decode(&statement));
    assert!(refusal.is_err() && bytes < 512, "{bytes}");
}

/// The only test of this file, because other tests would allocate memory at the same time.
#[test]
fn announced_lengths_take_no_memory() {
    too_long();
    for scheme in Scheme::ALL {
        let root = support::root(scheme);
        let mut token = Token::mint(&root, 0, &[7; 1000], &[]).unwrap();
        announced(&token.encode().unwrap());
        for _ in 0..63 {
            token = token.append(b"").unwrap();
        }
        many_blocks(&token);
        announced_in_a_statement(&token);
    }
}
