//! Bytes, blocks and kinds that are read as others.

use super::*;

/// Bytes moved from one block to its neighbour.
#[test]
fn moved_boundary() {
    for (first, second) in [("rea", "donly"), ("reado", "nly"), ("", "readonly")] {
        let mut token = honest(&["read", "only", "this"]);
        token.blocks[0].payload = rights(first.as_bytes());
        token.blocks[1].payload = second.into();
        refused(&token, None, "signature");
    }
}

/// A block within the payload of its neighbour, before or behind it.
#[test]
fn merged_blocks() {
    let token = honest(&["read", "only", "this"]);
    let [a, b, _] = &token.blocks[..] else {
        unreachable!()
    };
    let length = (b.payload.len() as u32).to_le_bytes();
    let into_first = [&a.payload, &[b.kind][..], &b.key, &length, &b.payload].concat();
    let into_second = [&a.payload[..], &a.key, &length, &b.payload].concat();
    for payload in [into_first, into_second] {
        let mut merged = token.clone();
        merged.blocks[0].payload = payload.clone();
        merged.blocks.remove(1);
        refused(&merged, None, "signature");

        let mut merged = token.clone();
        merged.blocks[1].payload = payload;
        merged.blocks.remove(0);
        (merged.blocks[0].kind, merged.blocks[0].payload) = (ROOT, rights(b"only"));
        refused(&merged, None, "wrong root");
    }
}

/// Every block relabelled as a kind that may not stand there.
#[test]
fn kinds_swapped() {
    for block in [0, 1] {
        for kind in [ROOT, CAVEATS, STATEMENT, OPAQUE, SEAL, 5, 0xff] {
            if (block == 0) != (kind == ROOT) || kind >= SEAL {
                let mut token = honest(&["read", "less"]);
                token.blocks[block].kind = kind;
                refused(&token, None, "kind");
            }
        }
    }
}

/// A block of one kind is not accepted as of another.
#[test]
fn kind_against_kind() {
    for signed in [CAVEATS, OPAQUE] {
        for read in [CAVEATS, OPAQUE] {
            let mut token = honest(&["read"]);
            token.add(signed, &MY_SEED, b"less");
            token.blocks[1].kind = read;
            match signed == read {
                true => accepted(&token),
                false => refused(&token, None, "signature"),
            }
        }
    }
    for kind in [CAVEATS, STATEMENT, OPAQUE] {
        let mut token = Token::new(0);
        token.add(kind, &ROOT_SEED, &rights(b"read"));
        token.blocks[0].kind = ROOT;
        refused(&token, None, "signature");
    }
}

/// A seal is not accepted as a block, nor a block as a seal, even if its payload is an answer.
#[test]
fn seal_against_block() {
    let token = sealed(honest(&["read"]));
    for kind in [CAVEATS, OPAQUE] {
        let mut bearer = token.clone();
        bearer.blocks.push(Link {
            kind,
            ..block(token.seal.unwrap(), CHALLENGE)
        });
        bearer.seal = None;
        refused(&bearer, None, "signature");
    }
    let mut token = honest(&["read"]);
    token.add(OPAQUE, &[100; 32], CHALLENGE);
    token.seal = token.blocks.pop().map(|last| last.key);
    refused(&token, Some(CHALLENGE), "signature");
}
