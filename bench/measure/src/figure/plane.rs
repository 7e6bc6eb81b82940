//! Curves over two logarithmic axes, each with its name at the right end.

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::canvas::{Area, Drawn, draw, line, text, text_style};
use super::style::{GRID, INK, PALE_INK, WIDTH, colours, width_of};
use crate::digits::micros;
use crate::measured::{Measured, Run, Spread};

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
            for series in row.series() {
                let point = (row.at(), series.spread());
                let known = curves.iter_mut().find(|c| c.name == series.contender());
                match known {
                    Some(curve) => curve.points.push(point),
                    None => curves.push(Curve {
                        name: series.contender().into(),
                        points: vec![point],
                    }),
                }
            }
        }
        let rows = run.of(experiment).map(Measured::at);
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
        let colours = colours(self.curves.iter().map(|curve| &*curve.name));
        let right = width_of(names.iter().map(String::as_str)) + 20;
        // A small difference must not look like a large one.
        let widen = (LEAST_HEIGHT * along.0 / along.1).sqrt().max(1.25);
        let (bottom, top) = (along.0 / widen, along.1 * widen);
        let ticks = one_two_five((bottom, top));
        let tick_names: Vec<_> = ticks.iter().map(f64::to_string).collect();
        let left = width_of(tick_names.iter().map(String::as_str)) + 14;
        let mut chart = ChartBuilder::on(area)
            .margin_top(26)
            .margin_right(right)
            .margin_left(4)
            .x_label_area_size(42)
            .y_label_area_size(left)
            .build_cartesian_2d(
                (across.0..across.1)
                    .log_scale()
                    .with_key_points(powers_of_two(across)),
                (bottom..top).log_scale().with_key_points(ticks),
            )?;
        let label = text_style(PALE_INK, HPos::Center, VPos::Top);
        chart
            .configure_mesh()
            .light_line_style(RGBColor(255, 255, 255).mix(0.0))
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(label)
            .x_label_formatter(&|x| count(*x))
            .y_label_formatter(&|y| y.to_string())
            .x_desc(logarithmic(&self.x))
            .axis_desc_style(text_style(INK, HPos::Center, VPos::Top))
            .draw()?;
        text(area, logarithmic(&self.y), (6, 12), INK, HPos::Left)?;

        let mut ends: Vec<(i32, i32)> = Vec::new();
        for (Curve { points, .. }, colour) in self.curves.iter().zip(&colours) {
            let samples = |(x, y): &(f64, Spread)| vec![(*x, y.min), (*x, y.p90)];
            let whisker = |ends| PathElement::new(ends, colour.mix(0.35).stroke_width(7));
            chart.draw_series(points.iter().map(samples).map(whisker))?;
            let points = points.iter().map(|(x, y)| (*x, y.median));
            let stroke = colour.stroke_width(2);
            chart.draw_series(LineSeries::new(points.clone(), stroke))?;
            ends.extend(
                points
                    .clone()
                    .next_back()
                    .map(|last| chart.backend_coord(&last)),
            );
            chart.draw_series(points.map(|point| Circle::new(point, 3, colour.filled())))?;
        }

        let x = WIDTH - right + 16;
        name_ends(area, &ends, names.into_iter().zip(colours), x)
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

/// Dark enough for text on white.
fn darker(RGBColor(r, g, b): RGBColor) -> RGBColor {
    let light = (u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b)) / 10;
    if light < 120 {
        return RGBColor(r, g, b);
    }
    let part = |value: u8| (u32::from(value) * 120 / light) as u8;
    RGBColor(part(r), part(g), part(b))
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), value| {
        (f64::min(low, value), f64::max(high, value))
    });
    // A single value is in the middle.
    let (low, high) = if low == high {
        (low / 2.0, high * 2.0)
    } else {
        (low, high)
    };
    (low < high).then_some((low, high))
}

