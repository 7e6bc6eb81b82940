//! How a time is made up: each stage begins where the one before ended.

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{draw, line, text};
use super::style::{BLUE, GREY, GRID, INK, PALE_INK, WIDTH, width_of};
use crate::section::micros;

const BAR: i32 = 15;
const PLACE: i32 = 23;
/// The width of the figures at the right.
const FIGURES: i32 = 92;

/// Stages one after the other, and the whole below.
#[derive(Clone, Debug)]
pub struct Steps {
    /// What it shows, with the unit.
    pub title: String,
    /// Names and times, in order.
    pub steps: Vec<(String, f64)>,
    /// The time of all; what the stages leave of it is shown as the rest.
    pub whole: f64,
}

impl Steps {
    /// The name of what is left.
    pub const REST: &'static str = "the rest";

    /// What the stages leave of the whole; 0 if they are more.
    pub fn rest(&self) -> f64 {
        let stages: f64 = self.steps.iter().map(|step| step.1).sum();
        (self.whole - stages).max(0.0)
    }

    pub(super) fn svg(&self) -> String {
        let rest = (Self::REST.to_owned(), self.rest());
        let mut rows: Vec<_> = self.steps.iter().chain([&rest]).collect();
        rows.retain(|row| row.1.is_finite() && row.1 > 0.0);
        let left = width_of(rows.iter().map(|row| &*row.0)) + 10;
        let stages: f64 = rows.iter().map(|row| row.1).sum();
        let all = stages.max(self.whole).max(f64::MIN_POSITIVE);
        let length = f64::from((WIDTH - left - FIGURES).max(10));
        let x = |time: f64| left + (time / all * length).round() as i32;
        let places = rows.len() as i32 + 1;
        draw(&self.title, PLACE * places + 8, |area| {
            let bar = |i: i32, name: &str, from: f64, to: f64, colour| {
                let middle = PLACE * i + PLACE / 2 + 4;
                text(area, name, (left - 8, middle), INK, HPos::Right)?;
                let end = x(to).max(x(from) + 1);
                let corners = [(x(from), middle - BAR / 2), (end, middle + BAR / 2)];
                area.draw(&Rectangle::new(corners, Color::filled(&colour)))?;
                let part = format!("{:.0} %", 100.0 * (to - from) / all);
                text(area, part, (WIDTH - 2, middle), PALE_INK, HPos::Right)?;
                let figure = (WIDTH - 46, middle);
                text(area, micros(to - from), figure, INK, HPos::Right)
            };
            let mut from = 0.0;
            for (i, (name, time)) in (0..).zip(&rows) {
                let colour = if name == Self::REST { GREY } else { BLUE };
                bar(i, name, from, from + time, colour)?;
                from += time;
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
            bar(places - 1, "whole", 0.0, self.whole, INK)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_rest_make_the_whole() {
        let mut steps = Steps {
            title: "<stages>".into(),
            steps: vec![("one".into(), 1.0), ("two".into(), 2.5)],
            whole: 4.0,
        };
        assert_eq!(steps.rest(), 0.5);
        let svg = steps.svg();
        for text in ["one", "the rest", "whole", "&lt;stages"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        steps.whole = 3.0;
        assert_eq!(steps.rest(), 0.0);
        assert!(!steps.svg().contains("the rest"));
    }
}
