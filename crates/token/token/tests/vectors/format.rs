//! The format of the files in `vectors/tokens`. The README in that folder describes it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

use klero_token::{Access, Challenge, Limits, RevocationId, Revoked};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::ser::{PrettyFormatter, Serializer as JsonSerializer};

/// Bytes, in lower-case hex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(text).map(Self).map_err(D::Error::custom)
    }
}

impl<T: AsRef<[u8]>> From<T> for Hex {
    fn from(bytes: T) -> Self {
        Self(bytes.as_ref().to_vec())
    }
}

/// The vector file of a scheme.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub scheme: String,
    pub keys: Vec<Key>,
    /// The root keys that verifiers accept, by the numbers of the keys.
    pub roots: BTreeMap<u32, Hex>,
    pub limits: Bounds,
    pub tokens: Vec<Vector>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    pub seed: Hex,
    pub public: Hex,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    pub signatures: u32,
    /// The largest number of signatures that need a pairing. No scheme in this test has such signatures.
    pub pairings: u32,
    pub caveats: u32,
    pub bytes: usize,
}

impl Bounds {
    pub fn of(limits: Limits, pairings: u32) -> Self {
        Self {
            signatures: limits.signatures,
            pairings,
            caveats: limits.caveats,
            bytes: limits.bytes,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits {
            signatures: self.signatures,
            caveats: self.caveats,
            bytes: self.bytes,
        }
    }
}

/// A token, the verifier that receives it, and the verdict.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Vector {
    pub name: String,
    pub valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    pub token: Hex,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<Asked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<BTreeMap<u32, Hex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relying_party: Option<Party>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<Hex>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rights: Option<Hex>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub nonce: Hex,
    pub audience: String,
    pub time: u64,
}

impl Asked {
    pub fn challenge(&self) -> Challenge<'_> {
        Challenge {
            nonce: &self.nonce.0,
            audience: &self.audience,
            time: self.time,
        }
    }

    pub fn parts(&self) -> (&[u8], &str, u64) {
        (&self.nonce.0, &self.audience, self.time)
    }
}

/// A record of how a link was made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Link {
    pub kind: u8,
    pub payload: Hex,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<Hex>,
    pub link: Hex,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signs: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passkey: Option<Asserted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<Hex>,
    pub state: Hex,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<Stated>,
}

/// A record of how a third party's statement was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    pub seed: Hex,
    pub request: Hex,
    pub stated: Hex,
    pub signs: Hex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<Asserted>,
    pub statement: Hex,
}

/// The data that a passkey signed instead of a message, and the signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asserted {
    pub challenge: Hex,
    pub authenticator_data: Hex,
    pub client_data: Hex,
    pub signature: Hex,
}

/// A verifier's relying party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    pub id: String,
    pub origins: Vec<String>,
    pub user_verification: bool,
}

/// A request, and the decision whether the token allows the request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub access: Asking,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opaque_accepted: bool,
    pub granted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asking {
    pub now: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revoked: Vec<Hex>,
}

impl Asking {
    /// Calls a function with the access, which borrows from `self`.
    pub fn with<T>(&self, call: impl FnOnce(&Access<'_>) -> T) -> T {
        let fields: Vec<_> = self.fields.iter().map(|(n, v)| (&**n, &**v)).collect();
        let id = |id: &Hex| RevocationId(id.0[..].try_into().unwrap());
        let revoked: Vec<_> = self.revoked.iter().map(id).collect();
        call(&Access {
            now: self.now,
            audience: self.audience.as_deref(),
            path: self.path.as_deref(),
            method: self.method.as_deref(),
            fields: &fields,
            revoked: Revoked::ids(&revoked),
        })
    }
}

/// The file of caveats and paths, shared by all schemes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    pub lines: Vec<Line>,
    pub paths: Vec<Path>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub line: String,
    pub caveat: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    pub path: String,
    pub normal: Option<String>,
}

/// The environment variable that makes the tests write the files before they compare them.
const WRITE: &str = "KLERO_WRITE_VECTORS";

/// Asserts that the file is exactly `made` in JSON. If `WRITE` is set, writes the file first.
pub fn compare(name: &str, made: &impl Serialize) {
    let mut json = Vec::new();
    let format = PrettyFormatter::with_indent(b" ");
    made.serialize(&mut JsonSerializer::with_formatter(&mut json, format))
        .unwrap();
    json.push(b'\n');
    if env::var_os(WRITE).is_some() {
        fs::write(path(name), &json).unwrap();
    }
    assert!(
        fs::read(path(name)).unwrap() == json,
        "{name} is not what is made: set {WRITE}, and look at the difference"
    );
}

pub fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_slice(&fs::read(path(name)).unwrap()).unwrap()
}

fn path(name: &str) -> PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../vectors/tokens");
    PathBuf::from(directory).join(format!("{name}.json"))
}
