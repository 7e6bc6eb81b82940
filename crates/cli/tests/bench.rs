//! `klero bench`: what it leaves behind, and what it refuses.

mod common;

use common::Place;

#[test]
fn tables_files_and_a_page() {
    let place = Place::new();
    let ran = place
        .run("bench --rounds 3 --backend portable --grow 1024 --out figures")
        .ends(0);
    for text in [
        "processor: ",
        "backends measured: klero-portable",
        "# Cost of a proof against the size of the batch",
        "# Where the time goes",
        "hash to curve",
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
    place.run("bench --rounds 2").ends(2);
    place.run("bench --quick --rounds 5").ends(2);
}
