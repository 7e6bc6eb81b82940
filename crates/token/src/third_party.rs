//! A block that a third party signs: the holder sends a request, the third party signs a
//! statement, the holder appends it. The signature is bound to the token as it was when the
//! request was made.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::codec::{Form, Reader, header, write_counted};
use crate::error::Error;
use crate::key::SecretKey;
use crate::limits::Limits;
use crate::scheme::{Binding, Scheme};

/// The request that a holder sends to a third party: 69 bytes that reveal nothing about the
/// token's content.
///
/// ```
/// use klero_token::{Chain, Request, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let request = Verified::mint(&root, 0, b"may read")?.request()?;
/// assert_eq!(Request::decode(&request.encode())?, request);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Request<S: Scheme> {
    binding: Binding,
    scheme: PhantomData<S>,
}

impl<S: Scheme> Request<S> {
    pub(crate) fn new(binding: Binding) -> Self {
        Self {
            binding,
            scheme: PhantomData,
        }
    }

    /// Decodes a request.
    ///
    /// # Errors
    /// An error that says what is wrong with the bytes, and where.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = read::<S>(bytes, Form::Request, "2 (request)")?;
        let binding = reader.array("binding")?;
        reader.finish()?;
        Ok(Self::new(binding))
    }

    /// The encoding, 69 bytes: a header of 5, and 64 to which the statement is bound.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = header(S::ID, Form::Request);
        out.extend(self.binding);
        out
    }

    /// Signs a payload as the third party, for this token only. The signature says nothing
    /// about the token's other blocks. Constant time in the key.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn sign(&self, key: &SecretKey<S>, payload: &[u8]) -> Result<Statement<S>, Error> {
        Ok(Statement {
            payload: payload.to_vec(),
            signed: S::state(&self.binding, payload, key)?,
        })
    }
}

impl<S: Scheme> fmt::Debug for Request<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({})", S::NAME)
    }
}

/// A payload that a third party signed for one token.
///
/// ```
/// use klero_token::{Aggregate, Limits, SecretKey, Statement, Verified};
/// let key = SecretKey::<Aggregate>::generate()?;
/// let token = Verified::mint(&key, 0, b"may read")?;
/// let statement = token.request()?.sign(&key, b"of age")?;
/// let again = Statement::<Aggregate>::decode(&statement.encode()?, &Limits::default())?;
/// assert_eq!(again.payload(), b"of age");
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct Statement<S: Scheme> {
    payload: Vec<u8>,
    signed: S::Statement,
}

impl<S: Scheme> Statement<S> {
    /// Decodes a statement. The signature is not verified.
    ///
    /// # Errors
    /// [`Error::TooLong`] if it exceeds the limit; otherwise an error that says what is wrong
    /// with the bytes, and where.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        limits.check(bytes.len())?;
        let mut reader = read::<S>(bytes, Form::Statement, "3 (statement)")?;
        let signed = S::read_statement(&mut reader)?;
        let payload = reader.counted("payload")?.to_vec();
        reader.finish()?;
        Ok(Self { payload, signed })
    }

    /// The encoding: `header ‖ key and signature ‖ le32 length ‖ payload`.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        let mut out = header(S::ID, Form::Statement);
        S::write_statement(&self.signed, &mut out);
        write_counted(&self.payload, &mut out)?;
        Ok(out)
    }

    /// The payload. The signature is verified when the statement is appended.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    pub(crate) fn signed(&self) -> &S::Statement {
        &self.signed
    }
}

impl<S: Scheme> fmt::Debug for Statement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Statement({}, {} bytes)", S::NAME, self.payload.len())
    }
}

fn read<'a, S: Scheme>(
    bytes: &'a [u8],
    form: Form,
    expected: &'static str,
) -> Result<Reader<'a>, Error> {
    let mut reader = Reader::new(bytes);
    let got = reader.header(S::ID, S::NAME)?;
    if got != form as u8 {
        return Err(Error::Form { got, expected });
    }
    Ok(reader)
}
