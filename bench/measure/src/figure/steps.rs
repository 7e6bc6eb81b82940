//! The stages of a whole: each bar begins where the one before ends.

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{draw, line, text, whisker};
use super::style::{BLUE, GREY, GRID, INK, PALE_INK, WIDTH, width_of};
use crate::digits::micros;
use crate::measured::Spread;

const BAR: i32 = 15;
const PLACE: i32 = 23;
/// The width of the figures on the right.
const FIGURES: i32 = 92;

/// Stages one after the other, and the whole below.
#[derive(Clone, Debug)]
pub struct Steps {
    /// What it shows, with the unit.
    pub title: String,
    /// Names and times, in order.
    pub steps: Vec<(String, Spread)>,
    /// The time of the whole. What the stages do not account for is shown as the rest.
    pub whole: Spread,
}

impl Steps {
    /// The name of the rest.
    pub const REST: &'static str = "the rest";

    /// The median of the whole less those of the stages; 0 if they exceed it.
    pub fn rest(&self) -> f64 {
        let stages: f64 = self.steps.iter().map(|step| step.1.median).sum();
        (self.whole.median - stages).max(0.0)
    }

    pub(super) fn svg(&self) -> String {
        let rest = (Self::REST.to_owned(), Spread::once(self.rest()));
        let mut rows: Vec<_> = self.steps.iter().chain([&rest]).collect();
        rows.retain(|row| row.1.is_positive());
        let left = width_of(rows.iter().map(|row| &*row.0)) + 10;
        let median = self.whole.median;
        let all = median.max(f64::MIN_POSITIVE);
        // Any whisker may reach farthest.
        let (mut from, mut most) = (0.0, self.whole.p90.max(all));
        for (_, time) in &rows {
            most = most.max(from + time.p90);
            from += time.median;
        }
        let length = f64::from((WIDTH - left - FIGURES).max(10));
        let x = |time: f64| left + (time / most * length).round() as i32;
        let places = rows.len() as i32 + 1;
        draw(&self.title, PLACE * places + 8, |area| {
            let bar = |i: i32, name: &str, from: f64, time: &Spread, colour| {
                let middle = PLACE * i + PLACE / 2 + 4;
                text(area, name, (left - 8, middle), INK, HPos::Right)?;
                let end = x(from + time.median).max(x(from) + 1);
                let corners = [(x(from), middle - BAR / 2), (end, middle + BAR / 2)];
                area.draw(&Rectangle::new(corners, Color::filled(&colour)))?;
                whisker(area, x(from + time.min), x(from + time.p90), middle)?;
                let part = format!("{:.0} %", 100.0 * time.median / all);
                text(area, part, (WIDTH - 2, middle), PALE_INK, HPos::Right)?;
                let figure = (WIDTH - 46, middle);
                text(area, micros(time.median), figure, INK, HPos::Right)
            };
            let mut from = 0.0;
            for (i, (name, time)) in (0..).zip(&rows) {
                let colour = if name == Self::REST { GREY } else { BLUE };
                bar(i, name, from, time, colour)?;
                from += time.median;
                let bottom = PLACE * (i + 1) + PLACE / 2 + 4;
                line(
                    area,
                    vec![
                        (x(from), bottom - PLACE + BAR / 2),
                        (x(from), bottom - BAR / 2),
                    ],
                    GRID,
                )?;
            }
            bar(places - 1, "whole", 0.0, &self.whole, PALE_INK)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_whisker_reaches_into_the_figures() {
        let wide = Spread {
            min: 1.0,
            median: 2.0,
            p90: 9.0,
        };
        let steps = Steps {
            title: "t".into(),
            steps: vec![("one".into(), wide), ("two".into(), Spread::once(1.0))],
            whole: Spread::once(3.0),
        };
        let svg = steps.svg();
        let points = svg
            .split("points=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        let across = points.flat_map(|points| {
            let pairs = points.split_whitespace();
            pairs.filter_map(|pair| pair.split(',').next()?.parse::<i32>().ok())
        });
        let farthest = across.max().unwrap();
        assert!(
            (200..=WIDTH - FIGURES).contains(&farthest),
            "{farthest} in {svg}"
        );
    }

    #[test]
    fn stages_and_rest_make_the_whole() {
        let mut steps = Steps {
            title: "<stages>".into(),
            steps: vec![
                ("one".into(), Spread::once(1.0)),
                ("two".into(), Spread::once(2.5)),
            ],
            whole: Spread::once(4.0),
        };
        assert_eq!(steps.rest(), 0.5);
        let svg = steps.svg();
        for text in ["one", "the rest", "whole", "&lt;stages"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        steps.whole = Spread::once(3.0);
        assert_eq!(steps.rest(), 0.0);
        assert!(!steps.svg().contains("the rest"));
    }
}
