//! ECVRF on curve25519-dalek's public API: RFC 9381, section 5, and the drafts.

use blake2::Blake2b512;
use blake2::digest::consts::U32;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use klero_peer::Claims;
use sha2::{Digest, Sha512};

use crate::elligator::map_draft03;

type Blake2b256 = blake2::Blake2b<U32>;

/// How `pk ‖ alpha` becomes a point.
#[derive(Clone, Copy, PartialEq)]
pub enum Map {
    Draft03,
    Rfc9380,
    TryAndIncrement,
}

/// A suite, in 80 bytes (Γ ‖ c ‖ s) or 128 (Γ ‖ U ‖ V ‖ s).
#[derive(Clone, Copy)]
pub struct Suite {
    octet: u8,
    /// Whether the hash is BLAKE2b instead of SHA-512.
    blake: bool,
    /// The map to the curve.
    pub map: Map,
    /// Whether the challenge covers the public key (RFC 9381).
    with_key: bool,
    /// What ends the hashed strings.
    trailer: &'static [u8],
    /// Whether to multiply by L-c as Cardano does, instead of by -c as the RFC says.
    pub cardano: bool,
    /// The length of a proof.
    pub proof_len: usize,
}

const PRAOS: Suite = Suite {
    octet: 4,
    blake: false,
    map: Map::Draft03,
    with_key: false,
    trailer: &[],
    cardano: true,
    proof_len: 80,
};

const DRAFT10_TAI: Suite = Suite {
    octet: 3,
    map: Map::TryAndIncrement,
    trailer: &[0],
    ..PRAOS
};

const RFC9381_ELL2: Suite = Suite {
    map: Map::Rfc9380,
    with_key: true,
    trailer: &[0],
    cardano: false,
    ..PRAOS
};

impl Suite {
    /// The suite of that name, if it is implemented here.
    pub fn by_name(name: &str) -> Option<Self> {
        let batch_compatible = |suite| Self {
            proof_len: 128,
            ..suite
        };
        let draft13 = Self {
            cardano: true,
            ..RFC9381_ELL2
        };
        Some(match name {
            "praos" => PRAOS,
            "praos-128" => batch_compatible(PRAOS),
            "praos-blake2b" => Self {
                blake: true,
                ..PRAOS
            },
            "praos-tai" => Self {
                map: Map::TryAndIncrement,
                ..PRAOS
            },
            "draft10-tai" => DRAFT10_TAI,
            "draft10-tai-bc" => batch_compatible(DRAFT10_TAI),
            "draft13" => draft13,
            "draft13-bc" => batch_compatible(draft13),
            "rfc9381-ell2" => RFC9381_ELL2,
            "rfc9381-ell2-bc" => batch_compatible(RFC9381_ELL2),
            "rfc9381-tai" => Self {
                octet: 3,
                map: Map::TryAndIncrement,
                ..RFC9381_ELL2
            },
            _ => return None,
        })
    }

    /// 64 bytes; of BLAKE2b where fewer are wanted, its shorter form.
    fn long_hash(&self, domain: u8, parts: &[&[u8]], trailer: &[u8]) -> [u8; 64] {
        fn digest<D: Digest>(head: [u8; 2], parts: &[&[u8]], trailer: &[u8]) -> D {
            let mut hasher = D::new_with_prefix(head);
            parts.iter().for_each(|part| hasher.update(part));
            hasher.update(trailer);
            hasher
        }
        let head = [self.octet, domain];
        if self.blake {
            digest::<Blake2b512>(head, parts, trailer).finalize().into()
        } else {
            digest::<Sha512>(head, parts, trailer).finalize().into()
        }
    }

    /// 32 bytes.
    fn short_hash(&self, domain: u8, parts: &[&[u8]], trailer: &[u8]) -> [u8; 32] {
        if self.blake {
            let mut hasher = Blake2b256::new_with_prefix([self.octet, domain]);
            parts.iter().for_each(|part| hasher.update(part));
            hasher.update(trailer);
            hasher.finalize().into()
        } else {
            first_half(self.long_hash(domain, parts, trailer))
        }
    }

    /// The point H of a key and an alpha.
    pub fn hash_to_curve(&self, key: &[u8; 32], alpha: &[u8]) -> Option<EdwardsPoint> {
        const DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";
        match self.map {
            Map::Draft03 => map_draft03(self.short_hash(1, &[key, alpha], &[])),
            Map::Rfc9380 => Some(EdwardsPoint::encode_to_curve::<Sha512>(
                &[key, alpha],
                &[DST, &[self.octet]],
            )),
            Map::TryAndIncrement => (0..=u8::MAX).find_map(|counter| {
                let candidate = self.short_hash(1, &[key, alpha, &[counter]], &[0]);
                Some(
                    CompressedEdwardsY(candidate)
                        .decompress()?
                        .mul_by_cofactor(),
                )
            }),
        }
    }

