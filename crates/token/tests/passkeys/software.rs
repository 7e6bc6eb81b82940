//! Keys of P-256 in software, and an authenticator and a browser with everything that can be wrong
//! about them.

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::{Assertion, KeyKind, PartyKey, RelyingParty, RootKeys, Scheme, SecretKey};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use sha2::{Digest, Sha256};

pub const ID: &str = "shop.example";
pub const ORIGIN: &str = "https://www.shop.example";

/// A secret key and its public key.
pub fn key(kind: KeyKind, seed: u8) -> (SigningKey, PartyKey) {
    let secret = SigningKey::from_slice(&[seed; 32]).unwrap();
    let public = secret.verifying_key().to_sec1_point(true);
    let public = PartyKey::from_bytes(kind, public.as_bytes()).unwrap();
    (secret, public)
}

/// The larger s of the two.
pub fn high_s(signature: &Signature) -> Signature {
    let low = signature.normalize_s();
    Signature::from_scalars(low.r(), -low.s()).unwrap()
}

/// What an authenticator and a browser say.
#[derive(Clone)]
pub struct Said {
    pub id: String,
    pub flags: u8,
    pub extensions: Vec<u8>,
    pub of_type: &'static str,
    pub origin: String,
    pub rest: &'static str,
}

impl Said {
    /// The user is verified, on the page of the shop.
    pub fn honest() -> Self {
        Self {
            id: ID.into(),
            flags: 0x1d,
            extensions: Vec::new(),
            of_type: "webauthn.get",
            origin: ORIGIN.into(),
            rest: ",\"crossOrigin\":false}",
        }
    }

    pub fn sign(&self, key: &SigningKey, challenge: &[u8; 32]) -> Signed {
        let hash = Sha256::digest(&self.id);
        let counter = [self.flags, 0, 0, 0, 7];
        let data = [&hash[..], &counter, &self.extensions].concat();
        let challenge = Base64UrlUnpadded::encode_string(challenge);
        let (of_type, origin, rest) = (self.of_type, &self.origin, self.rest);
        let client_data = format!(
            "{{\"type\":\"{of_type}\",\"challenge\":\"{challenge}\",\"origin\":\"{origin}\"{rest}"
        );
        Signed::by(key, data, client_data.into_bytes())
    }
}

/// What the browser returns.
#[derive(Clone)]
pub struct Signed {
    pub data: Vec<u8>,
    pub client_data: Vec<u8>,
    pub signature: Signature,
    pub der: Vec<u8>,
}

impl Signed {
    pub fn by(key: &SigningKey, data: Vec<u8>, client_data: Vec<u8>) -> Self {
        let signed = [&data[..], &Sha256::digest(&client_data)].concat();
        let signature: Signature = key.sign(&signed);
        // Devices take no care of s.
        let der = high_s(&signature).to_der().as_bytes().to_vec();
        Self {
            data,
            client_data,
            signature: signature.normalize_s(),
            der,
        }
    }

    pub fn assertion(&self) -> Assertion<'_> {
        Assertion {
            authenticator_data: &self.data,
            client_data_json: &self.client_data,
            signature: &self.der,
        }
    }

    /// As it stands in a token: the signature, and what is signed.
    pub fn bytes(&self) -> [Vec<u8>; 2] {
        let counted = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
        let signed = [counted(&self.data), counted(&self.client_data)].concat();
        [self.signature.to_bytes().to_vec(), signed]
    }
}

pub fn root(scheme: Scheme) -> SecretKey {
    SecretKey::from_seed(scheme, &[1; 32])
}

pub fn party() -> RelyingParty {
    RelyingParty {
        id: ID.into(),
        origins: vec!["https://shop.example".into(), ORIGIN.into()],
        user_verification: true,
    }
}

/// The root keys of both schemes, and a relying party if there is one.
pub fn roots(party: Option<RelyingParty>) -> RootKeys {
    let keys = Scheme::ALL.map(|scheme| (0, *root(scheme).public_key()));
    let mut roots: RootKeys = keys.into_iter().collect();
    if let Some(party) = party {
        roots.set_relying_party(party);
    }
    roots
}
