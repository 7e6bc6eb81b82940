//! A bar for each contender, with its figure.

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{draw, text, whisker};
use super::style::{BLUE, GREY, INK, WIDTH, is_ours, width_of};
use crate::digits::micros;
use crate::measured::{Measured, Spread};

/// The height of a bar and of its place.
const BAR: i32 = 15;
const PLACE: i32 = 23;

/// Horizontal bars from zero.
#[derive(Clone, Debug)]
pub struct Bars {
    /// What it shows, with the unit.
    pub title: String,
    /// Names and times.
    pub bars: Vec<(String, Spread)>,
}

impl Bars {
    /// The medians of a row, the fastest first.
    pub fn of_row(row: &Measured) -> Self {
        let series = row.series().iter();
        let mut bars: Vec<_> = series.map(|s| (s.contender().into(), s.spread())).collect();
        bars.sort_by(|a: &(String, Spread), b| a.1.median.total_cmp(&b.1.median));
        Self {
            title: format!("{}: µs each", row.name()),
            bars,
        }
    }

    pub(super) fn svg(&self) -> String {
        let bars: Vec<_> = self.bars.iter().filter(|bar| bar.1.is_positive()).collect();
        let left = width_of(bars.iter().map(|bar| &*bar.0)) + 10;
        let longest = (WIDTH - left - 56).max(10);
        let most = bars
            .iter()
            .map(|bar| bar.1.p90)
            .fold(f64::MIN_POSITIVE, f64::max);
        let x = |time: f64| left + (time / most * f64::from(longest)).round().max(1.0) as i32;
        let height = PLACE * bars.len() as i32 + 8;
        // If no contender is Klero, all bars have its colour.
        let with_others = bars.iter().any(|(name, _)| is_ours(name));
        draw(&self.title, height, |area| {
            for (i, (name, time)) in bars.iter().enumerate() {
                let middle = PLACE * i as i32 + PLACE / 2 + 4;
                let colour = if with_others && !is_ours(name) {
                    GREY
                } else {
                    BLUE
                };
                text(area, name, (left - 8, middle), INK, HPos::Right)?;
                let (top, bottom) = (middle - BAR / 2, middle + BAR / 2);
                let corners = [(left, top), (x(time.median), bottom)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                whisker(area, x(time.min), x(time.p90), middle)?;
                let figure = (x(time.p90) + 6, middle);
                text(area, micros(time.median), figure, INK, HPos::Left)?;
            }
            Ok(())
        })
    }
}
