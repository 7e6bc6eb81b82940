//! Charts as self-contained SVG: no script, no font file, nothing to load.
//!
//! They are laid out for the width of a phone and scale with the page, so that text is legible
//! on both. Curves and bars are labelled with their names and figures, so no legend is needed.
//! Charts draw medians; a whisker goes from the smallest sample to the 90th percentile.

mod bars;
mod canvas;
mod lines;

pub use bars::Bars;
pub use lines::{Curve, Lines};

/// A chart.
#[derive(Clone, Debug)]
pub enum Figure {
    /// Curves over logarithmic axes.
    Lines(Lines),
    /// One bar for each contender.
    Bars(Bars),
}

impl Figure {
    /// What it shows.
    pub fn title(&self) -> &str {
        match self {
            Self::Lines(Lines { title, .. }) | Self::Bars(Bars { title, .. }) => title,
        }
    }

    /// An `svg` element for a page, as wide as its container; empty if there is nothing to
    /// draw.
    ///
    /// ```
    /// use klero_measure::{Bars, Figure, Spread};
    /// let bars = vec![("one".into(), Spread::once(1.0)), ("two".into(), Spread::once(2.0))];
    /// let svg = Figure::Bars(Bars { title: "numbers".into(), bars }).svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("two"));
    /// ```
    pub fn svg(&self) -> String {
        match self {
            Self::Lines(lines) => lines.svg(),
            Self::Bars(bars) => bars.svg(),
        }
    }
}
