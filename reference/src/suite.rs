//! The suites: a table with one row of choices for each (RFC 9381, section 5.5).

use blake2::digest::consts::U32;
use blake2::{Blake2b, Blake2b512};
use sha2::{Digest, Sha512};

/// A suite: its name, and each choice that the steps of ECVRF look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suite {
    /// The name that the command and the vectors use.
    pub name: &'static str,
    /// suite_string, the first byte of all that is hashed.
    pub octet: u8,
    /// The hash function of all steps but key expansion.
    pub hash: Hash,
    /// How an input becomes a point.
    pub map: Map,
    /// What challenge and output are hashed over.
    pub transcript: Transcript,
    /// The fields of a proof.
    pub form: Form,
    /// What verification does with inputs that no honest prover makes.
    pub rules: Rules,
}

/// The hash function of all steps but key expansion, which is always by SHA-512.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hash {
    /// SHA-512; its first half where 32 bytes are needed.
    Sha512,
    /// BLAKE2b-512, and BLAKE2b-256 where 32 bytes are needed.
    Blake2b,
}

/// How `pk ‖ alpha` becomes a point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    /// Try and increment: RFC 9381, section 5.4.1.1.
    Tai,
    /// Elligator2 as in draft-irtf-cfrg-vrf-03, section 5.4.1.2.
    Draft03,
    /// Elligator2 as in RFC 9381, section 5.4.1.2.
    Ell2,
}

/// What challenge and output are hashed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transcript {
    /// The challenge does not contain Y. Neither string ends with a zero byte.
    Draft03,
    /// The challenge does not contain Y. Both strings end with a zero byte.
    Draft10,
    /// The challenge contains Y. Both strings end with a zero byte.
    Rfc,
}

/// The fields of a proof, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Γ(32) ‖ c(16) ‖ s(32).
    Bytes80,
    /// Γ(32) ‖ U(32) ‖ V(32) ‖ s(32).
    Bytes128,
    /// Γ(32) ‖ U(32) ‖ V(32) ‖ c(16) ‖ s(32).
    Bytes144,
}

/// What verification does with inputs that no honest prover makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rules {
    /// U = sB + (L-c)Y and V = sH + (L-c)Γ; s ≥ L is rejected.
    Cardano,
    /// U = sB - cY and V = sH - cΓ; s ≥ L is rejected.
    Rfc,
    /// U = sB - cY and V = sH - cΓ; s is reduced mod L.
    Original,
}

const SHA: Hash = Hash::Sha512;
const BLAKE: Hash = Hash::Blake2b;

/// All suites.
#[rustfmt::skip]
pub const SUITES: [Suite; 14] = [
    suite("praos",           4, SHA,   Map::Draft03, Transcript::Draft03, Form::Bytes80,  Rules::Cardano),
    suite("praos-original",  4, SHA,   Map::Draft03, Transcript::Draft03, Form::Bytes80,  Rules::Original),
    suite("draft10-tai",     3, SHA,   Map::Tai,     Transcript::Draft10, Form::Bytes80,  Rules::Cardano),
    suite("draft10-tai-bc",  3, SHA,   Map::Tai,     Transcript::Draft10, Form::Bytes128, Rules::Cardano),
    suite("draft13",         4, SHA,   Map::Ell2,    Transcript::Rfc,     Form::Bytes80,  Rules::Cardano),
    suite("draft13-bc",      4, SHA,   Map::Ell2,    Transcript::Rfc,     Form::Bytes128, Rules::Cardano),
    suite("rfc9381-tai",     3, SHA,   Map::Tai,     Transcript::Rfc,     Form::Bytes80,  Rules::Rfc),
    suite("rfc9381-ell2",    4, SHA,   Map::Ell2,    Transcript::Rfc,     Form::Bytes80,  Rules::Rfc),
    suite("rfc9381-tai-bc",  3, SHA,   Map::Tai,     Transcript::Rfc,     Form::Bytes128, Rules::Rfc),
    suite("rfc9381-ell2-bc", 4, SHA,   Map::Ell2,    Transcript::Rfc,     Form::Bytes128, Rules::Rfc),
    suite("praos-128",       4, SHA,   Map::Draft03, Transcript::Draft03, Form::Bytes128, Rules::Cardano),
    suite("praos-144",       4, SHA,   Map::Draft03, Transcript::Draft03, Form::Bytes144, Rules::Cardano),
    suite("praos-tai",       4, SHA,   Map::Tai,     Transcript::Draft03, Form::Bytes80,  Rules::Cardano),
    suite("praos-blake2b",   4, BLAKE, Map::Draft03, Transcript::Draft03, Form::Bytes80,  Rules::Cardano),
];

const fn suite(
    name: &'static str,
    octet: u8,
    hash: Hash,
    map: Map,
    transcript: Transcript,
    form: Form,
    rules: Rules,
) -> Suite {
    Suite {
        name,
        octet,
        hash,
        map,
        transcript,
        form,
        rules,
    }
}

impl Suite {
    /// The suite of that name.
    pub fn named(name: &str) -> Option<&'static Suite> {
        SUITES.iter().find(|suite| suite.name == name)
    }

    /// The length of a proof in bytes.
    pub fn proof_len(&self) -> usize {
        match self.form {
            Form::Bytes80 => 80,
            Form::Bytes128 => 128,
            Form::Bytes144 => 144,
        }
    }

    /// The 32-byte hash of the parts one after another.
    pub fn hash_32(&self, parts: &[&[u8]]) -> [u8; 32] {
        match self.hash {
            Hash::Sha512 => *self.hash_64(parts).first_chunk().expect("64 bytes"),
            Hash::Blake2b => Blake2b::<U32>::digest(parts.concat()).into(),
        }
    }

    /// The 64-byte hash of the parts one after another.
    pub fn hash_64(&self, parts: &[&[u8]]) -> [u8; 64] {
        match self.hash {
            Hash::Sha512 => Sha512::digest(parts.concat()).into(),
            Hash::Blake2b => Blake2b512::digest(parts.concat()).into(),
        }
    }
}
