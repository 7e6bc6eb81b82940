//! Signatures by P-256 keys, and assertions by passkeys. The client data is parsed as JSON, and then compared
//! with the form that browsers write.

use std::cell::RefCell;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::{Place, RelyingParty};
use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::encoding::{Refusal, ensure};
use crate::equations::state::sha512;

thread_local! {
    /// The relying party of the verifier in this thread.
    pub static PARTY: RefCell<Option<RelyingParty>> = const { RefCell::new(None) };
}

/// The compressed point of the public key of a seed.
pub fn es256_public(seed: &[u8; 32]) -> Vec<u8> {
    let key = SigningKey::from_slice(seed).unwrap();
    key.verifying_key().to_sec1_point(true).as_bytes().to_vec()
}

/// A signature: r and the smaller s.
pub fn es256_sign(seed: &[u8; 32], message: &[u8]) -> Vec<u8> {
    let signature: Signature = SigningKey::from_slice(seed).unwrap().sign(message);
    signature.normalize_s().to_bytes().to_vec()
}

/// The same signature with the larger s.
pub fn with_larger_s(signature: &[u8]) -> Vec<u8> {
    let low = Signature::from_slice(signature).unwrap().normalize_s();
    let high = Signature::from_scalars(low.r(), -low.s()).unwrap();
    high.to_bytes().to_vec()
}

/// Verifies a signature. The key and the signature come with their places, which refusals name.
pub fn es256_holds(
    (key, key_place): (&[u8], Place),
    message: &[u8],
    (signature, place): (&[u8], Place),
) -> Result<(), Refusal> {
    ensure(matches!(key[0], 2 | 3), "key", Some(key_place))?;
    let key = VerifyingKey::from_sec1_bytes(key).or(Err(("key", Some(key_place))))?;
    let signature = Signature::from_slice(signature).or(Err(("scalar", Some(place))))?;
    let low = signature == signature.normalize_s();
    ensure(low, "high s", Some(place))?;
    let held = key.verify(message, &signature).is_ok();
    ensure(held, "signature", Some(place))
}

/// The challenge for a passkey that signs this message.
pub fn passkey_challenge(message: &[u8]) -> Vec<u8> {
    sha512(&[b"klero-token/webauthn\x03", message])[..32].to_vec()
}

/// The data that an authenticator and a browser write. `rest` is the end of the client data, after `origin`.
#[derive(Clone)]
pub struct Said {
    pub id: &'static str,
    pub flags: u8,
    pub extensions: &'static [u8],
    pub of_type: &'static str,
    pub origin: &'static str,
    pub rest: &'static str,
}

/// Data that the verifier accepts: it is for a page of the verifier, and the user was verified.
pub const HONEST: Said = Said {
    id: "shop.example",
    flags: 0x1d,
    extensions: &[],
    of_type: "webauthn.get",
    origin: "https://shop.example",
    rest: ",\"crossOrigin\":false}",
};

impl Said {
    /// Signs as a passkey does. Returns the signature, the authenticator data and the client data.
    pub fn sign(&self, seed: &[u8; 32], challenge: &[u8]) -> [Vec<u8>; 3] {
        let counter = [self.flags, 0, 0, 0, 1];
        let hash = Sha256::digest(self.id);
        let data = [&hash[..], &counter, self.extensions].concat();
        let challenge = Base64UrlUnpadded::encode_string(challenge);
        let (of_type, origin, rest) = (self.of_type, self.origin, self.rest);
        let json = format!(
            "{{\"type\":\"{of_type}\",\"challenge\":\"{challenge}\",\"origin\":\"{origin}\"{rest}"
        );
        Self::signed(seed, data, json.into_bytes())
    }

    /// Signs this authenticator data and client data. Returns the signature and the data.
    pub fn signed(seed: &[u8; 32], data: Vec<u8>, json: Vec<u8>) -> [Vec<u8>; 3] {
        let message = [&data[..], &Sha256::digest(&json)].concat();
        [es256_sign(seed, &message), data, json]
    }
}

/// Joins two parts, each preceded by its length.
pub fn counted(parts: [&[u8]; 2]) -> Vec<u8> {
    let counted = |part: &[u8]| [&(part.len() as u32).to_le_bytes()[..], part].concat();
    parts.map(counted).concat()
}

/// The two parts that [`counted`] joined, and the bytes after them.
pub fn split_counted(bytes: &[u8]) -> Option<([&[u8]; 2], &[u8])> {
    let split = |bytes| {
        let (length, rest) = <[u8]>::split_first_chunk(bytes)?;
        rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    };
    let (data, rest) = split(bytes)?;
    let (json, rest) = split(rest)?;
    Some(([data, json], rest))
}

/// Verifies that a passkey signed the message, for the verifier's relying party.
pub fn passkey_holds(
    key: (&[u8], Place),
    message: &[u8],
    (signature, place): (&[u8], Place),
    [data, json]: [&[u8]; 2],
) -> Result<(), Refusal> {
    let party = PARTY.with_borrow(Clone::clone);
    let party = party.ok_or(("no relying party", Some(place)))?;
    let ensure = |holds, reason| ensure(holds, reason, Some(place));
    let (text, read) = (str::from_utf8(json), serde_json::from_slice::<Value>(json));
    let (Ok(text), Ok(read)) = (text, read) else {
        return Err(("client data", Some(place)));
    };
    let member = |name: &str| read[name].as_str().unwrap_or_default().to_owned();
    let expected = Base64UrlUnpadded::encode_string(&passkey_challenge(message));
    ensure(member("type") == "webauthn.get", "type")?;
    ensure(member("challenge") == expected, "challenge")?;
    ensure(party.origins.contains(&member("origin")), "origin")?;
    let framed = read["crossOrigin"].as_bool() == Some(true) || !read["topOrigin"].is_null();
    ensure(!framed, "cross origin")?;
    let [of_type, challenge, origin] = ["type", "challenge", "origin"].map(member);
    let begin =
        format!("{{\"type\":\"{of_type}\",\"challenge\":\"{challenge}\",\"origin\":\"{origin}\"");
    ensure(
        text.starts_with(&begin) && text.ends_with('}'),
        "client data",
    )?;

    let short = ("authenticator data", Some(place));
    let (hash, rest) = data.split_at_checked(32).ok_or(short)?;
    let (&[flags, ..], more) = rest.split_first_chunk::<5>().ok_or(short)?;
    let extended = flags & 0x80 != 0;
    let map = more.first().is_some_and(|byte| (0xa0..0xc0).contains(byte));
    let known = flags & 0b0110_0010 == 0 && flags & 0b0001_1000 != 0b0001_0000;
    let as_said = if extended { map } else { more.is_empty() };
    ensure(known && as_said, "authenticator data")?;
    ensure(Sha256::digest(&party.id)[..] == *hash, "relying party")?;
    ensure(flags & 1 != 0, "user presence")?;
    let verified = flags & 4 != 0 || !party.user_verification;
    ensure(verified, "user verification")?;
    let signed = [data, &Sha256::digest(json)].concat();
    es256_holds(key, &signed, (signature, place))
}
