//! The scheme `chain`: every link is signed with the key that the previous link contains.

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{Error, Place, Scheme};

use crate::encoding::{
    CAVEATS_ES256, CAVEATS_PASSKEY, Part, Parts, Refusal, SEAL, SEAL_ES256, SEAL_PASSKEY, ensure,
};
use crate::equations::es256::{es256_holds, passkey_holds, split_counted};
use crate::equations::scheme::{Linked, Twin};
use crate::equations::state::{le64, state};
use crate::equations::strict::strictly;

/// The second implementation of [`Scheme::Chain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain;

/// The message that the signature in a link of a chain covers.
pub fn chain_message(kind: u8, state: &[u8], next: &[u8], payload: &[u8]) -> Vec<u8> {
    let tag = &b"klero-token/chain\x03"[..];
    [tag, &[kind], state, next, &le64(payload), payload].concat()
}

fn seed_of(end: &[u8]) -> SigningKey {
    SigningKey::from_bytes(end.try_into().unwrap())
}

impl Twin for Chain {
    const SCHEME: Scheme = Scheme::Chain;
    const ID: u8 = 1;

    fn link_length(kind: u8) -> usize {
        match kind {
            SEAL | SEAL_ES256 | SEAL_PASSKEY => 64,
            CAVEATS_ES256 | CAVEATS_PASSKEY => 97,
            _ => 96,
        }
    }

    fn secret_length(sealed: bool) -> usize {
        if sealed { 0 } else { 32 }
    }

    fn beginning(root: &[u8; 32]) -> Vec<u8> {
        root.to_vec()
    }

    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal> {
        let mut key = (root, Place::Block(0));
        for (i, block) in token.blocks.iter().enumerate() {
            let (next, signature) = block.link.split_at(block.link.len() - 64);
            let message = chain_message(block.kind, &token.after(i), next, &block.payload);
            let signature = (signature, token.place(i));
            match block.kind {
                SEAL_ES256 => es256_holds(key, &message, signature)?,
                SEAL_PASSKEY => {
                    let signed = split_counted(token.secret).map(|(signed, _)| signed);
                    passkey_holds(key, &message, signature, signed.unwrap())?;
                }
                _ => strictly(key, &message, signature)?,
            }
            key = (next, token.place(i));
        }
        // A seal contains no next key.
        let possessed = || seed_of(token.secret).verifying_key().as_bytes() == key.0;
        ensure(key.0.is_empty() || possessed(), "possession", None)
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let next = SigningKey::from_bytes(seed).verifying_key().to_bytes();
        let next = if kind == SEAL { &[][..] } else { &next };
        let state = state(Self::ID, token.root_id, &token.blocks);
        let signature = seed_of(&token.end).sign(&chain_message(kind, &state, next, payload));
        token.blocks.push(Part {
            kind,
            link: [next, &signature.to_bytes()].concat(),
            payload: payload.to_vec(),
        });
        token.end = seed.to_vec();
    }

    fn wrong(place: Place) -> Error {
        crate::support::wrong(place)
    }
}
