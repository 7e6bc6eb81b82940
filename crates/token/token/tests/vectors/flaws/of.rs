//! Makes an invalid vector from a valid vector and a flaw.

use klero_token::Place;

use crate::encoding::{Parts, Refusal};
use crate::equations::Twin;
use crate::format::{Asked, Vector};
use crate::maker::asked;
use crate::support::NO_LIMITS;

/// A valid vector that flaws are put into.
pub struct Of<'a> {
    pub valid: &'a Vector,
}

impl Of<'_> {
    pub fn invalid(&self, name: &str, (reason, place): Refusal) -> Vector {
        let Vector {
            token,
            challenge,
            roots,
            limits,
            relying_party,
            ..
        } = self.valid.clone();
        Vector {
            name: name.into(),
            of: Some(self.valid.name.clone()),
            reason: Some(reason.into()),
            place: place.map(|place| place.to_string()),
            token,
            challenge,
            roots,
            limits,
            relying_party,
            ..Vector::default()
        }
    }

    pub fn bytes(
        &self,
        name: &str,
        reason: &'static str,
        flaw: impl FnOnce(&mut Vec<u8>),
    ) -> Vector {
        let mut vector = self.invalid(name, (reason, None));
        flaw(&mut vector.token.0);
        vector
    }

    pub fn parts<S: Twin>(
        &self,
        name: &str,
        refusal: Refusal,
        flaw: impl FnOnce(&mut Parts),
    ) -> Vector {
        let mut parts = Parts::read_within::<S>(&self.valid.token.0, &NO_LIMITS).unwrap();
        flaw(&mut parts);
        self.token(name, refusal, &parts)
    }

    pub fn token(&self, name: &str, refusal: Refusal, parts: &Parts) -> Vector {
        Vector {
            token: parts.bytes().into(),
            ..self.invalid(name, refusal)
        }
    }

    pub fn asked(&self, name: &str, refusal: Refusal, flaw: impl FnOnce(&mut Asked)) -> Vector {
        let mut asked = asked();
        flaw(&mut asked);
        Vector {
            challenge: Some(asked),
            ..self.invalid(name, refusal)
        }
    }
}

/// The refusal of a token whose link at `place` has a wrong signature. The refusal states `place` in `chain`,
/// and [`Place::Aggregate`] in `aggregate`.
pub fn wrong<S: Twin>(place: Place) -> Refusal {
    let place = match S::NAME {
        "chain" => place,
        _ => Place::Aggregate,
    };
    ("signature", Some(place))
}
