//! The machine, the compiler and the code that the numbers belong to.

use std::process::Command;

use klero::Backend;

/// What is said of the machine: pairs of a name and a value.
pub fn describe() -> Vec<(&'static str, String)> {
    let (found, missing) = instruction_sets();
    let backends: Vec<_> = Backend::all().iter().map(|b| b.name()).collect();
    let lacking = ["ifma", "avx512", "avx2", "portable"]
        .into_iter()
        .filter(|name| !backends.contains(name));
    vec![
        ("processor", processor()),
        ("instruction sets", found.join(" ")),
        ("instruction sets it lacks", or_none(missing.join(" "))),
        ("klero's backends", backends.join(" ")),
        (
            "klero's backends it lacks",
            or_none(lacking.collect::<Vec<_>>().join(" ")),
        ),
        ("dalek's backends", crate::peer::dalek_backends().join(" ")),
        ("load average", load()),
        ("compiler", output("rustc", &["--version"])),
        (
            "commit",
            output("git", &["describe", "--always", "--dirty", "--abbrev=12"]),
        ),
    ]
}

fn or_none(text: String) -> String {
    if text.is_empty() { "none".into() } else { text }
}

fn processor() -> String {
    let named = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let field = |name| {
                let line = text.lines().find(|line| line.starts_with(name))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            };
            Some(format!(
                "{}, family {} model {}",
                field("model name")?,
                field("cpu family")?,
                field("model\t")?
            ))
        });
    named.unwrap_or_else(|| std::env::consts::ARCH.into())
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").map_or("unknown".into(), |text| {
        text.split(' ').take(3).collect::<Vec<_>>().join(" ")
    })
}

/// Those that matter here, found and missing.
fn instruction_sets() -> (Vec<&'static str>, Vec<&'static str>) {
    macro_rules! detect {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    #[cfg(target_arch = "x86_64")]
    let all =
        detect!("bmi2" "adx" "sha" "avx2" "avx512f" "avx512dq" "avx512bw" "avx512vl" "avx512ifma");
    #[cfg(not(target_arch = "x86_64"))]
    let all: [(&str, bool); 0] = [];
    let names = |wanted| {
        let those = all.iter().filter(move |(_, found)| *found == wanted);
        those.map(|(name, _)| *name).collect()
    };
    (names(true), names(false))
}

fn output(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or("unknown".into(), |text| text.trim().to_owned())
}
