//! Points from bytes, by the rule that all suites share: y is canonical and on the curve;
//! x = 0 with the sign bit set is accepted (RFC 8032's decoders reject it, the one-at-a-time
//! VRF verifiers do not).

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point, y_is_canonical};

/// Why 32 bytes are not a point.
#[derive(Clone, Copy)]
pub(crate) enum NotAPoint {
    NotCanonical,
    NotOnCurve,
}

/// What encodings decode to, a row for each.
pub(crate) struct Decoded {
    /// The points; the identity where there is none.
    pub(crate) points: Vec<Point>,
    /// Why there is none.
    pub(crate) faults: Vec<Option<NotAPoint>>,
}

impl Decoded {
    /// From what an engine made of the encodings.
    pub(crate) fn new(encodings: &[[u8; 32]], mut points: Vec<Point>, on_curve: &[bool]) -> Self {
        let faults = find_faults(encodings, &mut points, on_curve);
        Self { points, faults }
    }

    /// The rows from `at` on; those before stay.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        Self {
            points: self.points.split_off(at),
            faults: self.faults.split_off(at),
        }
    }

    /// A row.
    pub(crate) fn row(&self, at: usize) -> Result<Point, NotAPoint> {
        match self.faults[at] {
            Some(fault) => Err(fault),
            None => Ok(self.points[at]),
        }
    }
}

/// Decodes a group.
pub(crate) fn decode(engine: Engine, encodings: &[[u8; 32]]) -> Decoded {
    let mut points = vec![Point::IDENTITY; encodings.len()];
    let faults = decode_into(engine, encodings, &mut points);
    Decoded { points, faults }
}

/// Decodes a group into a slice of its length: why there is no point, and then the identity.
pub(crate) fn decode_into(
    engine: Engine,
    encodings: &[[u8; 32]],
    points: &mut [Point],
) -> Vec<Option<NotAPoint>> {
    let mut on_curve = vec![false; encodings.len()];
    engine.decode(encodings, points, &mut on_curve);
    find_faults(encodings, points, &on_curve)
}

/// Why encodings have no point. Their points become the identity.
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
