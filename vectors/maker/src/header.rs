//! A header as a maker makes it: fields, their CBOR, the operational certificate, the KES signature.
//!
//! It is written here a second time, apart from the crates that read and forge headers, and in the
//! words of the CDDL.

use blake2::digest::consts::{U28, U32};
use blake2::{Blake2b, Digest};
use ed25519_dalek::{Signer, SigningKey};
use klero_forge::KesKey;

use crate::era::Era;

/// BLAKE2b-256.
pub fn hash_256(parts: &[&[u8]]) -> [u8; 32] {
    let hash = parts
        .iter()
        .fold(Blake2b::<U32>::new(), |hash, part| hash.chain_update(part));
    hash.finalize().into()
}

/// BLAKE2b-224: of a cold key, the id of its pool.
pub fn hash_224(key: &[u8]) -> [u8; 28] {
    Blake2b::<U28>::digest(key).into()
}

/// A VRF output and its proof.
#[derive(Clone)]
pub struct Cert {
    pub output: [u8; 64],
    pub proof: Vec<u8>,
}

/// An operational certificate.
#[derive(Clone)]
pub struct Certificate {
    pub hot_key: [u8; 32],
    pub number: u64,
    pub start: u64,
    pub signature: [u8; 64],
}

/// A header before it is signed.
#[derive(Clone)]
pub struct Draft {
    pub tag: u8,
    pub number: u64,
    pub slot: u64,
    pub previous: [u8; 32],
    pub issuer_key: [u8; 32],
    pub vrf_key: [u8; 32],
    /// In TPraos two, for nonce and leader; in Praos one.
    pub certs: Vec<Cert>,
    pub body_hash: [u8; 32],
    pub certificate: Certificate,
    /// The seed of the key that signs, and its evolution.
    pub hot: [u8; 32],
    pub evolution: u64,
}

/// A header, its signature apart.
#[derive(Clone)]
pub struct Header {
    pub draft: Draft,
    /// The bytes that are signed.
    pub body: Vec<u8>,
    pub signature: Vec<u8>,
}

/// The certificate of a hot key by a cold key.
pub fn certify(cold: &SigningKey, hot: [u8; 32], number: u64, start: u64) -> Certificate {
    let hot_key = KesKey::from_seed(hot).verification_key();
    let message = [&hot_key[..], &number.to_be_bytes(), &start.to_be_bytes()].concat();
    Certificate {
        hot_key,
        number,
        start,
        signature: cold.sign(&message).to_bytes(),
    }
}

/// The signature of a message by the key of a seed, at this evolution.
pub fn sign(hot: [u8; 32], evolution: u64, message: &[u8]) -> Vec<u8> {
    let mut key = KesKey::from_seed(hot);
    while key.evolution() < evolution {
        assert!(key.evolve(), "evolution {evolution}");
    }
    key.sign(message).to_vec()
}

impl Draft {
    /// A copy that is changed.
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    /// True for a header of TPraos.
    pub fn is_tpraos(&self) -> bool {
        self.tag < 6
    }

    /// The certificate that decides who leads.
    pub fn leader_cert(&self) -> &Cert {
        self.certs.last().expect("a header has a certificate")
    }

    /// The leader value: 64 bytes in TPraos, else 32.
    pub fn leader_value(&self) -> Vec<u8> {
        leader_value(self.tag, &self.leader_cert().output)
    }

    /// The header, signed.
    pub fn sign(&self) -> Header {
        let body = self.body();
        Header {
            signature: sign(self.hot, self.evolution, &body),
            draft: self.clone(),
            body,
        }
    }

    fn body(&self) -> Vec<u8> {
        let mut to = Vec::new();
        array(&mut to, if self.is_tpraos() { 15 } else { 10 });
        uint(&mut to, self.number);
        uint(&mut to, self.slot);
        bytes(&mut to, &self.previous);
        bytes(&mut to, &self.issuer_key);
        bytes(&mut to, &self.vrf_key);
        for cert in &self.certs {
            array(&mut to, 2);
            bytes(&mut to, &cert.output);
            bytes(&mut to, &cert.proof);
        }
        // No transactions: the size of an empty body, in three parts or four.
        uint(&mut to, if self.tag < 5 { 3 } else { 4 });
        bytes(&mut to, &self.body_hash);
        if !self.is_tpraos() {
            array(&mut to, 4);
        }
        bytes(&mut to, &self.certificate.hot_key);
        uint(&mut to, self.certificate.number);
        uint(&mut to, self.certificate.start);
        bytes(&mut to, &self.certificate.signature);
        if !self.is_tpraos() {
            array(&mut to, 2);
        }
        let era = Era::ALL[usize::from(self.tag) - 2];
        uint(&mut to, era.protocol_major.into());
        uint(&mut to, 0);
        to
    }
}

impl Header {
    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        array(&mut to, 2);
        to.extend_from_slice(&self.body);
        bytes(&mut to, &self.signature);
        to
    }
}

/// The leader value of an output.
pub fn leader_value(tag: u8, output: &[u8; 64]) -> Vec<u8> {
    match tag < 6 {
        true => output.to_vec(),
        false => hash_256(&[b"L", output]).to_vec(),
    }
}

/// The hash of an empty body: transactions, witnesses, auxiliary data, and since Alonzo the invalid
/// transactions.
pub fn empty_body(tag: u8) -> [u8; 32] {
    let parts: [&[u8]; 4] = [&[0x80], &[0x80], &[0xa0], &[0x80]];
    let parts = &parts[..if tag < 5 { 3 } else { 4 }];
    let hashes: Vec<[u8; 32]> = parts.iter().map(|part| hash_256(&[part])).collect();
    hash_256(&[&hashes.concat()])
}

fn array(to: &mut Vec<u8>, length: u64) {
    head(to, 4, length);
}

fn uint(to: &mut Vec<u8>, number: u64) {
    head(to, 0, number);
}

fn bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    head(to, 2, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

/// The head of an item of CBOR, in its shortest form.
fn head(to: &mut Vec<u8>, major: u8, argument: u64) {
    let long = argument.to_be_bytes();
    let (short, digits) = match argument {
        0..24 => (argument as u8, &[][..]),
        24..0x100 => (24, &long[7..]),
        0x100..0x1_0000 => (25, &long[6..]),
        0x1_0000..0x1_0000_0000 => (26, &long[4..]),
        _ => (27, &long[..]),
    };
    to.push(major << 5 | short);
    to.extend_from_slice(digits);
}
