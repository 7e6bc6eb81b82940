//! What is wrong with an assertion of a passkey.

use thiserror::Error;

/// The reason why an assertion does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AssertionFault {
    /// More bytes than assertions have.
    #[error("authenticator data or client data of more than 1024 bytes")]
    TooLong,
    /// The client data is not written as browsers write it.
    #[error("the client data is not in the form of WebAuthn")]
    ClientData,
    /// The type is not `webauthn.get`.
    #[error("the type of the client data is not webauthn.get")]
    Type,
    /// The challenge is another.
    #[error("the client data has another challenge")]
    Challenge,
    /// The page that asked is none of the verifier's.
    #[error("the client data has an origin that the verifier does not accept")]
    Origin,
    /// The page that asked is in a frame of another page.
    #[error("the page is in a frame of another origin")]
    CrossOrigin,
    /// The authenticator data is not in the form of an assertion, or has a flag that is unknown.
    #[error("the authenticator data is not in the form of an assertion")]
    AuthenticatorData,
    /// The passkey belongs to another relying party.
    #[error("the authenticator data is for another relying party")]
    RelyingParty,
    /// Nobody confirmed the assertion.
    #[error("no user was present")]
    UserPresence,
    /// The verifier requires that the user was verified.
    #[error("the user was not verified")]
    UserVerification,
}
