//! Signatures that nobody made.

use blst::min_pk::SecretKey;

use super::*;

/// S of no signature, of the attacker's own, and of the message alone; and constant bytes.
#[test]
fn signatures_of_nobody() {
    let mut token = Token::new(0);
    token.blocks.push(Link {
        kind: ROOT,
        ..block(root(), &rights(b"everything"))
    });
    token.sum = infinity();
    refused(&token, None, "point");
    let mut one = [0; 32];
    one[31] = 1;
    let one = SecretKey::from_bytes(&one).unwrap();
    for secret in [secret_key(&MY_SEED), one] {
        token.sum = secret.sign(&token.state(), DOMAIN, &[]).compress();
        refused(&token, None, "signature");
    }
    for byte in [0, 1, 0x7f, 0xff] {
        token.sum = [byte; 96];
        refused(&token, None, "point");
    }
}
