//! Colours and sizes that all charts share.
//!
//! The hues are those of Okabe and Ito, which are distinct with any kind of colour vision. A
//! family of contenders (by the first part of its name) has a hue, its members have shades of
//! it.

use plotters::style::RGBColor;

/// The width of every chart, in units that are pixels on a phone.
pub(super) const WIDTH: i32 = 480;
/// The size of text.
pub(super) const TEXT: f64 = 12.5;
/// An estimate of the width of a character of that size; fonts differ.
const CHARACTER: f64 = 6.9;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
/// Secondary text.
pub(super) const PALE_INK: RGBColor = RGBColor(0x5f, 0x66, 0x6f);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xe6, 0xea);

/// Klero.
pub(super) const BLUE: RGBColor = RGBColor(0x00, 0x5a, 0x9c);
/// All others, in charts that do not distinguish them.
pub(super) const GREY: RGBColor = RGBColor(0xa9, 0xb0, 0xb8);

/// Vermilion, green, purple, orange, sky blue and grey, dark enough for text of that colour.
const HUES: [RGBColor; 6] = [
    RGBColor(0xc2, 0x4e, 0x00),
    RGBColor(0x00, 0x7d, 0x5b),
    RGBColor(0xa8, 0x4f, 0x82),
    RGBColor(0x9a, 0x6b, 0x00),
    RGBColor(0x2b, 0x84, 0xb8),
    RGBColor(0x4a, 0x4f, 0x57),
];

/// Whether the contender is Klero.
pub(super) fn is_ours(name: &str) -> bool {
    family(name) == "klero"
}

fn family(name: &str) -> &str {
    let end = name.find(|c: char| !c.is_alphanumeric());
    end.map_or(name, |end| &name[..end])
}

/// A colour for each name.
pub(super) fn colours<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<RGBColor> {
    let mut families: Vec<(&str, usize)> = Vec::new();
    let mut colours = Vec::new();
    for name in names {
        let family = family(name);
        let known = families.iter().position(|(known, _)| *known == family);
        let place = known.unwrap_or_else(|| {
            families.push((family, 0));
            families.len() - 1
        });
        let shade = families[place].1;
        families[place].1 += 1;
        let hue = if is_ours(name) {
            BLUE
        } else {
            let before = families[..place].iter().filter(|(f, _)| *f != "klero");
            HUES[before.count() % HUES.len()]
        };
        colours.push(lighter(hue, shade));
    }
    colours
}

/// The colour, a number of steps nearer to white.
fn lighter(RGBColor(r, g, b): RGBColor, steps: usize) -> RGBColor {
    let part = 1.0 - 0.22 * steps.min(3) as f64;
    let mix = |value: u8| (255.0 - (255.0 - f64::from(value)) * part) as u8;
    RGBColor(mix(r), mix(g), mix(b))
}

/// The width of the longest text.
pub(super) fn width_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> i32 {
    let longest = texts.into_iter().map(|text| text.chars().count()).max();
    (longest.unwrap_or(0) as f64 * CHARACTER).ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_share_a_hue_and_no_colour() {
        let names = [
            "klero-ifma",
            "klero-avx2",
            "dalek5-ifma",
            "dalek5-avx2",
            "vrf_dalek",
        ];
        let colours = colours(names);
        assert_eq!(colours[0], BLUE);
        for (i, colour) in colours.iter().enumerate() {
            assert!(!colours[..i].contains(colour));
        }
    }
}
