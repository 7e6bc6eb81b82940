//! Tests of `klero bench`: its output, and the arguments that it refuses.

mod common;

use common::Place;

#[test]
fn a_table_and_bars() {
    let place = Place::new();
    let shown = place
        .run("bench --rounds 3 --backend portable")
        .ends(0)
        .stdout;
    let place = |text: &str| {
        shown
            .find(text)
            .unwrap_or_else(|| panic!("{text} is not in\n{shown}"))
    };
    let places = [
        "One core verifies ",
        "Microseconds of CPU time",
        "verify 1024, praos",
        "verify one alone, praos",
        "verify 1024 of 40 keys, keys kept, praos",
        "verify 2048, one wrong, rfc9381-ell2-bc",
        "\nverify 1024, praos\n  portable █",
        "date: 2",
        "processor: ",
    ];
    assert!(places.map(place).is_sorted(), "{shown}");
    assert!(shown.contains("per second"), "{shown}");
}

#[test]
fn json_has_a_line_for_each_row_and_backend() {
    let place = Place::new();
    let ran = place.run("bench --rounds 3 --only alone --json").ends(0);
    let lines = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let backends = klero::Backend::all();
    assert_eq!(lines.len(), 3 * backends.len());
    for (line, backend) in lines.iter().zip(backends.iter().cycle()) {
        assert!(line["row"].as_str().unwrap().contains("alone, praos"));
        assert_eq!(line["backend"], backend.name());
        assert_eq!(line["proofs"], 32);
        assert_eq!(line["samples_us"].as_array().unwrap().len(), 3);
        let [min, median, p90] =
            ["min_us", "median_us", "p90_us"].map(|name| line[name].as_f64().unwrap());
        assert!(0.0 < min && min <= median && median <= p90, "{line}");
        for name in ["date", "processor", "compiler", "klero"] {
            assert!(!line[name].as_str().unwrap().is_empty(), "{line}");
        }
    }
}

/// As after `cargo install`, the program and its working directory are outside the source tree.
#[test]
fn an_installed_copy_works_in_any_directory() {
    let place = Place::new();
    let copy = place.path("klero-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_klero"), &copy).unwrap();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let ran = std::process::Command::new(&copy)
        .args(["bench", "--quick", "--backend", "portable"])
        .args(["--only", "prove one alone"])
        .current_dir(place.path("elsewhere"))
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    let [stdout, stderr] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(ran.status.success(), "{stderr}");
    assert!(stdout.contains("prove one alone, praos"), "{stdout}");
    assert!(!stdout.contains("verify"), "{stdout}");
    let left = std::fs::read_dir(place.path("elsewhere")).unwrap();
    assert_eq!(left.count(), 0, "it writes no file");
}

#[test]
fn what_it_cannot_do_is_said_before_it_measures() {
    let place = Place::new();
    let ran = place.run("bench --backend abacus").ends(2);
    assert!(ran.stderr.contains("portable"), "{}", ran.stderr);
    let ran = place.run("bench --only abacus").ends(2);
    assert!(
        ran.stderr.contains("--only: no row is called") && ran.stderr.contains("prove one alone")
    );
    place.run("bench --rounds 2").ends(2);
    place.run("bench --quick --rounds 5").ends(2);
}
