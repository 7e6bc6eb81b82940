//! A bar for each contender, with its figure.

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{INK, WIDTH, colours, draw, line, text, width_of};
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
        let series = row.series.iter();
        let mut bars: Vec<_> = series.map(|s| (s.contender.clone(), s.spread())).collect();
        bars.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
        Self {
            title: format!("{}: µs each", row.name),
            bars,
        }
    }

    pub(super) fn svg(&self) -> String {
        let bars: Vec<_> = self.bars.iter().filter(|bar| bar.1.is_positive()).collect();
        let left = width_of(bars.iter().map(|bar| &bar.0)) + 10;
        let longest = (WIDTH - left - 56).max(10);
        let ends = bars.iter().map(|bar| bar.1.p90);
        let most = ends.fold(f64::MIN_POSITIVE, f64::max);
        let x = |time: f64| left + (time / most * f64::from(longest)).round().max(1.0) as i32;
        let height = PLACE * bars.len() as i32 + 8;
        let colours = colours(bars.iter().map(|bar| &bar.0));
        draw(&self.title, height, |area| {
            for (i, ((name, time), colour)) in (0..).zip(bars.into_iter().zip(colours)) {
                let middle = PLACE * i + PLACE / 2 + 4;
                text(area, name, (left - 8, middle), HPos::Right)?;
                let (top, bottom) = (middle - BAR / 2, middle + BAR / 2);
                let corners = [(left, top), (x(time.median), bottom)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                let (from, to) = (x(time.min), x(time.p90));
                line(area, vec![(from, middle), (to, middle)], INK)?;
                for end in [from, to] {
                    line(area, vec![(end, middle - 4), (end, middle + 4)], INK)?;
                }
                text(area, micros(time.median), (to + 6, middle), HPos::Left)?;
            }
            Ok(())
        })
    }
}
