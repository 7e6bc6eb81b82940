//! The result as one HTML page, with a chart. It loads nothing and runs no script.

use std::fmt::Write;

use indicatif::HumanCount;

use super::rounds::Row;
use super::work::CARDANO;
use super::{HOW_TO_READ, head, line, micros};

/// The colours of text and page are those that the reader has chosen, light or dark; the blue of
/// the bars is legible on both.
const STYLE: &str = "
:root { color-scheme: light dark }
body { margin: 0 auto; padding: 1rem; max-width: 50rem; font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem }
svg { display: block; width: 100%; height: auto; margin: 1rem 0 }
text { fill: currentColor; font-size: 13px }
.row { font-weight: 600 }
.backend { text-anchor: end }
rect { fill: #3a80c4; opacity: .6 }
.default { opacity: 1 }
div { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8886 }
th:first-child, td:first-child { text-align: left }
";

/// What the run shows, in one sentence.
pub fn title(rows: &[Row<'_>]) -> String {
    let row = rows.iter().find(|row| row.name == CARDANO);
    match row.and_then(|row| row.contenders.first()) {
        Some(fastest) => {
            let rate = (1e6 / fastest.median()) as u64;
            // Three digits; the others differ from run to run.
            let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or_default().saturating_sub(2));
            let rate = HumanCount((rate + unit / 2) / unit * unit);
            format!("One core verifies {rate} Cardano proofs a second")
        }
        None => "Klero on this machine".into(),
    }
}

/// The page of a run: what it shows, when and on what, then the chart and the table.
pub fn page(rows: &[Row<'_>], facts: &[(&str, String)]) -> String {
    let title = title(rows);
    let of = |wanted: &str| facts.iter().find(|(name, _)| *name == wanted);
    let opening = ["date", "processor", "klero"].into_iter().filter_map(of);
    let opening: Vec<_> = opening
        .map(|(name, value)| match *name {
            "klero" => format!("klero {}", escaped(value)),
            _ => escaped(value),
        })
        .collect();
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{}</p>\n\
         <p>{HOW_TO_READ} Shorter bars are better.</p>\n",
        opening.join(" · "),
    );
    page += &figure(rows);
    page += &table([head(rows)].into_iter().chain(rows.iter().map(line)));
    page += "<p>\n";
    for (name, value) in facts {
        let _ = writeln!(page, "{name}: {}<br>", escaped(value));
    }
    page + "</p>\n</html>\n"
}

/// Bars: below the name of each row one for each backend, from zero, with its median.
fn figure(rows: &[Row<'_>]) -> String {
    const WIDTH: f64 = 640.0;
    /// Where the names of backends end and bars begin.
    const LEFT: f64 = 84.0;
    /// The place of a median behind its bar.
    const FIGURE: f64 = 48.0;
    const LINE: f64 = 18.0;
    let contenders = rows.iter().flat_map(|row| &row.contenders);
    let longest = contenders
        .map(|contender| contender.median())
        .fold(f64::MIN_POSITIVE, f64::max);
    let (mut body, mut y) = (String::new(), 0.0);
    for row in rows {
        y += 1.5 * LINE;
        let name = escaped(&row.name);
        let _ = writeln!(body, "<text class=\"row\" y=\"{y}\">{name}</text>");
        for (i, contender) in row.contenders.iter().enumerate() {
            y += LINE;
            let (name, time) = (contender.backend.name(), contender.median());
            let width = (WIDTH - LEFT - FIGURE) * time / longest;
            let class = if i == 0 { "default" } else { "" };
            let _ = writeln!(
                body,
                "<text class=\"backend\" x=\"{}\" y=\"{y}\">{name}</text>\
                 <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"12\"/>\
                 <text x=\"{:.1}\" y=\"{y}\">{}</text>",
                LEFT - 8.0,
                y - 10.5,
                LEFT + width + 6.0,
                micros(time),
            );
        }
    }
    let height = y + 0.5 * LINE;
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{HOW_TO_READ}\">\n{body}</svg>\n"
    )
}

/// A table, whose first line is its head.
fn table(lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = String::from("<div><table>\n");
    for (i, line) in lines.enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        table += "<tr>";
        for cell in line {
            let _ = write!(table, "<{tag}>{}</{tag}>", escaped(&cell));
        }
        table += "</tr>\n";
    }
    table + "</table></div>\n"
}

/// Text that HTML takes for nothing else.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use klero::Backend;

    use super::*;
    use crate::bench::rounds::{Plan, measure};

    /// A row whose only sample is this, in microseconds.
    fn measured(name: &str, time: f64) -> Row<'static> {
        let mut row = Row::new(name.into(), 1, &[Backend::default()], |_| Box::new(|| true));
        row.contenders[0].samples.push(time);
        row
    }

    #[test]
    fn the_title_is_the_answer() {
        for (time, rate) in [(12.84, "77,900"), (128.3, "7,790"), (2.0e6, "0")] {
            let rows = [measured("prove", 1.0), measured(CARDANO, time)];
            let words = format!("One core verifies {rate} Cardano proofs a second");
            assert_eq!(title(&rows), words);
            let facts = [("date", "2026-11-25".into()), ("klero", "0.1".into())];
            let page = page(&rows, &facts);
            let opening = format!("<h1>{words}</h1>\n<p>2026-11-25 · klero 0.1</p>");
            assert!(page.contains(&opening), "{page}");
        }
        assert_eq!(title(&[measured("prove", 1.0)]), "Klero on this machine");
        // Thousands are separated.
        assert_eq!(line(&measured("prove", 1234.4)), ["prove", "1,234", "810"]);
    }

    #[test]
    fn the_page_stands_by_itself_and_escapes() {
        let backends = Backend::all();
        let row = Row::new("a <row> & more".into(), 1, &backends, |_| Box::new(|| true));
        let mut rows = [row];
        measure(&mut rows, Plan::rounds(3)).unwrap();
        let page = page(&rows, &[("processor", "<one>".into())]);
        for part in [
            "a &lt;row> &amp; more</text>",
            "&lt;one>",
            "<svg viewBox",
            "portable</text>",
        ] {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
        assert_eq!(page.matches("<rect").count(), backends.len());
        for never in [
            "http", "<script", "<link", "url(", "@import", "NaN", "<row>",
        ] {
            assert!(!page.contains(never), "{never} is in\n{page}");
        }
    }
}
