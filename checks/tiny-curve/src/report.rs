//! Runs all parts, as many at a time as there are processors, and prints what they found.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::ensure;
use rayon::prelude::*;

use crate::curve::CURVES;
use crate::faults::Operation;
use crate::model::Model;
use crate::runs::{OF_FAULTS, Part, all};

/// The width of names.
const NAMES: usize = 32;

/// The columns of each line that a part printed.
type Lines = Vec<Vec<String>>;

/// A part, and what it printed.
type Ran = (Part, Lines);

/// Runs everything; on every curve all algorithms in all lanes, or only where it is worth the time.
pub fn run(everything: bool) -> anyhow::Result<()> {
    let parts = Part::all().into_iter().enumerate();
    let parts: Vec<_> = parts
        .filter(|(_, part)| everything || part.is_always_run())
        .collect();
    let this = std::env::current_exe()?;
    let ran = parts
        .into_par_iter()
        .map(|(number, part)| -> anyhow::Result<Ran> {
            let output = Command::new(&this)
                .args(["part", &number.to_string()])
                .output()?;
            let error = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{part:?} ended early: {error}");
            let lines = String::from_utf8(output.stdout)?;
            let columns = |line: &str| line.split('\t').map(str::to_owned).collect();
            Ok((part, lines.lines().map(columns).collect()))
        });
    let ran: Vec<_> = ran.collect::<anyhow::Result<_>>()?;
    let wrong = print_cases(&ran)?;
    let found = print_constants(&ran);
    let enough = print_operations(&ran)?;
    ensure!(wrong == 0, "{wrong} cases are wrong");
    ensure!(found && enough, "planted faults were not found");
    Ok(())
}

/// Prints a table of checks and curves; the number of cases that are wrong.
fn print_cases(ran: &[Ran]) -> anyhow::Result<u64> {
    let mut names: Vec<&str> = Vec::new();
    // Cases and wrong ones, by check and curve.
    let mut cells: BTreeMap<(&str, usize), [u64; 2]> = BTreeMap::new();
    for (part, lines) in ran {
        let (Part::Formulas(curve) | Part::Multiples(curve) | Part::FewerLanes(curve)) = *part
        else {
            continue;
        };
        for line in lines {
            let (name, [cases, wrong]) =
                (&line[0][..], [line[1].parse::<u64>()?, line[2].parse()?]);
            if !names.contains(&name) {
                names.push(name);
            }
            let cell = cells.entry((name, curve)).or_default();
            *cell = [cell[0] + cases, cell[1] + wrong];
        }
    }
    println!("Cases tried, on curves -x² + y² = 1 + d·x²·y² over GF(q)");
    let row = |name: &str, of: &dyn Fn(usize) -> String, last: &str| {
        let cells: String = (0..CURVES.len()).map(|i| format!("{:>9}", of(i))).collect();
        println!("{name:NAMES$}{cells}{last}");
    };
    row("q", &|i| CURVES[i].q.to_string(), "");
    row("d", &|i| CURVES[i].d.to_string(), "");
    row(
        "points",
        &|i| format!("8·{}", CURVES[i].order / 8),
        "    wrong",
    );
    let mut all_wrong = 0;
    for name in names {
        let of = |i| cells.get(&(name, i));
        let wrong: u64 = (0..CURVES.len()).filter_map(of).map(|cell| cell[1]).sum();
        let cases = |i| of(i).map_or("-".to_owned(), |cell| cell[0].to_string());
        row(name, &cases, &format!("{wrong:>9}"));
        all_wrong += wrong;
    }
    Ok(all_wrong)
}

/// Prints which checks find a wrong constant; whether each is found.
fn print_constants(ran: &[Ran]) -> bool {
    println!("\nPlanted: a wrong constant, and what finds it");
    let constants = Model::new(CURVES[OF_FAULTS]).constants();
    let mut all_found = true;
    for (part, lines) in ran {
        let what = match *part {
            Part::OffByOne(i) => format!("{}, 1 too large", constants[i].name),
            Part::Other(i) => format!("{}, the wrong choice", constants[i].name),
            _ => continue,
        };
        let by = lines.iter().filter(|line| line[1] == "1");
        let mut by = by.map(|line| &line[0][..]).collect::<Vec<_>>().join("; ");
        if by.is_empty() {
            all_found = false;
            by += "NOTHING";
        }
        println!("{what:NAMES$} {by}");
    }
    all_found
}

/// Prints how many wrong operations each check finds; whether they are enough.
fn print_operations(ran: &[Ran]) -> anyhow::Result<bool> {
    println!("\nPlanted: one wrong operation at a time, found of planted");
    print!("{:NAMES$}", "");
    for (_, name) in Operation::ALL {
        print!("{name:>12}");
    }
    println!();
    let mut enough = true;
    for (part, lines) in ran {
        let Part::Operations(check) = *part else {
            continue;
        };
        print!("{:NAMES$}", all()[check].0);
        let (mut all_found, mut all_planted) = (0, 0);
        for line in lines {
            let (found, planted): (u32, u32) = (line[1].parse()?, line[2].parse()?);
            match planted {
                0 => print!("{:>12}", "-"),
                _ => print!("{:>12}", format!("{found}/{planted}")),
            }
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
