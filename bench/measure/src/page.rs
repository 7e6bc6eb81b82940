//! The report as one HTML page that contains its style and charts. It loads nothing and runs no
//! script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::machine::Fact;
use crate::report::Report;
use crate::section::{Cell, Section, Table};

const STYLE: &str = "
:root { color-scheme: light dark }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: #fbfbfa; color: #22262b;
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 0 0 .5rem }
p { max-width: 44rem; margin: .5rem 0 }
.warning { max-width: none; padding: .75rem; background: #fff4e0; border: 1px solid #c24e00; border-radius: .5rem }
section { margin: 2.5rem 0 }
.figures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  align-items: start; margin: 1rem 0 }
figure { margin: 0; padding: .75rem; background: #fff; border: 1px solid #e3e6ea; border-radius: .5rem;
  max-width: 40rem }
figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .5rem }
svg { display: block; width: 100%; height: auto }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; background: #fff; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .25rem 0 }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #e3e6ea }
td { white-space: nowrap }
td:first-child { white-space: normal }
th:first-child, td:first-child { text-align: left }
thead th { border-bottom: 2px solid #a9b0b8; vertical-align: bottom }
.facts th, .facts td { text-align: left; white-space: normal; vertical-align: top }
.facts th { white-space: nowrap }
details { margin: 1rem 0 }
summary { cursor: pointer }
@media (prefers-color-scheme: dark) {
  body { background: #16191d; color: #dfe3e8 }
  figure, table { background: #1d2126 }
  figure, th, td { border-color: #3a4048 }
  .warning { background: #3a2a12 }
  /* Charts are drawn for light pages: light becomes dark, and hues stay. */
  svg { filter: invert(.9) hue-rotate(180deg) }
}
";

/// The page of a report.
pub fn page(report: &Report) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (report.title) }
                p { (report.opening().join(" · ")) }
                p { (Report::HOW_TO_READ) }
                @for warning in &report.warnings {
                    p.warning role="alert" { strong { "Warning: " } (warning) }
                }
                @for section in &report.sections { (part(section)) }
                section {
                    h2 { "The machine" }
                    div.table { table.facts {
                        @for Fact { name, value } in &report.facts {
                            tr { th { (name) } td { (value) } }
                        }
                    } }
                }
            }
        }
    }
    .into_string()
}

/// A section. Its tables are folded if it has charts.
fn part(section: &Section) -> Markup {
    let tables =
        html! { @for table in &section.tables { (tabular(table, table.title != section.title)) } };
    html! {
        section {
            h2 { (section.title) }
            @for paragraph in &section.text { p { (paragraph) } }
            @if section.figures.is_empty() {
                (tables)
            } @else {
                div.figures {
                    @for figure in &section.figures {
                        figure {
                            figcaption { (figure.title()) }
                            (PreEscaped(figure.svg()))
                        }
                    }
                }
                @if !section.tables.is_empty() {
                    details { summary { "Tables" } (tables) }
                }
            }
        }
    }
}

/// A table, without its title if that is the title of the section.
fn tabular(table: &Table, with_title: bool) -> Markup {
    html! {
        div.table { table {
            @if with_title { caption { (table.title) } }
            thead { tr { @for head in &table.head { th { (head) } } } }
            tbody {
                @for line in &table.lines {
                    tr { @for cell in line { td { (Cell::show(cell)) } } }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Bars, Figure};
    use crate::measured::example;

    #[test]
    fn the_page_stands_by_itself_and_escapes() {
        let run = example();
        let row = &run.rows[0];
        let mut section = Section::new("A <title>", "A & B.");
        section.tables.push(Table::of_row(row, &["peer, the"]));
        section.figures.push(Figure::Bars(Bars::of_row(row)));
        let page = page(&Report {
            facts: vec![Fact::new("processor", "one"), Fact::new("klero", "1.2")],
            sections: vec![section],
            ..Report::default()
        });
        assert!(page.starts_with("<!DOCTYPE html>"));
        // Before the first chart.
        let (opening, _) = page.split_once("<svg").unwrap();
        for part in ["<p>one · klero 1.2</p>", "whiskers go from"] {
            assert!(opening.contains(part), "{part} is not in\n{opening}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
        for part in [
            "A &lt;title&gt;",
            "A &amp; B.",
            "4.00×",
            "row &lt;1&gt;",
            "<svg viewBox",
        ] {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
        let addresses = page.matches("http").count();
        let names = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        assert_eq!(addresses, names, "something is fetched");
        for never in ["<script", "<link", "url(", "@import"] {
            assert!(!page.contains(never), "{never}");
        }
    }
}
