//! A bar for each contender, its figure behind it.

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{draw, text};
use super::style::{BLUE, GREY, INK, WIDTH, is_ours, width_of};
use crate::measured::Measured;
use crate::section::micros;

/// The height of a bar and of its place.
const BAR: i32 = 15;
const PLACE: i32 = 23;

/// Horizontal bars from zero.
#[derive(Clone, Debug)]
pub struct Bars {
    /// What it shows, with the unit.
    pub title: String,
    /// Names and values.
    pub bars: Vec<(String, f64)>,
}

impl Bars {
    /// The medians of a row, the fastest first.
    pub fn of_row(row: &Measured) -> Self {
        let series = row.series().iter();
        let mut bars: Vec<_> = series.map(|s| (s.contender().into(), s.median())).collect();
        bars.sort_by(|a: &(String, f64), b| a.1.total_cmp(&b.1));
        Self {
            title: format!("{}: microseconds each", row.name()),
            bars,
        }
    }

    pub(super) fn svg(&self) -> String {
        let bars: Vec<_> = self.bars.iter().filter(|bar| bar.1.is_finite()).collect();
        let left = width_of(bars.iter().map(|bar| &*bar.0)) + 10;
        let longest = (WIDTH - left - 56).max(10);
        let most = bars
            .iter()
            .map(|bar| bar.1)
            .fold(f64::MIN_POSITIVE, f64::max);
        let height = PLACE * bars.len() as i32 + 8;
        // Where nobody is called by our name, nobody is another.
        let with_others = bars.iter().any(|(name, _)| is_ours(name));
        draw(&self.title, height, |area| {
            for (i, (name, value)) in bars.iter().enumerate() {
                let middle = PLACE * i as i32 + PLACE / 2 + 4;
                let end = left + (value / most * f64::from(longest)).round().max(1.0) as i32;
                let colour = if with_others && !is_ours(name) {
                    GREY
                } else {
                    BLUE
                };
                text(area, name, (left - 8, middle), INK, HPos::Right)?;
                let corners = [(left, middle - BAR / 2), (end, middle + BAR / 2)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                text(area, micros(*value), (end + 6, middle), INK, HPos::Left)?;
            }
            Ok(())
        })
    }
}
