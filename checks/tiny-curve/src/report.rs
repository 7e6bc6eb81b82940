//! Runs all parts, as many at a time as there are processors, and prints what they found.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, ensure};

use crate::curve::{CURVES, Constant};
use crate::faults::Operation;
use crate::model::Model;
use crate::runs::{OF_FAULTS, Part, Wrong, all};

/// The width of names.
const NAMES: usize = 32;

/// The columns of each line that a part printed.
type Lines = Vec<Vec<String>>;

/// Runs everything; on every curve all algorithms in all lanes, or only where it is worth the time.
pub fn run(everything: bool) -> anyhow::Result<()> {
    let first_of_order = |i: usize| {
        CURVES[..i]
            .iter()
            .all(|other| other.order != CURVES[i].order)
    };
    let mut parts = Vec::new();
    for i in 0..CURVES.len() {
        parts.push(Part::Formulas(i));
        if everything || first_of_order(i) {
            parts.push(Part::Multiples(i));
        }
        if everything || i == 0 {
            parts.push(Part::FewerLanes(i));
        }
    }
    let of_curves = parts.len();
    let model = Model::new(CURVES[OF_FAULTS]);
    let constants = model.curve.constants(model.points[model.base]);
    for i in 0..constants.len() {
        parts.push(Part::Constant(i, Wrong::OffByOne));
        parts.push(Part::Constant(i, Wrong::Other));
    }
    // A constant that is no choice has no other value.
    parts.retain(|part| match part {
        Part::Constant(i, Wrong::Other) => constants[*i].other.is_some(),
        _ => true,
    });
    let of_constants = parts.len();
    parts.extend((0..all().len()).map(Part::Operations));

    let lines = run_parts(&parts)?;
    let wrong = print_cases(&parts[..of_curves], &lines)?;
    let found = print_constants(
        &parts[of_curves..of_constants],
        &lines[of_curves..],
        &constants,
    )?;
    let enough = print_operations(&lines[of_constants..])?;
    ensure!(wrong == 0, "{wrong} cases are wrong");
    ensure!(found && enough, "planted faults were not found");
    Ok(())
}

/// What each part printed.
fn run_parts(parts: &[Part]) -> anyhow::Result<Vec<Lines>> {
    let this = std::env::current_exe()?;
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let output = Command::new(&this)
                .args(["part", &part.to_string()])
                .output();
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.insert(part.to_string(), output);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let lines = parts.iter().map(|part| {
        let output = results.remove(&part.to_string()).context("a result")??;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{part} ended early: {error}");
        let lines = String::from_utf8(output.stdout)?;
        let columns = |line: &str| line.split('\t').map(str::to_owned).collect();
        Ok(lines.lines().map(columns).collect())
    });
    lines.collect()
}

/// Prints a table of checks and curves; the number of cases that are wrong.
fn print_cases(parts: &[Part], lines: &[Lines]) -> anyhow::Result<u64> {
    let mut names: Vec<&str> = Vec::new();
    // Cases and wrong ones, by check and curve.
    let mut cells: BTreeMap<(&str, usize), [u64; 2]> = BTreeMap::new();
    for (part, lines) in parts.iter().zip(lines) {
        let (Part::Formulas(curve) | Part::Multiples(curve) | Part::FewerLanes(curve)) = *part
        else {
            continue;
        };
        for line in lines {
            let [name, cases, wrong] = &line[..] else {
                anyhow::bail!("{part} printed {line:?}");
            };
            if !names.contains(&&name[..]) {
                names.push(name);
            }
            let cell = cells.entry((name, curve)).or_default();
            cell[0] += cases.parse::<u64>()?;
            cell[1] += wrong.parse::<u64>()?;
        }
    }
    println!("Cases tried, on curves -x² + y² = 1 + d·x²·y² over GF(q)");
    let head = |name: &str, of: &dyn Fn(usize) -> String| {
        print!("{name:NAMES$}");
        (0..CURVES.len()).for_each(|i| print!("{:>9}", of(i)));
    };
    head("q", &|i| CURVES[i].q.to_string());
    println!();
    head("d", &|i| CURVES[i].d.to_string());
    println!();
    head("points", &|i| format!("8·{}", CURVES[i].order / 8));
    println!("    wrong");
    let mut all_wrong = 0;
    for name in names {
        let of = |i| cells.get(&(name, i));
        head(name, &|i| {
            of(i).map_or("-".to_owned(), |[cases, _]| cases.to_string())
        });
        let wrong: u64 = (0..CURVES.len())
            .filter_map(of)
            .map(|[_, wrong]| wrong)
            .sum();
        println!("{wrong:>9}");
        all_wrong += wrong;
    }
    Ok(all_wrong)
}

/// Prints which checks find a wrong constant; whether each is found.
fn print_constants(
    parts: &[Part],
    lines: &[Lines],
    constants: &[Constant],
) -> anyhow::Result<bool> {
    println!("\nPlanted: a wrong constant, and what finds it");
    let mut all_found = true;
    for (part, lines) in parts.iter().zip(lines) {
        let Part::Constant(number, wrong) = *part else {
            continue;
        };
        let by: Vec<_> = lines
            .iter()
            .filter(|line| line[1] == "1")
            .map(|line| &line[0][..])
            .collect();
        let name = constants[number].name;
        let what = match wrong {
            Wrong::OffByOne => format!("{name}, 1 too large"),
            Wrong::Other => format!("{name}, the wrong choice"),
        };
        all_found &= !by.is_empty();
        let by = if by.is_empty() {
            "NOTHING".to_owned()
        } else {
            by.join("; ")
        };
        println!("{what:NAMES$} {by}");
    }
    Ok(all_found)
}

/// Prints how many wrong operations each check finds; whether they are enough.
fn print_operations(lines: &[Lines]) -> anyhow::Result<bool> {
    println!("\nPlanted: one wrong operation at a time, found of planted");
    print!("{:NAMES$}", "");
    Operation::ALL
        .iter()
        .for_each(|(_, name)| print!("{name:>12}"));
    println!();
    let mut enough = true;
    for ((name, _), lines) in all().into_iter().zip(lines) {
        print!("{name:NAMES$}");
        let (mut all_found, mut all_planted) = (0, 0);
        for line in lines {
            let (found, planted): (u32, u32) = (line[1].parse()?, line[2].parse()?);
            let cell = if planted == 0 {
                "-".to_owned()
            } else {
                format!("{found}/{planted}")
            };
            print!("{cell:>12}");
            all_found += found;
            all_planted += planted;
        }
        println!();
        enough &= 2 * all_found >= all_planted && all_found > 0;
    }
    println!(
        "Those not found are of these kinds, as far as they were looked at, and change no result:\n\
         operands of a comparison in the other order, a term that is 0 as T of the identity is, a lane\n\
         without an item, a factor that a root does not depend on, what is computed and not used."
    );
    Ok(enough)
}
