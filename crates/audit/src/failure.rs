//! The checks that a header can fail, wherever the header comes from.

use std::fmt::{self, Display};
use std::mem::discriminant;

use klero_cardano::{BadHeader, BadNumber, ClaimKind, Delegate, Era, OutsidePeriods};
use klero_leader::{NoLeader, TwoVrfKeys};

use crate::kes::InvalidKes;

/// A check that a header fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It cannot be decoded.
    Header(BadHeader),
    /// It is of Byron, whose headers have nothing that is checked here.
    Byron,
    /// Its era is not that of its epoch.
    Era {
        /// The epoch of its slot.
        epoch: u64,
        /// Its era, by the tag.
        found: Era,
    },
    /// The nonce of its epoch was not given, so its proofs could not be verified.
    NonceUnknown(u64),
    /// A VRF proof is invalid.
    Proof {
        /// What it is for.
        kind: ClaimKind,
        /// Why it is invalid.
        reason: klero::Invalid,
    },
    /// The leader value is at or above f: no stake could lead with it.
    LeaderValue,
    /// The pool may not lead, by the stake of its epoch.
    NoLeader(NoLeader),
    /// The pool used two VRF keys in one epoch. Each pool has one, which stake that comes without
    /// VRF keys does not name.
    TwoVrfKeys(TwoVrfKeys),
    /// The slot is that of a genesis delegate, and another made the block.
    WrongDelegate {
        /// The delegate whose turn it is, by the genesis file.
        expected: Delegate,
        /// The maker.
        found: Delegate,
    },
    /// The slot is taken out of the lottery, and nobody's.
    ReservedSlot,
    /// The slot is in a period for which the certificate does not hold. The KES signature is not
    /// judged then: the key has no evolution for it.
    Period(OutsidePeriods),
    /// The cold key did not sign the certificate.
    Certificate(klero_ed25519::Invalid),
    /// The hot key did not sign the header, or not at this evolution.
    Signature(InvalidKes),
    /// The number of the certificate may not follow the last one of its issuer.
    Number(BadNumber),
}

impl Failure {
    /// The name of its kind: lower case, with hyphens.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Header(_) => "bad-header",
            Self::Byron => "byron",
            Self::Era { .. } => "era",
            Self::NonceUnknown(_) => "nonce-unknown",
            Self::Proof { .. } => "invalid-proof",
            Self::LeaderValue => "leader-value",
            Self::NoLeader(NoLeader::UnknownPool { .. }) => "unknown-pool",
            Self::NoLeader(NoLeader::OtherVrfKey { .. }) => "other-vrf-key",
            Self::NoLeader(_) => "no-leader",
            Self::TwoVrfKeys(_) => "two-vrf-keys",
            Self::WrongDelegate { .. } => "wrong-delegate",
            Self::ReservedSlot => "reserved-slot",
            Self::Period(_) => "kes-period",
            Self::Certificate(_) => "invalid-certificate",
            Self::Signature(_) => "invalid-kes",
            Self::Number(_) => "certificate-number",
        }
    }

    /// Why the check fails, without what was checked.
    pub fn reason(&self) -> String {
        match self {
            Self::Header(reason) => reason.to_string(),
            Self::Byron => "a header of Byron".into(),
            Self::Era { epoch, found } => {
                format!("{found} header in epoch {epoch}, which is not of that era")
            }
            Self::NonceUnknown(epoch) => format!("the nonce of epoch {epoch} is not known"),
            Self::Proof { reason, .. } => reason.to_string(),
            Self::LeaderValue => "not below f, so no stake could lead".into(),
            Self::NoLeader(reason) => reason.to_string(),
            Self::TwoVrfKeys(reason) => reason.to_string(),
            Self::WrongDelegate { expected, found } => match expected.issuer == found.issuer {
                true => "the delegate's VRF key is not that of the genesis file".into(),
                false => format!(
                    "the slot is that of genesis delegate {}, and {} made the block",
                    expected.issuer, found.issuer
                ),
            },
            Self::ReservedSlot => "the slot is taken out of the lottery, and no delegate's".into(),
            Self::Period(reason) => reason.to_string(),
            Self::Certificate(reason) => reason.to_string(),
            Self::Signature(reason) => reason.to_string(),
            Self::Number(reason) => reason.to_string(),
        }
    }

    /// Whether it says that the maker may not lead, by stake and turns that are not in the chain: then
    /// these may be what is wrong.
    pub fn is_of_stake(&self) -> bool {
        matches!(
            self,
            Self::NoLeader(_)
                | Self::TwoVrfKeys(_)
                | Self::WrongDelegate { .. }
                | Self::ReservedSlot
        )
    }

    /// Writes what was checked, the place of the header, and why it fails.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, place: impl Display) -> fmt::Result {
        match self {
            Self::Header(_) | Self::Byron | Self::Era { .. } | Self::NonceUnknown(_) => Ok(()),
            Self::Proof { kind, .. } => write!(f, "invalid proof ({kind}): "),
            Self::LeaderValue => f.write_str("leader value: "),
            Self::NoLeader(_)
            | Self::TwoVrfKeys(_)
            | Self::WrongDelegate { .. }
            | Self::ReservedSlot => f.write_str("may not lead: "),
            Self::Period(_) => f.write_str("KES period: "),
            Self::Certificate(_) => f.write_str("invalid operational certificate: "),
            Self::Signature(_) => f.write_str("invalid KES signature: "),
            Self::Number(_) => f.write_str("certificate number: "),
        }?;
        write!(f, "{place}{}", self.reason())
    }

    /// Whether both are of one kind, whatever numbers are in them.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Proof { .. }, _) | (Self::Certificate(_), _) => self == other,
            (Self::Period(a), Self::Period(b)) => discriminant(a) == discriminant(b),
            (Self::Signature(a), Self::Signature(b)) => discriminant(a) == discriminant(b),
            (Self::Number(a), Self::Number(b)) => discriminant(a) == discriminant(b),
            (Self::NoLeader(a), Self::NoLeader(b)) => discriminant(a) == discriminant(b),
            _ => discriminant(self) == discriminant(other),
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl std::error::Error for Failure {}
