//! What the wrapper passes beside texts and bytes. A field can be a message itself. To read it is an
//! error if it is not what the wrapper sends.

use klero_js_message::{Failed, Reader};
use klero_token::{
    Caveat, Challenge, Error, Limits, PublicKey, RelyingParty, RootKeys, Token, Verified,
};

use crate::failure::{invalid, no_text};
use crate::keys::seeded;

/// A token as an operation is asked about it: the first five fields of a request. They are its text,
/// limits, root keys, a challenge and a relying party; each of the latter three may be absent.
pub struct Asked<'a> {
    text: Text<'a>,
    /// Those to read the token with, and a statement for it.
    pub limits: Limits,
    roots: Option<RootKeys>,
    challenge: Option<&'a [u8]>,
}

impl<'a> Asked<'a> {
    /// Reads the fields.
    pub fn read(request: &mut Reader<'a>) -> Result<Self, String> {
        let mut asked = Self {
            text: Text::read(request)?,
            limits: limits(request)?,
            roots: request.optional()?.map(roots).transpose()?,
            challenge: request.optional()?,
        };
        let party = request.optional()?.map(relying_party).transpose()?;
        if let (Some(roots), Some(party)) = (&mut asked.roots, party) {
            roots.set_relying_party(party);
        }
        Ok(asked)
    }

    /// The fields of the challenge.
    pub fn challenge(&self) -> Result<Reader<'a>, String> {
        let fields = self.challenge.map(Reader::new);
        fields.ok_or_else(|| "no challenge".into())
    }

    /// The token, not verified.
    pub fn decoded(&self) -> Result<Token, Failed> {
        let text = self.text.within(&self.limits).map_err(invalid)?;
        Token::from_text(text, &self.limits).map_err(invalid)
    }

    /// The token, verified by the root keys, and sealed to the challenge if there is one.
    pub fn verified(&self) -> Result<Verified, Failed> {
        let roots = self.roots.as_ref().ok_or_else(|| "no roots".to_owned())?;
        let fields = self.challenge.map(Reader::new);
        let challenge = fields
            .map(|mut fields| challenge(&mut fields))
            .transpose()?;
        let token = self.decoded()?;
        token.verify(roots, challenge.as_ref()).map_err(invalid)
    }

    /// A token to add to, verified if its holder knows root keys. What is in the place of a
    /// challenge is for the seal.
    pub fn held(&self) -> Result<Token, Failed> {
        match &self.roots {
            Some(roots) => {
                let verified = self.decoded()?.verify(roots, None);
                verified.map(Verified::into_token).map_err(invalid)
            }
            None => self.decoded(),
        }
    }
}

/// A text that may come from anyone. One that is longer than all limits is not sent: an absent field
/// and its length stand for it.
pub enum Text<'a> {
    /// The text.
    Sent(&'a str),
    /// The length in bytes.
    TooLong(usize),
}

impl<'a> Text<'a> {
    /// Reads the next field.
    pub fn read(request: &mut Reader<'a>) -> Result<Self, String> {
        Ok(match request.optional_text()? {
            Some(text) => Self::Sent(text),
            None => Self::TooLong(usize::try_from(request.integer()?).unwrap_or(usize::MAX)),
        })
    }

    /// The text, if it was sent.
    pub fn within(&self, limits: &Limits) -> Result<&'a str, Error> {
        match self {
            Self::Sent(text) => Ok(text),
            // Four characters encode three bytes.
            Self::TooLong(length) => Err(Error::TooLarge {
                what: "bytes",
                got: length / 4 * 3,
                limit: limits.bytes,
            }),
        }
    }
}

/// The next field: limits, in three integers. Those that are absent are the default ones.
pub fn limits(request: &mut Reader<'_>) -> Result<Limits, String> {
    let mut fields = Reader::new(request.bytes()?);
    let mut next = |default| -> Result<u32, String> {
        let limit = fields.optional_integer()?;
        Ok(limit.map_or(default, |limit| u32::try_from(limit).unwrap_or(u32::MAX)))
    };
    let default = Limits::default();
    Ok(Limits {
        signatures: next(default.signatures)?,
        caveats: next(default.caveats)?,
        bytes: next(default.bytes as u32)? as usize,
    })
}

/// The next fields, a challenge: nonce, audience and time.
pub fn challenge<'a>(fields: &mut Reader<'a>) -> Result<Challenge<'a>, String> {
    Ok(Challenge {
        nonce: fields.bytes()?,
        audience: fields.text()?,
        time: fields.integer()?,
    })
}

/// Root keys: number, scheme and bytes of each. A third party's key is the root of no token.
fn roots(field: &[u8]) -> Result<RootKeys, String> {
    let (mut fields, mut roots) = (Reader::new(field), RootKeys::new());
    while !fields.is_empty() {
        let id = fields.integer()?;
        let id = u32::try_from(id).map_err(|_| "number of a root key")?;
        let (name, bytes) = (fields.text()?, fields.bytes()?);
        let key = PublicKey::from_bytes(seeded(name)?, bytes);
        roots.insert(id, key.map_err(|error| error.to_string())?);
    }
    Ok(roots)
}

/// A relying party: whether the user is verified, 1 or 0, its id, and all of its origins.
fn relying_party(field: &[u8]) -> Result<RelyingParty, String> {
    let mut fields = Reader::new(field);
    let mut party = RelyingParty {
        user_verification: fields.integer()? == 1,
        id: fields.text()?.into(),
        origins: Vec::new(),
    };
    while !fields.is_empty() {
        party.origins.push(fields.text()?.into());
    }
    Ok(party)
}

/// All fields that are left, each a caveat.
pub fn caveats(request: &mut Reader<'_>) -> Result<Vec<Caveat>, Failed> {
    let mut caveats = Vec::new();
    while !request.is_empty() {
        let caveat: Result<_, Error> = request.text()?.parse();
        let index = caveats.len();
        caveats.push(caveat.map_err(|error| no_text(format_args!("caveats[{index}]: {error}")))?);
    }
    Ok(caveats)
}
