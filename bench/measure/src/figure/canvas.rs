//! An SVG to draw on; colours and sizes that all charts share.

use std::io;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle};
use plotters_svg::SVGBackend;

pub(super) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// The width of every chart, in units that are pixels on a phone.
pub(super) const WIDTH: i32 = 480;
/// The size of text.
const TEXT: f64 = 12.5;
/// An estimate of the width of a character of that size; fonts differ.
const CHARACTER: f64 = 6.9;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
/// Secondary text.
pub(super) const PALE_INK: RGBColor = RGBColor(0x5f, 0x66, 0x6f);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xe6, 0xea);
/// Klero.
const BLUE: RGBColor = RGBColor(0x00, 0x5a, 0x9c);
/// All others.
const GREY: RGBColor = RGBColor(0xa9, 0xb0, 0xb8);

/// The colour of each name. If none is Klero's, all have its colour.
pub(super) fn colours<'n>(names: impl Iterator<Item = &'n String> + Clone) -> Vec<RGBColor> {
    let is_ours =
        |name: &String| name.split(|c: char| !c.is_alphanumeric()).next() == Some("klero");
    let with_ours = names.clone().any(is_ours);
    names
        .map(|name| match with_ours && !is_ours(name) {
            true => GREY,
            false => BLUE,
        })
        .collect()
}

/// The width of the longest text.
pub(super) fn width_of<'t>(texts: impl IntoIterator<Item = &'t String>) -> i32 {
    let longest = texts.into_iter().map(|text| text.chars().count()).max();
    (longest.unwrap_or(0) as f64 * CHARACTER).ceil() as i32
}

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

/// Text that begins or ends at a place; its vertical centre is there.
pub(super) fn text(
    area: &Area<'_>,
    text: impl Into<String>,
    place: (i32, i32),
    across: HPos,
) -> Drawn {
    let style = text_style(INK, across, VPos::Center);
    area.draw(&Text::new(text.into(), place, style))
}

/// A thin line.
pub(super) fn line(area: &Area<'_>, points: Vec<(i32, i32)>, colour: RGBColor) -> Drawn {
    area.draw(&PathElement::new(points, colour.stroke_width(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn klero_stands_out_from_others() {
        let names = ["klero-ifma51", "dalek5-ifma", "kleroid"].map(str::to_owned);
        assert_eq!(colours(names.iter()), [BLUE, GREY, GREY]);
        assert_eq!(colours(names[1..].iter()), [BLUE; 2]);
    }
}
