//! The names in `vectors/headers.json`: the rules that a header can break, and the places where the
//! leader rule rounds.

use serde::Serialize;

/// A name with what it means, and what decides it. The page of the vectors has the same texts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Name {
    #[serde(skip)]
    pub name: &'static str,
    pub description: &'static str,
    pub decided_by: &'static str,
}

const fn name(name: &'static str, description: &'static str, decided_by: &'static str) -> Name {
    Name {
        name,
        description,
        decided_by,
    }
}

const OVERLAY: &str =
    "cardano-ledger, Cardano.Protocol.TPraos.Rules.Overlay: lookupInOverlaySchedule, pbftVrfChecks";
const PRAOS: &str = "ouroboros-consensus, Protocol/Praos.hs, doValidateVRFSignature; cardano-ledger, Cardano.Protocol.TPraos.Rules.Overlay, praosVrfChecks";
const KES: &str = "ouroboros-consensus, Protocol/Praos.hs, doValidateKESSignature; cardano-ledger, Cardano.Protocol.TPraos.Rules.OCert";

/// The rules, in the order of the file.
pub const RULES: &[Name] = &[
    name(
        "bad-header",
        "The bytes are no header of the era of their tag.",
        "cardano-ledger, the CDDL of the era",
    ),
    name(
        "era",
        "The header is of another era than its epoch.",
        "ouroboros-consensus, the hard fork combinator: the slot decides the era",
    ),
    name(
        "vrf-proof",
        "A VRF proof does not hold for the key in the header, the slot and the nonce of the epoch.",
        PRAOS,
    ),
    name(
        "vrf-output",
        "A VRF proof holds, but the output beside it is not its output.",
        "cardano-base, Cardano.Crypto.VRF.Class, verifyCertified",
    ),
    name(
        "unknown-pool",
        "The issuer has no entry in the stake of the epoch.",
        PRAOS,
    ),
    name(
        "other-vrf-key",
        "The VRF key in the header is not the one in the stake of the epoch.",
        PRAOS,
    ),
    name(
        "two-vrf-keys",
        "The pool made a block of this epoch with another VRF key. It shows a wrong key where the stake comes without them.",
        "the stake of an epoch has one VRF key for each pool",
    ),
    name(
        "leader-value",
        "The pool does not lead with this leader value: it is above the last one that leads.",
        "cardano-ledger, Cardano.Protocol.TPraos.BHeader, checkLeaderNatValue",
    ),
    name(
        "wrong-delegate",
        "The slot is that of a genesis delegate, and another made the header, or with another VRF key.",
        OVERLAY,
    ),
    name(
        "reserved-slot",
        "The slot is an overlay slot in which no block is made.",
        OVERLAY,
    ),
    name(
        "kes-before-start",
        "The KES period of the slot is before the start of the certificate.",
        KES,
    ),
    name(
        "kes-after-end",
        "The KES period of the slot is maxKesEvolutions or more after the start of the certificate.",
        KES,
    ),
    name(
        "opcert-signature",
        "The cold key did not sign the operational certificate.",
        KES,
    ),
    name(
        "kes-signature",
        "The hot key did not sign the header, or not at the evolution of the slot.",
        KES,
    ),
    name(
        "opcert-number-too-small",
        "The number of the certificate is below the last one of the issuer.",
        KES,
    ),
    name(
        "opcert-number-too-large",
        "In Praos: the number of the certificate is more than one above the last one of the issuer, or above 1 if there is none.",
        "ouroboros-consensus, Protocol/Praos.hs, doValidateKESSignature; TPraos has no such bound",
    ),
];

const RULE: &str = "cardano-ledger, Cardano.Ledger.NonIntegral; Data.Fixed rounds down";

/// Where the leader rule rounds, in the order of the file.
pub const ROUNDINGS: &[Name] = &[
    name(
        "coefficient",
        "f in fixed point, before it is subtracted from 1.",
        "cardano-ledger, Cardano.Ledger.BaseTypes, mkActiveSlotCoeff; Data.Fixed rounds down",
    ),
    name("log-product", "Products on the way to c = ln(1 - f).", RULE),
    name(
        "log-quotient",
        "Quotients on the way to c = ln(1 - f).",
        RULE,
    ),
    name(
        "stake",
        "σ in fixed point.",
        "cardano-ledger, checkLeaderNatValue: fromRational; Data.Fixed rounds down",
    ),
    name(
        "exponent",
        "The product σ·c, which is negative, before its sign changes. So x = -(σ·c) is rounded up.",
        "cardano-ledger, checkLeaderNatValue: -(fromRational σ * c), the sign applies to the product",
    ),
    name(
        "reciprocal",
        "The quotient 1/(1 - p).",
        "cardano-ledger, checkLeaderNatValue: fromRational; Data.Fixed rounds down",
    ),
    name(
        "term-product",
        "The product of a term of exp(x) with x.",
        RULE,
    ),
    name(
        "term-quotient",
        "Its quotient by the number of the term.",
        RULE,
    ),
];
