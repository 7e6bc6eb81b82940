//! The machine, the compiler and the code that were measured.

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
///
/// ```
/// let facts = klero_measure::describe(None);
/// assert!(facts.iter().any(|fact| fact.name == "processor"));
/// ```
pub fn describe(load: Option<Load>) -> Vec<Fact> {
    let (found, missing) = instruction_sets();
    let backends: Vec<_> = Backend::all().iter().map(|b| b.name()).collect();
    let lacking = ["ifma51", "ifma52", "avx-ifma", "avx512", "avx2", "portable"]
        .into_iter()
        .filter(|name| !backends.contains(name));
    vec![
        Fact::new("processor", processor()),
        Fact::new("threads of the machine", threads()),
        Fact::new("instruction sets", or_none(&found)),
        Fact::new("instruction sets it lacks", or_none(&missing)),
        Fact::new("klero's backends", backends.join(" ")),
        Fact::new(
            "klero's backends it lacks",
            or_none(&lacking.collect::<Vec<_>>()),
        ),
        Fact::new(
            "system",
            format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ),
        Fact::new(
            "threads busy with other programs",
            load.map_or("unknown".into(), |load| format!("{:.2}", load.others)),
        ),
        Fact::new("compiler", compiler()),
        Fact::new("klero", env!("CARGO_PKG_VERSION")),
        Fact::new("commit", commit()),
    ]
}

/// The first 12 digits of the commit that this was built from, or `unknown` outside of a
/// checkout.
///
/// ```
/// println!("built from commit {}", klero_measure::commit());
/// ```
pub fn commit() -> &'static str {
    env!("KLERO_COMMIT")
}

/// The compiler that this was built by, as it names itself.
///
/// ```
/// assert!(klero_measure::compiler().starts_with("rustc "));
/// ```
pub fn compiler() -> &'static str {
    env!("KLERO_COMPILER")
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() {
        "none".into()
    } else {
        names.join(" ")
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
        _ => std::env::consts::ARCH.into(),
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
