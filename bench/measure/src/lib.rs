//! Benchmarks side by side, and reports about them.
//!
//! A [`Row`] is one piece of work and the [contenders](Row::add) that can do it. In a
//! [run](run()) every contender does the work of every row once in each round, and the first
//! one changes from round to round: a disturbance of the machine lengthens a round, and so
//! affects all contenders. The result is a [`Run`]: for each row a [`Series`] of samples for
//! each contender, in microseconds of CPU time.
//!
//! A ratio of two times that were not measured together also depends on the state of the
//! machine at the two times. Therefore only [`Measured::ratio`] makes a [`Ratio`], from two
//! series of one row of one run, and columns of ratios accept nothing else.
//!
//! A report shows a run as [sections](Section): text, tables, charts. The same sections go to
//! the terminal and into one HTML page; all samples go to CSV files.
//!
//! ```
//! use klero_measure::{Plan, Row, run};
//! let numbers: Vec<u64> = (0..1000).collect();
//! let mut row = Row::new("sums", "a thousand numbers", 1000);
//! row.add("iterator", || numbers.iter().sum::<u64>() == 499_500);
//! row.add("formula", || numbers.len() as u64 * 999 / 2 == 499_500);
//! let run = run(vec![row], &Plan::rounds(3))?;
//! let row = &run.rows[0];
//! println!("{:.2} times as fast", row.ratio("formula", "iterator").unwrap().value());
//! # Ok::<(), klero_measure::Fault>(())
//! ```

mod clock;
mod digits;
mod figure;
mod files;
mod load;
mod machine;
mod markdown;
mod measured;
pub mod ours;
mod page;
mod report;
mod run;
mod section;
mod terminal;

pub use clock::{cpu_seconds, peak_memory, process_seconds};
pub use digits::per_second;
pub use figure::{Bars, Curve, Figure, Lines};
pub use files::{Directory, MILLISECONDS, SECONDS};
pub use load::Load;
pub use machine::{Fact, describe};
pub use markdown::fill;
pub use measured::{Measured, Ratio, Run, Series, Spread};
pub use page::page;
pub use report::Report;
pub use run::{Ended, Fault, NoRow, Plan, Row, only, run};
pub use section::{Cell, Section, Table};
pub use terminal::show;