/// The powers of two in a range, about six of them.
fn powers_of_two((low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    let step = ((last - first) as usize).div_ceil(6).max(1);
    (first..=last)
        .step_by(step)
        .map(|power| f64::from(power).exp2())
        .collect()
}

/// 1, 2, 5, 10, 20, 50 … in a range; of a wide one the powers of ten alone.
fn one_two_five((low, high): (f64, f64)) -> Vec<f64> {
    let digits: &[f64] = if high > 500.0 * low {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    (-6..9)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        .filter(|value| (low..=high).contains(value))
        .collect()
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

/// Writes the names of the curves beside their right ends, from `x` on.
fn name_ends(
    area: &Area<'_>,
    ends: &[(i32, i32)],
    names: impl Iterator<Item = (String, RGBColor)>,
    x: i32,
) -> Drawn {
    let heights = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>());
    for ((end, y), (name, colour)) in ends.iter().zip(heights).zip(names) {
        line(area, vec![(end.0 + 5, end.1), (x - 4, y)], colour)?;
        text(area, name, (x, y), darker(colour), HPos::Left)?;
    }
    Ok(())
}

/// Heights near the wanted ones, in the same order, none too near to the next.
fn apart(wanted: &[i32]) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&i| wanted[i]);
    let mut heights = wanted.to_vec();
    // Those that are too near form a block around the middle of what they want.
    let mut blocks: Vec<(Vec<usize>, i32)> = Vec::new();
    for i in order {
        let (mut members, mut top) = (vec![i], wanted[i]);
        while let Some((above, above_top)) = blocks.pop() {
            if above_top + APART * above.len() as i32 <= top {
                blocks.push((above, above_top));
                break;
            }
            members.splice(0..0, above);
            let n = members.len() as i32;
            let sum: i32 = members.iter().map(|&i| wanted[i]).sum();
            top = sum / n - APART * (n - 1) / 2;
        }
        blocks.push((members, top));
    }
    for (members, top) in blocks {
        // Not out of the picture.
        let lowest = HEIGHT - 10 - APART * members.len() as i32;
        for (place, i) in (0..).zip(members) {
            heights[i] = top.min(lowest).max(10) + APART * place;
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_overlap_and_stay_in_order() {
        let wanted = [100, 101, 102, 300, 90, 310];
        let heights = apart(&wanted);
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&i| wanted[i]);
        for pair in order.windows(2) {
            assert!(heights[pair[1]] - heights[pair[0]] >= APART, "{heights:?}");
        }
        assert_eq!(apart(&[50]), [50]);
    }

    #[test]
    fn ticks_are_few_and_in_the_range() {
        assert_eq!(
            powers_of_two((1.0, 64.0)),
            [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
        );
        assert_eq!(
            powers_of_two((1.0, 1024.0)),
            [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0]
        );
        assert_eq!(one_two_five((3.0, 60.0)), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(one_two_five((3.0, 6000.0)), [10.0, 100.0, 1000.0]);
        assert_eq!(
            [1.0, 1024.0, 65536.0, 1048576.0].map(count),
            ["1", "1024", "64k", "1M"]
        );
    }

    #[test]
    fn charts_show_how_far_samples_lie_apart() {
        let steady = Spread::once(2.0);
        let wide = Spread { p90: 3.0, ..steady };
        let figures = |time: Spread| {
            let lines = Lines {
                title: "t".into(),
                x: "x".into(),
                y: "y".into(),
                curves: vec![Curve {
                    name: "curve".into(),
                    points: vec![(1.0, time), (2.0, time)],
                }],
                with_figures: true,
            };
            let bars = crate::Bars {
                title: "t".into(),
                bars: vec![("bar".into(), time), ("longer".into(), Spread::once(9.0))],
            };
            let steps = crate::Steps {
                title: "t".into(),
                steps: vec![("step".into(), time)],
                whole: Spread::once(9.0),
            };
            [lines.svg(), bars.svg(), steps.svg()]
        };
        for (steady, wide) in figures(steady).iter().zip(figures(wide)) {
            assert_ne!(*steady, wide);
        }
    }

    #[test]
    fn odd_figures_are_left_out() {
        let lines = |points: Vec<(f64, f64)>| Lines {
            title: "t".into(),
            x: "x".into(),
            y: "y".into(),
            curves: vec![Curve {
                name: "curve".into(),
                points: points
                    .into_iter()
                    .map(|(x, y)| (x, Spread::once(y)))
                    .collect(),
            }],
            with_figures: true,
        };
        assert!(!lines(vec![]).svg().contains("curve"));
        assert!(
            !lines(vec![(1.0, f64::NAN), (0.0, 1.0)])
                .svg()
                .contains("curve")
        );
        let svg = lines(vec![(1.0, 2.0)]).svg();
        assert!(svg.contains("curve 2.00"));
        for axis in ["x (logarithmic)", "y (logarithmic)"] {
            assert!(svg.contains(axis), "{axis} is not in {svg}");
        }
        assert!(
            lines(vec![(1.0, 2.0), (2.0, 1.0)])
                .svg()
                .contains("polyline")
        );
    }
}
