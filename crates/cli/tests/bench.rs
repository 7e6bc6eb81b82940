//! `klero bench`: what it writes, and what it refuses.

mod common;

use common::Place;

#[test]
fn a_table_files_and_a_page() {
    let place = Place::new();
    let ran = place
        .run("bench --rounds 3 --backend portable --out figures")
        .ends(0);
    let page = place.read("figures/report.html");
    assert!(page.contains("<svg") && !page.contains("<script"));
    for shown in [&ran.stdout, &page] {
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
            "verify 2048, one wrong, one by one, rfc9381-ell2-bc",
            "date: 2",
            "processor: ",
            "backends measured: portable",
        ];
        assert!(places.map(place).is_sorted(), "{shown}");
        assert!(shown.contains("per second"), "{shown}");
    }
    let lines = |name: &str| place.read(name).lines().count();
    let rows = page.matches("class=\"row\"").count();
    assert_eq!(lines("figures/summary.csv"), 1 + rows);
    assert_eq!(lines("figures/samples.csv"), 1 + 3 * rows);
    let summary = place.read("figures/summary.csv");
    assert!(summary.starts_with("row,proofs,backend,rounds,min_us,median_us,p90_us\n"));
    let samples = place.read("figures/samples.csv");
    assert!(samples.starts_with("row,backend,round,us\n"));
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
        .args(["--only", "prove one alone"])
        .current_dir(place.path("elsewhere"))
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    let [stdout, stderr] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(ran.status.success(), "{stderr}");
    assert!(stdout.contains("prove one alone, praos"), "{stdout}");
    assert!(!stdout.contains("verify"), "{stdout}");
    let summary = place.read("elsewhere/klero-bench/summary.csv");
    assert_eq!(summary.lines().count(), 2);
    assert!(
        place
            .read("elsewhere/klero-bench/report.html")
            .contains("prove one alone")
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
        ran.stderr.contains("--only: no row is called") && ran.stderr.contains("prove one alone")
    );
    place.run("bench --rounds 2").ends(2);
    place.run("bench --quick --rounds 5").ends(2);
}
