//! Charts as SVG that stands by itself: no script, no font file, nothing fetched.
//!
//! They are as wide as a phone's screen and grow with the page, so that text stays
//! legible on both. Curves and bars carry their names and figures; there is no legend to
//! look things up in.

mod bars;
mod canvas;
mod plane;
mod steps;
mod style;

pub use bars::Bars;
pub use plane::{Curve, Lines};
pub use steps::Steps;

/// A chart.
#[derive(Clone, Debug)]
pub enum Figure {
    /// Curves over logarithmic axes.
    Lines(Lines),
    /// One bar for each contender.
    Bars(Bars),
    /// How a time is made up.
    Steps(Steps),
}

impl Figure {
    /// What it shows.
    pub fn title(&self) -> &str {
        match self {
            Self::Lines(Lines { title, .. })
            | Self::Bars(Bars { title, .. })
            | Self::Steps(Steps { title, .. }) => title,
        }
    }

    /// An `svg` element for a page, scaling with its place; or, if there is nothing to
    /// draw, an empty one.
    ///
    /// ```
    /// use klero_measure::{Bars, Figure};
    /// let bars = vec![("one".into(), 1.0), ("two".into(), 2.0)];
    /// let svg = Figure::Bars(Bars { title: "numbers".into(), bars }).svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("two"));
    /// ```
    pub fn svg(&self) -> String {
        match self {
            Self::Lines(lines) => lines.svg(),
            Self::Bars(bars) => bars.svg(),
            Self::Steps(steps) => steps.svg(),
        }
    }
}
