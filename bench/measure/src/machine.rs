//! The machine, the compiler and the code that were measured.

use std::env::consts::{ARCH, OS};

use klero::Backend;

use crate::load::{Load, Ticks};

/// A fact about the machine or the run: a name and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Fact {
    /// A fact.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Processor, instruction sets, Klero's backends, load, system, compiler, version and commit.
pub fn describe(load: Option<Load>) -> Vec<Fact> {
    let (found, missing) = instruction_sets();
    let backends: Vec<_> = Backend::all().iter().map(|b| b.name()).collect();
    let mut lacking = vec!["ifma51", "ifma52", "avx-ifma", "avx512", "avx2", "portable"];
    lacking.retain(|name| !backends.contains(name));
    let busy = load.map_or("unknown".into(), |load| format!("{:.2}", load.others));
    vec![
        Fact::new("processor", processor()),
        Fact::new("threads of the machine", threads()),
        Fact::new("instruction sets", or_none(&found)),
        Fact::new("instruction sets it lacks", or_none(&missing)),
        Fact::new("klero's backends", backends.join(" ")),
        Fact::new("klero's backends it lacks", or_none(&lacking)),
        Fact::new("system", format!("{OS} {ARCH}")),
        Fact::new("threads busy with other programs", busy),
        Fact::new("compiler", env!("KLERO_COMPILER")),
        Fact::new("klero", env!("CARGO_PKG_VERSION")),
        // The first 12 digits, or `unknown` outside of a checkout.
        Fact::new("commit", env!("KLERO_COMMIT")),
    ]
}

fn or_none(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        _ => names.join(" "),
    }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut fields = text.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = fields.find(|(field, _)| field.trim() == name)?;
        Some(value.trim())
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => {
            format!("{name}, family {family} model {model}")
        }
        (Some(name), ..) => name.into(),
        _ => ARCH.into(),
    }
}

/// The threads of the machine, which may be more than this process may use.
fn threads() -> String {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    match Ticks::now().map(|ticks| ticks.threads) {
        Some(all) if all > allowed => format!("{all}, of which this process may use {allowed}"),
        _ => allowed.to_string(),
    }
}

/// The instruction sets that matter here: found, and missing.
fn instruction_sets() -> (Vec<&'static str>, Vec<&'static str>) {
    #[cfg(target_arch = "x86_64")]
    let all = {
        macro_rules! detect {
            ($($name:tt)*) => {
                [$(($name, std::arch::is_x86_feature_detected!($name))),*]
            };
        }
        detect!("bmi2" "adx" "sha" "avx2" "fma" "avx512f" "avx512dq" "avx512bw" "avx512vl" "avx512ifma" "avxifma")
    };
    #[cfg(not(target_arch = "x86_64"))]
    let all: [(&str, bool); 0] = [];
    let names = |wanted| {
        let those = all.iter().filter(move |(_, found)| *found == wanted);
        those.map(|(name, _)| *name).collect()
    };
    (names(true), names(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_and_the_compiler_are_named() {
        let facts = describe(None);
        let of = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap();
        assert!(!of("processor").value.is_empty());
        assert!(of("compiler").value.starts_with("rustc "));
    }
}
