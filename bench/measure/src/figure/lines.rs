//! Curves over two logarithmic axes, each with its name at the right end.

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::canvas::{
    Area, Drawn, GRID, INK, PALE_INK, WIDTH, colours, draw, line, text, text_style, width_of,
};
use crate::digits::micros;
use crate::measured::{Run, Spread};

const HEIGHT: i32 = 380;
/// The smallest distance between the names on the right.
const APART: i32 = 16;

/// Curves over logarithmic axes.
#[derive(Clone, Debug)]
pub struct Lines {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis counts.
    pub x: String,
    /// What the vertical axis shows, with the unit.
    pub y: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Whether the last figures of the curves are comparable. If so, they are shown beside the
    /// names and on a terminal.
    pub with_figures: bool,
}

/// The smallest ratio of the top of a chart to its bottom.
const LEAST_HEIGHT: f64 = 5.0;

/// A curve and its name.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points from left to right, both coordinates positive.
    pub points: Vec<(f64, Spread)>,
}

impl Lines {
    /// The medians of an experiment: a curve for each contender, over the rows.
    pub fn of(run: &Run, experiment: &str, title: &str, x: &str) -> Self {
        let mut curves: Vec<Curve> = Vec::new();
        for row in run.of(experiment) {
            for series in &row.series {
                let point = (row.at, series.spread());
                let known = curves.iter_mut().find(|c| c.name == series.contender);
                match known {
                    Some(curve) => curve.points.push(point),
                    None => curves.push(Curve {
                        name: series.contender.clone(),
                        points: vec![point],
                    }),
                }
            }
        }
        let rows = run.of(experiment).map(|row| row.at);
        debug_assert!(rows.is_sorted(), "rows from left to right");
        Self {
            title: title.into(),
            x: x.into(),
            y: "µs for each proof".into(),
            curves,
            with_figures: true,
        }
    }

    pub(super) fn svg(&self) -> String {
        let mut shown = self.clone();
        for curve in &mut shown.curves {
            let points = &mut curve.points;
            points.retain(|(x, y)| x.is_finite() && *x > 0.0 && y.is_positive());
        }
        shown.curves.retain(|curve| !curve.points.is_empty());
        let points = || shown.curves.iter().flat_map(|curve| &curve.points);
        let (Some(across), Some(along)) = (
            range(points().map(|(x, _)| *x)),
            range(points().flat_map(|(_, y)| [y.min, y.p90])),
        ) else {
            return draw(&self.title, 1, |_| Ok(()));
        };
        draw(&self.title, HEIGHT, |area| shown.draw(area, across, along))
    }

    fn draw(&self, area: &Area<'_>, across: (f64, f64), along: (f64, f64)) -> Drawn {
        let names: Vec<String> = self.curves.iter().map(|curve| self.name(curve)).collect();
        let colours = colours(self.curves.iter().map(|curve| &curve.name));
        let right = width_of(&names) + 20;
        // A small difference must not look like a large one.
        let widen = (LEAST_HEIGHT * along.0 / along.1).sqrt().max(1.25);
        let (bottom, top) = (along.0 / widen, along.1 * widen);
        let mut chart = ChartBuilder::on(area)
            .margin_top(26)
            .margin_right(right)
            .margin_left(4)
            .x_label_area_size(42)
            .y_label_area_size(48)
            .build_cartesian_2d(
                (across.0..across.1).log_scale().base(2.0),
                (bottom..top).log_scale().base(2.0),
            )?;
        let label = text_style(PALE_INK, HPos::Center, VPos::Top);
        chart
            .configure_mesh()
            .light_line_style(RGBColor(255, 255, 255).mix(0.0))
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(label)
            .x_labels(7)
            .y_labels(9)
            .x_label_formatter(&|x| count(*x))
            .y_label_formatter(&|y| y.to_string())
            .x_desc(logarithmic(&self.x))
            .axis_desc_style(text_style(INK, HPos::Center, VPos::Top))
            .draw()?;
        text(area, logarithmic(&self.y), (6, 12), HPos::Left)?;

        let mut ends: Vec<(i32, i32)> = Vec::new();
        for (Curve { points, .. }, colour) in self.curves.iter().zip(&colours) {
            let samples = |(x, y): &(f64, Spread)| vec![(*x, y.min), (*x, y.p90)];
            let whisker = |ends| PathElement::new(ends, colour.mix(0.35).stroke_width(7));
            chart.draw_series(points.iter().map(samples).map(whisker))?;
            let points = points.iter().map(|(x, y)| (*x, y.median));
            let stroke = colour.stroke_width(2);
            chart.draw_series(LineSeries::new(points.clone(), stroke))?;
            let last = points.clone().next_back();
            ends.extend(last.map(|last| chart.backend_coord(&last)));
            chart.draw_series(points.map(|point| Circle::new(point, 3, colour.filled())))?;
        }

        // The names of the curves beside their right ends.
        let x = WIDTH - right + 16;
        let heights = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>());
        let ends = ends.into_iter().zip(heights);
        for (((from, at), y), (name, colour)) in ends.zip(names.into_iter().zip(colours)) {
            line(area, vec![(from + 5, at), (x - 4, y)], colour)?;
            text(area, name, (x, y), HPos::Left)?;
        }
        Ok(())
    }

    fn name(&self, Curve { name, points }: &Curve) -> String {
        match points.last().filter(|_| self.with_figures) {
            Some((_, last)) => format!("{name} {}", micros(last.median)),
            None => name.clone(),
        }
    }
}

