//! An SVG to draw on.

use std::io;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle};
use plotters_svg::SVGBackend;

use super::style::{INK, TEXT, WIDTH};

pub(super) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// An `svg` element of that height.
pub(super) fn draw(title: &str, height: i32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let size = (WIDTH as u32, height.max(1) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // Nothing that draws into a string fails.
        let _ = draw(&area).and_then(|()| area.present());
    }
    // Without a size of its own it takes that of its container.
    let name = maud::html! { (title) }.into_string();
    let head = format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{name}""#);
    match svg.find(" xmlns=") {
        Some(rest) => head + &svg[rest..],
        None => head + "/>",
    }
}

/// A style of text of the usual size.
pub(super) fn text_style(colour: RGBColor, across: HPos, along: VPos) -> TextStyle<'static> {
    TextStyle {
        // What plotters calls the size is the height of a line.
        font: ("system-ui, sans-serif", TEXT * 1.24).into_font(),
        color: colour.to_backend_color(),
        pos: Pos::new(across, along),
    }
}

/// Text that begins, ends or is centred at a place; its vertical centre is there.
pub(super) fn text(
    area: &Area<'_>,
    text: impl Into<String>,
    place: (i32, i32),
    colour: RGBColor,
    across: HPos,
) -> Drawn {
    let style = text_style(colour, across, VPos::Center);
    area.draw(&Text::new(text.into(), place, style))
}

/// A whisker across a bar: from the smallest sample to the 90th percentile.
pub(super) fn whisker(area: &Area<'_>, from: i32, to: i32, height: i32) -> Drawn {
    const HALF: i32 = 4;
    line(area, vec![(from, height), (to, height)], INK)?;
    for end in [from, to] {
        line(area, vec![(end, height - HALF), (end, height + HALF)], INK)?;
    }
    Ok(())
}

/// A thin line.
pub(super) fn line(area: &Area<'_>, points: Vec<(i32, i32)>, colour: RGBColor) -> Drawn {
    area.draw(&PathElement::new(points, colour.stroke_width(1)))
}
