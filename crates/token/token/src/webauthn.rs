//! Passkeys, whose signatures are assertions of WebAuthn.
//!
//! A page cannot choose the message that a passkey signs. A passkey signs its own data, and a hash of data
//! that the browser wrote: the origin of the page, and a challenge. The page sets only the challenge, so the
//! challenge is a hash of the message that an Ed25519 device would sign. The verifier decides for which
//! relying party and from which pages it accepts assertions.
//!
//! The client data is checked with the limited verification algorithm of WebAuthn (level 3, section 5.8.1.2).
//! It needs no parser of JSON, because browsers write type, challenge, origin and `crossOrigin` first, in
//! this order and in one way. Unknown members are refused unless they follow these members. In the
//! authenticator data, unknown flags are refused.

use alloc::string::String;
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding};
use sha2::{Digest, Sha256, Sha512};

use crate::algorithms;
use crate::codec::{Reader, write_counted};
use crate::error::{Error, Place};
use crate::scheme::KeyKind;

const TAG: &[u8] = b"klero-token/webauthn\x03";

/// The largest length of authenticator data, and of client data, in bytes.
const MOST: usize = 1024;

/// The relying party for which a verifier accepts assertions of passkeys. See
/// [`RootKeys::set_relying_party`](crate::RootKeys::set_relying_party).
///
/// ```
/// use klero_token::{RelyingParty, RootKeys};
/// let mut roots = RootKeys::new();
/// roots.set_relying_party(RelyingParty {
///     id: "example.org".into(),
///     origins: vec!["https://www.example.org".into()],
///     user_verification: true,
/// });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The domain that the passkeys belong to: `rp.id`.
    pub id: String,
    /// The origins of the pages that may request assertions, as browsers write them: scheme, host, and a port
    /// if it is not the default, without a slash at the end.
    pub origins: Vec<String>,
    /// True if the authenticator must verify its user, for example by a PIN or a fingerprint. Otherwise it is
    /// enough that somebody is present.
    pub user_verification: bool,
}

/// Returns `party`, the verifier's relying party. A signature by a passkey is refused if there is none.
pub(crate) fn required(
    by: KeyKind,
    party: Option<&RelyingParty>,
    place: Place,
) -> Result<Option<&RelyingParty>, Error> {
    let what = "made by a passkey, but the verifier has no relying party";
    match (by, party) {
        (KeyKind::Passkey, None) => Err(Error::Passkey { place, what }),
        _ => Ok(party),
    }
}

/// The challenge for a passkey that is to sign this message.
pub(crate) fn challenge(message: &[u8]) -> [u8; 32] {
    let hash = Sha512::new().chain_update(TAG).chain_update(message);
    let mut challenge = [0; 32];
    challenge.copy_from_slice(&hash.finalize()[..32]);
    challenge
}

/// The data that a passkey signed, as a token contains it.
#[derive(Clone, Copy)]
pub(crate) struct Signed<'a> {
    authenticator_data: &'a [u8],
    client_data: &'a [u8],
}

impl<'a> Signed<'a> {
    /// Reads `le32 length ‖ authenticator data ‖ le32 length ‖ client data` for a passkey. Returns `None` for
    /// other keys, which have no such data.
    pub(crate) fn read(
        by: KeyKind,
        reader: &mut Reader<'a>,
        place: Place,
    ) -> Result<Option<Self>, Error> {
        if by != KeyKind::Passkey {
            return Ok(None);
        }
        let authenticator_data = reader.counted("authenticator data")?;
        Self::new(authenticator_data, reader.counted("client data")?, place).map(Some)
    }

    /// The signed data of an assertion, from its members.
    pub(crate) fn new(
        authenticator_data: &'a [u8],
        client_data: &'a [u8],
        place: Place,
    ) -> Result<Self, Error> {
        let what = "authenticator data or client data of more than 1024 bytes";
        match authenticator_data.len().max(client_data.len()) > MOST {
            true => Err(Error::Passkey { place, what }),
            false => Ok(Self {
                authenticator_data,
                client_data,
            }),
        }
    }

