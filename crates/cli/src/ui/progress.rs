//! A progress bar on standard error.

use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which a run gets a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts rows or other items, and shows the position in the input. The bar appears after a second, but
/// only on a terminal on which no rows are printed.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    unit: &'static str,
    rows: u64,
    may_show: bool,
}

impl Progress {
    /// Starts to count rows. `rows_on_stdout` is true if the rows go to standard output.
    pub fn start(rows_on_stdout: bool) -> Self {
        Self::counting("rows", !(rows_on_stdout && stdout().is_terminal()))
    }

    /// Starts to count items, which messages call `unit`. If `may_show` is false, no bar appears.
    pub fn counting(unit: &'static str, may_show: bool) -> Self {
        Self {
            bar: ProgressBar::hidden(),
            started: Instant::now(),
            unit,
            rows: 0,
            may_show: may_show && stderr().is_terminal(),
        }
    }

    /// Counts rows. The input has been read up to `position` of `length`.
    pub fn advance(&mut self, rows: usize, (position, length): (u64, Option<u64>)) {
        self.rows += rows as u64;
        if self.may_show && self.started.elapsed() >= PATIENCE {
            self.may_show = false;
            self.show(length);
        }
        self.bar.set_position(position);
        self.bar.set_message(format!(
            "{} {}, {}",
            HumanCount(self.rows),
            self.unit,
            self.rate()
        ));
    }

    fn show(&self, length: Option<u64>) {
        let template = match length {
            Some(length) => {
                self.bar.set_length(length);
                "{wide_bar} {percent}%  {msg}, {eta} left"
            }
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_elapsed(self.started.elapsed());
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
    }

    /// Runs `print` while the bar is hidden.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// The number of rows that were counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The elapsed time and the rate, for people.
    pub fn timing(&self) -> String {
        format!(
            "{:.2} s, {}",
            self.started.elapsed().as_secs_f64(),
            self.rate()
        )
    }

    fn rate(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let rate = HumanCount((self.rows as f64 / seconds) as u64);
        format!("{rate} {}/s", self.unit)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
