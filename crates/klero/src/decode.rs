//! Points from bytes, by the rule that all suites share: y is canonical, the point is on the curve; x = 0
//! with the sign bit set is accepted (RFC 8032's decoders reject it, the one-at-a-time VRF verifiers do not).

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point, y_is_canonical};

/// The reason why 32 bytes are no point.
#[derive(Clone, Copy)]
pub(crate) enum NotAPoint {
    NotCanonical,
    NotOnCurve,
}

/// Decoded points, a row for each encoding.
pub(crate) struct Decoded {
    /// The points; the identity where the encoding has none.
    pub(crate) points: Vec<Point>,
    /// The reasons why encodings have no point.
    pub(crate) faults: Vec<Option<NotAPoint>>,
}

impl Decoded {
    /// The rows of these encodings, from the results of an engine.
    pub(crate) fn new(encodings: &[[u8; 32]], mut points: Vec<Point>, on_curve: &[bool]) -> Self {
        let faults = find_faults(encodings, &mut points, on_curve);
        Self { points, faults }
    }

    /// Splits off the rows from `at` on.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        Self {
            points: self.points.split_off(at),
            faults: self.faults.split_off(at),
        }
    }

    /// The point in a row, or its fault.
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

/// Decodes encodings into a slice of the same length. For those without a point, writes the identity and
/// returns the reason.
pub(crate) fn decode_into(
    engine: Engine,
    encodings: &[[u8; 32]],
    points: &mut [Point],
) -> Vec<Option<NotAPoint>> {
    let mut on_curve = vec![false; encodings.len()];
    engine.decode(encodings, points, &mut on_curve);
    find_faults(encodings, points, &on_curve)
}

/// Finds the reasons why encodings have no point. Sets these points to the identity.
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