    /// The encoding.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, Error> {
        let mut encoded = Vec::with_capacity(self.encoded_length());
        write_counted(self.authenticator_data, &mut encoded)?;
        write_counted(self.client_data, &mut encoded)?;
        Ok(encoded)
    }

    /// The length of the encoded data.
    pub(crate) fn encoded_length(&self) -> usize {
        8 + self.authenticator_data.len() + self.client_data.len()
    }

    /// Verifies the signature. Also checks that the assertion is for this challenge, and, if the verifier has
    /// a relying party, for that relying party.
    pub(crate) fn verify(
        &self,
        key: (&[u8], Place),
        challenge: &[u8; 32],
        signature: &[u8],
        (party, place): (Option<&RelyingParty>, Place),
    ) -> Result<(), Error> {
        check_client_data(self.client_data, challenge, party)
            .and_then(|()| check_authenticator_data(self.authenticator_data, party))
            .map_err(|what| Error::Passkey { place, what })?;
        let hash = Sha256::digest(self.client_data);
        let signed = [self.authenticator_data, &hash].concat();
        algorithms::verify_es256(key, &signed, signature, place)
    }
}

/// Members that may appear only in their fixed positions. `topOrigin` has none, so it must not appear at all.
const FIXED: [&str; 5] = [
    "\"type\"",
    "\"challenge\"",
    "\"origin\"",
    "\"crossOrigin\"",
    "\"topOrigin\"",
];

const CROSS_ORIGIN: &str = "the page is in a frame of another origin";

fn check_client_data(
    json: &[u8],
    challenge: &[u8; 32],
    party: Option<&RelyingParty>,
) -> Result<(), &'static str> {
    let no_form = "the client data is not in the form of WebAuthn";
    let json = core::str::from_utf8(json).map_err(|_| no_form)?;
    let rest = json.strip_prefix("{\"type\":").ok_or(no_form)?;
    let rest = rest.strip_prefix("\"webauthn.get\"");
    let rest = rest.ok_or("the type of the client data is not webauthn.get")?;
    let rest = rest.strip_prefix(",\"challenge\":\"").ok_or(no_form)?;
    let expected = Base64UrlUnpadded::encode_string(challenge);
    let rest = rest.strip_prefix(&*expected);
    let rest = rest.ok_or("the client data has another challenge")?;
    let rest = rest.strip_prefix("\",\"origin\":\"").ok_or(no_form)?;
    // The origin ends at the first quote: a quote within it would need a backslash, which is refused.
    let (origin, rest) = rest.split_once('"').ok_or(no_form)?;
    if origin.contains('\\') {
        return Err(no_form);
    }
    if party.is_some_and(|party| !party.origins.iter().any(|known| known == origin)) {
        return Err("the client data has an origin that the verifier does not accept");
    }
    let rest = match rest.strip_prefix(",\"crossOrigin\":") {
        Some(rest) => rest.strip_prefix("false").ok_or(CROSS_ORIGIN)?,
        None => rest,
    };
    if rest.contains("\"crossOrigin\"") || rest.contains("\"topOrigin\"") {
        return Err(CROSS_ORIGIN);
    }
    let more = rest.starts_with(',') && rest.ends_with('}');
    let again = FIXED.iter().any(|member| rest.contains(member));
    match (rest == "}" || more) && !again {
        true => Ok(()),
        false => Err(no_form),
    }
}

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const EXTENSIONS: u8 = 1 << 7;

fn check_authenticator_data(data: &[u8], party: Option<&RelyingParty>) -> Result<(), &'static str> {
    let no_form = "the authenticator data is not in the form of an assertion";
    let (id_hash, rest) = data.split_at_checked(32).ok_or(no_form)?;
    // The counter is not compared, because it also counts signatures that the verifier does not see.
    let (&[flags, _, _, _, _], extensions) = rest.split_first_chunk().ok_or(no_form)?;
    // The other flags have no meaning yet, or announce data of a new passkey, which no assertion contains.
    let known = USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP | EXTENSIONS;
    let has = |flag: u8| flags & flag != 0;
    // Extensions are a map in CBOR. Nobody requested extensions, so their content does not matter.
    let is_map = extensions.first().is_some_and(|byte| byte >> 5 == 5);
    let as_said = match has(EXTENSIONS) {
        true => is_map,
        false => extensions.is_empty(),
    };
    if flags & !known != 0 || has(BACKED_UP) && !has(BACKUP_ELIGIBLE) || !as_said {
        return Err(no_form);
    }
    if party.is_some_and(|party| Sha256::digest(&party.id)[..] != *id_hash) {
        return Err("the authenticator data is for another relying party");
    }
    if !has(USER_PRESENT) {
        return Err("no user was present");
    }
    if party.is_some_and(|party| party.user_verification) && !has(USER_VERIFIED) {
        return Err("the user was not verified");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
