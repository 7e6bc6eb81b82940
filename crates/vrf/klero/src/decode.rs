//! Decodes points by the rule that all suites share: y must be canonical, and the point must be on the curve.
//! A point with x = 0 may have its sign bit set. RFC 8032's decoders reject such an encoding, but VRF
//! verifiers that verify one proof at a time accept it.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point, y_is_canonical};

/// The reason why 32 bytes do not encode a point.
#[derive(Clone, Copy)]
pub(crate) enum NotAPoint {
    NotCanonical,
    NotOnCurve,
}

/// Decoded points, with one row for each encoding.
pub(crate) struct Decoded {
    /// The point of each encoding, or the identity if the encoding has no point.
    pub(crate) points: Vec<Point>,
    /// For each encoding without a point, the reason why it has none.
    pub(crate) faults: Vec<Option<NotAPoint>>,
}

impl Decoded {
    /// Makes one row for each encoding. `points` and `on_curve` are an engine's results for the encodings.
    pub(crate) fn new(encodings: &[[u8; 32]], mut points: Vec<Point>, on_curve: &[bool]) -> Self {
        let faults = find_faults(encodings, &mut points, on_curve);
        Self { points, faults }
    }

    /// Splits off row `at` and all rows after it.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        Self {
            points: self.points.split_off(at),
            faults: self.faults.split_off(at),
        }
    }

    /// Returns the point in a row, or the reason why there is none.
    pub(crate) fn row(&self, at: usize) -> Result<Point, NotAPoint> {
        match self.faults[at] {
            Some(fault) => Err(fault),
            None => Ok(self.points[at]),
        }
    }
}

/// Decodes a group of encodings.
pub(crate) fn decode(engine: Engine, encodings: &[[u8; 32]]) -> Decoded {
    let mut points = vec![Point::IDENTITY; encodings.len()];
    let faults = decode_into(engine, encodings, &mut points);
    Decoded { points, faults }
}

/// Decodes encodings into a slice of the same length. For each encoding without a point, writes the identity
/// and returns the reason.
pub(crate) fn decode_into(
    engine: Engine,
    encodings: &[[u8; 32]],
    points: &mut [Point],
) -> Vec<Option<NotAPoint>> {
    let mut on_curve = vec![false; encodings.len()];
    engine.decode(encodings, points, &mut on_curve);
    find_faults(encodings, points, &on_curve)
}

/// For each encoding without a point, finds the reason and replaces the point by the identity.
fn find_faults(
    encodings: &[[u8; 32]],
    points: &mut [Point],
    on_curve: &[bool],
) -> Vec<Option<NotAPoint>> {
    let rows = encodings.iter().zip(points).zip(on_curve);
    let fault = |((encoding, point), on_curve): ((_, &mut Point), &bool)| {
        let fault = if !y_is_canonical(encoding) {
            NotAPoint::NotCanonical
        } else if *on_curve {
            return None;
        } else {
            NotAPoint::NotOnCurve
        };
        *point = Point::IDENTITY;
        Some(fault)
    };
    rows.map(fault).collect()
}
