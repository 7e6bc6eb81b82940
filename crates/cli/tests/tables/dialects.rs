//! Tables as others make them: names, encodings and delimiters of their own.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::common::{Place, csv_column};
use crate::refuses;

/// A sample of CSV with other values in each row.
fn changed(place: &Place, name: &str, change: impl Fn(usize, Vec<&str>) -> String) {
    place
        .run("sample --suite praos --count 40 --invalid 0.2 --out s.csv")
        .ends(0);
    let text = place.read("s.csv");
    let lines = text.lines().enumerate();
    let lines = lines.map(|(row, line)| change(row, line.split(',').collect()) + "\n");
    place.write(name, lines.collect::<String>());
}

/// The verdicts on the sample as it is.
fn expected(place: &Place) -> Vec<String> {
    place
        .run("batch verify s.csv --suite praos --out expected.csv")
        .ends(1);
    csv_column(&place.read("expected.csv"), "verdict")
}

#[test]
fn columns_have_any_name() {
    let place = Place::new();
    changed(&place, "t.csv", |row, fields| match row {
        0 => "pk,input,pi,beta".into(),
        // No claim of an output.
        1 => format!("{},{},{},", fields[0], fields[1], fields[2]),
        _ => fields.join(","),
    });
    let names = "--column key=pk --column alpha=input --column proof=pi --column output=beta \
                 --column verdict=ok";
    for out in ["v.csv", "v.parquet", "v.jsonl"] {
        place
            .run(&format!(
                "batch verify t.csv --suite praos {names} -o {out}"
            ))
            .ends(1);
        place
            .run(&format!(
                "batch verify {out} --suite praos {names} -o again.csv"
            ))
            .ends(1);
        let text = place.read("again.csv");
        assert!(text.starts_with("pk,input,pi,beta,ok\n"), "{text}");
        let mut verdicts = expected(&place);
        verdicts[0] = "valid".into();
        assert_eq!(csv_column(&text, "ok"), verdicts);
        assert_eq!(csv_column(&text, "beta")[0].len(), 128);
    }

    // Proofs of one key, under other names.
    place
        .run("keygen --suite praos --out-secret key.json")
        .ends(0);
    place.write("a.csv", "slot\n00\n01\n");
    place
        .run("batch prove a.csv --key key.json --column alpha=slot --column proof=pi -o p.csv")
        .ends(0);
    let text = place.read("p.csv");
    assert!(text.starts_with("slot,key,pi,output,verdict\n"), "{text}");

    for (options, words) in [
        ("", "there is no column \"key\""),
        (
            "--column key=pk --column key=p",
            "--column key=…: two names for one column",
        ),
        (
            "--column kee=pk",
            "expected one of key, alpha, proof, output, suite, seed, verdict",
        ),
        ("--column key", "expected COLUMN=NAME, as in key=pk"),
        ("--column key=", "the name is empty"),
        ("--column key=proof", "two columns are named \"proof\""),
    ] {
        let line = format!("batch verify t.csv --suite praos {options}");
        refuses(&place, &line, words);
    }
}

#[test]
fn values_are_base64_or_text() {
    let place = Place::new();
    let base64 = |digits: &str| BASE64_STANDARD.encode(hex::decode(digits).unwrap());
    changed(&place, "b.csv", |row, fields| match row {
        0 => fields.join(","),
        _ => fields.into_iter().map(base64).collect::<Vec<_>>().join(","),
    });
    let verdicts = expected(&place);
    for out in ["v.csv", "v.jsonl", "v.parquet"] {
        let options = "--suite praos --encoding base64";
        place
            .run(&format!("batch verify b.csv {options} -o {out}"))
            .ends(1);
        place
            .run(&format!("batch verify {out} {options} -o again.csv"))
            .ends(1);
        assert_eq!(csv_column(&place.read("again.csv"), "verdict"), verdicts);
    }
    place
        .run("batch verify b.csv --suite praos -o v.csv")
        .ends(1);
    let verdict = &csv_column(&place.read("v.csv"), "verdict")[0];
    assert!(
        verdict.starts_with("invalid: key is not hex: "),
        "{verdict}"
    );
    refuses(
        &place,
        "batch verify b.csv --suite praos --encoding base46",
        "base64",
    );

    // What is proved for texts is what is proved for their bytes.
    place
        .run("keygen --suite praos --out-secret key.json")
        .ends(0);
    for (name, alphas, options) in [
        ("t", ["slot 1", "é"], "--alpha-text"),
        ("x", ["736c6f742031", "c3a9"], ""),
    ] {
        place.write(
            &format!("{name}.csv"),
            format!("alpha\n{}\n", alphas.join("\n")),
        );
        let line = format!("batch prove {name}.csv --key key.json {options} -o {name}p.csv");
        place.run(&line).ends(0);
        let line = format!("batch verify {name}p.csv --suite praos {options} -o v.csv");
        place.run(&line).ends(0);
    }
    let [texts, bytes] = ["tp.csv", "xp.csv"].map(|name| csv_column(&place.read(name), "proof"));
    assert_eq!(texts, bytes);
}

#[test]
fn csv_has_any_delimiter() {
    let place = Place::new();
    for (option, character) in [("tab", "\t"), ("\\t", "\t"), (";", ";"), ("|", "|")] {
        changed(&place, "d.csv", |_, fields| fields.join(character));
        place
            .run(&format!(
                "batch verify d.csv --suite praos --delimiter {option} -o v.csv"
            ))
            .ends(1);
        let text = place.read("v.csv");
        let head = ["key", "alpha", "proof", "output", "verdict"].join(character);
        assert!(text.starts_with(&(head + "\n")), "{text}");
        let plain = text.replace(character, ",");
        assert_eq!(csv_column(&plain, "verdict"), expected(&place));
    }
    refuses(
        &place,
        "batch verify d.csv --suite praos --delimiter ab",
        "expected one character",
    );
    place
        .run("sample --suite praos --count 3 --out s.jsonl")
        .ends(0);
    refuses(
        &place,
        "batch verify s.jsonl --suite praos --delimiter ; -o v.parquet",
        "--delimiter: no table is CSV",
    );
}
