//! A report: warnings, the result, details, and last the machine that was measured.

use crate::load::Load;
use crate::machine::{Fact, describe};
use crate::measured::Run;
use crate::section::Section;

/// Everything that is shown of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Its heading.
    pub title: String,
    /// Reasons not to rely on these figures.
    pub warnings: Vec<String>,
    /// The result, and then the details.
    pub sections: Vec<Section>,
    /// The machine and the code that were measured.
    pub facts: Vec<Fact>,
}

impl Report {
    /// How to read charts and times.
    pub const HOW_TO_READ: &str = "Times are CPU time of one thread for each item. Charts show \
        medians; whiskers go from the smallest sample to the 90th percentile.";

    /// When and on what was measured, of the facts: date, processor, version.
    pub(crate) fn opening(&self) -> Vec<String> {
        let of = |name: &str| self.facts.iter().find(|fact| fact.name == name);
        let facts = ["date", "processor", "klero", "commit"].map(of);
        let facts = facts.into_iter().flatten();
        let show = |Fact { name, value }: &Fact| match &**name {
            "klero" | "commit" => format!("{name} {value}"),
            _ => value.clone(),
        };
        facts.map(show).collect()
    }

    /// The report of a run: the tables that have a line and their sections, the machine, and a warning if the
    /// machine was busy.
    pub fn new(title: impl Into<String>, run: &Run, mut sections: Vec<Section>) -> Self {
        for section in &mut sections {
            section.tables.retain(|table| !table.lines.is_empty());
        }
        sections.retain(|section| !section.tables.is_empty());
        Self {
            title: title.into(),
            warnings: run.load.and_then(Load::warning).into_iter().collect(),
            sections,
            facts: describe(run.load),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;
    use crate::section::Table;
    use crate::{fill, page, show};

    #[test]
    fn the_result_comes_first_and_a_busy_machine_is_a_warning() {
        let mut run = example();
        let mut section = Section::new("The result", "");
        section.tables.push(Table::of_row(&run.rows[0], &[]));
        let mut nothing = Section::new("Nothing", "");
        nothing.tables.push(Table::default());
        let sections = vec![section, nothing];
        let idle = Report::new("A title", &run, sections.clone());
        assert_eq!(idle.sections.len(), 1);
        assert!(idle.warnings.is_empty() && !page(&idle).contains("Warning"));

        run.load = Some(Load {
            threads: 2,
            others: 1.25,
        });
        let busy = Report::new("A title", &run, sections);
        let marks = "<!-- figures: facts -->\n<!-- end of figures -->\n";
        for shown in [page(&busy), show(&busy)] {
            let place = |text: &str| {
                shown
                    .find(text)
                    .unwrap_or_else(|| panic!("{text}: {shown}"))
            };
            let places = ["A title", "Warning", "The result", "row ", "processor"].map(place);
            assert!(places.is_sorted(), "{shown}");
            assert!(shown.contains("1.2 of the 2 threads"), "{shown}");
        }
        assert!(
            fill(marks, &busy)
                .0
                .contains("| warning | Other programs kept 1.2")
        );
    }
}
