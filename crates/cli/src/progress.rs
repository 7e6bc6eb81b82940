//! A progress bar on standard error, for people who wait.

use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs show no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Rows or the like done, and how far along the table that is. Shows itself after a second,
/// only on a terminal, and not between rows that are printed there.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    unit: &'static str,
    rows: u64,
    may_show: bool,
}

impl Progress {
    /// Starts the clock. `rows_on_stdout` says where the rows go.
    pub fn start(rows_on_stdout: bool) -> Self {
        Self::counting("rows", !(rows_on_stdout && stdout().is_terminal()))
    }

    /// Starts the clock for things of this name. `may_show` allows a bar.
    pub fn counting(unit: &'static str, may_show: bool) -> Self {
        Self {
            bar: ProgressBar::hidden(),
            started: Instant::now(),
            unit,
            rows: 0,
            may_show: may_show && stderr().is_terminal(),
        }
    }

    /// Counts rows; `position` of `length` is how far along the table they are.
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
                "{bar:30} {percent}%  {msg}, {eta} left"
            }
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_elapsed(self.started.elapsed());
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
    }

    /// Runs `print` with the bar out of the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Rows counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The time it took, and the rate, in words.
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
