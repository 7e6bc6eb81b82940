//! The names in `vectors/headers.json`: the rules that a header can break, and the places where the
//! leader rule rounds. They are the rows of two tables of the file's page.

use klero_reference::leader::Place;

const PAGE: &str = include_str!("../../../docs/header-vectors.md");

/// A name with its meaning, and what decides it.
pub struct Name {
    pub name: &'static str,
    pub description: &'static str,
    pub decided_by: &'static str,
}

/// The rules, in the order of the file.
pub fn rules() -> Vec<Name> {
    table("\n| rule | what it means |")
}

/// The roundings, in the order of the file, which is that of [`Place`].
pub fn roundings() -> Vec<Name> {
    table("\n| rounding | where |")
}

/// The name of a place where the leader rule rounds.
pub fn rounding(place: Place) -> &'static str {
    roundings()[place as usize].name
}

fn table(head: &str) -> Vec<Name> {
    let (_, table) = PAGE.split_once(head).expect("the page has the table");
    let rows = table.lines().skip(2).map_while(|row| {
        let cells = row.strip_prefix("| `")?.strip_suffix(" |")?;
        let (name, cells) = cells.split_once("` | ")?;
        let (description, decided_by) = cells.split_once(" | ")?;
        Some(Name {
            name,
            description,
            decided_by,
        })
    });
    rows.collect()
}
