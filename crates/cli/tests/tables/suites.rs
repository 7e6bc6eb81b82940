//! The suite of a row in a table.

use crate::common::{Place, csv_column, csv_rows};

/// A table with a row of each of two suites, and the suite in a column.
fn mixed() -> String {
    let mut text = String::from("key,alpha,proof,output,suite\n");
    for suite in ["praos", "rfc9381-tai", "praos"] {
        let sample = Place::new()
            .run(&format!("sample --suite {suite} --count 1"))
            .ends(0)
            .stdout;
        text += &format!("{},{suite}\n", csv_rows(&sample)[0].join(","));
    }
    text
}

#[test]
fn the_column_suite_says_the_suite_of_each_row() {
    for format in ["csv", "jsonl", "parquet"] {
        let place = Place::new();
        place.write("m.csv", mixed());
        place
            .run(&format!("batch verify m.csv --force --out m.{format}"))
            .ends(0);
        place
            .run(&format!("batch verify m.{format} --out v.csv"))
            .ends(0);
        assert_eq!(csv_column(&place.read("v.csv"), "verdict"), ["valid"; 3]);

        place
            .run(&format!(
                "batch verify m.{format} --suite praos --out v.csv"
            ))
            .ends(1);
        let reason = "invalid: suite is rfc9381-tai, expected praos as for the whole table";
        assert_eq!(
            csv_column(&place.read("v.csv"), "verdict"),
            ["valid", reason, "valid"]
        );
    }
}

#[test]
fn a_suite_is_never_guessed() {
    let place = Place::new();
    let text = mixed()
        .replace("rfc9381-tai\n", "nonsense\n")
        .replacen("praos\n", "\n", 1);
    let ran = place
        .run_with("batch verify - --format csv", text.clone())
        .ends(1);
    let verdicts = csv_column(&ran.stdout, "verdict");
    assert_eq!(
        verdicts[0],
        "invalid: suite is missing, and the whole table has none"
    );
    assert!(
        verdicts[1].starts_with("invalid: suite is \"nonsense\": "),
        "{}",
        verdicts[1]
    );
    assert_eq!(verdicts[2], "valid");
    // An empty one says nothing against --suite.
    let ran = place
        .run_with("batch verify - --format csv --suite praos", text)
        .ends(1);
    assert_eq!(csv_column(&ran.stdout, "verdict")[0], "valid");

    for command in ["verify", "prove", "evaluate"] {
        place
            .run_with(
                &format!("batch {command} - --format csv"),
                "key,alpha,proof,seed\n",
            )
            .refused("klero: standard input: no suite: name it with --suite or in a column suite");
    }
    assert!(place.run("sample").ends(2).stderr.contains("--suite"));
}

#[test]
fn rows_are_proved_in_their_suites() {
    let place = Place::new();
    let rows: String = (0..300)
        .map(|row| {
            let suite = ["praos", "rfc9381-ell2", "draft10-tai-bc"][row % 3];
            format!("{row:064x},{row:04x},{suite}\n")
        })
        .collect();
    place.write("a.csv", format!("seed,alpha,suite\n{rows}"));
    place.run("batch prove a.csv --out p.csv").ends(0);
    assert!(
        place
            .read("p.csv")
            .starts_with("alpha,suite,key,proof,output,verdict\n")
    );
    place.run("batch verify p.csv --out v.csv").ends(0);
    assert_eq!(
        csv_column(&place.read("v.csv"), "verdict"),
        vec!["valid"; 300]
    );
    place
        .run("batch prove a.csv --suite praos --out p.csv")
        .ends(1);
    let verdicts = csv_column(&place.read("p.csv"), "verdict");
    let valid = verdicts
        .iter()
        .filter(|verdict| *verdict == "valid")
        .count();
    assert_eq!(valid, 100);
}

#[test]
fn a_seed_has_one_suite() {
    let place = Place::new();
    let seed = "07".repeat(32);
    // Far apart, so that they are not in one group.
    let between: String = (0..5000)
        .map(|row| format!("{row:064x},00,praos\n"))
        .collect();
    for (last, ends) in [("praos", 0), ("rfc9381-tai", 2)] {
        let text = format!("seed,alpha,suite\n{seed},00,praos\n{between}{seed},01,{last}\n");
        place.write("a.csv", text);
        let ran = place.run("batch prove a.csv --out p.csv").ends(ends);
        if ends == 2 {
            ran.refused("klero: a.csv: rows ")
                .refused(" use one seed with two suites (")
                .refused("proofs in two suites can reveal a key");
        }
    }
    assert_eq!(
        csv_column(&place.read("p.csv"), "verdict"),
        vec!["valid"; 5002]
    );

    // A key file is of one suite; rows that want another get no proof.
    place.run("keygen --suite praos").ends(0);
    place.write("b.csv", "alpha,suite\n00,praos\n00,rfc9381-tai\n");
    let ran = place.run("batch prove b.csv --key vrf.skey").ends(1);
    assert_eq!(
        csv_column(&ran.stdout, "verdict"),
        [
            "valid",
            "invalid: suite is rfc9381-tai, expected praos as for the whole table"
        ]
    );
    assert_eq!(csv_column(&ran.stdout, "proof")[1], "");
}

#[test]
fn rows_are_evaluated_in_their_suites() {
    let place = Place::new();
    let row = |n: usize, suite: &str| format!("{n:064x},{n:04x},{suite}\n");
    let rows: String = (0..300)
        .map(|n| row(n, ["praos", "rfc9381-ell2"][n % 2]))
        .collect();
    place.write("a.csv", format!("seed,alpha,suite\n{rows}"));
    place.run("batch prove a.csv --out p.csv").ends(0);
    let proved = place.read("p.csv");
    place.run("batch evaluate a.csv --out e.csv").ends(0);
    let evaluated = place.read("e.csv");
    assert!(evaluated.starts_with("alpha,suite,key,output,verdict\n"));
    for column in ["alpha", "suite", "key", "output", "verdict"] {
        assert_eq!(csv_column(&evaluated, column), csv_column(&proved, column));
    }
    // The output alone is no claim that can be verified.
    place
        .run("batch verify e.csv")
        .refused("no column \"proof\"");

    place.write(
        "b.csv",
        format!("seed,alpha,suite\n{rows}{}", row(0, "rfc9381-ell2")),
    );
    place
        .run("batch evaluate b.csv --out b-e.csv")
        .refused("klero: b.csv: rows 1 and 301 use one seed with two suites (praos, rfc9381-ell2)");
    assert!(!place.path("b-e.csv").exists());
}

#[test]
fn what_is_no_name_of_a_suite_is_not_repeated() {
    let place = Place::new();
    let seed = "2".repeat(64);
    let long = "praos ".repeat(20);
    // The cells of the first row stand in each other's place.
    let text = format!("seed,alpha,suite\npraos,00,{seed}\n00,00,{long}\n00,00,prao\n");
    let ran = place.run_with("batch prove - --format csv", text).ends(1);
    assert!(!ran.stderr.contains(&seed));
    let verdicts = csv_column(&ran.stdout, "verdict");
    assert_eq!(verdicts[0], "invalid: suite has 64 bytes, expected a name");
    assert_eq!(verdicts[1], "invalid: suite has 120 bytes, expected a name");
    assert!(
        verdicts[2].starts_with("invalid: suite is \"prao\": no such suite: expected one of "),
        "{}",
        verdicts[2]
    );
}
