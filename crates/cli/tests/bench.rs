//! `klero bench`: what it writes, and what it refuses.

mod common;

use common::Place;

#[test]
fn tables_files_and_a_page() {
    let place = Place::new();
    let ran = place
        .run("bench --rounds 3 --backend portable --grow 1024 --out figures")
        .ends(0);
    for text in [
        "# Result",
        "klero-portable, µs",
        "processor: ",
        "backends measured: klero-portable",
        "# Cost of a proof against the size of the batch",
        "# Where the time goes",
        "# Hash to curve",
        "hash c, β",
        "█",
    ] {
        assert!(
            ran.stdout.contains(text),
            "{text} is not in\n{}",
            ran.stdout
        );
    }
    let samples = place.read("figures/samples.csv");
    assert!(samples.starts_with("run,experiment,row,contender,round,us\n"));
    for file in [
        "summary",
        "ratios",
        "machine",
        "growth-rfc9381-ell2-bc",
        "growth-praos",
    ] {
        assert!(
            place.read(&format!("figures/{file}.csv")).lines().count() > 1,
            "{file}"
        );
    }
    let page = place.read("figures/report.html");
    assert!(page.contains("<svg") && !page.contains("<script"));
    for shown in [&page, &ran.stdout] {
        let place = |text: &str| shown.find(text).unwrap();
        let places = [
            "Result",
            "verify one alone, praos",
            "Cost of a proof",
            "processor",
        ];
        assert!(places.map(place).is_sorted(), "{shown}");
        assert!(!shown.contains("microseconds") && !shown.contains(" us "));
    }
}

/// As after `cargo install`: nothing of the source tree is near.
#[test]
fn an_installed_copy_works_in_any_directory() {
    let place = Place::new();
    let copy = place.path("klero-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_klero"), &copy).unwrap();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let ran = std::process::Command::new(&copy)
        .args(["bench", "--quick", "--backend", "portable"])
        .args(["--only", "try and increment"])
        .current_dir(place.path("elsewhere"))
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    let [stdout, stderr] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(ran.status.success(), "{stderr}");
    assert!(stdout.contains("try and increment, SHA-512"), "{stdout}");
    assert!(!stdout.contains("# Result") && !stdout.contains("Elligator2"));
    let summary = place.read("elsewhere/klero-bench/summary.csv");
    assert_eq!(summary.lines().count(), 2);
    assert!(
        place
            .read("elsewhere/klero-bench/report.html")
            .contains("try and increment")
    );
}

#[test]
fn what_it_cannot_do_is_said_before_it_measures() {
    let place = Place::new();
    let ran = place.run("bench --backend abacus").ends(2);
    assert!(ran.stderr.contains("portable"), "{}", ran.stderr);
    place.write("file", "");
    let ran = place.run("bench --out file/figures").ends(2);
    assert!(
        ran.stderr.contains("klero: cannot write file/figures"),
        "{}",
        ran.stderr
    );
    let ran = place.run("bench --only abacus").ends(2);
    assert!(
        ran.stderr.contains("--only: no row is called") && ran.stderr.contains("hash to curve")
    );
    place.run("bench --rounds 2").ends(2);
    place.run("bench --quick --rounds 5").ends(2);
}