/// The name of an axis.
fn logarithmic(what: &str) -> String {
    format!("{what} (logarithmic)")
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), value| {
        (f64::min(low, value), f64::max(high, value))
    });
    // A single value is in the middle.
    match low == high {
        true => Some((low / 2.0, high * 2.0)),
        false => (low < high).then_some((low, high)),
    }
}

/// 1, 1024, 16k, 1M: thousands in the sense of the powers of two.
fn count(number: f64) -> String {
    let (kib, mib) = (1024.0, 1024.0 * 1024.0);
    if number >= mib {
        format!("{}M", number / mib)
    } else if number >= 8.0 * kib {
        format!("{}k", number / kib)
    } else {
        number.to_string()
    }
}

/// Heights near the wanted ones, in the same order, none too near to the next or out of the picture.
fn apart(wanted: &[i32]) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| wanted[i]);
    let mut heights = wanted.to_vec();
    // Down from the one above, and where there is no room left up from the one below.
    let mut least = 10;
    for &i in &order {
        heights[i] = wanted[i].max(least);
        least = heights[i] + APART;
    }
    let mut most = HEIGHT - 10;
    for &i in order.iter().rev() {
        heights[i] = heights[i].min(most);
        most = heights[i] - APART;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(points: Vec<(f64, Spread)>) -> Lines {
        Lines {
            title: "t".into(),
            x: "x".into(),
            y: "y".into(),
            curves: vec![Curve {
                name: "curve".into(),
                points,
            }],
            with_figures: true,
        }
    }

    #[test]
    fn names_do_not_overlap_and_stay_in_order() {
        let wanted = [100, 101, 102, 360, 90, 375];
        let heights = apart(&wanted);
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&i| wanted[i]);
        for pair in order.windows(2) {
            assert!(heights[pair[1]] - heights[pair[0]] >= APART, "{heights:?}");
        }
        assert!(
            heights
                .iter()
                .all(|height| (10..=HEIGHT - 10).contains(height))
        );
        assert_eq!(apart(&[50]), [50]);
    }

    #[test]
    fn ticks_are_few_powers_of_two() {
        let numbers = [1.0, 1024.0, 65536.0, 1048576.0];
        assert_eq!(numbers.map(count), ["1", "1024", "64k", "1M"]);
        let points = [1.0, 1024.0].map(|x| (x, Spread::once(60.0 / f64::sqrt(x))));
        let svg = lines(points.into()).svg();
        for tick in [1, 4, 16, 64, 256, 1024] {
            assert!(
                svg.contains(&format!("\n{tick}\n")),
                "{tick} is not in {svg}"
            );
        }
    }

    #[test]
    fn charts_show_how_far_samples_lie_apart() {
        let steady = Spread::once(2.0);
        let wide = Spread { p90: 3.0, ..steady };
        let figures = |time: Spread| {
            let lines = lines(vec![(1.0, time), (2.0, time)]);
            let bars = crate::Bars {
                title: "t".into(),
                bars: vec![("bar".into(), time), ("longer".into(), Spread::once(9.0))],
            };
            [lines.svg(), bars.svg()]
        };
        for (steady, wide) in figures(steady).iter().zip(figures(wide)) {
            assert_ne!(*steady, wide);
        }
    }

    #[test]
    fn odd_figures_are_left_out() {
        let once = |(x, y)| (x, Spread::once(y));
        let lines = |points: &[(f64, f64)]| lines(points.iter().copied().map(once).collect());
        assert!(!lines(&[]).svg().contains("curve"));
        assert!(
            !lines(&[(1.0, f64::NAN), (0.0, 1.0)])
                .svg()
                .contains("curve")
        );
        let svg = lines(&[(1.0, 2.0)]).svg();
        assert!(svg.contains("curve 2.00"));
        for axis in ["x (logarithmic)", "y (logarithmic)"] {
            assert!(svg.contains(axis), "{axis} is not in {svg}");
        }
        assert!(lines(&[(1.0, 2.0), (2.0, 1.0)]).svg().contains("polyline"));
    }
}