    /// The challenge over the key and the encodings of H, Γ, U, V.
    pub fn challenge(&self, key: &[u8; 32], [h, gamma, u, v]: [&[u8; 32]; 4]) -> [u8; 16] {
        let key: &[u8] = if self.with_key { key } else { &[] };
        let digest = self.short_hash(2, &[key, h, gamma, u, v], self.trailer);
        *digest.first_chunk().expect("16 of 32")
    }

    /// The output, hashed from 8Γ.
    pub fn output(&self, cofactor_gamma: &CompressedEdwardsY) -> [u8; 64] {
        self.long_hash(3, &[cofactor_gamma.as_bytes()], self.trailer)
    }

    /// Verifies one proof and returns its output.
    pub fn verify(&self, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Option<[u8; 64]> {
        let (encodings, _) = proof.as_chunks::<32>();
        let gamma_bytes = encodings.first()?;
        let y = decode_key(key)?;
        let gamma = decode(gamma_bytes)?;
        let s = decode_scalar(*proof.last_chunk()?)?;
        let h = self.hash_to_curve(key, alpha)?;
        if self.proof_len == 80 {
            let c_bytes = proof.get(32..)?.first_chunk()?;
            let (u, v) = self.multiply(c_bytes, &s, [y, h, gamma]);
            let [h, u, v, cofactor_gamma] =
                EdwardsPoint::compress_batch(&[h, u, v, gamma.mul_by_cofactor()]);
            let points = [h.as_bytes(), gamma_bytes, u.as_bytes(), v.as_bytes()];
            (self.challenge(key, points) == *c_bytes).then(|| self.output(&cofactor_gamma))
        } else {
            let [_, u_bytes, v_bytes, _] = encodings else {
                return None;
            };
            let [h_bytes, cofactor_gamma] =
                EdwardsPoint::compress_batch(&[h, gamma.mul_by_cofactor()]);
            let c = self.challenge(key, [h_bytes.as_bytes(), gamma_bytes, u_bytes, v_bytes]);
            let (u, v) = self.multiply(&c, &s, [y, h, gamma]);
            let [u, v] = EdwardsPoint::compress_batch(&[u, v]);
            let equal = u.as_bytes() == u_bytes && v.as_bytes() == v_bytes;
            equal.then(|| self.output(&cofactor_gamma))
        }
    }

    /// s·B - c·Y and s·H - c·Γ.
    fn multiply(
        &self,
        c: &[u8; 16],
        s: &Scalar,
        [y, h, gamma]: [EdwardsPoint; 3],
    ) -> (EdwardsPoint, EdwardsPoint) {
        let c = Scalar::from(u128::from_le_bytes(*c));
        if self.cardano {
            (
                EdwardsPoint::vartime_double_scalar_mul_basepoint(&-c, &y, s),
                EdwardsPoint::vartime_multiscalar_mul([*s, -c], [h, gamma]),
            )
        } else {
            (
                EdwardsPoint::vartime_double_scalar_mul_basepoint(&c, &-y, s),
                EdwardsPoint::vartime_multiscalar_mul([*s, c], [h, -gamma]),
            )
        }
    }

    /// Proves with `seed ‖ public key`; constant time in the seed. `proof` has the
    /// suite's length.
    pub fn prove(&self, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Option<[u8; 64]> {
        let (seed, key) = key.split_first_chunk::<32>()?;
        let key = key.first_chunk()?;
        let expanded: [u8; 64] = Sha512::digest(seed).into();
        let x = Scalar::from_bytes_mod_order(clamp_integer(first_half(expanded)));

        let h_point = self.hash_to_curve(key, alpha)?;
        let h = h_point.compress();
        let parts: [&[u8]; 2] = [&expanded[32..], h.as_bytes()];
        let k = if self.blake {
            let nonce = Blake2b256::new_with_prefix(parts[0]).chain_update(parts[1]);
            Scalar::from_bytes_mod_order(nonce.finalize().into())
        } else {
            let nonce = Sha512::new_with_prefix(parts[0]).chain_update(parts[1]);
            Scalar::from_bytes_mod_order_wide(&nonce.finalize().into())
        };
        let gamma = h_point * x;
        let [gamma, u, v, cofactor_gamma] = EdwardsPoint::compress_batch(&[
            gamma,
            EdwardsPoint::mul_base(&k),
            h_point * k,
            gamma.mul_by_cofactor(),
        ]);
        let [gamma, u, v] = [&gamma, &u, &v].map(CompressedEdwardsY::as_bytes);
        let c = self.challenge(key, [h.as_bytes(), gamma, u, v]);
        let s = k + Scalar::from(u128::from_le_bytes(c)) * x;

        let parts: &[&[u8]] = if self.proof_len == 80 {
            &[gamma, &c, s.as_bytes()]
        } else {
            &[gamma, u, v, s.as_bytes()]
        };
        proof.copy_from_slice(&parts.concat());
        Some(self.output(&cofactor_gamma))
    }

    /// Verifies many proofs of 128 bytes by one multiscalar multiplication, as the
    /// published crates do: the sum must be the identity, and points of small order
    /// are not looked for. `false` if any proof is invalid.
    pub fn verify_batch(&self, claims: &Claims<'_>, outputs: &mut [[u8; 64]]) -> bool {
        self.try_batch(claims, outputs).unwrap_or(false)
    }

    /// Long, because it is one sum: the points, the weights and the scalars of each kind.
    fn try_batch(&self, claims: &Claims<'_>, outputs: &mut [[u8; 64]]) -> Option<bool> {
        let keys = claims.keys;
        let (proofs, _) = claims.proofs.as_chunks::<128>();
        let n = keys.len();
        // Points by kind, in the order of the scalars below.
        let [mut y, mut h, mut gamma, mut u, mut v] = [(); 5].map(|()| Vec::with_capacity(n));
        for (i, (key, proof)) in keys.iter().zip(proofs).enumerate() {
            let (encodings, _) = proof.as_chunks();
            y.push(decode_key(key)?);
            h.push(self.hash_to_curve(key, claims.alpha(i))?);
            gamma.push(decode(&encodings[0])?);
            u.push(decode(&encodings[1])?);
            v.push(decode(&encodings[2])?);
        }
        let mut compressed = h.clone();
        compressed.extend(gamma.iter().map(EdwardsPoint::mul_by_cofactor));
        let compressed = EdwardsPoint::compress_batch_alloc(&compressed);
        let (h_bytes, cofactor_gammas) = compressed.split_at(n);

        let mut transcript = blake3::Hasher::new();
        for ((key, h), proof) in keys.iter().zip(h_bytes).zip(proofs) {
            transcript.update(key).update(h.as_bytes()).update(proof);
        }
        let mut weights = transcript.finalize_xof();

        // Σ a·(U + c·Y - s·B) + b·(V + c·Γ - s·H) = 0: signs such that the weights of
        // U and V keep their 128 bits.
        let mut base = Scalar::ZERO;
        let [mut for_y, mut for_h, mut for_gamma, mut for_u, mut for_v] =
            [(); 5].map(|()| Vec::with_capacity(n));
        for (i, proof) in proofs.iter().enumerate() {
            let (parts, _) = proof.as_chunks();
            let points = [h_bytes[i].as_bytes(), &parts[0], &parts[1], &parts[2]];
            let c = Scalar::from(u128::from_le_bytes(self.challenge(&keys[i], points)));
            let s = decode_scalar(parts[3])?;
            let mut pair = [[0; 16]; 2];
            weights.fill(pair.as_flattened_mut());
            let [a, b] = pair.map(|weight| Scalar::from(u128::from_le_bytes(weight)));
            base -= a * s;
            for_y.push(a * c);
            for_h.push(-(b * s));
            for_gamma.push(b * c);
            for_u.push(a);
            for_v.push(b);
            outputs[i] = self.output(&cofactor_gammas[i]);
        }
        let sum = EdwardsPoint::vartime_multiscalar_mul(
            [base]
                .iter()
                .chain(&for_y)
                .chain(&for_h)
                .chain(&for_gamma)
                .chain(&for_u)
                .chain(&for_v),
            [curve25519_dalek::constants::ED25519_BASEPOINT_POINT]
                .iter()
                .chain(&y)
                .chain(&h)
                .chain(&gamma)
                .chain(&u)
                .chain(&v),
        );
        Some(sum.is_identity())
    }
}

fn first_half(digest: [u8; 64]) -> [u8; 32] {
    *digest.first_chunk().expect("32 of 64")
}

/// Decodes a point whose y is canonical; dalek alone would reduce y mod p.
pub fn decode(bytes: &[u8; 32]) -> Option<EdwardsPoint> {
    let [first, middle @ .., last] = bytes;
    let canonical = *first < 0xed || last & 0x7f != 0x7f || middle.iter().any(|b| *b != 0xff);
    canonical
        .then_some(CompressedEdwardsY(*bytes))?
        .decompress()
}

pub fn decode_key(bytes: &[u8; 32]) -> Option<EdwardsPoint> {
    decode(bytes).filter(|point| !point.is_small_order())
}

pub fn decode_scalar(bytes: [u8; 32]) -> Option<Scalar> {
    Scalar::from_canonical_bytes(bytes).into()
}
